/** The bytes that a seat signs, worked out with the verifier's own code; fetched when the first one is needed. */

import { type Bytes, unhex, utf8 } from "referee-verifier/bytes";
import { encode, type Json } from "referee-verifier/canonical";
import { seedStatement } from "referee-verifier/commitment";
import { Course } from "referee-verifier/course";
import { taggedHash, u8 } from "referee-verifier/encoding";

import type { Round, SeatCourse } from "./messages";
import type { Choice } from "./signing";

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

/** What is signed for the seat's next event: its own chain so far, what it has seen, and the event. */
export function nextMove(
  round: Round,
  seat: number,
  course: SeatCourse,
  choice: Choice,
): { seen: number; move: Bytes } {
  const events = course.events.map(({ event, time, received }) => ({
    event: JSON.parse(event) as Json,
    time,
    received: received ? 1 : 0,
  }));
  const shown = new Course(round.round_id, course.deck_root, events as never);
  const seen = course.is_whole ? events.length : 0;
  const start = shown.hashes[0] as Bytes;
  let chain = taggedHash("seat", start, u8(seat));
  for (const { event } of events) {
    const own = event as { seat: number; seen?: number };
    if (own.seat === seat && own.seen !== undefined) {
      const seenHash = shown.hashes[own.seen] ?? start;
      chain = taggedHash("move", chain, seenHash, utf8(encode(event)));
    }
  }
  const event = utf8(encode({ ...choice, seat, seen }));
  return { seen, move: taggedHash("move", chain, shown.hashes[seen] ?? start, event) };
}
