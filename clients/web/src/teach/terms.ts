/** The words of a game's players, from the glossary that page and table server share. */

import glossary from "../../../table/src/referee_table/glossary.json";
import type { Game } from "../connection/messages";
import { gameNamed, type Term } from "../games";
import type { Text } from "../words/say";

const ALL = glossary.terms as Record<string, Text & { means: Text; games?: readonly Game[] }>;

/** The words of one game: the glossary's in its order, then those that the game's folder adds. */
export const termsOf = (game: Game): Term[] => [
  ...Object.entries(ALL)
    .filter(([, { games }]) => games === undefined || games.includes(game))
    .map(([code, { vi, en, means }]) => ({ code, name: { vi, en }, means })),
  ...(gameNamed(game)?.terms ?? []),
];
