/**
 * Keys and roots of sections, and the deck root over them. K_i opens section i as these cards and
 * no others, and reveals nothing about another section.
 *
 *     K_i       = HKDF(s, M, enc("section-key", round_id, u8 i), 32)
 *     R_i       = TH("section", round_id, u8 i, card numbers, K_i)        one byte a card, as dealt
 *     deck_root = TH("deck-root", round_id, C, M, layout, R_0..R_q)       one byte a section
 */

import { type Bytes, concat } from "./bytes.js";
import { enc, taggedHash, u8 } from "./encoding.js";
import { hkdf } from "./hkdf.js";

/** A section of a round. */
export interface Place {
  readonly roundId: Bytes;
  readonly section: number;
}

export function sectionKey(seed: Bytes, mixed: Bytes, { roundId, section }: Place): Bytes {
  return hkdf(seed, { salt: mixed, info: enc("section-key", roundId, u8(section)), length: 32 });
}

/** R_i of a section with this key and these card numbers. */
export function sectionRoot(key: Bytes, { roundId, section }: Place, cards: number[]): Bytes {
  return taggedHash("section", roundId, u8(section), concat(...cards.map(u8)), key);
}

/** The hash that commits to the whole deal. */
export function deckRoot(deal: {
  roundId: Bytes;
  commitment: Bytes;
  mixed: Bytes;
  layout: number[];
  roots: Bytes[];
}): Bytes {
  const { roundId, commitment, mixed, layout, roots } = deal;
  return taggedHash("deck-root", roundId, commitment, mixed, Uint8Array.from(layout), ...roots);
}
