/** Commands as people type them, in either language, with or without accents. */

import type { TypedCommand } from "../games";

/** Lower case, single spaces, no accents. */
export const plain = (text: string): string =>
  text
    .toLowerCase()
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .replaceAll("đ", "d")
    .replace(/\s+/g, " ")
    .trim();

/** The command that is wanted, and the words behind it; null where it is none. */
export function parseTyped(
  text: string,
  commands: readonly TypedCommand[],
): { command: TypedCommand; words: string[] } | null {
  const line = plain(text);
  let best: { command: TypedCommand; phrase: string } | null = null;
  for (const command of commands) {
    for (const phrase of command.phrases) {
      const fits = line === phrase || line.startsWith(`${phrase} `);
      if (fits && phrase.length > (best?.phrase.length ?? 0)) {
        best = { command, phrase };
      }
    }
  }
  if (best === null) {
    return null;
  }
  const words = line.slice(best.phrase.length).split(" ").filter(Boolean);
  return { command: best.command, words };
}
