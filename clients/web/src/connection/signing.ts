/**
 * What a seat with a key signs: its seed, and each of its own events after all that it was shown. A signature covers every
 * event of the seat before it, so nobody can put a move into its mouth, and it cannot take one back.
 */

import type { SeatChain } from "referee-client/chain";
import { hex } from "referee-verifier/bytes";
import type { Json } from "referee-verifier/canonical";

import { gameOf } from "../games";
import { both } from "../words/say";
import { tokenHash } from "./binding";
import { connection, RefusedError } from "./connection.svelte";
import { type Chain, keep, recall, recallOrDraw } from "./keepsakes";
import type { Round } from "./messages";
import { seatKey, type SeatKey } from "./seat-key";
import { type Answer, answerOfRefusal, answerOfResult, type Memory, NOTHING_SENT, type Output, step } from "./signer";

const LONGEST_WAIT = 5_000; // ms that an accepted event is waited for in a view
/** How often an event is wanted again after a former one was sent again, waited for or given up. */
const MOST_ATTEMPTS = 3;
/** Commands that may follow a former one that was signed and not decided, once it is. */
const CHANGEABLE: ReadonlySet<string> = new Set(["arrange", "commit", "leave"]);

/** What a seat does, as the members of its event. */
export type Choice = Readonly<Record<string, Json>>;

/** What a seat signs when it leaves, unless its game has a choice of its own. */
export const LEAVE: Choice = { kind: "LEAVE" };

/** The key of one's own seat in a round; null for a seat without one, or with another browser's. */
async function keyOf({ seats, you }: Round): Promise<SeatKey | null> {
  const named = you === null ? undefined : seats[you]?.key;
  const key = named === undefined ? null : await seatKey;
  return key?.publicKey === named ? key : null;
}

/** The signature that shows a seed, where the seat has a key. */
export async function signSeed(
  round: Round,
  own: { seed: string; token: string },
  isSealed: boolean,
): Promise<{ signature?: string }> {
  const key = await keyOf(round);
  const { round_id, server_commitment = "", you } = round;
  if (key === null || you === null) {
    return {};
  }
  const { seedStatementOf } = await import("./chain");
  const statement = seedStatementOf(
    { round_id, server_commitment, seat: you },
    own.seed,
    isSealed ? tokenHash(round_id, you, own.token) : "",
  );
  return { signature: hex(await key.sign(statement)) };
}

/** A signature that this page refuses. */
const refused = (code: "alreadySigned" | "otherCourse"): RefusedError =>
  new RefusedError({ type: "refused", id: "", code, text: both(code) });

/** Moves of this page, one after the other: each is signed after the course has the one before. */
let before: Promise<unknown> = Promise.resolve();

function inTurn<Result>(act: () => Promise<Result>): Promise<Result> {
  const made = before.catch(() => undefined).then(act);
  before = made;
  return made;
}

/** Makes a move and waits for the view that has it; a seat with a key signs it. */
export function makeMove(name: string, present: () => Round, fields: object, choice: Choice | null): Promise<unknown> {
  return inTurn(async () => {
    const key = choice === null ? null : await keyOf(present());
    if (key === null || choice === null || present().course === undefined) {
      return connection.move(name, { round_id: present().round_id, ...fields });
    }
    return new Signer(key, present, await import("./chain")).make({ name, fields, choice });
  });
}

/** Sends what was signed before this page was loaded and is not decided: the same bytes again. */
export function sendAgain(present: () => Round): Promise<void> {
  return inTurn(async () => {
    const key = recall(present().round_id)?.chain && (await keyOf(present()));
    if (key != null && present().course !== undefined) {
      await new Signer(key, present, await import("./chain")).again();
    }
  });
}

type Command = Readonly<{ name: string; fields: object; choice: Choice }>;
type Sent = Required<Chain>["sent"];

/** Signs for one seat in one round as the state machine says, and keeps each state before anything is sent. */
class Signer {
  readonly #key: SeatKey;
  readonly #present: () => Round;
  readonly #sdk: typeof import("./chain");

  constructor(key: SeatKey, present: () => Round, sdk: typeof import("./chain")) {
    [this.#key, this.#present, this.#sdk] = [key, present, sdk];
  }

  async make(command: Command): Promise<unknown> {
    const { name, fields } = command;
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const { chain, sent } = this.#look();
      const freshId = connection.freshId();
      const { memory, output } = step(sent ?? NOTHING_SENT, { cue: "WANT", freshId });
      if (sent === undefined || output === "SIGN") {
        return this.#send(await this.#sign(chain, command, memory));
      }
      if (output === "WAIT") {
        await this.#untilShown();
      } else {
        const again = { ...sent, ...memory, ...(output === "OFFER" ? offered(sent, fields) : {}) };
        this.#keep(chain, again);
        const sending = this.#send(again);
        if (isSameCommand(again, command)) {
          return sending;
        }
        await sending.catch(() => undefined);
      }
      if (!CHANGEABLE.has(name)) {
        break;
      }
    }
    if (name === "leave") {
      return connection.move(name, { round_id: this.#present().round_id, ...fields });
    }
    throw refused("alreadySigned");
  }

  async again(): Promise<void> {
    const { chain, sent } = this.#look();
    const round = this.#present();
    const isTaken = gameOf(round)?.takes?.(round, sent?.name ?? "") ?? true;
    if (sent !== undefined && isTaken) {
      const { memory, output } = step(sent, { cue: "RESUME" });
      this.#keep(chain, { ...sent, ...memory });
      await (output === "REPEAT" ? this.#send(sent) : undefined);
    }
  }

  /** The seat's chain after the newest view, and the event that the view leaves undecided. */
  #look(): { readonly chain: SeatChain; readonly sent: Sent | undefined } {
    const round = this.#present();
    const kept = recall(round.round_id)?.chain;
    const chain = this.#shown(round, kept?.saved);
    const isReleased = gameOf(round)?.wantsSigned?.(round) === true;
    const cue = chain.pending === undefined ? "RESOLVE" : isReleased ? "RELEASE" : null;
    if (kept?.sent === undefined || cue === null) {
      return { chain, sent: kept?.sent };
    }
    const { memory } = step(kept.sent, { cue });
    return { chain, sent: this.#keep(chain, { ...kept.sent, ...memory }) };
  }

  #shown(round: Round, saved: string | undefined): SeatChain {
    try {
      return this.#sdk.shown(round, this.#key.publicKey, saved);
    } catch (error) {
      throw error instanceof this.#sdk.CourseError ? refused("otherCourse") : error;
    }
  }

  #keep(chain: SeatChain, sent: Sent): Sent | undefined {
    const { round_id } = this.#present();
    const kept = sent.state === "FREE" ? undefined : sent;
    const saved = { saved: chain.save(), ...(kept === undefined ? {} : { sent: kept }) };
    keep(round_id, { ...recallOrDraw(round_id), chain: saved });
    return kept;
  }

  /** Signs an event and keeps it with its signature: what is repeated later is equal byte for byte. */
  async #sign(chain: SeatChain, { name, fields, choice }: Command, memory: Memory): Promise<Sent> {
    const { round_id, you } = this.#present();
    try {
      const { seen, move } = chain.next({ ...choice, seat: you });
      const signature = hex(await this.#key.sign(move));
      const sent = { ...memory, name, fields: { round_id, ...fields, seen, signature } };
      this.#keep(chain, sent);
      return sent;
    } catch (error) {
      throw error instanceof this.#sdk.AlreadySignedError ? refused("alreadySigned") : error;
    }
  }

  async #send({ id, name, fields }: Sent): Promise<unknown> {
    const result = await connection.move(name, fields, id).catch((error: unknown) => {
      if (error instanceof RefusedError) {
        this.#answered(id, answerOfRefusal(error.code));
      }
      throw error;
    });
    if (this.#answered(id, answerOfResult(result)) === "WAIT") {
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

  /** Waits until a view decides about the newest event, for a while and while the round is shown. */
  async #untilShown(): Promise<void> {
    const { round_id } = this.#present();
    const end = performance.now() + LONGEST_WAIT;
    while (performance.now() < end && connection.view?.round?.round_id === round_id) {
      if (this.#look().sent === undefined) {
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }
}

/** What an offer changes of the first sending: whether the person is done is not part of the signed event. */
const offered = ({ fields }: Sent, wanted: object): { readonly fields: object } => ({
  fields: { ...fields, ...("is_final" in fields && "is_final" in wanted ? { is_final: wanted.is_final } : {}) },
});

const isSameCommand = (sent: Sent, { name, fields }: Command): boolean =>
  sent.name === name && JSON.stringify({ ...sent.fields, ...fields }) === JSON.stringify(sent.fields);
