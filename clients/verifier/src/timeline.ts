/**
 * Times of leaves: in order within a table, close to order in the log, and in agreement with witnesses' clocks. A leaf
 * that takes its place in a round is not dated before the leaf before it in its table, more than ten seconds behind an
 * earlier leaf, or more than two minutes after the verification; inside a tree that a witness cosigned at T it is dated
 * at most ten seconds after T. REVEAL and KEY have no time.
 *
 * The time as of which a log is verified: a deadline has passed if it had by then. A running log is judged by the
 * verifier's clock. A copy is judged as of its own newest time, because rounds that ran when it was made have ended
 * since. This moves deadlines alone; everything else is held against the verifier's own clock.
 */

import { attempt } from "./attempt.js";
import { type Bytes, SpellingError, utf8 } from "./bytes.js";
import { decode, type Json } from "./canonical.js";
import { EnvelopeError, isSignedBy, parseEnvelope } from "./dsse.js";
import { type Code, finding, type Finding, type Where } from "./finding.js";
import type { Header } from "./header.js";
import type { KeyRecord } from "./keys.js";
import { CERTIFICATE_TYPE, member, RECEIPT_TYPE } from "./leaf.js";
import type { Placed } from "./reading.js";
import type { Exhibits } from "./round-leaves.js";

/** How far, in ms, a leaf may be dated behind earlier leaves and ahead of a witness. */
const SLACK = 10_000;
/** How far, in ms, a leaf may be dated after the time of the verification, by a clock of its own. */
const OWN_CLOCK = 120_000;
/** How long, in ms, before a witness saw the log without it a leaf may be dated without a note. */
const BACKDATED = 900_000;

type Timed = "OPEN" | "DEAL" | "UNSEAL" | "SETTLE" | "ABORT" | "REVEAL";

const NAMES = { OPEN: "opened_time", DEAL: "dealt_time", UNSEAL: "unsealed_time", ABORT: "aborted_time" } as const;

/** When a leaf is of; null for a REVEAL. */
export function timeOf(placed: Placed<Timed>): number | null {
  if (placed.kind === "SETTLE" || placed.kind === "REVEAL") {
    return placed.kind === "SETTLE" ? placed.value.inputs.closed_time : null;
  }
  return member(placed.value as Json, NAMES[placed.kind]) as number;
}

export class Timeline {
  readonly #tables = new Map<string, number>();
  #newest = 0;
  #last = 0;
  #latest: { time: number; where: Where } | null = null;
  #witnessed = 0;

  /** `now` is ms since 1970 UTC, null where it does not matter. */
  constructor(
    private readonly report: (finding: Finding) => void,
    private readonly now: number | null,
  ) {}

  /** The latest time of a leaf that is not dated after the verification; 0 for none. */
  get last(): number {
    return this.#last;
  }

  /** The next leaf that has a time. */
  add(index: number, time: number, header: Header): void {
    const where = whereOf(index, header);
    const before = this.#tables.get(header.table_id) ?? 0;
    this.#tables.set(header.table_id, time);
    const isBehind = time < this.#newest - SLACK;
    if (time < before) {
      this.#find("TIME_OUT_OF_ORDER", `it is of ${time}, and the leaf before it in its table is of ${before}`, where);
    } else if (isBehind) {
      this.#find("TIME_OUT_OF_ORDER", `it is of ${time}, and an earlier leaf is of ${this.#newest}`, where);
    } else if (time < this.#witnessed - BACKDATED) {
      const detail = `it is of ${time}, and a witness saw the log before it at ${this.#witnessed}`;
      this.#find("TIME_BACKDATED", detail, where);
    }
    if (this.now !== null && time > this.now + OWN_CLOCK) {
      this.#find("TIME_AHEAD", `it is of ${time}, and it is verified at ${this.now}`, where);
      return;
    }
    this.#last = Math.max(this.#last, time);
    this.#newest = isBehind ? time : Math.max(this.#newest, time);
    if (this.#latest === null || time > this.#latest.time) {
      this.#latest = { time, where };
    }
  }

  /** Witnesses cosigned the tree of the leaves so far at these times, in ms. */
  witness(times: readonly number[]): void {
    for (const time of times) {
      if (this.#latest !== null && this.#latest.time > time + SLACK) {
        const detail = `it is of ${this.#latest.time}, and a witness saw it in the log at ${time}`;
        this.#find("TIME_AHEAD", detail, this.#latest.where);
        this.#latest = null;
      }
      this.#witnessed = Math.max(this.#witnessed, time);
    }
  }

  /** Witnesses cosigned a tree with this OPEN at these times, in ms, as its DEAL shows. */
  witnessDeal(open: Placed<"OPEN">, deal: Placed<"DEAL">, times: readonly number[]): void {
    const [opened, dealt] = [open.value.opened_time, deal.value.dealt_time];
    const { header } = open.value;
    for (const time of times) {
      if (opened > time + SLACK) {
        const detail = `it is of ${opened}, and a witness saw it in the log at ${time}`;
        this.#find("TIME_AHEAD", detail, whereOf(open.index, header));
        break;
      }
      if (dealt < time - SLACK) {
        const detail = `it is of ${dealt}, and carries a checkpoint that a witness cosigned at ${time}`;
        this.#find("TIME_OUT_OF_ORDER", detail, whereOf(deal.index, header));
        break;
      }
      this.#witnessed = Math.max(this.#witnessed, time);
    }
  }

  #find(code: Code, detail: string, where: Where): void {
    this.report(finding(code, detail, where));
  }
}

function whereOf(index: number, header: Header): Where {
  return { leaf_index: index, table_id: header.table_id, round_number: header.round_number };
}

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
