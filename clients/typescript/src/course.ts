/**
 * The course of a round: its events as hashes that cover all before them, as `round.proto` has them.
 * It takes events as canonical bytes, and needs no message of the API.
 * The newest receipt of the referee and the newest signature of each seat speak for all of it.
 */

import {
  encode,
  firstMove,
  hex,
  nextMove,
  parseEnvelope,
  RECEIPT_TYPE,
  taggedHash,
  text,
  u32,
  u64,
  u8,
} from "referee-verifier/protocol";

/** A course, a receipt or a signature that does not hold. Keep what showed it: it is evidence. */
export class CourseError extends Error {
  override name = "CourseError";
}

/** One event of a course and its hashes h_k and r_k. */
export interface Link {
  readonly event: Uint8Array;
  readonly time: bigint;
  readonly received: boolean;
  readonly eventHash: Uint8Array;
  readonly history: Uint8Array;
}

/** What an event receipt says. */
export interface EventReceipt {
  readonly number: number;
  readonly receivedTime: bigint;
  readonly opensSection?: number;
}

/** The events of a round so far; event k is `links[k - 1]`. */
export class Course {
  readonly roundId: Uint8Array;
  readonly start: Uint8Array;
  readonly links: Link[] = [];
  /** The newest g_(i,j) by seat, of the seats that have made an event with `seen`. */
  readonly moves = new Map<number, Uint8Array>();

  constructor(roundId: Uint8Array, deckRoot: Uint8Array) {
    this.roundId = roundId;
    this.start = taggedHash("transcript", roundId, deckRoot);
  }

  get number(): number {
    return this.links.length;
  }

  /** h_k of an event, h_0 for number 0. */
  hashAt(number: number): Uint8Array {
    const hash = number === 0 ? this.start : this.links[number - 1]?.eventHash;
    if (hash === undefined) {
      throw new CourseError(`there is no event ${number}; the course has ${this.number}`);
    }
    return hash;
  }

  /** Append an event of these canonical bytes. */
  append(event: Uint8Array, { time, received }: { time: bigint; received: boolean }): void {
    const { seat, seen } = JSON.parse(text(event)) as { seat: number; seen?: number };
    const before = this.links[this.number - 1];
    const previous = before?.eventHash ?? this.start;
    const eventHash = taggedHash("event", previous, u32(this.number + 1), event);
    const flag = u8(received ? 1 : 0);
    const past = before?.history ?? this.start;
    const history = taggedHash("history", past, eventHash, u64(Number(time)), flag);
    if (seen !== undefined) {
      const move = this.moves.get(seat) ?? firstMove(this.start, seat);
      this.moves.set(seat, nextMove(move, this.hashAt(seen), event));
    }
    this.links.push({ event, time, received, eventHash, history });
  }

  /** The seat of an event, whether it signs the event, and whether it signs none after it. */
  moverOf(number: number): { seat: number; isSigned: boolean; isLast: boolean } {
    const said = this.links.map(({ event }) => JSON.parse(text(event)) as { seat: number; seen?: number });
    const { seat = -1, seen } = said[number - 1] ?? {};
    const isLast = !said.slice(number).some((later) => later.seat === seat && later.seen !== undefined);
    return { seat, isSigned: seen !== undefined, isLast };
  }

  /** What OpenSection takes of the events up to one that opens cards. */
  steps(number = this.number): Pick<Link, "eventHash" | "time" | "received">[] {
    return this.links.slice(0, number).map(({ eventHash, time, received }) => ({ eventHash, time, received }));
  }

  /** The text of the receipt that this course has for an event, as the referee signs it. */
  receiptText(number: number, opensSection?: number): string | undefined {
    const link = this.links[number - 1];
    return (
      link &&
      encode({
        event_hash: hex(link.eventHash),
        history: hex(link.history),
        number,
        received_time: Number(link.time),
        round_id: hex(this.roundId),
        ...(opensSection === undefined ? {} : { opens_section: opensSection }),
      })
    );
  }

  /**
   * What a receipt of this course says; CourseError for the receipt of any other history. Whose
   * signature it bears is for who knows the referee's key.
   */
  receipt(envelope: Uint8Array): EventReceipt {
    const { payload, payloadType } = parseEnvelope(envelope);
    const said = JSON.parse(text(payload)) as { number: number; opens_section?: number };
    const { number, opens_section: opensSection } = said;
    if (payloadType !== RECEIPT_TYPE || text(payload) !== this.receiptText(number, opensSection)) {
      throw new CourseError(`the receipt of event ${number} is of another course`);
    }
    const receivedTime = this.links[number - 1]?.time ?? BigInt(0);
    return { number, receivedTime, ...(opensSection === undefined ? {} : { opensSection }) };
  }
}

/** What a round message says beside its header and events. */
export interface RoundContent {
  readonly certificates: readonly Uint8Array[];
  readonly receipt?: Uint8Array | undefined;
  /** By seat; empty where no seat has a signature. */
  readonly signatures: readonly Uint8Array[];
}

/** The content of a round message, by which it is named: as secret as the certificates in it. */
export function contentHash({ certificates, receipt, signatures }: RoundContent, seats: number): Uint8Array {
  const empty = new Uint8Array();
  const bySeat = signatures.length === 0 ? Array<Uint8Array>(seats).fill(empty) : signatures;
  return taggedHash("content", u8(certificates.length), ...certificates, receipt ?? empty, ...bySeat);
}
