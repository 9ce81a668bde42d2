/** Commands as people type them, in either language, with or without accents. */

export type Verb =
  | "help"
  | "state"
  | "ready"
  | "leave"
  | "swap"
  | "sortRank"
  | "sortSuit"
  | "suggest"
  | "done"
  | "play"
  | "pass"
  | "check"
  | "bet"
  | "fold"
  | "graphics";

const PHRASES: readonly (readonly [Verb, readonly string[]])[] = [
  ["help", ["help", "?", "giup", "tro giup"]],
  ["state", ["state", "table", "hand", "ban", "bai"]],
  ["ready", ["ready", "san sang"]],
  ["leave", ["leave", "roi", "roi ban", "thoat"]],
  ["swap", ["swap", "doi"]],
  ["sortRank", ["sort rank", "xep so"]],
  ["sortSuit", ["sort suit", "xep chat"]],
  ["suggest", ["suggest", "hint", "goi y"]],
  ["done", ["done", "submit", "xong", "nop"]],
  ["play", ["play", "danh"]],
  ["pass", ["pass", "bo luot", "qua"]],
  ["check", ["check"]],
  ["bet", ["bet", "to"]],
  ["fold", ["fold", "bo bai"]],
  ["graphics", ["graphics", "cards", "do hoa"]],
];

/** Lower case, single spaces, no accents. */
export const plain = (text: string): string =>
  text
    .toLowerCase()
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .replaceAll("đ", "d")
    .replace(/\s+/g, " ")
    .trim();

/** What is wanted, and the words behind it; null where it is no command. */
export function parseTyped(text: string): { verb: Verb; words: string[] } | null {
  const line = plain(text);
  let best: { verb: Verb; phrase: string } | null = null;
  for (const [verb, phrases] of PHRASES) {
    for (const phrase of phrases) {
      const fits = line === phrase || line.startsWith(`${phrase} `);
      if (fits && phrase.length > (best?.phrase.length ?? 0)) {
        best = { verb, phrase };
      }
    }
  }
  if (best === null) {
    return null;
  }
  const words = line.slice(best.phrase.length).split(" ").filter(Boolean);
  return { verb: best.verb, words };
}
