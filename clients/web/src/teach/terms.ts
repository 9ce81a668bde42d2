/** The words of a game's players, from the glossary that page and table server share. */

import glossary from "../../../table/src/referee_table/glossary.json";
import type { Game } from "../connection/messages";
import type { Text } from "../words/say";

export interface Term {
  readonly code: string;
  readonly name: Text;
  readonly means: Text;
}

const ALL = glossary.terms as Record<string, Text & { means: Text; games?: readonly Game[] }>;

/** The words of one game, in the glossary's order. */
export const termsOf = (game: Game): Term[] =>
  Object.entries(ALL)
    .filter(([, { games }]) => games === undefined || games.includes(game))
    .map(([code, { vi, en, means }]) => ({ code, name: { vi, en }, means }));
