/**
 * A section's key opens its cards and no others, and nobody can open them as other cards.
 *
 *     K_i       = HKDF(s, M, enc("section", round_id, u8 i), 32)
 *     salt_k    = HKDF(K_i, "", enc("salt", round_id, u8 i), 32*m)[32k:32k+32]      m cards
 *     L_ik      = TH("card", round_id, u8 i, u8 k, u8 card, salt_k)
 *     R_i       = RFC 6962 root over the leaf data L_i0..
 *     deck_root = TH("deck-root", round_id, C, M, layout, R_0..R_q)                 a u8 a section
 */

import type { Bytes } from "./bytes.js";
import { enc, taggedHash, u8 } from "./encoding.js";
import { EMPTY, hkdf } from "./hkdf.js";
import { leafHash, ProofError, rootOf, verifyInclusion } from "./merkle.js";

const SALT_SIZE = 32;

/** Which section of which round. */
export interface Place {
  readonly roundId: Bytes;
  readonly section: number;
}

export function sectionKey(seed: Bytes, mixed: Bytes, { roundId, section }: Place): Bytes {
  return hkdf(seed, { salt: mixed, info: enc("section", roundId, u8(section)), length: 32 });
}

/** The salts of a section's `size` cards, in their order. */
export function cardSalts(key: Bytes, { roundId, section }: Place, size: number): Bytes[] {
  const info = enc("salt", roundId, u8(section));
  const salts = hkdf(key, { salt: EMPTY, info, length: SALT_SIZE * size });
  return Array.from({ length: size }, (_, k) => salts.subarray(SALT_SIZE * k, SALT_SIZE * (k + 1)));
}

export function cardLeaf(
  { roundId, section }: Place,
  { place, card, salt }: { place: number; card: number; salt: Bytes },
): Bytes {
  return taggedHash("card", roundId, u8(section), u8(place), u8(card), salt);
}

/** R_i of a section with this key and these cards. */
export function sectionRoot(key: Bytes, where: Place, cards: number[]): Bytes {
  const salts = cardSalts(key, where, cards.length);
  const leaf = (card: number, place: number): Bytes =>
    cardLeaf(where, { place, card, salt: salts[place] as Bytes });
  return rootOf(cards.map(leaf));
}

/** The one hash that the whole deal is committed to by. */
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

/** One card of a section opened alone: its salt, and the path from its leaf's sibling upwards. */
export interface CardProof {
  readonly place: number;
  readonly card: number;
  readonly salt: Bytes;
  readonly path: Bytes[];
}

/** Nothing, where the section of `size` cards with this root has the card there; else ProofError. */
export function verifyCard(
  proof: CardProof,
  where: Place,
  { size, root }: { size: number; root: Bytes },
): void {
  if (proof.salt.length !== SALT_SIZE || proof.card < 1 || proof.card > 52) {
    throw new ProofError("no card has that number, or the salt has not 32 bytes");
  }
  const leaf = leafHash(cardLeaf(where, proof));
  verifyInclusion(leaf, { index: proof.place, size, root }, proof.path);
}
