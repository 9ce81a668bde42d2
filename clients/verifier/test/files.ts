/** Test files of the tree, and bytes as tests write them. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { type Bytes, unhex, utf8 } from "../src/bytes.js";
import {
  type HeldRuleset,
  heldRuleset,
  type LogResult,
  type LogSource,
  type Options,
  tileSource,
  verifyLog,
} from "../src/index.js";
import { leafHash, nodeHash } from "../src/merkle.js";

/** The root of the tree, from build/test. */
const TREE = new URL("../../../../", import.meta.url);

export type Row = Record<string, any>;

/** The rows of a file of vectors, such as `log/vkey`. */
export function vectors(name: string): Row[] {
  const text = readFileSync(new URL(`tests/vectors/${name}.jsonl`, TREE), "utf8");
  return text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Row);
}

/** A test for each row of files of vectors; its check throws where the row is not as this library finds it. */
export function eachRow(names: string, check: (row: Row) => void): void {
  for (const name of names.split(" ")) {
    const rows = vectors(name);
    assert.ok(rows.length > 0, name);
    rows.forEach((row) => test(`${name}, ${row["id"]}: ${row["why"] ?? ""}`, () => check(row)));
  }
}

/** Run work that should hold, or assert that it throws. */
export function expect(isSound: unknown, work: () => unknown): void {
  if (isSound) {
    work();
  } else {
    assert.throws(work);
  }
}

function readRulesets(): HeldRuleset[] {
  const folder = new URL("referee/rulesets/", TREE);
  const files = readdirSync(folder).filter((name) => name.endsWith(".toml"));
  return files.map((name) => heldRuleset(new Uint8Array(readFileSync(new URL(name, folder)))));
}

export function bytes(hex: string): Bytes {
  return new Uint8Array(Buffer.from(hex, "hex"));
}

export function fromBase64(text: string): Bytes {
  return new Uint8Array(Buffer.from(text, "base64"));
}

/** The rulesets of the tree. */
export const RULESETS = readRulesets();

function list(log: Row, name: string): string[] {
  return (log[name] ?? []) as string[];
}

function textsOf(log: Row, name: string): Bytes[] {
  return list(log, name).map((one) => utf8(one));
}

/** The witnesses that a fixture names, as options. */
export function witnessesOf(log: Row): Options {
  const { witnesses = [], quorum, max_age: maxAge } = log;
  return {
    witnesses,
    ...(typeof quorum === "number" ? { quorum } : {}),
    ...(typeof maxAge === "number" ? { maxAge } : {}),
  };
}

/** A fixture's log: its leaves, or the tiles that it is published as. */
async function sourceFrom(log: Row): Promise<LogSource> {
  const files = log["files"] as Record<string, string> | undefined;
  if (files === undefined) {
    return { checkpoint: utf8(log["checkpoint"]), leaves: textsOf(log, "leaves") };
  }
  return tileSource(async (path) => (files[path] === undefined ? null : fromBase64(files[path])));
}

/** The files of the audit's fixtures. */
export const FIXTURES = ["healthy", "courses", "mutations", "seats", "held", "cosigned", "tiles", "chance"];

/** Codes that only `referee audit` finds, by why. */
export const ONLY_IN_THE_AUDIT: Readonly<Record<string, readonly string[]>> = {
  "it takes the rules of the game": [
    "ILLEGAL_EVENT",
    "LAW_FAILED",
    "EVENT_NOT_RECEIVED",
    "SEEN_TOO_LOW",
    "TIMEOUT_TOO_EARLY",
    "TERMS_FORBIDDEN",
    "INSTANT_WIN_GIVEN_UP",
  ],
  "it takes statistics over many rounds": [
    "TABLES_THROWN_AWAY",
    "TABLES_UNSEEDED",
    "ABORTED_BY_QUALITY",
    "ABORTED_FOR_KEY",
    "WITHHELD_BY_SEAT",
    "CARDS_BY_PLACE_UNEVEN",
    "DECKS_CORRELATED",
    "DECK_REPEATED",
    "WINS_BEYOND_CHANCE",
    "WIN_RATE_UNUSUAL",
    "ANSWERED",
    "LEFT_OUT",
    "SUPERUSER",
    "UNLIKELY_BY_CHANCE",
  ],
};

/** The rulesets that a row brings with it, or those of the tree. */
function rulesetsOf(log: Row): HeldRuleset[] {
  return "rulesets" in log ? textsOf(log, "rulesets").map((one) => heldRuleset(one)) : RULESETS;
}

/** What this library finds in a fixture's log. */
export async function audited(log: Row): Promise<LogResult> {
  return verifyLog(
    await sourceFrom(log),
    { origin: log["origin"], logKey: log["log_key"], rootKey: log["root_key"] },
    {
      now: log["now"],
      former: log["former"] ?? 0,
      ...(log["as_of"] === undefined ? {} : { asOf: log["as_of"] }),
      rulesets: rulesetsOf(log),
      witnessed: textsOf(log, "witnessed"),
      cosigned: textsOf(log, "cosigned"),
      outgrown: textsOf(log, "outgrown"),
      ...witnessesOf(log),
      exhibits: {
        certificates: list(log, "certificates").map(fromBase64),
        eventReceipts: list(log, "event_receipts").map(fromBase64),
        exports: list(log, "exports").map(fromBase64),
        seeds: ((log["seeds"] ?? []) as Row[]).map(({ round_id, seat, seed }) => ({
          roundId: round_id,
          seat,
          seed: unhex(seed),
        })),
        logReceipts: ((log["log_receipts"] ?? []) as Row[]).map(({ receipt, leaf }) => ({
          receipt: utf8(receipt),
          leaf: leaf === undefined ? undefined : fromBase64(leaf),
        })),
      },
    },
  );
}

/** The largest power of two below a number. */
function split(count: number): number {
  let k = 1;
  while (2 * k < count) {
    k *= 2;
  }
  return k;
}

/** MTH as RFC 9162, 2.1.1 writes it, over leaf hashes. */
export function mth(hashes: Bytes[]): Bytes {
  if (hashes.length === 1) {
    return hashes[0] as Bytes;
  }
  const k = split(hashes.length);
  return nodeHash(mth(hashes.slice(0, k)), mth(hashes.slice(k)));
}

/** PATH as RFC 9162, 2.1.3.1 writes it, over leaf hashes. */
export function path(m: number, hashes: Bytes[]): Bytes[] {
  if (hashes.length === 1) {
    return [];
  }
  const k = split(hashes.length);
  return m < k
    ? [...path(m, hashes.slice(0, k)), mth(hashes.slice(k))]
    : [...path(m - k, hashes.slice(k)), mth(hashes.slice(0, k))];
}

/** SUBPROOF as RFC 9162, 2.1.4.1 writes it, over leaf hashes. */
export function subproof(m: number, hashes: Bytes[], isKnown = true): Bytes[] {
  if (m === hashes.length) {
    return isKnown ? [] : [mth(hashes)];
  }
  const k = split(hashes.length);
  return m <= k
    ? [...subproof(m, hashes.slice(0, k), isKnown), mth(hashes.slice(k))]
    : [...subproof(m - k, hashes.slice(k), false), mth(hashes.slice(0, k))];
}

/** A bundle of the round with this id from a fixture's whole log, with every proof in it. */
export function bundleOf(log: Row, roundId: string): Row {
  const leaves: string[] = log["leaves"];
  const hashes = leaves.map((leaf) => leafHash(utf8(leaf)));
  const its = (leaf: string): Row => {
    try {
      return JSON.parse(atob(JSON.parse(leaf).payload as string)) as Row;
    } catch {
      return {};
    }
  };
  const payloads = leaves.map(its);
  const openOf = (id: unknown): Row | undefined => payloads.find((one) => one["round_id"] === id && one["header"]);
  const ends = new Set<number>();
  let header = openOf(roundId)?.["header"] as Row | undefined;
  while (header !== undefined) {
    const named = header["previous_leaf"];
    const end = hashes.findIndex((hash) => Buffer.from(hash).toString("hex") === named);
    const opened = payloads[end]?.["inputs"] === undefined ? openOf(payloads[end]?.["round_id"]) : undefined;
    header = end < 0 ? undefined : (opened?.["header"] as Row | undefined);
    ends.add(end).add(opened === undefined ? -1 : payloads.indexOf(opened));
  }
  const chosen = payloads.flatMap(({ key, instance, round_id: id }, index) =>
    (key ?? instance) !== undefined || id === roundId || ends.has(index) ? [index] : [],
  );
  return {
    format: 1,
    origin: log["origin"],
    log_key: log["log_key"],
    root_key: log["root_key"],
    round_id: roundId,
    checkpoint: log["checkpoint"],
    leaves: chosen.map((index) => ({
      index,
      leaf: leaves[index],
      proof: path(index, hashes).map((node) => Buffer.from(node).toString("hex")),
    })),
    certificates: list(log, "certificates").map((one) => atob(one)),
    event_receipts: list(log, "event_receipts").map((one) => atob(one)),
  };
}

/** The round ids that a log's OPEN leaves name. */
export function roundsOf(log: Row): string[] {
  const ids = (log["leaves"] as string[]).flatMap((leaf) => {
    try {
      const payload = JSON.parse(atob(JSON.parse(leaf).payload as string)) as Row;
      return payload["header"] === undefined ? [] : [payload["round_id"] as string];
    } catch {
      return [];
    }
  });
  return [...new Set(ids)];
}
