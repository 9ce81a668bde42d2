/** The server that the tests of this run ask; REFEREE has where it is and its keys. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import type { RoundResult } from "referee-verifier";
import {
  type AnyRound,
  type Client,
  connect as connectJson,
  type OpenOptions,
  type TienLenGame,
} from "../src/index.js";
import { connect as connectGrpc } from "../src/node.js";

interface Place {
  readonly grpc: string;
  readonly keys: { readonly origin: string; readonly logKey: string; readonly rootKey: string };
}

interface Server extends Place {
  readonly web: string;
}

/** A harness, whose cards are scripted and whose clock is moved at `control`. */
interface Harness {
  readonly grpc: string;
  readonly control: string;
  readonly keys: { readonly log: string; readonly root: string };
}

/** A server with a witness, a witness that it does not know, and the table of the round that is audited. */
interface Watched extends Place {
  readonly witness: string;
  readonly stranger: string;
  readonly table: string;
}

/** A server whose clock is moved beyond the tokens' end at `control`, which hands out new ones by their kind. */
interface Expiring extends Server {
  readonly control: string;
}

const given = process.env["REFEREE"];

/** Why there is nothing to ask; false where there is. */
export const without = given === undefined && "REFEREE is not set";

const nothing = '{"keys":{}}';

export const server = JSON.parse(given ?? nothing) as Server;

const others = server as {
  /** It remembers no round. */
  readonly forgetful?: Place;
  /** It has access control; a frontend's token. */
  readonly guarded?: Place & { readonly token: string };
  readonly expiring?: Expiring;
  readonly harness?: Harness;
  readonly watched?: Watched;
};
export const forgetful = others.forgetful ?? (JSON.parse(nothing) as Place);
export const { guarded } = others;
export const expiring = others.expiring ?? (JSON.parse(nothing) as Expiring);
export const withoutExpiring = others.expiring === undefined && "REFEREE names no server of tokens that expire";
export const harness = others.harness ?? (JSON.parse(nothing) as Harness);
export const withoutHarness = others.harness === undefined && "REFEREE names no harness";
export const watched = others.watched ?? (JSON.parse(nothing) as Watched);
export const withoutWitness = others.watched === undefined && "REFEREE names no witness";

/** Clients by gRPC and by Connect and JSON, whose trust is given from outside. */
export const clients: Readonly<Record<string, () => Client>> = {
  grpc: () => connectGrpc(server.grpc, { trust: server.keys }),
  "grpc, of a server that remembers no round": () => connectGrpc(forgetful.grpc, { trust: forgetful.keys }),
  "json, shared": () => connectJson(`http://${server.web}`, { trust: server.keys, gatherMs: 5 }),
  json: () => connectJson(`http://${server.web}`, { trust: server.keys }),
};

/** A table that no other test has. */
export function tableNamed(name: string): string {
  return `ts-${name}-${crypto.randomUUID().slice(0, 8)}`;
}

export const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");
export const unhex = (text: string) => new Uint8Array(Buffer.from(text, "hex"));

/** The rows of a file of vectors; the tree's root is four levels above build/test. */
export function vectors<Row>(name: string): Row[] {
  const file = new URL(`../../../../tests/vectors/${name}.jsonl`, import.meta.url);
  const lines = readFileSync(file, "utf8").split("\n").filter(Boolean);
  assert.ok(lines.length > 2);
  return lines.map((line) => JSON.parse(line) as Row);
}

/** Thirteen cards as they lie, in three chi. */
export const chiOf = (hand: readonly number[] = []) => ({
  back: hand.slice(0, 5),
  middle: hand.slice(5, 10),
  front: hand.slice(10),
});

/** Open and deal a round, and return it. */
export async function dealt<R extends AnyRound>(round: R, options: OpenOptions = {}): Promise<R> {
  await round.open(options);
  await round.deal();
  return round;
}

/** Make the first play of the seat on turn, the weakest, or its pass; false where the round is over. */
export async function move(game: TienLenGame): Promise<boolean> {
  const { turn, plays } = await game.plays();
  if (turn === undefined) {
    return false;
  }
  const [first] = plays;
  const made = await (first === undefined ? game.passTurn(turn) : game.play(turn, first.cards));
  assert.deepEqual(made.violations, []);
  return true;
}

/** Verify that a verified round has no fault, and that these checks were among those that passed. */
export function assertVerified(found: RoundResult): void {
  const faults = found.findings.filter((one) => one.severity !== "NOTE");
  assert.deepEqual(faults, []);
  const passed = found.checks.filter((one) => one.outcome === "PASSED").map((one) => one.code);
  for (const code of ["CHECKPOINT", "SIGNATURES", "DECK", "CARDS", "MONEY", "CERTIFICATES"]) {
    assert.ok(passed.includes(code as (typeof passed)[number]), code);
  }
}
