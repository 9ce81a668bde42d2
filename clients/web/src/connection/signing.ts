/**
 * What a seat with a key signs: its seed, and each of its own events after all that it was shown. A signature covers every
 * event of the seat before it, so nobody can put a move into its mouth, and it cannot take one back.
 */

import type { Move, SeatChain } from "referee-client/chain";
import { hex } from "referee-verifier/bytes";
import type { Json } from "referee-verifier/canonical";

import { type Card, numberOf } from "../cards/card";
import { both } from "../words/say";
import { tokenHash } from "./binding";
import { connection, RefusedError } from "./connection.svelte";
import { type Chain, keep, recall, recallOrDraw } from "./keepsakes";
import type { Arrangement, Round } from "./messages";
import { seatKey, type SeatKey } from "./seat-key";

const LONGEST_WAIT = 5_000; // ms that an accepted event is waited for in a view
/** Commands that may follow one that was signed and not answered, once that one was sent again. */
const CHANGEABLE: ReadonlySet<string> = new Set(["arrange", "commit", "leave"]);

/** What a seat does, as the members of its event. */
export type Choice = Readonly<Record<string, Json>>;

const numbers = (cards: readonly Card[]): number[] => cards.map(numberOf);

export const arrangeChoice = (one: Arrangement, nonce?: string): Choice => ({
  kind: "ARRANGE",
  back: numbers(one.back),
  middle: numbers(one.middle),
  front: numbers(one.front),
  ...(nonce === undefined ? {} : { nonce }),
});
export const commitChoice = (commitment: string): Choice => ({ kind: "COMMIT", commitment });
export const playChoice = (cards: readonly Card[]): Choice => ({
  kind: "PLAY",
  cards: numbers(cards),
});
export const PASS: Choice = { kind: "PASS" };
export const decideChoice = (decision: string): Choice => ({ kind: "DECIDE", decision });
export const leaveChoice = ({ ultimate_texas }: Round): Choice =>
  ultimate_texas === undefined ? { kind: "LEAVE" } : decideChoice("LEAVE");

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
export function makeMove<Result>(
  name: string,
  present: () => Round,
  fields: object,
  choice: Choice | null,
): Promise<Result> {
  return inTurn(async () => {
    const key = choice === null ? null : await keyOf(present());
    if (key === null || choice === null || present().course === undefined) {
      return connection.move<Result>(name, { round_id: present().round_id, ...fields });
    }
    return new Signer(key, present, await import("./chain")).make<Result>({ name, fields, choice });
  });
}

/** Sends what was signed before this page was loaded and is not in the course: the same bytes again. */
export function sendAgain(present: () => Round): Promise<void> {
  return inTurn(async () => {
    const key = recall(present().round_id)?.chain && (await keyOf(present()));
    if (key != null && present().course !== undefined) {
      await new Signer(key, present, await import("./chain")).again();
    }
  });
}

type Command = Required<Chain>["command"];

/** Signs for one seat in one round, and keeps what it signed before it is sent. */
class Signer {
  readonly #key: SeatKey;
  readonly #present: () => Round;
  readonly #chain: typeof import("./chain");

  constructor(key: SeatKey, present: () => Round, chain: typeof import("./chain")) {
    [this.#key, this.#present, this.#chain] = [key, present, chain];
  }

  async make<Result>(command: Command & { choice: Choice }): Promise<Result> {
    const { name, fields } = command;
    let move = this.#sign(command);
    if (move === null) {
      await this.again().catch(() => undefined);
      move = CHANGEABLE.has(name) ? this.#sign(command) : null;
    }
    if (move !== null) {
      return this.#send<Result>({ name, fields }, move);
    }
    if (name === "leave") {
      return connection.move<Result>(name, { round_id: this.#present().round_id, ...fields });
    }
    throw refused("alreadySigned");
  }

  async again(): Promise<void> {
    const { pending } = this.#show();
    const command = recall(this.#present().round_id)?.chain?.command;
    const isDraft = command?.name === "arrange" || command?.name === "commit";
    const isTaken = !isDraft || this.#present().mau_binh?.takes_signed !== false;
    if (pending !== undefined && command !== undefined && isTaken) {
      await this.#send(command, pending);
    }
  }

  /** The seat's chain, shown the course as it is. */
  #show(): SeatChain {
    const round = this.#present();
    try {
      return this.#chain.shown(round, this.#key.publicKey, recall(round.round_id)?.chain?.saved);
    } catch (error) {
      throw error instanceof this.#chain.CourseError ? refused("otherCourse") : error;
    }
  }

  /** The event of a command, to be signed; null where another one was signed in its place. */
  #sign({ name, fields, choice }: Command & { choice: Choice }): Move | null {
    const chain = this.#show();
    try {
      const move = chain.next({ ...choice, seat: this.#present().you });
      this.#keep({ saved: chain.save(), command: { name, fields } });
      return move;
    } catch (error) {
      if (error instanceof this.#chain.AlreadySignedError) {
        return null;
      }
      throw error;
    }
  }

  #keep(chain: Chain): void {
    const { round_id } = this.#present();
    keep(round_id, { ...recallOrDraw(round_id), chain });
  }

  /** Lets another event be signed in the place of one that was refused. */
  #forget(move: string): void {
    const chain = this.#show();
    if (chain.pending !== undefined && hex(chain.pending.move) === move) {
      chain.forget();
      this.#keep({ saved: chain.save() });
    }
  }

  async #send<Result>({ name, fields }: Command, { seen, move }: Move): Promise<Result> {
    const { round_id } = this.#present();
    const signature = hex(await this.#key.sign(move));
    const sent = { round_id, ...fields, seen, signature };
    const result = await connection.move<Result>(name, sent).catch((error: unknown) => {
      if (error instanceof RefusedError) {
        this.#forget(hex(move));
      }
      throw error;
    });
    const isHeld = (result as { is_held?: boolean } | null)?.is_held === true;
    const end = performance.now() + LONGEST_WAIT;
    while (!isHeld && performance.now() < end && connection.view?.round?.round_id === round_id) {
      const chain = this.#show();
      if (chain.pending === undefined) {
        this.#keep({ saved: chain.save() });
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    return result;
  }
}
