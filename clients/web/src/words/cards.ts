/** Cards by name, as a player says them. */

import { type Card, type Rank, rankOf, type Suit, suitOf } from "../cards/card";
import { settings } from "../settings.svelte";

const SUIT_NAMES: Record<Suit, readonly [string, string]> = {
  S: ["bích", "spades"],
  C: ["tép", "clubs"],
  D: ["rô", "diamonds"],
  H: ["cơ", "hearts"],
};

const COURT_NAMES: Partial<Record<Rank, readonly [string, string]>> = {
  J: ["bồi", "jack"],
  Q: ["đầm", "queen"],
  K: ["già", "king"],
  A: ["át", "ace"],
};

/** Such as "đầm cơ" or "queen of hearts". */
export function cardName(card: Card): string {
  const [rank, suit] = [rankOf(card), suitOf(card)];
  const court = COURT_NAMES[rank];
  return settings.language === "vi"
    ? `${court?.[0] ?? rank} ${SUIT_NAMES[suit][0]}`
    : `${court?.[1] ?? rank} of ${SUIT_NAMES[suit][1]}`;
}

export const cardNames = (cards: readonly Card[]): string => cards.map(cardName).join(", ");
