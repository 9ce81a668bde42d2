/**
 * The chain of a seat's own events, worked out with the verifier's code; fetched when the first signature is needed. It signs
 * on no course but the one that the page was shown, and never two events for one place, unless the seat has run out of time
 * in between: as `SeatChain` of the SDKs, but for a key whose bytes no page can read.
 */

import { type Bytes, hex, isHex, unhex, utf8 } from "referee-verifier/bytes";
import { encode, type Json } from "referee-verifier/canonical";
import { seedStatement } from "referee-verifier/commitment";
import { Course, firstMove, nextMove as moveAfter } from "referee-verifier/course";
import { isSignature, SIGNATURE_SIZE } from "referee-verifier/ed25519";

import type { Round } from "./messages";
import type { Choice } from "./signing";

/** A command whose event was signed and that was never answered. The same bytes have the same signature. */
export interface Pending {
  readonly name: string;
  readonly fields: object;
  readonly event: string;
  readonly seen: number;
  /** What is signed, in hex. */
  readonly move: string;
}

/** What a seat remembers of its chain, kept by the browser before a signature is sent. Hashes in hex. */
export interface Memory {
  /** The newest event that was shown. */
  readonly number: number;
  readonly eventHash: string;
  /** The chain of the seat's own events up to there. */
  readonly move: string;
  /** The number of the seat's newest event that the clock made. */
  readonly timedOut: number;
  readonly pending?: Pending;
  /** What was signed for the command that was refused last, in hex; the table server holds its signature. */
  readonly refused?: string;
}

/** The course shown is not the one that was shown before, or has an event of this seat that its key did not sign. */
export class CourseError extends Error {
  override name = "CourseError";
}

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

/** The memory after the round's course was shown; `kept` is the memory before. */
export function shown(round: Round, key: string, kept: Memory | undefined): Memory {
  const { round_id, you: seat, course } = round;
  if (seat === null || course === undefined) {
    throw new TypeError("there is no course to sign on");
  }
  const events = course.events.map(({ event, time, received }) => ({
    event: JSON.parse(event) as Json,
    time,
    received: received ? 1 : 0,
  }));
  const { hashes } = new Course(round_id, course.deck_root, events as never);
  const start = hashes[0] as Bytes;
  const first = hex(firstMove(start, seat));
  const before = kept ?? { number: 0, eventHash: hex(start), move: first, timedOut: 0 };
  const at = course.is_whole || before.number === 0 ? hashes[before.number] : undefined;
  if (at === undefined || hex(at) !== before.eventHash) {
    throw new CourseError(`${before.number} events were shown, and the course has others by now`);
  }
  let [move, timedOut] = [unhex(first), before.timedOut];
  for (const [place, { event }] of events.entries()) {
    const own = event as { seat: number; seen?: number };
    if (own.seat === seat && own.seen !== undefined) {
      const seenHash = course.is_whole ? hashes[own.seen] : start; // events of other seats are hidden
      move = moveAfter(move, seenHash ?? start, utf8(encode(event)));
    } else if (own.seat === seat && course.is_whole) {
      timedOut = Math.max(timedOut, place + 1);
    }
  }
  const [made, { pending, refused }] = [hex(move), before as Memory];
  const isNew = made !== before.move;
  if (isNew && made !== pending?.move && made !== refused) {
    const signature = kept === undefined ? (course.signature ?? "") : "";
    const isOwn =
      isHex(signature, SIGNATURE_SIZE) &&
      isSignature(unhex(signature, SIGNATURE_SIZE), move, unhex(key));
    if (!isOwn) {
      throw new CourseError(`the course has an event of seat ${seat} that its key did not sign`);
    }
  }
  const newest = course.is_whole ? events.length : before.number;
  return {
    number: newest,
    eventHash: hex(hashes[newest] as Bytes),
    move: made,
    timedOut,
    ...(isNew || pending === undefined ? {} : { pending }),
    ...(isNew || refused === undefined ? {} : { refused }),
  };
}

/** The memory after a command was refused: another event may be signed in its place. */
export function forgotten({ pending, ...memory }: Memory, move: string): Memory {
  return pending?.move === move
    ? { ...memory, refused: move }
    : { ...memory, ...(pending === undefined ? {} : { pending }) };
}

/** The command that was signed for the place of the seat's next event and may still be accepted. */
export const formerOf = ({ pending, timedOut }: Memory): Pending | undefined =>
  pending !== undefined && timedOut <= pending.seen ? pending : undefined;

/** What is signed for a command; null where another event was signed in its place. */
export function nextMove(
  memory: Memory,
  seat: number,
  { name, fields, choice }: { name: string; fields: object; choice: Choice },
): Pending | null {
  const former = formerOf(memory);
  const seen = former?.seen ?? memory.number;
  const event = encode({ ...choice, seat, seen });
  if (former !== undefined) {
    return former.event === event ? { ...former, name, fields } : null;
  }
  const move = moveAfter(unhex(memory.move), unhex(memory.eventHash), utf8(event));
  return { name, fields, event, seen, move: hex(move) };
}
