/** The hashes that bind a seat: TH(tag, fields) as the referee's protocol has them, in hex. */

import { type Bytes, hex, unhex } from "referee-verifier/bytes";
import { taggedHash, u8 } from "referee-verifier/encoding";

import { type Card, numberOf } from "../cards/card";

const hash = (tag: string, ...fields: Bytes[]): string => hex(taggedHash(tag, ...fields));

export const seedCommitment = (roundId: string, seat: number, seed: string): string =>
  hash("client-commit", unhex(roundId), u8(seat), unhex(seed));

export const tokenHash = (roundId: string, seat: number, token: string): string =>
  hash("seat-token", unhex(roundId), u8(seat), unhex(token));

/** Binds to thirteen cards in the order back, middle, front. */
export const arrangementCommitment = (
  roundId: string,
  seat: number,
  cards: readonly Card[],
  nonce: string,
): string =>
  hash("arrange", unhex(roundId), u8(seat), Uint8Array.from(cards, numberOf), unhex(nonce));
