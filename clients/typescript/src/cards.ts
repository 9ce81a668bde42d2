/** Cards as callers give them: numbers of the wire, or texts such as `AS TD 2C`. */

import type { Card } from "./gen/referee/v1/card_pb.js";

/** Some cards: `"AS KD"`, or values of `Card`. */
export type Cards = string | readonly Card[];

const RANKS = "23456789TJQKA";
const SUITS = "SCDH";

/** Read cards; RangeError where a text or a number names none. */
export function readCards(cards: Cards): Card[] {
  if (typeof cards !== "string") {
    return cards.map((card) => checked(card));
  }
  const words = cards.split(" ").filter((word) => word !== "");
  return words.map((word) => {
    const [rank, suit] = [RANKS.indexOf(word.charAt(0)), SUITS.indexOf(word.charAt(1))];
    if (word.length !== 2 || rank < 0 || suit < 0) {
      throw new RangeError(`'${word}' is no card; write rank and suit, such as AS, TD or 2C`);
    }
    return 4 * rank + suit + 1;
  });
}

/** Write cards as their texts, with one space between them. */
export function spell(cards: readonly Card[]): string {
  return cards
    .map((card) => {
      const place = checked(card) - 1;
      return RANKS.charAt(Math.floor(place / 4)) + SUITS.charAt(place % 4);
    })
    .join(" ");
}

function checked(card: Card): Card {
  if (!Number.isInteger(card) || card < 1 || card > 52) {
    throw new RangeError(`${card} is no card; cards are numbers from 1 to 52`);
  }
  return card;
}
