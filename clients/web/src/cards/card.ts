/**
 * The 52 cards as messages spell them, rank before suit: "AS", "TH", "2C". Names and orders for the eye only: what beats
 * what is the referee's affair.
 */

export type Card = string;

export const SUITS = ["S", "C", "D", "H"] as const;
export type Suit = (typeof SUITS)[number];

const LETTERS = "23456789TJQKA";
export const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"] as const;
export type Rank = (typeof RANKS)[number];

const SIGNS = "♠♣♦♥";

const rankIndex = (card: Card): number => LETTERS.indexOf(card.charAt(0));
const suitIndex = (card: Card): number => SUITS.indexOf(card.charAt(1) as Suit);

export const rankOf = (card: Card): Rank => RANKS[rankIndex(card)] ?? "2";
export const suitOf = (card: Card): Suit => SUITS[suitIndex(card)] ?? "S";

/** The referee's number of the card, 1 to 52: 4 * rank + suit + 1. */
export const numberOf = (card: Card): number => 4 * rankIndex(card) + suitIndex(card) + 1;

/** The card for the eye, such as "10♥". */
export const spell = (card: Card): string => rankOf(card) + SIGNS.charAt(suitIndex(card));

export const spellAll = (cards: readonly Card[]): string => cards.map(spell).join(" ");

/** High ranks first, of one rank hearts first. */
export const byRank = (cards: readonly Card[]): Card[] => [...cards].sort((a, b) => numberOf(b) - numberOf(a));

/** Suit by suit, the ones with most cards first, within a suit high ranks first. */
export function bySuit(cards: readonly Card[]): Card[] {
  const count = (suit: Suit): number => cards.filter((card) => suitOf(card) === suit).length;
  return [...cards].sort((a, b) => {
    const [one, other] = [suitOf(a), suitOf(b)];
    const suits = count(other) - count(one) || suitIndex(b) - suitIndex(a);
    return suits || numberOf(b) - numberOf(a);
  });
}

const RANK_WORDS = "TWO THREE FOUR FIVE SIX SEVEN EIGHT NINE TEN JACK QUEEN KING ACE".split(" ");
const SUIT_WORDS = "SPADES CLUBS DIAMONDS HEARTS".split(" ");

/** The card's name in proto JSON, such as "CARD_ACE_OF_SPADES". */
export const protoName = (card: Card): string =>
  `CARD_${RANK_WORDS[rankIndex(card)] ?? ""}_OF_${SUIT_WORDS[suitIndex(card)] ?? ""}`;

/** The card of a name in proto JSON. */
export function fromProto(name: string): Card {
  const [, rank = "", , suit = ""] = name.split("_");
  return LETTERS.charAt(RANK_WORDS.indexOf(rank)) + suit.charAt(0);
}
