/**
 * What a seat with a key signs: its seed, and each of its own events after all that it was shown. How it signs, repeats and
 * forgets is the SDK's `SeatSigner`; this file says where its chain is kept and how a command is sent.
 */

import {
  AlreadySignedError,
  type Answer,
  CourseError,
  hex,
  type SeatKey,
  SeatSigner,
  seedStatement,
  unhex,
} from "referee-client/signer";

import { gameOf } from "../games";
import { both } from "../words/say";
import { tokenHash } from "./binding";
import { connection, RefusedError } from "./connection.svelte";
import { seatKey } from "./identity";
import { keep, recall, recallOrDraw } from "./keepsakes";
import type { Round } from "./messages";

/** Commands that may follow a former one that was signed and not decided, once it is. */
const CHANGEABLE: ReadonlySet<string> = new Set(["arrange", "commit", "leave"]);
/** Refusals that are about the table, the room or the round, and say nothing about the event. */
const NO_DECISIONS: ReadonlySet<string> = new Set(["NO_ROOM", "NOT_SEATED", "OTHER_ROUND", "REFEREE_AWAY", "TOO_MANY"]);

/** What a seat does, as the members of its event. */
export type Choice = Readonly<Record<string, unknown>>;

/** What a seat signs when it leaves, unless its game has a choice of its own. */
const LEAVE: Choice = { kind: "LEAVE" };

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
  const { round_id, server_commitment = "", you: seat } = round;
  if (key === null || seat === null) {
    return {};
  }
  const hash = isSealed ? unhex(tokenHash(round_id, seat, own.token)) : new Uint8Array();
  const place = { seat, tokenHash: hash, seed: unhex(own.seed) };
  return { signature: hex(await key.sign(seedStatement(unhex(round_id), unhex(server_commitment), place))) };
}

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
    const { round_id } = present();
    const signer = choice === null ? null : await signerOf(present);
    const command = { name, fields: { round_id, ...fields }, choice: choice ?? {} };
    return signer === null
      ? connection.move(name, command.fields)
      : signer.make(command, CHANGEABLE.has(name)).catch((error: unknown) => {
          if (name === "leave" && error instanceof AlreadySignedError) {
            return connection.move(name, command.fields); // the former event counts; the clock plays the rest
          }
          throw saidOf(error);
        });
  });
}

/** Sends what was signed before this page was loaded and is not decided: the same bytes again. */
export function sendAgain(present: () => Round): Promise<void> {
  return inTurn(async () => {
    const signer = recall(present().round_id)?.chain === undefined ? null : await signerOf(present);
    await signer?.resume((name) => gameOf(present())?.takes?.(present(), name) ?? true);
  });
}

/** Leaves the room; a seat with a key signs that it leaves its round. */
export async function leaveRoom(round: Round | null): Promise<void> {
  if (round === null || round.you === null || round.course === undefined) {
    await connection.command("leave");
  } else {
    await makeMove("leave", () => connection.view?.round ?? round, {}, gameOf(round)?.leaveChoice ?? LEAVE);
  }
}

async function signerOf(present: () => Round): Promise<SeatSigner | null> {
  const [key, { round_id, course, you }] = [await keyOf(present()), present()];
  if (key === null || course === undefined || you === null) {
    return null;
  }
  return new SeatSigner({
    seat: you,
    key,
    shown: () => {
      const shown = connection.view?.round?.round_id === round_id ? present().course : undefined;
      return { round_id, ...(shown ?? course) };
    },
    isReleased: () => gameOf(present())?.wantsSigned?.(present()) === true,
    save: (chain) => keep(round_id, { ...recallOrDraw(round_id), chain }),
    load: () => recall(round_id)?.chain,
    freshId: () => connection.freshId(),
    send: (name, fields, id) => connection.move(name, fields, id),
    answerOf,
  });
}

function answerOf(result: unknown, error?: unknown): Answer {
  if (error !== undefined) {
    return error instanceof RefusedError && !NO_DECISIONS.has(error.code) ? "DENIAL" : "NO_DECISION";
  }
  return (result as { is_held?: boolean } | null)?.is_held === true ? "HOLD" : "RECEIPT";
}

/** What the page says of an event that it did not sign. */
function saidOf(error: unknown): unknown {
  const code =
    error instanceof AlreadySignedError ? "alreadySigned" : error instanceof CourseError ? "otherCourse" : "";
  return code === "" ? error : new RefusedError({ type: "refused", id: "", code, text: both(code) });
}
