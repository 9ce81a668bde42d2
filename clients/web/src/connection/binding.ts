/** What binds a seat, in hex as messages have it. The hashes are the SDK's. */

import * as seats from "referee-client/signer";

import { type Card, numberOf } from "../cards/card";

const { hex, unhex } = seats;

export const seedCommitment = (roundId: string, seat: number, seed: string): string =>
  hex(seats.clientCommitment(unhex(roundId), seat, unhex(seed)));

export const tokenHash = (roundId: string, seat: number, token: string): string =>
  hex(seats.seatTokenHash(unhex(roundId), seat, unhex(token)));

/** Binds to thirteen cards in the order back, middle, front. */
export const arrangementCommitment = (roundId: string, seat: number, cards: readonly Card[], nonce: string): string =>
  hex(seats.arrangementCommitment(unhex(roundId), seat, { cards: cards.map(numberOf), nonce: unhex(nonce) }));
