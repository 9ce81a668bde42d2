/**
 * The chain of a seat's own events, shown what the table server shows the page. What it signs and refuses is the TypeScript
 * SDK's; this part is fetched when the first signature is needed.
 */

import { AlreadySignedError, Course, CourseError, SeatChain } from "referee-client/chain";
import { type Bytes, isHex, unhex, utf8 } from "referee-verifier/bytes";
import { encode, type Json } from "referee-verifier/canonical";
import { seedStatement } from "referee-verifier/commitment";
import { SIGNATURE_SIZE } from "referee-verifier/ed25519";

import type { Round } from "./messages";

export { AlreadySignedError, CourseError, type SeatChain };

/** What shows a seed; the token's hash is empty on an open table. Seed and hash in hex. */
export const seedStatementOf = (
  at: { round_id: string; server_commitment: string; seat: number },
  seed: string,
  tokenHash: string,
): Bytes =>
  seedStatement(unhex(at.round_id), unhex(at.server_commitment), {
    seat: at.seat,
    tokenHash: tokenHash === "" ? new Uint8Array() : unhex(tokenHash),
    seed: unhex(seed),
  });

/** The chain of this page's seat after the round's course was shown; `kept` is what it remembered before. */
export function shown({ round_id, you: seat, course }: Round, key: string, kept?: string): SeatChain {
  if (seat === null || course === undefined) {
    throw new TypeError("there is no course to sign on");
  }
  const [roundId, deckRoot] = [unhex(round_id), unhex(course.deck_root)];
  const start = new Course(roundId, deckRoot);
  const chain =
    kept === undefined ? new SeatChain(seat, unhex(key), start) : SeatChain.restore(kept, unhex(key), start);
  const events = course.events.map(({ event }) => utf8(encode(JSON.parse(event) as Json)));
  const isSigned = isHex(course.signature ?? "", SIGNATURE_SIZE);
  const signature = isSigned ? unhex(course.signature ?? "", SIGNATURE_SIZE) : new Uint8Array();
  if (course.is_whole) {
    const whole = new Course(roundId, deckRoot);
    for (const [index, { time, received }] of course.events.entries()) {
      whole.append(events[index] as Bytes, { time: BigInt(time), received });
    }
    chain.show(whole, signature);
  } else {
    chain.showOwn(start, events, signature);
  }
  return chain;
}
