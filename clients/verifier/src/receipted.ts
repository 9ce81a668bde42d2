/**
 * A receipted event: what a player keeps of a move, so that nobody can drop the move unseen. A file in canonical JSON
 * with `events`, the bytes of events 1 to k as texts, `receipt`, the envelope of the referee's receipt of event k, and
 * `signature`, that of its seat in hex, empty where the seat does not sign it.
 *
 * A receipt is the referee's word alone. So a receipted event counts only if its events start from the round's h_0, a
 * seat with a key signed the last one, and it was received between DEAL and SETTLE. Whether that is an event of the
 * game is for those who have its rules.
 */

import { attempt } from "./attempt.js";
import { type Bytes, hex, isHex, SpellingError, unhex, utf8 } from "./bytes.js";
import { decode, encode } from "./canonical.js";
import { Course } from "./course.js";
import { isSignature, SIGNATURE_SIZE } from "./ed25519.js";
import { isTimeout, seatOf } from "./events.js";
import { FormError, list, type Of, record, text } from "./form.js";
import { gameOf, NO_KEY } from "./header.js";
import type { EventReceipt, InputEvent } from "./leaf.js";
import type { RoundLeaves } from "./round-leaves.js";

/** Most bytes of a file; the events of a round that can be settled take less. */
const MAX_SIZE = 131_072;

const receiptedForm = record({ events: list(text), receipt: text, signature: text }, {});

export type ReceiptedEvent = Of<typeof receiptedForm>;

/** The file of a receipted event, in canonical JSON. */
export function writeReceiptedEvent(kept: ReceiptedEvent): string {
  const { events, receipt, signature } = kept;
  return encode({ events, receipt, signature });
}

/** The receipted event in a file; null where it is another file. Nothing is verified here. */
export function readReceiptedEvent(data: Bytes): ReceiptedEvent | null {
  if (data.length > MAX_SIZE) {
    return null;
  }
  const kept = attempt(() => receiptedForm(decode(data), ""), SpellingError, FormError);
  if (kept instanceof Error || kept.events.length === 0) {
    return null;
  }
  return kept.signature === "" || isHex(kept.signature, SIGNATURE_SIZE) ? kept : null;
}

/** The course of the events in a receipted event; null where one of them is not canonical. */
export function courseIn({ events }: ReceiptedEvent, roundId: string, deckRoot: string): Course | null {
  const entries = attempt(
    () => events.map((event): InputEvent => ({ event: decode(utf8(event)), received: 1, time: 0 })),
    SpellingError,
  );
  return entries instanceof Error ? null : new Course(roundId, deckRoot, entries);
}

/** Why a receipted event counts for nothing; null where it counts. Whose the receipt is, is asked elsewhere. */
export function receiptedFault(kept: ReceiptedEvent, receipt: EventReceipt, leaves: RoundLeaves): string | null {
  const { deal, settle, header } = leaves;
  if (deal === undefined) {
    return "the round has no DEAL that its events could start from";
  }
  const course = courseIn(kept, leaves.roundId, deal.value.deck_root);
  const last = course?.hashes[course.events.length];
  if (course === null || last === undefined) {
    return "an event in it is not canonical";
  }
  if (receipt.number !== course.events.length || receipt.event_hash !== hex(last)) {
    return "its receipt is of other events, or they start from another deal";
  }
  const { received_time: time } = receipt;
  if (time < deal.value.dealt_time || (settle !== undefined && time > settle.value.inputs.closed_time)) {
    return `it was received at ${time}, which is not between the deal and the settlement`;
  }
  const chains = course.seatChains(header.seat_keys);
  const moved = eventOf(course);
  const key = header.seat_keys[seatOf(moved)];
  if (chains === null || key === undefined) {
    return "its events do not say which seats made them and what these had seen";
  }
  if (key === NO_KEY || isTimeout(moved)) {
    return kept.signature === "" ? null : "it has a signature, and its seat signs no such event";
  }
  const move = chains[seatOf(moved)]?.at(-1);
  const isSigned =
    kept.signature !== "" && move !== undefined && isSignature(unhex(kept.signature, SIGNATURE_SIZE), move, unhex(key));
  return isSigned ? null : `the signature of seat ${seatOf(moved)} over the event is missing or is not its own`;
}

/**
 * What a settled course has in place of an event that counts, or that it ends before it; null where it has the event, or
 * another one there. A timeout of a seat with a key is no act of the seat.
 */
export function leftOut(
  kept: ReceiptedEvent,
  receipt: EventReceipt,
  { leaves, course }: { leaves: RoundLeaves; course: Course },
): { code: "MOVE_DROPPED" | "EVENTS_ALTERED"; instead: string } | null {
  const event = decode(utf8(kept.events.at(-1) ?? ""));
  const moved: InputEvent = { event, received: 1, time: receipt.received_time };
  const isOthers = isTimeout(moved);
  if (isOthers && leaves.header.seat_keys[seatOf(moved)] !== NO_KEY) {
    return null;
  }
  const instead = isOthers ? null : droppedFor(moved, leaves, course);
  if (instead !== null) {
    return { code: "MOVE_DROPPED", instead };
  }
  const { length } = course.events;
  return receipt.number > length ? { code: "EVENTS_ALTERED", instead: `ends with event ${length}` } : null;
}

/** What a course has in place of a move: a timeout of its seat or, on an open table of Mậu Binh, nothing from then on. */
function droppedFor(moved: InputEvent, { header, open }: RoundLeaves, course: Course): string | null {
  const [said, seat] = [encode(moved.event), seatOf(moved)];
  if (course.events.some(({ event }) => encode(event) === said)) {
    return null;
  }
  const later = course.events.filter((one) => one.time >= moved.time && seatOf(one) === seat);
  const timeout = later.find(isTimeout);
  if (timeout !== undefined) {
    return `has a timeout of seat ${seat} as event ${course.events.indexOf(timeout) + 1}`;
  }
  const hasTimeouts = open.value.seat_tokens !== undefined || gameOf(header) !== "mau_binh";
  return hasTimeouts || later.length > 0 ? null : `has no event of seat ${seat} from then on`;
}

function eventOf(course: Course): InputEvent {
  return course.events[course.events.length - 1] as InputEvent;
}
