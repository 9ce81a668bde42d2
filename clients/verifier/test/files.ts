/** Test files of the tree, and bytes as tests write them. */

import { readdirSync, readFileSync } from "node:fs";

import { type Bytes, utf8 } from "../src/bytes.js";
import { type HeldRuleset, heldRuleset, type LogResult, verifyLog } from "../src/index.js";
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

/** What this library finds in a fixture's log. */
export async function audited(log: Row): Promise<LogResult> {
  const text = (one: string): Bytes => utf8(one);
  return verifyLog(
    { checkpoint: utf8(log["checkpoint"]), leaves: (log["leaves"] as string[]).map(text) },
    { origin: log["origin"], logKey: log["log_key"], rootKey: log["root_key"] },
    {
      now: log["now"],
      rulesets: RULESETS,
      witnessed: (log["witnessed"] as string[]).map(text),
      exhibits: {
        certificates: (log["certificates"] as string[]).map(fromBase64),
        eventReceipts: (log["event_receipts"] as string[]).map(fromBase64),
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
  const previous = leaves.map(its).find((one) => one["round_id"] === roundId && one["header"])?.[
    "header"
  ]?.previous_leaf as string | undefined;
  const chosen = leaves.flatMap((leaf, index) => {
    const { key, round_id: id } = its(leaf);
    const isEnd = Buffer.from(hashes[index] as Bytes).toString("hex") === previous;
    return key !== undefined || id === roundId || isEnd ? [index] : [];
  });
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
    certificates: (log["certificates"] as string[]).map((one) => atob(one)),
    event_receipts: (log["event_receipts"] as string[]).map((one) => atob(one)),
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
