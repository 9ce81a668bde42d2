/**
 * A receipted event: what a player keeps of a move, so that nobody can drop the move unseen. A file
 * in canonical JSON with `event`, the event's bytes as text, `previous_hash`, h_{k-1}, and `receipt`,
 * the envelope of the referee's receipt of event k. Together they give the h_k that it signs.
 */

import { attempt } from "./attempt.js";
import { type Bytes, hex, isHex, SpellingError, unhex, utf8 } from "./bytes.js";
import { decode, encode } from "./canonical.js";
import type { Course } from "./course.js";
import { taggedHash, u32 } from "./encoding.js";
import { isTimeout, member, seatOf } from "./events.js";
import { FormError, type Of, record, text } from "./form.js";
import type { EventReceipt } from "./leaf.js";

const MOST_EVENTS = 2 ** 32 - 1;

const receiptedForm = record({ event: text, previous_hash: text, receipt: text }, {});

export type ReceiptedEvent = Of<typeof receiptedForm>;

/** The file of a receipted event, in canonical JSON. */
export function writeReceiptedEvent(kept: ReceiptedEvent): string {
  const { event, previous_hash, receipt } = kept;
  return encode({ event, previous_hash, receipt });
}

/** The receipted event in a file; null where it is another file. Nothing is verified here. */
export function readReceiptedEvent(data: Bytes): ReceiptedEvent | null {
  const kept = attempt(() => receiptedForm(decode(data), ""), SpellingError, FormError);
  return kept instanceof Error || !isHex(kept.previous_hash, 32) ? null : kept;
}

/** h_k in hex of the event if it has this number; empty for a number that no event has. */
export function hashOf({ event, previous_hash }: ReceiptedEvent, number: number): string {
  if (number > MOST_EVENTS) {
    return "";
  }
  return hex(taggedHash("event", unhex(previous_hash), u32(number), utf8(event)));
}

/**
 * The number of a timeout that a course has instead of a received event: of its seat, and no earlier
 * than the receipt. Null where the course has none, or has the event.
 */
export function timeoutInstead({ event }: ReceiptedEvent, receipt: EventReceipt, course: Course): number | null {
  const seat = seatIn(event);
  if (seat === null || course.events.some((one) => encode(one.event) === event)) {
    return null;
  }
  const place = course.events.findIndex(
    (one) => one.time >= receipt.received_time && isTimeout(one) && seatOf(one) === seat,
  );
  return place < 0 ? null : place + 1;
}

function seatIn(event: string): number | null {
  const value = attempt(() => decode(utf8(event)), SpellingError);
  if (value instanceof SpellingError) {
    return null;
  }
  const seat = member(value, "seat");
  return typeof seat === "number" ? seat : null;
}
