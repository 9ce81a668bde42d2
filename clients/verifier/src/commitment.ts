/**
 * Commitments: what everybody is bound to before anybody can know a card.
 *
 *     C   = TH("server-commit", round_id, s)
 *     c_i = TH("client-commit", round_id, u8 i, a_i)
 *     M   = TH("mix", round_id, C, beacon, a_0..)          beacon: zero-length
 *     TH("arrange", round_id, u8 i, cards, nonce)          a u8 a card: back, middle, front
 */

import type { Bytes } from "./bytes.js";
import { taggedHash, u8 } from "./encoding.js";
import { EMPTY } from "./hkdf.js";

export function serverCommitment(roundId: Bytes, seed: Bytes): Bytes {
  return taggedHash("server-commit", roundId, seed);
}

export function clientCommitment(roundId: Bytes, seat: number, seed: Bytes): Bytes {
  return taggedHash("client-commit", roundId, u8(seat), seed);
}

/** M: what the server's commitment and all seats' seeds, in the order of the seats, come to. */
export function mix(roundId: Bytes, commitment: Bytes, clientSeeds: Bytes[]): Bytes {
  return taggedHash("mix", roundId, commitment, EMPTY, ...clientSeeds);
}

export function arrangementCommitment(
  roundId: Bytes,
  seat: number,
  { cards, nonce }: { cards: number[]; nonce: Bytes },
): Bytes {
  return taggedHash("arrange", roundId, u8(seat), Uint8Array.from(cards), nonce);
}
