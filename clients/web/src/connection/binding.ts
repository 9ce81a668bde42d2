/** The hashes that bind a seat, in hex: the verifier's, for values that the page keeps as hex. */

import { hex, unhex } from "referee-verifier/bytes";
import { arrangementCommitment as commitTo, clientCommitment, seatTokenHash } from "referee-verifier/commitment";

import { type Card, numberOf } from "../cards/card";

export const seedCommitment = (roundId: string, seat: number, seed: string): string =>
  hex(clientCommitment(unhex(roundId), seat, unhex(seed)));

export const tokenHash = (roundId: string, seat: number, token: string): string =>
  hex(seatTokenHash(unhex(roundId), seat, unhex(token)));

/** Binds to thirteen cards in the order back, middle, front. */
export const arrangementCommitment = (roundId: string, seat: number, cards: readonly Card[], nonce: string): string =>
  hex(commitTo(unhex(roundId), seat, { cards: cards.map(numberOf), nonce: unhex(nonce) }));
