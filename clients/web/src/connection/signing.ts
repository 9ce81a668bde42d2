/**
 * What a seat with a key signs: its seed, and each of its own events after all that it was shown. A signature covers every
 * event of the seat before it, so nobody can put a move into its mouth, and it cannot take one back.
 */

import { hex } from "referee-verifier/bytes";
import type { Json } from "referee-verifier/canonical";

import { type Card, numberOf } from "../cards/card";
import { tokenHash } from "./binding";
import { connection } from "./connection.svelte";
import type { Arrangement, Round } from "./messages";
import { seatKey, type SeatKey } from "./seat-key";

/** What a seat does, as the members of its event. */
export type Choice = Readonly<Record<string, Json>>;

const numbers = (cards: readonly Card[]): number[] => cards.map(numberOf);

export const arrangeChoice = (one: Arrangement, nonce?: string): Choice => ({
  kind: "ARRANGE",
  back: numbers(one.back),
  middle: numbers(one.middle),
  front: numbers(one.front),
  ...(nonce === undefined ? {} : { nonce }),
});
export const commitChoice = (commitment: string): Choice => ({ kind: "COMMIT", commitment });
export const playChoice = (cards: readonly Card[]): Choice => ({
  kind: "PLAY",
  cards: numbers(cards),
});
export const PASS: Choice = { kind: "PASS" };
export const decideChoice = (decision: string): Choice => ({ kind: "DECIDE", decision });
export const leaveChoice = ({ ultimate_texas }: Round): Choice =>
  ultimate_texas === undefined ? { kind: "LEAVE" } : decideChoice("LEAVE");

/** The key of one's own seat in a round; null for a seat without one, or with another browser's. */
async function keyOf({ seats, you }: Round): Promise<SeatKey | null> {
  const named = you === null ? undefined : seats[you]?.key;
  const key = named === undefined ? null : await seatKey;
  return key?.publicKey === named ? key : null;
}

/** The signature that shows a seed, where the seat has a key. */
export async function signSeed(
  round: Round,
  own: { seed: string; token: string },
  isSealed: boolean,
): Promise<{ signature?: string }> {
  const key = await keyOf(round);
  const { round_id, server_commitment = "", you } = round;
  if (key === null || you === null) {
    return {};
  }
  const { seedStatementOf } = await import("./chain");
  const statement = seedStatementOf(
    { round_id, server_commitment, seat: you },
    own.seed,
    isSealed ? tokenHash(round_id, you, own.token) : "",
  );
  return { signature: hex(await key.sign(statement)) };
}

/** Moves of this page, one after the other: each is signed after the course has the one before. */
let before: Promise<unknown> = Promise.resolve();

/** Makes a move and waits for the view that has it; a seat with a key signs it. */
export function makeMove<Result>(
  name: string,
  present: () => Round,
  fields: object,
  choice: Choice | null,
): Promise<Result> {
  const made = before
    .catch(() => undefined)
    .then(async () => {
      const { round_id } = present();
      const key = choice === null ? null : await keyOf(present());
      const round = present();
      if (key === null || choice === null || round.you === null || round.course === undefined) {
        return connection.move<Result>(name, { round_id, ...fields });
      }
      const { nextMove } = await import("./chain");
      const { seen, move } = nextMove(round, round.you, round.course, choice);
      const signature = hex(await key.sign(move));
      return connection.move<Result>(name, { round_id, ...fields, seen, signature });
    });
  before = made;
  return made;
}
