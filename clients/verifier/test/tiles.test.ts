/** Published tiles: paths as C2SP spells them, entries as bundles, and every tile held to its entries. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { type Bytes, concat, utf8 } from "../src/bytes.js";
import { tileSource, verifyLog } from "../src/index.js";
import { leafHash, nodeHash } from "../src/merkle.js";
import { parseEntries, tilePath } from "../src/tiles.js";
import { bytes, eachRow, expect, RULESETS, vectors } from "./files.js";

const LOG = vectors("audit/healthy")[0] ?? {};
const KEYS = { origin: LOG["origin"], logKey: LOG["log_key"], rootKey: LOG["root_key"] };

/** The files of a tree, made by splitting it at powers of two, as RFC 9162 defines it. */
function published(leaves: Bytes[], checkpoint: Bytes): Map<string, Bytes> {
  const files = new Map<string, Bytes>([["checkpoint", checkpoint]]);
  const put = (level: number | "entries", items: Bytes[]): void => {
    for (let at = 0; at < items.length; at += 256) {
      const part = items.slice(at, at + 256);
      files.set(tilePath(level, at / 256, part.length), concat(...part));
    }
  };
  put(
    "entries",
    leaves.map((leaf) => concat(Uint8Array.of(leaf.length >> 8, leaf.length & 255), leaf)),
  );
  let hashes = leaves.map(leafHash);
  for (let level = 0; hashes.length > 0; level += 1) {
    put(level, hashes);
    const full = Math.floor(hashes.length / 256);
    hashes = Array.from({ length: full }, (_, at) => root(hashes.slice(at * 256, at * 256 + 256)));
  }
  return files;
}

function root(hashes: Bytes[]): Bytes {
  const [only] = hashes;
  if (hashes.length === 1 && only !== undefined) {
    return only;
  }
  const half = hashes.length / 2;
  return nodeHash(root(hashes.slice(0, half)), root(hashes.slice(half)));
}

async function faultsOf(files: Map<string, Bytes>): Promise<[number, string[]]> {
  const source = await tileSource(async (path) => files.get(path) ?? null);
  let count = 0;
  for await (const leaf of source.leaves) {
    count += Math.min(leaf.length, 1);
  }
  return [count, (source.faults ?? []).map(({ detail }) => detail)];
}

function numbered(size: number): Map<string, Bytes> {
  const leaves = Array.from({ length: size }, (_, at) => utf8(`leaf ${at}`));
  return published(leaves, utf8(`example\n${size}\n`));
}

async function verified(files: ReadonlyMap<string, Bytes>) {
  const source = await tileSource(async (path) => files.get(path) ?? null);
  return verifyLog(source, KEYS, { now: LOG["now"], rulesets: RULESETS });
}

eachRow("log/tiles_paths", ({ level, index, width, path, refused }) => {
  if (!refused && Number.isSafeInteger(index)) {
    assert.equal(tilePath(level, index, width), path);
  }
});

eachRow("log/tiles_entries", ({ bundle, width, entries, refused }) => {
  expect(!refused, () => assert.deepEqual(parseEntries(bytes(bundle), width), (entries as string[]).map(bytes)));
});

test("a published log is verified from its files", async () => {
  const leaves = (LOG["leaves"] as string[]).map(utf8);
  const files = published(leaves, utf8(LOG["checkpoint"]));
  const result = await verified(files);
  assert.deepEqual(result.findings, []);
  assert.ok(result.passed && result.rounds > 0 && result.size === leaves.length);
});

test("a tile that disagrees with the entries below it is a finding", async () => {
  const leaves = (LOG["leaves"] as string[]).map(utf8);
  const files = published(leaves, utf8(LOG["checkpoint"]));
  const path = tilePath(0, 0, leaves.length);
  files.set(
    path,
    (files.get(path) as Bytes).map((byte, at) => (at === 40 ? byte ^ 1 : byte)),
  );
  const result = await verified(files);
  assert.deepEqual(
    result.findings.map((one) => one.code),
    ["TILE_MISMATCH"],
  );
  assert.ok(!result.passed);
});

for (const size of [1, 255, 256, 257, 512, 600, 65_536, 65_537]) {
  test(`all tiles of ${size} leaves agree, and any bit of the last of each level shows`, async () => {
    const files = numbered(size);
    assert.deepEqual(await faultsOf(files), [size, []]);
    const names = [...files.keys()].filter((name) => /^tile\/[0-9]/.test(name));
    const levels = new Map(names.map((name) => [name.split("/")[1], name]));
    for (const name of levels.values()) {
      const whole = files.get(name) as Bytes;
      const bent = whole.slice();
      bent[bent.length - 1] = (bent[bent.length - 1] ?? 0) ^ 1;
      const [, faults] = await faultsOf(new Map([...files, [name, bent]]));
      assert.ok(faults.length === 1 && faults[0]?.startsWith(name), name);
    }
  });
}

test("where only the full tile is there, its first part is read", async () => {
  const files = numbered(256);
  files.set("checkpoint", utf8("example\n100\n"));
  assert.deepEqual(await faultsOf(files), [100, []]);
});

test("a missing or malformed file is named", async () => {
  const files = numbered(300);
  files.delete("tile/entries/001.p/44");
  assert.deepEqual(await faultsOf(files), [256, ["tile/entries/001.p/44 is not there"]]);
  files.set("tile/entries/001.p/44", utf8("x"));
  const [count, faults] = await faultsOf(files);
  assert.equal(count, 256);
  assert.match(faults.join(), /^tile\/entries\/001\.p\/44: .* ends after 0 of 44 entries$/);
  files.delete("checkpoint");
  await assert.rejects(faultsOf(files), /no file 'checkpoint'/);
});
