/**
 * Commitments that bind the server and the seats before a card can be known.
 *
 *     C   = TH("server-commit", round_id, s)
 *     c_i = TH("client-commit", round_id, u8 i, a_i)
 *     M   = TH("mix", round_id, C, beacon, a_0..)          beacon: zero-length
 *     TH("arrange", round_id, u8 i, cards, nonce)          a u8 a card: back, middle, front
 *     TH("client-seed", round_id, C, u8 i, token hash or empty, a_i)  what a seat with a key signs
 *     TH("seat-token", round_id, u8 i, token)              what OPEN has on a sealed table
 */

import type { Bytes } from "./bytes.js";
import { EMPTY, taggedHash, u8 } from "./encoding.js";

export function serverCommitment(roundId: Bytes, seed: Bytes): Bytes {
  return taggedHash("server-commit", roundId, seed);
}

export function clientCommitment(roundId: Bytes, seat: number, seed: Bytes): Bytes {
  return taggedHash("client-commit", roundId, u8(seat), seed);
}

/** Compute M from the server's commitment and all seats' seeds, in the order of the seats. */
export function mix(roundId: Bytes, commitment: Bytes, clientSeeds: Bytes[]): Bytes {
  return taggedHash("mix", roundId, commitment, EMPTY, ...clientSeeds);
}

/**
 * What a seat with a key signs to show its seed; it cannot be made before C is known. `tokenHash` is
 * empty on an open table.
 */
export function seedStatement(
  roundId: Bytes,
  commitment: Bytes,
  { seat, tokenHash, seed }: { seat: number; tokenHash: Bytes; seed: Bytes },
): Bytes {
  return taggedHash("client-seed", roundId, commitment, u8(seat), tokenHash, seed);
}

/** Hash the token that opens a seat's hand on a sealed table, as OPEN names it. */
export function seatTokenHash(roundId: Bytes, seat: number, token: Bytes): Bytes {
  return taggedHash("seat-token", roundId, u8(seat), token);
}

export function arrangementCommitment(
  roundId: Bytes,
  seat: number,
  { cards, nonce }: { cards: number[]; nonce: Bytes },
): Bytes {
  return taggedHash("arrange", roundId, u8(seat), Uint8Array.from(cards), nonce);
}
