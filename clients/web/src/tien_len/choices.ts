/** What a seat signs of its turn. */

import { type Card, numberOf } from "../cards/card";
import type { Choice } from "../connection/signing";

export const playChoice = (cards: readonly Card[]): Choice => ({
  kind: "PLAY",
  cards: cards.map(numberOf),
});
export const PASS: Choice = { kind: "PASS" };
