/**
 * A seat's own part in a round: what it was shown, what it signs, and what it refuses to sign. It
 * signs on no course but the one it was shown, and never two events for one place in its chain,
 * unless the course has made the former unlawful. The private key stays with the caller, who may
 * have one that no program can read, such as a key of WebCrypto.
 */

import {
  Course,
  CourseError,
  encode,
  firstMove,
  hex,
  isSignature,
  member,
  nextMove,
  seatOf,
  SIGNATURE_SIZE,
  text,
  unhex,
  utf8,
} from "referee-verifier/protocol";

export { Course, CourseError };

/** A seat's event: `seen` goes into it, and the signature of `move` by the seat's key beside it. */
export interface Move {
  /** Canonical JSON of the event, with `seen`. */
  readonly event: Uint8Array;
  /** Number of the newest event that the seat had been shown; 0 for the deal. */
  readonly seen: number;
  /** Link of the seat's chain, which is signed; 32 bytes. */
  readonly move: Uint8Array;
}

/** The seat has signed another event in this place, which can still be accepted: `former`. */
export class AlreadySignedError extends Error {
  override name = "AlreadySignedError";

  constructor(
    /** The move that the seat has signed already. */
    readonly former: Move,
  ) {
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
  pending?: { readonly event: string; readonly seen: number; readonly move: string } | undefined;
}

/** The chain of one seat in one round. Keep `save()` before a signature leaves the program. */
export class SeatChain {
  readonly #publicKey: Uint8Array;
  #memory: Memory;

  /** `course` is of the seat's round, at any event; `publicKey` has the 32 bytes of Ed25519. */
  constructor(seat: number, publicKey: Uint8Array, { start }: Course) {
    this.#publicKey = publicKey;
    const [first, move] = [hex(start), hex(firstMove(start, seat))];
    this.#memory = { seat, start: first, number: 0, eventHash: first, move, timedOut: 0 };
  }

  /** The chain that `save` wrote. */
  static restore(saved: string, publicKey: Uint8Array, course: Course): SeatChain {
    const memory = JSON.parse(saved) as Memory;
    const chain = new SeatChain(memory.seat, publicKey, course);
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

  /** The move that was signed, is not in the course yet, and may still be accepted. */
  get pending(): Move | undefined {
    const { pending, timedOut } = this.#memory;
    return pending === undefined || timedOut > pending.seen
      ? undefined
      : { event: utf8(pending.event), seen: pending.seen, move: unhex(pending.move) };
  }

  /**
   * Shows the course so far, with this seat's newest signature in it. CourseError where it is not
   * the course that was shown before, or has an event of this seat that its key did not sign.
   */
  show(course: Course, signature: Uint8Array = new Uint8Array()): void {
    const memory = this.#memory;
    const { seat, number } = memory;
    this.#requireStart(course);
    if (course.number < number || hex(course.hashAt(number)) !== memory.eventHash) {
      throw new CourseError(`seat ${seat} was shown ${number} events, and the course has others`);
    }
    this.#take(course.moves.get(seat), signature);
    for (const [index, { said }] of course.links.entries()) {
      if (index >= number && seatOf(said) === seat && member(said, "seen") === undefined) {
        memory.timedOut = index + 1;
      }
    }
    memory.number = course.number;
    memory.eventHash = hex(course.hashAt(course.number));
  }

  /**
   * Shows the seat's own events alone, all of them in their order, while the others' are hidden, as
   * on a sealed table until all hands lie open. `course` is the round's before its first event. The
   * seat goes on signing after what it was shown of the course before.
   */
  showOwn(course: Course, events: Iterable<Uint8Array>, signature: Uint8Array = new Uint8Array()): void {
    this.#requireStart(course);
    const { seat, number, eventHash } = this.#memory;
    let move: Uint8Array | undefined;
    for (const event of events) {
      const made = JSON.parse(text(event)) as { seat: number; seen?: number };
      if (made.seat !== seat || ![undefined, 0, number].includes(made.seen)) {
        throw new CourseError(`an event of seat ${made.seat} is shown to seat ${seat} as its own`);
      }
      if (made.seen !== undefined) {
        const seen = made.seen === 0 ? course.start : unhex(eventHash);
        move = nextMove(move ?? firstMove(course.start, seat), seen, event);
      }
    }
    this.#take(move, signature);
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
   * The seat's next event after all that it was shown, for its key to sign: `choice` is its members
   * without `seen`. The same choice again is the same move; AlreadySignedError for another, unless
   * the seat has run out of time since or `isUnlawful` knows that the former can never be accepted.
   */
  next(choice: Readonly<Record<string, unknown>>, isUnlawful: (former: Uint8Array) => boolean = () => false): Move {
    const memory = this.#memory;
    const former = this.pending;
    if (former !== undefined && !isUnlawful(former.event)) {
      const again = encode({ ...choice, seen: former.seen });
      if (again !== text(former.event)) {
        throw new AlreadySignedError(former);
      }
      return former;
    }
    const [seen, event] = [memory.number, utf8(encode({ ...choice, seen: memory.number }))];
    const move = nextMove(unhex(memory.move), unhex(memory.eventHash), event);
    memory.pending = { event: text(event), seen, move: hex(move) };
    return { event, seen, move };
  }

  #requireStart({ start }: Course): void {
    if (hex(start) !== this.#memory.start) {
      throw new CourseError(`seat ${this.#memory.seat} was shown a course of another deal`);
    }
  }

  /** Take the seat's moves that a course has; undefined for none. */
  #take(move: Uint8Array | undefined, signature: Uint8Array): void {
    const memory = this.#memory;
    if (move === undefined || hex(move) === memory.move) {
      return;
    }
    const isOwn =
      memory.pending?.move === hex(move) ||
      (signature.length === SIGNATURE_SIZE && isSignature(signature, move, this.#publicKey));
    if (!isOwn) {
      const { seat } = memory;
      throw new CourseError(`the course has an event of seat ${seat} that its key did not sign`);
    }
    memory.move = hex(move);
    memory.pending = undefined;
  }
}
