/** Whatever a leaf holds, the answer is a finding and never an exception. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { base64, unbase64, utf8, text } from "../src/bytes.js";
import { encode, type Json } from "../src/canonical.js";
import { BundleError, verifyRound } from "../src/index.js";
import { audited, bundleOf, roundsOf, type Row, RULESETS, vectors } from "./files.js";

const LOGS = ["healthy", "seats", "held"].flatMap((name) => vectors(`audit/${name}`));
const COUNT = 100;
const LARGEST = Number.MAX_SAFE_INTEGER;
const ODD: readonly Json[] = [
  ...[0, 1, -1, 53, 255, LARGEST, -LARGEST],
  ...["", "x", "TIMEOUT", "00".repeat(32), "00".repeat(64), "AA".repeat(32)],
  ...[[], {}, [0], [[]], [1, 1], ["", ""], { seat: 0 }],
];
const NAMES = ["another", "seen", "seat", "sealed", "leader", "opens_section"];

/** Numbers below a bound, the same in every run. */
function dice(seed: number): (bound: number) => number {
  let state = seed;
  return (bound) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * bound);
  };
}

function placesOf(value: Json): [holder: Record<string, Json> | Json[], name: string][] {
  if (typeof value !== "object") {
    return [];
  }
  return Object.entries(value).flatMap(([name, member]) => [[value, name], ...placesOf(member)]);
}

/** The payload with one member replaced, left out, doubled or added. */
function changed(payload: Json, roll: (bound: number) => number): Json {
  const again = structuredClone(payload);
  const all = placesOf(again);
  const [holder, name] = all[roll(all.length)] as (typeof all)[0];
  const odd = structuredClone(ODD[roll(ODD.length)] as Json);
  const kind = roll(4);
  if (Array.isArray(holder)) {
    const kept = structuredClone(holder[Number(name)] as Json);
    const put = kind === 0 ? [] : kind === 1 ? [kept, kept] : [odd];
    holder.splice(Number(name), 1, ...put);
  } else if (kind === 0) {
    delete holder[name];
  } else {
    holder[kind === 1 ? (NAMES[roll(NAMES.length)] as string) : name] = odd;
  }
  return again;
}

function hostile(leaf: string, roll: (bound: number) => number): string {
  const envelope = JSON.parse(leaf) as { payload: string };
  const payload = changed(JSON.parse(text(unbase64(envelope.payload))) as Json, roll);
  return encode({ ...envelope, payload: base64(utf8(encode(payload))) });
}

function withOdd(log: Row, roll: (bound: number) => number): Row {
  const leaves = [...(log["leaves"] as string[])];
  const at = roll(leaves.length);
  leaves[at] = hostile(leaves[at] as string, roll);
  return { ...log, leaves };
}

test("any payload in a log gives a finding", async () => {
  const [roll, known] = [dice(1), LOGS.filter((log) => Array.isArray(log["leaves"]))];
  for (let at = 0; at < COUNT; at += 1) {
    const log = known[roll(known.length)] as Row;
    const odd = withOdd(log, roll);
    if (encode(odd["leaves"]) !== encode(log["leaves"])) {
      assert.ok((await audited(odd)).findings.length > 0, String(log["id"]));
    }
  }
});

test("leaves in any order give a finding", async () => {
  const [roll, log] = [dice(2), LOGS[0] as Row];
  const leaves = log["leaves"] as string[];
  for (let at = 0; at < 10; at += 1) {
    const other = leaves.map(() => leaves[roll(leaves.length)]);
    assert.ok((await audited({ ...log, leaves: other })).findings.length > 0);
  }
});

test("any payload in a bundle gives a finding, or is no bundle of its round", () => {
  const [roll, log] = [dice(3), LOGS[0] as Row];
  const keys = { origin: log["origin"], logKey: log["log_key"], rootKey: log["root_key"] };
  const bundles = roundsOf(log).map((roundId) => bundleOf(log, roundId));
  for (let at = 0; at < COUNT; at += 1) {
    const bundle = bundles[roll(bundles.length)] as Row;
    const leaves = (bundle["leaves"] as Row[]).map((leaf) => ({ ...leaf }));
    const odd = leaves[roll(leaves.length)] as Row;
    const before = odd["leaf"] as string;
    odd["leaf"] = hostile(before, roll);
    if (odd["leaf"] === before) {
      continue;
    }
    try {
      const options = { rulesets: RULESETS, now: log["now"] as number };
      assert.ok(verifyRound({ ...bundle, leaves }, keys, options).findings.length > 0);
    } catch (error) {
      assert.ok(error instanceof BundleError);
    }
  }
});
