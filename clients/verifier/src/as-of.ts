/**
 * The time as of which a log is verified: a deadline has passed if it had by then. A running log is judged by the
 * verifier's clock. A copy is judged as of its own newest time, because rounds that ran when it was made have ended
 * since. This moves deadlines alone; everything else is held against the verifier's own clock.
 */

import { attempt } from "./attempt.js";
import { type Bytes, SpellingError, utf8 } from "./bytes.js";
import { decode, type Json } from "./canonical.js";
import { EnvelopeError, isSignedBy, parseEnvelope } from "./dsse.js";
import { member } from "./events.js";
import type { KeyRecord } from "./keys.js";
import { CERTIFICATE_TYPE, RECEIPT_TYPE } from "./leaf.js";
import type { Exhibits } from "./round-leaves.js";

/** How far, in ms, a time may be after the verifier's clock. */
const OWN_CLOCK = 120_000;
const TIMES = ["dealt_time", "received_time", "unsealed_time"];

/** A time to verify as of that is before what is held of the log, or after the verifier's clock. */
export class AsOfError extends Error {
  override name = "AsOfError";
}

/** The time as of which to verify; AsOfError for a wanted time outside `newest` to `now`. */
export function asOfTime(now: number, wanted: number | undefined, held: number): number {
  const newest = Math.min(held, now);
  if (wanted === undefined) {
    return newest === 0 ? now : newest;
  }
  if (wanted < newest || wanted > now) {
    const fault = wanted > now ? `the verifier's clock shows ${now}` : `what is held of this log is of ${newest}`;
    throw new AsOfError(`as of ${wanted}: ${fault}, so give ${newest} to ${now}`);
  }
  return wanted;
}

/** The newest time of the certificates and event receipts that a key of this log signed; 0 for none. */
export function heldTime(exhibits: Exhibits | undefined, records: readonly KeyRecord[], now: number): number {
  const { certificates = [], eventReceipts = [] } = exhibits ?? {};
  const times = [...certificates, ...eventReceipts].flatMap((data) => timesOf(data, records));
  return Math.max(0, ...times.filter((time) => time <= now + OWN_CLOCK));
}

function timesOf(data: Bytes, records: readonly KeyRecord[]): number[] {
  const said = signedPayload(data, records) ?? signedPayload(receiptIn(data), records);
  const sections = member(said, "sections");
  const parts = [said, ...(Array.isArray(sections) ? sections : [])];
  return parts.flatMap((part) => TIMES.map((name) => member(part, name)).filter((time) => typeof time === "number"));
}

/** The receipt in a document that has more than it. */
function receiptIn(data: Bytes): Bytes {
  const said = attempt(() => decode(data), SpellingError);
  const receipt = said instanceof SpellingError ? undefined : member(said, "receipt");
  return utf8(typeof receipt === "string" ? receipt : "");
}

function signedPayload(data: Bytes, records: readonly KeyRecord[]): Json | undefined {
  const envelope = attempt(() => parseEnvelope(data), EnvelopeError);
  if (envelope instanceof EnvelopeError) {
    return undefined;
  }
  const role = { [CERTIFICATE_TYPE]: "shuffler", [RECEIPT_TYPE]: "referee" }[envelope.payloadType];
  const isSigned = records.some((one) => one.role === role && isSignedBy(envelope, one.publicKey));
  const said = isSigned ? attempt(() => decode(envelope.payload), SpellingError) : undefined;
  return said instanceof SpellingError ? undefined : said;
}
