/**
 * Plays the cases of the tree that a frontend can play, all in one process: CASES has the harness and the cases.
 *
 * It prints a line of JSON for each case whose answer is another than it must be, and at the end how many it played.
 */

import { readFileSync } from "node:fs";
import {
  type AnyRound,
  type Client,
  type MauBinhGame,
  SeatSecrets,
  type TienLenGame,
  type UltimateTexasGame,
} from "../src/index.js";
import { connect } from "../src/node.js";
import { chiOf } from "./server.js";

type Json = string | number | boolean | null | readonly Json[] | { readonly [name: string]: Json };
type Members = Readonly<Record<string, Json>>;

interface Case {
  readonly name: string;
  readonly game: string;
  readonly seats: number;
  readonly head: Members;
  readonly deck: Members;
  readonly steps: readonly Members[];
}

interface Place {
  readonly grpc: string;
  readonly control: string;
  readonly keys: { readonly origin: string; readonly logKey: string; readonly rootKey: string };
  readonly cases: readonly Case[];
}

const RANKS = "23456789TJQKA";
const SUITS = "SCDH";
const CARDS = new Set(["cards", "against", "back", "middle", "front", "left", "board", "houseHole", "hole", "best"]);
const FACTS = ["seat", "expected", "found", "deadlineTime", "receivedTime"] as const;
const NEAR_NOW = 1e11;

const place = JSON.parse(readFileSync(process.env["CASES"] ?? "", "utf8")) as Place;

const numberOf = (card: string) => 4 * RANKS.indexOf(card[0] ?? "") + SUITS.indexOf(card[1] ?? "") + 1;
const textOf = (card: number) => `${RANKS[(card - 1) >> 2]}${SUITS[(card - 1) & 3]}`;
const numbersOf = (text: string) => text.split(" ").filter(Boolean).map(numberOf);
const camel = (name: string) => name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

async function control(path: string, body: unknown): Promise<{ now: number }> {
  const answer = await fetch(`${place.control}/${path}`, { method: "POST", body: JSON.stringify(body) });
  if (!answer.ok) {
    throw new Error(`${path}: ${await answer.text()}`);
  }
  return (await answer.json()) as { now: number };
}

/** A member of an answer as cases write it: cards as text, times in ms after the deal, null where it is not set. */
function shown(answer: unknown, path: string, dealtTime: number): Json {
  let value = answer as Record<string, unknown> | undefined;
  let last = "";
  for (const part of path.split(/[.[\]]+/).filter(Boolean)) {
    last = /^\d+$/.test(part) ? last : camel(part);
    value = value?.[/^\d+$/.test(part) ? part : last] as typeof value;
  }
  return plain(value, last, dealtTime);
}

function plain(value: unknown, name: string, dealtTime: number): Json {
  if (Array.isArray(value)) {
    const found = value.map((one) => plain(one, "", dealtTime));
    return CARDS.has(name) ? value.map((one) => textOf(Number(one))).join(" ") : found;
  }
  if (typeof value === "bigint" || typeof value === "number") {
    const number = Number(value);
    return number > NEAR_NOW && dealtTime > NEAR_NOW ? number - dealtTime : number;
  }
  if (typeof value === "object" && value !== null) {
    return {};
  }
  return (value ?? null) as Json;
}

function factsOf(violation: Record<string, unknown>, dealtTime: number): Members {
  const facts: Record<string, Json> = { code: violation["code"] as string };
  for (const name of FACTS) {
    if (violation[name] !== undefined) {
      facts[name.replace("Time", "_time")] = plain(violation[name], name, dealtTime);
    }
  }
  for (const name of ["cards", "against"]) {
    facts[name] = plain(violation[name], name, dealtTime);
  }
  return facts;
}

/** Whether what was found has all that is expected. */
function agrees(expected: Json | undefined, found: Json | undefined): boolean {
  if (Array.isArray(expected) && Array.isArray(found)) {
    return expected.length === found.length && expected.every((one, at) => agrees(one as Json, found[at] as Json));
  }
  if (typeof expected === "object" && expected !== null && !Array.isArray(expected)) {
    const members = expected as Members;
    return Object.keys(members).every((name) => agrees(members[name], ((found ?? {}) as Members)[name]));
  }
  return expected === found || (expected === "" && found === undefined);
}

/** One event of a step, by the method that a frontend has for it. */
async function accept(game: AnyRound, text: string, own: Map<number, readonly number[]>): Promise<unknown> {
  const [word = "", choice = "", ...rest] = text.split(" ");
  const seat = Number(word);
  const hand = game.hands.get(seat) ?? own.get(seat) ?? [];
  if ("decide" in game) {
    return (game as UltimateTexasGame).decide(seat, choice as Parameters<UltimateTexasGame["decide"]>[1]);
  }
  const player = game as MauBinhGame & TienLenGame;
  if (choice === "leave" || choice === "timeout") {
    return choice === "leave" ? player.leave(seat) : player.timeOut(seat);
  }
  if ("play" in game) {
    return choice === "pass" ? player.passTurn(seat) : player.play(seat, numbersOf(text.slice(word.length + 1)));
  }
  const laid = rest.join(" ");
  const [back, middle, front] = laid.split("/").map(numbersOf);
  const chi = laid === "as dealt" ? chiOf(hand) : { back: back ?? [], middle: middle ?? [], front: front ?? [] };
  return choice === "commit" ? player.commit(seat, chi) : player.arrange(seat, chi);
}

async function act(game: AnyRound, step: Members, one: Case, own: Map<number, readonly number[]>): Promise<unknown> {
  if ("open" in step) {
    await game.open({ sealed: one.head["sealed"] === true });
  } else if ("deal" in step) {
    await game.deal();
  } else if ("hand" in step) {
    own.set(step["hand"] as number, await (game as MauBinhGame).openHand(step["hand"] as number));
  } else if ("accept" in step) {
    return accept(game, step["accept"] as string, own);
  } else if ("ask" in step) {
    return (game as TienLenGame).plays();
  } else if ("preview" in step) {
    return game.preview();
  } else if ("settle" in step) {
    return game.settle();
  } else if ("reveal" in step) {
    await game.reveal();
  }
  return undefined;
}

function foundIn(answer: unknown, step: Members, dealtTime: number): Members {
  const whole = (answer ?? {}) as Record<string, unknown>;
  const violations = ((whole["violations"] ?? []) as Record<string, unknown>[]).map((one) => factsOf(one, dealtTime));
  const wanted = (step["violations"] ?? []) as Json[];
  const found: Record<string, Json> = {
    violations: violations.map((one, at) => (typeof wanted[at] === "string" ? (one["code"] ?? null) : one)),
  };
  if ("accept" in step && !("violations" in step) && whole["eventNumber"] !== undefined) {
    found["violations"] = []; // a foul is accepted
  }
  const paths = Object.keys((step["answer"] ?? {}) as Members);
  found["answer"] = Object.fromEntries(paths.map((path) => [path, shown(answer, path, dealtTime)]));
  const outcome = whole["outcome"] as
    { transfers: Record<string, unknown>[]; seats: { netMinor: bigint }[] } | undefined;
  found["transfers"] = (outcome?.transfers ?? []).map((paid) =>
    ["payer", "payee", "amountMinor", "reason", "subject"]
      .map((name) => String(paid[name] ?? ""))
      .join(" ")
      .trim(),
  );
  found["net"] = (outcome?.seats ?? []).map((seat) => Number(seat.netMinor));
  return found;
}

/** Play a case; return what differed, or nothing. */
async function play(client: Client, one: Case, number: number): Promise<object | undefined> {
  const table = `cases-${number}`;
  await control("script", { ...one.deck, table_id: table });
  const bets = ((one.head["bets"] ?? []) as [number, number][]).map(([ante, trips]) => ({ ante, trips }));
  const { ruleset, stake } = one.head as { ruleset: string; stake: number };
  const terms = { table, ruleset, seats: one.seats, stake, ...(bets.length > 0 ? { bets } : {}) };
  const keyed = one.head["keyed"] === true;
  const secrets = Array.from({ length: one.seats }, (_, seat) => SeatSecrets.make(seat, { keyed }));
  const games = { mau_binh: client.mauBinh, tien_len: client.tienLen, ultimate_texas: client.ultimateTexas };
  const begin = games[one.game as keyof typeof games].bind(client) as (...given: unknown[]) => AnyRound;
  const game = begin(terms, { secrets });
  const own = new Map<number, readonly number[]>();
  for (const step of one.steps) {
    if (typeof step["wait"] === "number") {
      await control("clock", { advance_ms: step["wait"] });
    }
    if (typeof step["at"] === "string") {
      await control("clock", { now: Number(game.dealtTime) + Number(step["at"].replace("dealt", "") || 0) });
    }
    const answer = await act(game, step, one, own);
    const expected: Record<string, Json> = { violations: [] };
    for (const name of ["violations", "answer", "transfers", "net"]) {
      if (step[name] !== undefined) {
        expected[name] = step[name];
      }
    }
    const found = foundIn(answer, step, Number(game.dealtTime));
    if (!agrees(expected, found)) {
      return { case: one.name, step, expected, found };
    }
  }
  return undefined;
}

const client = connect(place.grpc, { trust: place.keys });
for (const [number, one] of place.cases.entries()) {
  const difference = await play(client, one, number).catch((error: unknown) => ({
    case: one.name,
    error: String(error),
  }));
  if (difference !== undefined) {
    console.log(JSON.stringify(difference));
  }
}
console.log(JSON.stringify({ played: place.cases.length }));
client.close();
