/**
 * The course of a round: its events as hashes that cover all before them, and what is signed over these.
 *
 *     h_0 = TH("transcript", round_id, deck_root)
 *     h_k = TH("event", h_{k-1}, u32 k, event bytes)               k = 1, 2, ..
 *     r_0 = h_0
 *     r_k = TH("history", r_{k-1}, h_k, u64 time, u8 received)     the course with its times
 *     g_{i,0} = TH("seat", h_0, u8 i)
 *     g_{i,j} = TH("move", g_{i,j-1}, h_s, event bytes)            seat i's own events
 *
 * Event bytes are the canonical JSON of the seat's choice; s is the newest event that its player had seen. The
 * referee's newest receipt signs h_k and r_k, each seat's newest signature g_{i,j}: so each speaks for all before it.
 */

import { attempt } from "./attempt.js";
import { type Bytes, hex, isHex, text, unhex, utf8 } from "./bytes.js";
import { encode, type Json } from "./canonical.js";
import { pae, parseEnvelope } from "./dsse.js";
import { isSignature, SIGNATURE_SIZE } from "./ed25519.js";
import { taggedHash, u32, u64, u8 } from "./encoding.js";
import { NO_KEY } from "./header.js";
import { type EventReceipt, type InputEvent, type Inputs, isTimeout, member, RECEIPT_TYPE, seatOf } from "./leaf.js";
import type { EventLevel } from "./level.js";

/** A course, a receipt or a signature that does not hold. Keep what showed it: it is evidence. */
export class CourseError extends Error {
  override name = "CourseError";
}

/** g_{i,0} of a seat; `start` is h_0. */
export function firstMove(start: Bytes, seat: number): Bytes {
  return taggedHash("seat", start, u8(seat));
}

/** g_{i,j} of an event, after g_{i,j-1}; `seenHash` is h_s. */
export function nextMove(previous: Bytes, seenHash: Bytes, event: Bytes): Bytes {
  return taggedHash("move", previous, seenHash, event);
}

/** One event of a course, as bytes and as JSON, and its hashes h_k and r_k. */
export interface Link {
  readonly event: Bytes;
  readonly said: Json;
  readonly time: bigint;
  readonly received: boolean;
  readonly eventHash: Bytes;
  readonly history: Bytes;
}

/** What an event receipt says. */
export interface CourseReceipt {
  readonly number: number;
  readonly receivedTime: bigint;
  readonly opensSection?: number;
}

/** The events of a round so far; event k is `links[k - 1]`. */
export class Course {
  readonly start: Bytes;
  readonly links: Link[] = [];

  constructor(
    readonly roundId: Bytes,
    deckRoot: Bytes,
  ) {
    this.start = taggedHash("transcript", roundId, deckRoot);
  }

  /** The course of a transcript's events. */
  static of(roundId: string, deckRoot: string, events: readonly InputEvent[]): Course {
    const course = new Course(unhex(roundId), unhex(deckRoot));
    for (const { event, received, time } of events) {
      course.append(utf8(encode(event)), { time: BigInt(time), received: received === 1 }, event);
    }
    return course;
  }

  get number(): number {
    return this.links.length;
  }

  /** h_k of an event, h_0 for number 0. */
  hashAt(number: number): Bytes {
    const hash = number === 0 ? this.start : this.links[number - 1]?.eventHash;
    if (hash === undefined) {
      throw new CourseError(`there is no event ${number}; the course has ${this.number}`);
    }
    return hash;
  }

  /** Append an event of these canonical bytes, which are parsed where `said` is not given. */
  append(
    event: Bytes,
    { time, received }: { time: bigint; received: boolean },
    said: Json = JSON.parse(text(event)) as Json,
  ): void {
    const before = this.links[this.number - 1];
    const eventHash = taggedHash("event", before?.eventHash ?? this.start, u32(this.number + 1), event);
    const flag = u8(received ? 1 : 0);
    const history = taggedHash("history", before?.history ?? this.start, eventHash, u64(Number(time)), flag);
    this.links.push({ event, said, time, received, eventHash, history });
  }

  /** The newest g_{i,j} by seat, of the seats that have made an event with `seen`; CourseError for a wrong `seen`. */
  get moves(): ReadonlyMap<number, Bytes> {
    return new Map([...this.#chains()].map(([seat, chain]) => [seat, chain[chain.length - 1] as Bytes]));
  }

  /** The seat of an event, whether it signs the event, and whether it signs none after it. */
  moverOf(number: number): { seat: number; isSigned: boolean; isLast: boolean } {
    const signs = ({ said }: Link): boolean => member(said, "seen") !== undefined;
    const mine = this.links[number - 1];
    const seat = mine === undefined ? -1 : seatOf(mine.said);
    const isLast = !this.links.slice(number).some((later) => seatOf(later.said) === seat && signs(later));
    return { seat, isSigned: mine !== undefined && signs(mine), isLast };
  }

  /** What OpenSection takes of the events up to one that opens cards. */
  steps(number = this.number): Pick<Link, "eventHash" | "time" | "received">[] {
    return this.links.slice(0, number).map(({ eventHash, time, received }) => ({ eventHash, time, received }));
  }

  /** The text of the receipt that this course has for an event, as the referee signs it. */
  receiptText(number: number, opensSection?: number): string | undefined {
    const link = this.links[number - 1];
    const receipt = link && {
      event_hash: hex(link.eventHash),
      history: hex(link.history),
      number,
      received_time: Number(link.time),
      round_id: hex(this.roundId),
      ...(opensSection === undefined ? {} : { opens_section: opensSection }),
    };
    return receipt && encode(receipt);
  }

  /**
   * What a receipt of this course says; CourseError for the receipt of any other history. Whose
   * signature it bears is for who knows the referee's key.
   */
  receipt(envelope: Bytes): CourseReceipt {
    const { payload, payloadType } = parseEnvelope(envelope);
    const said = JSON.parse(text(payload)) as { number: number; opens_section?: number };
    const { number, opens_section: opensSection } = said;
    if (payloadType !== RECEIPT_TYPE || text(payload) !== this.receiptText(number, opensSection)) {
      throw new CourseError(`the receipt of event ${number} is of another course`);
    }
    const receivedTime = this.links[number - 1]?.time ?? BigInt(0);
    return { number, receivedTime, ...(opensSection === undefined ? {} : { opensSection }) };
  }

  /** g_{i,0} to g_{i,j} by seat; null where `seen` is missing, needless, or not below its event. */
  seatChains(seatKeys: readonly string[]): Bytes[][] | null {
    const isOdd = this.links.some(({ said }) => {
      const isSigned = (seatKeys[seatOf(said)] ?? NO_KEY) !== NO_KEY && !isTimeout(said);
      return isSigned !== (member(said, "seen") !== undefined);
    });
    const chains = isOdd ? null : attempt(() => this.#chains(), CourseError);
    return chains instanceof Map ? seatKeys.map((_, seat) => chains.get(seat) ?? [firstMove(this.start, seat)]) : null;
  }

  /** The seats whose signature is not over exactly what they did; null where no chain can be made. */
  unsignedSeats(seatKeys: readonly string[], signatures: readonly string[]): number[] | null {
    const chains = this.seatChains(seatKeys);
    if (chains === null || signatures.length !== seatKeys.length) {
      return null;
    }
    return chains.flatMap((chain, seat) => {
      const [key, text, last] = [seatKeys[seat] ?? NO_KEY, signatures[seat] ?? "", chain[chain.length - 1]];
      const isSigned =
        chain.length === 1
          ? text === ""
          : isHex(text, SIGNATURE_SIZE) && isSignature(unhex(text, SIGNATURE_SIZE), last as Bytes, unhex(key));
      return isSigned ? [] : [seat];
    });
  }

  /** What is wrong with the newest receipt, under the referee's keys; null where nothing is. */
  receiptFault(receipt: Inputs["receipt"], keys: readonly Bytes[]): string | null {
    const newest = this.newestReceived;
    if (receipt === undefined) {
      return newest === 0 ? null : `event ${newest} was received, and there is no receipt`;
    }
    if (receipt.number !== newest || newest === 0) {
      return `the receipt is of event ${receipt.number}, and the last one received is ${newest}`;
    }
    return isReceipted(this.receiptText(newest, receipt.opens_section), receipt.signature, keys)
      ? null
      : `the referee did not sign event ${newest} after these events, times and flags`;
  }

  /** The number of the last event that the referee received; 0 for none. */
  get newestReceived(): number {
    return this.links.reduce((last, { received }, at) => (received ? at + 1 : last), 0);
  }

  /** The lowest level of the events. */
  level(seatKeys: readonly string[]): EventLevel {
    const levels = this.links.map(({ received, said }): EventLevel => {
      const isKeyed = (seatKeys[seatOf(said)] ?? NO_KEY) !== NO_KEY;
      return !received ? "E0" : isKeyed ? "E2" : "E1";
    });
    return levels.sort()[0] ?? "NONE";
  }

  /** g_{i,0} to g_{i,j} of each seat that has made an event with `seen`. */
  #chains(): Map<number, Bytes[]> {
    const chains = new Map<number, Bytes[]>();
    for (const [place, { event, said }] of this.links.entries()) {
      const [seat, seen] = [seatOf(said), member(said, "seen")];
      if (seen === undefined) {
        continue;
      }
      if (typeof seen !== "number" || seen > place) {
        throw new CourseError(`event ${place + 1} says that its player had seen event ${String(seen)}`);
      }
      const chain = chains.get(seat) ?? [firstMove(this.start, seat)];
      chains.set(seat, [...chain, nextMove(chain[chain.length - 1] as Bytes, this.hashAt(seen), event)]);
    }
    return chains;
  }
}

/** Whether one of the keys signed exactly this receipt, its text or what it says; the signature is hex. */
export function isReceipted(
  receipt: EventReceipt | string | undefined,
  signature: string,
  keys: readonly Bytes[],
): boolean {
  if (receipt === undefined || !isHex(signature, SIGNATURE_SIZE)) {
    return false;
  }
  const message = pae(RECEIPT_TYPE, utf8(typeof receipt === "string" ? receipt : encode(receipt)));
  return keys.some((key) => isSignature(unhex(signature, SIGNATURE_SIZE), message, key));
}
