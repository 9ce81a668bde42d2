/**
 * A seat that signs in a page, or in another program, whose moves a frontend's server hands in. It signs on no course but the
 * one it was shown, keeps each signature before it leaves, repeats what was never answered byte for byte, and forgets what was
 * refused. The server is asked under ids of its own making, by which it does a command once.
 */

import { encode, hex, SIGNATURE_SIZE, unhex, utf8 } from "referee-verifier/protocol";
import type { SeatKey } from "./browser-key.js";
import { AlreadySignedError, Course, SeatChain } from "./chain.js";
import { type Answer, type Memory, NOTHING_SENT, type Output, step } from "./signing-states.js";

/** What a seat was shown of its round: all events, or its own alone while the others' are hidden. Hashes in hex. */
export interface ShownCourse {
  /** Hash of the round's header. */
  readonly round_id: string;
  /** Root of the tree of the deck's cards. */
  readonly deck_root: string;
  /** Whether all events are shown, not the seat's own alone. */
  readonly is_whole: boolean;
  /** Each with its canonical JSON and its time in ms since 1970 UTC. */
  readonly events: readonly { readonly event: string; readonly time: number; readonly received: boolean }[];
  /** The seat's newest signature in the course, in hex; left out or empty for none. */
  readonly signature?: string;
}

/** A command to the server, and the members of the event that the seat makes with it. */
export interface SignedCommand {
  /** Name of the command. */
  readonly name: string;
  /** Its members, without `seen` and the signature. */
  readonly fields: object;
  /** Members of the event's canonical JSON beside `seat` and `seen`. */
  readonly choice: Readonly<Record<string, unknown>>;
}

/** The newest signed event as it was sent, until it is decided. */
export type SentCommand = Memory & {
  /** Name of the command. */
  readonly name: string;
  /** Its members, with `seen` and the signature. */
  readonly fields: object;
};

/** A seat's chain as it is kept, and what it has sent. */
export interface KeptChain {
  /** The chain, as `SeatChain.save` returns it. */
  readonly saved: string;
  /** The command that is not decided yet. */
  readonly sent?: SentCommand;
}

/** The frontend of one seat in one round. */
export interface SeatFrontend {
  /** The seat, from 0. */
  readonly seat: number;
  /** Its key. */
  readonly key: SeatKey;
  /** The course as it was shown last; undefined once the round is no longer shown. */
  readonly shown: () => ShownCourse | undefined;
  /** Whether the server holds back nothing that the seat has signed. */
  readonly isReleased: () => boolean;
  /** Keep what `load` returns, durably, before the call ends. */
  readonly save: (kept: KeptChain) => void;
  /** Return what was kept last; undefined for nothing. */
  readonly load: () => KeptChain | undefined;
  /** Make an id for a command that is sent for the first time. */
  readonly freshId: () => string;
  /** Send a command; the promise ends when what it changed is shown. */
  readonly send: (name: string, fields: object, id: string) => Promise<unknown>;
  /** What an answer or an error of `send` says of the event. */
  readonly answerOf: (result: unknown, error?: unknown) => Answer;
}

/** How often an event is wanted again after a former one was repeated, waited for or given up. */
const MOST_ATTEMPTS = 3;
const LONGEST_WAIT = 5_000; // ms that an accepted event is waited for
const LOOK_EVERY = 30; // ms

/** Signs for one seat in one round. Await each call before the next. */
export class SeatSigner {
  readonly #at: SeatFrontend;

  constructor(at: SeatFrontend) {
    this.#at = at;
  }

  /**
   * Sign and send a command, and wait until the course has its event. A former one that is not decided is repeated first:
   * AlreadySignedError where it still counts and `mayFollow` is not set.
   */
  async make(command: SignedCommand, mayFollow = false): Promise<unknown> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const { chain, sent } = this.#look();
      const { memory, output } = step(sent ?? NOTHING_SENT, { cue: "WANT", freshId: this.#at.freshId() });
      if (sent === undefined || output === "SIGN") {
        return this.#send(await this.#sign(chain, command, memory));
      }
      if (output === "WAIT") {
        await this.#untilShown();
      } else {
        const changed = output === "OFFER" ? released(sent, command.fields) : {};
        const again = { ...sent, ...memory, ...changed };
        this.#keep(chain, again);
        const sending = this.#send(again);
        if (isSame(again, command)) {
          return sending;
        }
        await sending.catch(() => undefined);
      }
      if (!mayFollow) {
        break;
      }
    }
    const { chain } = this.#look();
    throw chain.pending === undefined ? new Error("the round takes no event") : new AlreadySignedError(chain.pending);
  }

  /** Send what was signed before the program was started again and is not decided: the same bytes, under the same id. */
  async resume(isTaken: (name: string) => boolean): Promise<void> {
    const { chain, sent } = this.#look();
    if (sent !== undefined && isTaken(sent.name)) {
      const { memory, output } = step(sent, { cue: "RESUME" });
      this.#keep(chain, { ...sent, ...memory });
      await (output === "REPEAT" ? this.#send(sent) : undefined);
    }
  }

  /** The seat's chain after what was shown last, and the event that this leaves undecided. */
  #look(): { readonly chain: SeatChain; readonly sent: SentCommand | undefined } {
    const kept = this.#at.load();
    const chain = chainOf(this.#at, kept?.saved);
    const cue = chain.pending === undefined ? "RESOLVE" : this.#at.isReleased() ? "RELEASE" : null;
    if (kept?.sent === undefined || cue === null) {
      return { chain, sent: kept?.sent };
    }
    return { chain, sent: this.#keep(chain, { ...kept.sent, ...step(kept.sent, { cue }).memory }) };
  }

  #keep(chain: SeatChain, sent: SentCommand): SentCommand | undefined {
    const kept = sent.state === "FREE" ? undefined : sent;
    this.#at.save({ saved: chain.save(), ...(kept === undefined ? {} : { sent: kept }) });
    return kept;
  }

  async #sign(chain: SeatChain, { name, fields, choice }: SignedCommand, memory: Memory): Promise<SentCommand> {
    const { seen, move } = chain.next({ ...choice, seat: this.#at.seat });
    const signature = hex(await this.#at.key.sign(move));
    const sent = { ...memory, name, fields: { ...fields, seen, signature } };
    this.#keep(chain, sent);
    return sent;
  }

  async #send({ id, name, fields }: SentCommand): Promise<unknown> {
    const result = await this.#at.send(name, fields, id).catch((error: unknown) => {
      this.#answered(id, this.#at.answerOf(undefined, error));
      throw error;
    });
    if (this.#answered(id, this.#at.answerOf(result)) === "WAIT") {
      await this.#untilShown();
    }
    return result;
  }

  #answered(id: string, cue: Answer): Output {
    const { chain, sent } = this.#look();
    if (sent === undefined) {
      return "NONE";
    }
    const { memory, output } = step(sent, { cue, id });
    if (output === "FORGET") {
      chain.forget();
    }
    this.#keep(chain, { ...sent, ...memory });
    return output;
  }

  async #untilShown(): Promise<void> {
    const end = Date.now() + LONGEST_WAIT;
    while (Date.now() < end && this.#at.shown() !== undefined && this.#look().sent !== undefined) {
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY));
    }
  }
}

/** The seat's chain after the course that it was shown; `saved` is what it remembered before. */
export function chainOf({ seat, key, shown }: Pick<SeatFrontend, "seat" | "key" | "shown">, saved?: string): SeatChain {
  const course = shown();
  if (course === undefined) {
    throw new TypeError("there is no course to sign on");
  }
  const start = new Course(unhex(course.round_id), unhex(course.deck_root));
  const publicKey = unhex(key.publicKey);
  const chain =
    saved === undefined ? new SeatChain(seat, publicKey, start) : SeatChain.restore(saved, publicKey, start);
  const events = course.events.map(({ event }) => utf8(encode(JSON.parse(event))));
  const signature = course.signature ? unhex(course.signature, SIGNATURE_SIZE) : new Uint8Array();
  if (course.is_whole) {
    const whole = new Course(unhex(course.round_id), unhex(course.deck_root));
    for (const [index, { time, received }] of course.events.entries()) {
      whole.append(events[index] as Uint8Array, { time: BigInt(time), received });
    }
    chain.show(whole, signature);
  } else {
    chain.showOwn(start, events, signature);
  }
  return chain;
}

/** What an offer changes of the first sending: whether the person is done is not part of the signed event. */
const released = ({ fields }: SentCommand, wanted: object): { readonly fields: object } => ({
  fields: { ...fields, ...("is_final" in fields && "is_final" in wanted ? { is_final: wanted.is_final } : {}) },
});

const isSame = (sent: SentCommand, { name, fields }: SignedCommand): boolean =>
  sent.name === name && JSON.stringify({ ...sent.fields, ...fields }) === JSON.stringify(sent.fields);
