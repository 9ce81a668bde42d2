import { type Card, numberOf } from "../cards/card";

/** Weak to strong: threes lowest, twos highest. */
export function byTienLen(cards: readonly Card[]): Card[] {
  const place = (card: Card): number => (numberOf(card) + 47) % 52;
  return [...cards].sort((a, b) => place(a) - place(b));
}
