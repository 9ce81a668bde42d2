/**
 * A seat's own part in a round: what it was shown, what it has signed, and what it refuses to sign.
 * It signs on no course but the one it was shown, and never two events for one place in its chain,
 * unless the course has made the former unlawful.
 */

import { ed25519 } from "@noble/curves/ed25519.js";
import { bytesToHex, hexToBytes } from "@noble/hashes/utils.js";
import { firstMove, nextMove, text } from "referee-verifier/protocol";
import { canonical, type Course, CourseError } from "./course.js";

export {
  type AnyEvent,
  canonical,
  Course,
  CourseError,
  type EventReceipt,
  eventBytes,
  type Link,
} from "./course.js";

/** An event that a seat has signed; `seen` goes into the event, `signature` beside it. */
export interface SignedMove {
  readonly event: Uint8Array;
  readonly seen: number;
  readonly move: Uint8Array;
  readonly signature: Uint8Array;
}

/** The seat has signed another event in this place, which can still be accepted: `former`. */
export class AlreadySignedError extends Error {
  override name = "AlreadySignedError";

  constructor(readonly former: SignedMove) {
    super("the seat has signed another event in its place: send that one again");
  }
}

interface Memory {
  readonly seat: number;
  readonly start: string;
  number: number;
  eventHash: string;
  move: string;
  timedOut: number;
  pending?: { event: string; seen: number; move: string; signature: string } | undefined;
}

/** The chain of one seat in one round. Keep `save()` where the page may end before the round does. */
export class SeatChain {
  readonly #privateKey: Uint8Array;
  #memory: Memory;

  /** `course` is the round's before its first event; the key an Ed25519 seed of 32 bytes. */
  constructor(seat: number, privateKey: Uint8Array, { start }: Course) {
    this.#privateKey = privateKey;
    const [first, move] = [bytesToHex(start), bytesToHex(firstMove(start, seat))];
    this.#memory = { seat, start: first, number: 0, eventHash: first, move, timedOut: 0 };
  }

  /** The chain that `save` wrote. */
  static restore(saved: string, privateKey: Uint8Array, course: Course): SeatChain {
    const memory = JSON.parse(saved) as Memory;
    const chain = new SeatChain(memory.seat, privateKey, course);
    if (memory.start !== chain.#memory.start) {
      throw new CourseError("the saved chain is of another deal");
    }
    chain.#memory = memory;
    return chain;
  }

  /** All that the chain has to remember, as JSON; nothing in it is secret. */
  save(): string {
    return JSON.stringify(this.#memory);
  }

  /** The move that was signed and is not in the course yet. */
  get pending(): SignedMove | undefined {
    const { pending } = this.#memory;
    return (
      pending && {
        event: hexToBytes(pending.event),
        seen: pending.seen,
        move: hexToBytes(pending.move),
        signature: hexToBytes(pending.signature),
      }
    );
  }

  /**
   * Shows the course so far, with this seat's newest signature in it. CourseError where it is not
   * the course that was shown before, or has an event of this seat that its key did not sign.
   */
  show(course: Course, signature: Uint8Array = new Uint8Array()): void {
    const memory = this.#memory;
    const { seat, number } = memory;
    if (
      bytesToHex(course.start) !== memory.start ||
      course.number < number ||
      bytesToHex(course.hashAt(number)) !== memory.eventHash
    ) {
      throw new CourseError(`seat ${seat} was shown ${number} events, and the course has others`);
    }
    const move = course.moves.get(seat);
    if (move !== undefined && bytesToHex(move) !== memory.move) {
      const isPending = memory.pending?.move === bytesToHex(move);
      if (!isPending && !this.#isOwn(signature, move)) {
        throw new CourseError(`the course has an event of seat ${seat} that its key did not sign`);
      }
      memory.move = bytesToHex(move);
      memory.pending = undefined;
    }
    for (const [index, { event }] of course.links.entries()) {
      const made = JSON.parse(text(event)) as { seat: number; seen?: number };
      if (index >= number && made.seat === seat && made.seen === undefined) {
        memory.timedOut = index + 1;
      }
    }
    memory.number = course.number;
    memory.eventHash = bytesToHex(course.hashAt(course.number));
  }

  /**
   * Count the pending move as made, where the course may not be shown yet because it has other
   * seats' hands. The next move is then signed on top of it, which gives nothing away: a signature
   * covers all moves before it, so the next one is worth nothing without this one.
   */
  acknowledge(): void {
    const { pending } = this.#memory;
    if (pending !== undefined) {
      this.#memory.move = pending.move;
      this.#memory.pending = undefined;
    }
  }

  /**
   * Forget the pending move, which the referee has refused: it was given no receipt, and the seat
   * may choose anew. A move that was never answered stays, and is sent again.
   */
  forget(): void {
    this.#memory.pending = undefined;
  }

  /**
   * Signs the seat's next event after all that it was shown: `choice` is its members without
   * `seen`. The same choice again gets the same signature; AlreadySignedError for another, unless
   * the seat has run out of time since or `isUnlawful` knows that the former can never be accepted.
   */
  sign(
    choice: Record<string, unknown>,
    isUnlawful: (former: Uint8Array) => boolean = () => false,
  ): SignedMove {
    const memory = this.#memory;
    const former = this.pending;
    if (former !== undefined && memory.timedOut <= former.seen && !isUnlawful(former.event)) {
      const again = canonical({ ...choice, seen: former.seen });
      if (bytesToHex(again) !== bytesToHex(former.event)) {
        throw new AlreadySignedError(former);
      }
      return former;
    }
    const [seen, event] = [memory.number, canonical({ ...choice, seen: memory.number })];
    const move = nextMove(hexToBytes(memory.move), hexToBytes(memory.eventHash), event);
    const signature = ed25519.sign(move, this.#privateKey);
    const signed = { event, seen, move, signature };
    memory.pending = {
      event: bytesToHex(event),
      seen,
      move: bytesToHex(move),
      signature: bytesToHex(signature),
    };
    return signed;
  }

  #isOwn(signature: Uint8Array, move: Uint8Array): boolean {
    const key = ed25519.getPublicKey(this.#privateKey);
    return signature.length === 64 && ed25519.verify(signature, move, key, { zip215: false });
  }
}
