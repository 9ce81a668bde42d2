/**
 * The events of a round form a chain: each hash covers the one before it, so none can be edited,
 * moved or dropped.
 *
 *     h_0 = TH("transcript", round_id, deck_root)
 *     h_k = TH("event", h_{k-1}, u32 k, event bytes)          k = 1, 2, ..
 *
 * Event bytes are the canonical JSON of the seat's choice. A referee's receipt signs h_k, the
 * number, the time, the round and the section that the event opens; a seat signs h_k itself.
 */

import { type Bytes, hex, unhex, utf8 } from "./bytes.js";
import { encode, type Json } from "./canonical.js";
import { pae } from "./dsse.js";
import { isSignature } from "./ed25519.js";
import { taggedHash, u32 } from "./encoding.js";
import { type EventReceipt, RECEIPT_TYPE, type InputEvent } from "./leaf.js";

/** h_0 to h_n for the events in their order. */
export function chainHashes(roundId: Bytes, deckRoot: Bytes, events: InputEvent[]): Bytes[] {
  const hashes = [taggedHash("transcript", roundId, deckRoot)];
  for (const [place, { event }] of events.entries()) {
    const before = hashes[place] as Bytes;
    hashes.push(taggedHash("event", before, u32(place + 1), utf8(encode(event))));
  }
  return hashes;
}

/** Whether one of the referee's keys signed the receipt of this event as number k. */
export function isReceipted(
  event: InputEvent,
  place: { roundId: Bytes; number: number; hash: Bytes },
  keys: Bytes[],
): boolean {
  const receipt: EventReceipt = {
    event_hash: hex(place.hash),
    number: place.number,
    received_time: event.time,
    round_id: hex(place.roundId),
    ...(event.opens_section === undefined ? {} : { opens_section: event.opens_section }),
  };
  const message = pae(RECEIPT_TYPE, utf8(encode(receipt)));
  return keys.some((key) => isSignature(signatureOf(event.receipt), message, key));
}

/** Whether a seat's key signed the event's hash. */
export function isSignedBySeat(event: InputEvent, hash: Bytes, key: Bytes): boolean {
  return isSignature(signatureOf(event.signature), hash, key);
}

/** The seat whose event it is; -1 where the event names none. */
export function seatOf({ event }: InputEvent): number {
  const seat = member(event, "seat");
  return typeof seat === "number" ? seat : -1;
}

/** A member of an event; undefined where it has none. */
export function member(value: Json | undefined, name: string): Json | undefined {
  const isRecord = typeof value === "object" && !Array.isArray(value);
  return isRecord && Object.hasOwn(value, name) ? value[name] : undefined;
}

/** The numbers in a member that is a list. */
export function numbers(value: Json | undefined): number[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "number") : [];
}

function signatureOf(text: string | undefined): Bytes {
  return text !== undefined && /^[0-9a-f]{128}$/.test(text) ? unhex(text, 64) : new Uint8Array();
}
