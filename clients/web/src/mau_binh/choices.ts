/** What a seat signs of its arrangement, and the opening of one that it is bound to. */

import { type Card, numberOf } from "../cards/card";
import { recall } from "../connection/keepsakes";
import type { Round } from "../connection/messages";
import { type Choice, makeMove } from "../connection/signing";
import type { Arrangement } from "./messages";

const numbers = (cards: readonly Card[]): number[] => cards.map(numberOf);

export const arrangeChoice = (one: Arrangement, nonce?: string): Choice => ({
  kind: "ARRANGE",
  back: numbers(one.back),
  middle: numbers(one.middle),
  front: numbers(one.front),
  ...(nonce === undefined ? {} : { nonce }),
});
export const commitChoice = (commitment: string): Choice => ({ kind: "COMMIT", commitment });

/** Opens the arrangement that a seat is bound to, where this browser has it. */
export function open({ round_id, mau_binh }: Round, seat: number, present: () => Round): void {
  const bound = recall(round_id)?.bound[mau_binh?.commitment ?? ""];
  if (bound !== undefined && mau_binh?.opened?.[seat] !== true) {
    const { cards, nonce } = bound;
    const [back, middle, front] = [cards.slice(0, 5), cards.slice(5, 10), cards.slice(10)];
    const arrangement = { back, middle, front };
    const choice = arrangeChoice(arrangement, nonce);
    void makeMove("open", present, { ...arrangement, nonce }, choice).catch(() => undefined);
  }
}
