/**
 * Thirteen places in three chi: 0 to 4 the back, 5 to 9 the middle, 10 to 12 the front. On the felt the front lies on top
 * and the back nearest to the player.
 */

import type { Card } from "../cards/card";

export const CHI = ["BACK", "MIDDLE", "FRONT"] as const;
export type Chi = (typeof CHI)[number];

const STARTS: Record<Chi, readonly [number, number]> = { BACK: [0, 5], MIDDLE: [5, 10], FRONT: [10, 13] };

export const cardsOf = (places: readonly Card[], chi: Chi): Card[] => places.slice(...STARTS[chi]);

export const arrangementOf = (places: readonly Card[]): Record<"back" | "middle" | "front", Card[]> => ({
  back: cardsOf(places, "BACK"),
  middle: cardsOf(places, "MIDDLE"),
  front: cardsOf(places, "FRONT"),
});

export const chiAt = (place: number): Chi => (place < 5 ? "BACK" : place < 10 ? "MIDDLE" : "FRONT");

/** Where a place lies on the felt: row 0 is the front, columns 0 to 4; the front's three stand in the middle. */
export function spotOf(place: number): { row: number; column: number } {
  const chi = chiAt(place);
  const row = { BACK: 2, MIDDLE: 1, FRONT: 0 }[chi];
  return { row, column: place - STARTS[chi][0] + (chi === "FRONT" ? 1 : 0) };
}

/** The place at a spot, or the nearest of its row; null off the felt. */
export function placeAt(row: number, column: number): number | null {
  if (row < 0 || row > 2 || column < 0 || column > 4) {
    return null;
  }
  return row === 0 ? 10 + Math.min(2, Math.max(0, column - 1)) : (2 - row) * 5 + column;
}

/** The same places with two cards changed. */
export function swapped(places: readonly Card[], one: number, other: number): Card[] {
  const next = [...places];
  [next[one], next[other]] = [places[other] as Card, places[one] as Card];
  return next;
}
