/** Bundles of one round: what they prove, and that nothing in them can be changed unseen. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { test } from "node:test";

import { utf8 } from "../src/bytes.js";
import { AsOfError, BundleError, type CheckCode, type RoundResult, verifyRound } from "../src/index.js";
import { leafHash } from "../src/merkle.js";
import { bundleOf, roundsOf, type Row, RULESETS, subproof, vectors, witnessesOf } from "./files.js";

const LOG = vectors("audit/healthy")[0] as Row;
const KEYS = { origin: LOG["origin"], logKey: LOG["log_key"], rootKey: LOG["root_key"] };
const BARE = { ...LOG, certificates: [], event_receipts: [] };
/** The two rounds of the log's first table, with which it begins. */
const [FIRST, SECOND] = roundsOf(LOG) as [string, string];

function verified(bundle: Row): RoundResult {
  return verifyRound(bundle, KEYS, { rulesets: RULESETS });
}

function outcomes(result: RoundResult, ...codes: CheckCode[]): string[] {
  return codes.map((code) => result.checks.find((check) => check.code === code)?.outcome ?? "");
}

function codes(result: RoundResult): string[] {
  return result.findings.map((one) => one.code);
}

test("a whole round passes every check that it gives rise to", () => {
  const result = verified(bundleOf(BARE, SECOND));
  assert.ok(result.passed);
  const open = result.checks.filter((check) => check.outcome !== "PASSED").map((one) => one.code);
  const ofSeats = ["SEED_SIGNATURES", "LEADER", "SEAL", "ABORT"];
  const held = ["CERTIFICATES", "EVENT_RECEIPTS", "SECRECY", "LOG_RECEIPTS"];
  assert.deepEqual(open, ["CONTINUITY", ...ofSeats, ...held, "WITNESSES"]);
});

test("every letter of every leaf, and every proof, is held against the checkpoint", () => {
  const bundle = bundleOf(BARE, SECOND);
  for (const place of (bundle["leaves"] as Row[]).keys()) {
    const change = (what: (leaf: Row) => Row): Row => ({
      ...bundle,
      leaves: (bundle["leaves"] as Row[]).map((leaf, at) => (at === place ? what(leaf) : leaf)),
    });
    const edited = change((leaf) => ({ ...leaf, leaf: leaf["leaf"].replace(/[A-Y]/, "Z") }));
    assert.deepEqual(outcomes(verified(edited), "TREE"), ["FAILED"]);
    const proof = (what: (nodes: string[]) => string[]): Row =>
      change((leaf) => ({ ...leaf, proof: what(leaf["proof"] as string[]) }));
    for (const odd of [
      proof((nodes) => nodes.slice(1)),
      proof((nodes) => [...nodes, "00".repeat(32)]),
      proof((nodes) => nodes.map((node) => node.replace(/^../, node.startsWith("00") ? "01" : "00"))),
    ]) {
      assert.deepEqual(outcomes(verified(odd), "TREE"), ["FAILED"]);
    }
  }
});

test("a leaf in another place than its own is refused", () => {
  const bundle = bundleOf(BARE, FIRST);
  const leaves = bundle["leaves"] as Row[];
  const last = leaves.at(-1) as Row;
  const moved = { ...bundle, leaves: [...leaves.slice(0, -1), { ...last, index: last["index"] + 1 }] };
  assert.deepEqual(outcomes(verified(moved), "TREE"), ["FAILED"]);
});

test("a bundle of leaves that its checkpoint's log does not have is refused under any other log's key", () => {
  const bundle = bundleOf(BARE, FIRST);
  const result = verifyRound(bundle, { ...KEYS, logKey: KEYS.rootKey });
  assert.deepEqual(codes(result), ["CHECKPOINT_REFUSED"]);
  assert.ok(!result.passed);
  assert.ok(result.checks.slice(1).every((check) => check.outcome === "NOT_CHECKED"));
  const elsewhere = verifyRound(bundle, { ...KEYS, origin: "another.example" });
  assert.deepEqual(codes(elsewhere), ["CHECKPOINT_REFUSED"]);
});

test("another root key did not name the keys that sign", () => {
  const result = verifyRound(bundleOf(BARE, FIRST), { ...KEYS, rootKey: KEYS.logKey });
  assert.deepEqual(codes(result), ["ROOT_KEY_MISMATCH"]);
  assert.match(result.findings[0]?.detail ?? "", /is this the right key\?/);
  assert.deepEqual(outcomes(result, "KEYS", "SIGNATURES"), ["FAILED", "NOT_CHECKED"]);
  assert.ok(result.explained > 0);
});

test("without its KEY leaves nobody is known to have signed the round", () => {
  const bundle = bundleOf(BARE, FIRST);
  const leaves = (bundle["leaves"] as Row[]).filter((leaf) => !/vnd.referee.key/.test(leaf["leaf"]));
  const result = verified({ ...bundle, leaves });
  assert.deepEqual(outcomes(result, "SIGNATURES"), ["FAILED"]);
});

test("without REVEAL the cards are not dealt again, and that is said", () => {
  const bundle = bundleOf(BARE, FIRST);
  const leaves = (bundle["leaves"] as Row[]).filter((leaf) => !/referee.reveal/.test(leaf["leaf"]));
  const result = verified({ ...bundle, leaves });
  assert.ok(result.passed);
  const expected = ["NOT_CHECKED", "NOT_CHECKED", "NOT_CHECKED", "PASSED"];
  assert.deepEqual(outcomes(result, "SERVER_SEED", "DECK", "CARDS", "MIX"), expected);
});

test("a REVEAL that is overdue is asked for, and missed as of a time that is given", () => {
  const bundle = bundleOf(BARE, FIRST);
  const leaves = (bundle["leaves"] as Row[]).filter((leaf) => !/referee.reveal/.test(leaf["leaf"]));
  const now = Number.MAX_SAFE_INTEGER;
  const copy = verifyRound({ ...bundle, leaves }, KEYS, { now });
  assert.deepEqual([codes(copy), copy.passed], [["UNFINISHED_IN_COPY"], true]);
  const result = verifyRound({ ...bundle, leaves }, KEYS, { now, asOf: now });
  assert.deepEqual(codes(result), ["NEVER_REVEALED"]);
  assert.throws(() => verifyRound({ ...bundle, leaves }, KEYS, { now: now - 1, asOf: now }), AsOfError);
  assert.throws(() => verifyRound({ ...bundle, leaves }, KEYS, { now, asOf: 1 }), AsOfError);
});

test("the leaf that ended the round before is checked where it is there, and missed where not", () => {
  const bundle = bundleOf(BARE, SECOND);
  assert.deepEqual(outcomes(verified(bundle), "PREVIOUS_LEAF"), ["PASSED"]);
  const settles = (bundle["leaves"] as Row[]).filter((leaf) => /referee.settle/.test(leaf["leaf"]));
  assert.equal(settles.length, 2);
  const leaves = (bundle["leaves"] as Row[]).filter((leaf) => leaf !== settles[0]);
  const result = verified({ ...bundle, leaves });
  assert.deepEqual(outcomes(result, "PREVIOUS_LEAF"), ["NOT_CHECKED"]);
  assert.ok(result.passed);
});

test("a checkpoint that was kept is continued, or two notes show that it is not", () => {
  const bundle = bundleOf(BARE, FIRST);
  const all = (LOG["leaves"] as string[]).map((leaf) => leafHash(utf8(leaf)));
  const same = { checkpoint: LOG["checkpoint"], proof: [] };
  const result = verified({ ...bundle, consistency: [same] });
  assert.deepEqual(outcomes(result, "CONTINUITY"), ["PASSED"]);
  for (const attack of ["history_rewritten", "split_view", "log_set_back"]) {
    const other = vectors("audit/mutations").find((row) => row["id"] === attack) as Row;
    const checkpoint = other["witnessed"][0] as string;
    const size = Number(checkpoint.split("\n")[1]);
    const mine = (other["leaves"] as string[]).map((leaf) => leafHash(utf8(leaf)));
    const proof = size < mine.length ? subproof(size, mine) : [];
    const hexes = proof.map((node) => Buffer.from(node).toString("hex"));
    const shown = bundleOf(other, roundsOf(other)[0] as string);
    const found = verified({ ...shown, consistency: [{ checkpoint, proof: hexes }] });
    assert.deepEqual(outcomes(found, "CONTINUITY"), ["FAILED"], attack);
    assert.ok(all.length > 0);
  }
});

test("a certificate and an event receipt of the round are checked, those of others refused", () => {
  const owner = [FIRST, SECOND].find((id) => verified(bundleOf(LOG, id)).passed) as string;
  const other = owner === FIRST ? SECOND : FIRST;
  const held = outcomes(verified(bundleOf(LOG, owner)), "CERTIFICATES", "EVENT_RECEIPTS");
  assert.deepEqual(held, ["PASSED", "PASSED"]);
  const foreign = codes(verified(bundleOf(LOG, other)));
  assert.deepEqual(foreign, ["CERTIFICATE_REFUSED", "RECEIPT_REFUSED"]);
});

test("what is no bundle is refused with the member at fault", () => {
  const bundle = bundleOf(BARE, FIRST);
  const leaves = bundle["leaves"] as Row[];
  const odd: [unknown, RegExp][] = [
    [null, /object/],
    [[], /object/],
    [{ ...bundle, format: 2 }, /format/],
    [{ ...bundle, more: 1 }, /more/],
    [{ ...bundle, round_id: "00" }, /round_id/],
    [{ ...bundle, round_id: "00".repeat(32) }, /does not hold the OPEN/],
    [{ ...bundle, leaves: [...leaves].reverse() }, /ascend/],
    [{ ...bundle, leaves: [{ ...leaves[0], index: 0.5 }] }, /leaves\[0\]\.index/],
    [{ ...bundle, leaves: [{ ...leaves[0], index: true }] }, /leaves\[0\]\.index/],
    [{ ...bundle, leaves: [{ ...leaves[0], proof: ["xy"] }] }, /leaves\[0\]\.proof\[0\]/],
    [{ ...bundle, checkpoint: null }, /checkpoint/],
  ];
  for (const [value, reason] of odd) {
    assert.throws(
      () => verifyRound(value, KEYS),
      (error) => error instanceof BundleError && reason.test(error.message),
    );
  }
});

test("the library runs without anything that only Node has", () => {
  const index = new URL("../src/index.js", import.meta.url).href;
  const program = `
    const [print, stdin] = [console.log, ${JSON.stringify(JSON.stringify(bundleOf(BARE, FIRST)))}];
    for (const name of ["process", "Buffer", "global", "setImmediate"]) delete globalThis[name];
    const { verifyRound } = await import(${JSON.stringify(index)});
    const result = verifyRound(JSON.parse(stdin), ${JSON.stringify(KEYS)});
    print(result.passed, typeof globalThis.Buffer);
  `;
  const args = ["--input-type=module", "-e", program];
  const { stdout, stderr } = spawnSync(process.execPath, args, { encoding: "utf8" });
  assert.equal(stdout.trim(), "true undefined", stderr);
});

test("a round is of level L3 where a kept checkpoint was cosigned between its OPEN and its DEAL", () => {
  const log = vectors("audit/cosigned").find((row) => row["id"] === "watched") as Row;
  const leaves = (log["leaves"] as string[]).map((leaf) => leafHash(utf8(leaf)));
  const cosigned = log["cosigned"] as string[];
  const consistency = cosigned.map((checkpoint) => {
    const nodes = subproof(Number(checkpoint.split("\n")[1]), leaves);
    return { checkpoint, proof: nodes.map((node) => Buffer.from(node).toString("hex")) };
  });
  const keys = { origin: log["origin"], logKey: log["log_key"], rootKey: log["root_key"] };
  const options = { now: log["now"] as number, ...witnessesOf(log) };
  for (const roundId of roundsOf(log)) {
    const bundle = { ...bundleOf(log, roundId), consistency };
    const result = verifyRound(bundle, keys, options);
    assert.deepEqual(result.findings, []);
    assert.equal(result.dealing_level, "L3");
    assert.deepEqual(outcomes(result, "WITNESSES", "CONTINUITY"), ["PASSED", "PASSED"]);
    const { now } = options;
    assert.equal(verifyRound(bundle, keys, { now }).dealing_level, "L2");
    const last = { ...bundle, consistency: consistency.slice(-1) };
    assert.equal(verifyRound(last, keys, options).dealing_level, "L2");
    const bare = verifyRound({ ...bundle, consistency: [] }, keys, options);
    assert.deepEqual([bare.dealing_level, ...codes(bare)], ["L2", "QUORUM_UNMET"]);
    const forged = cosigned[0]?.replace(/(first [^\n]{20})(.)/, (_, head, one) => head + (one === "A" ? "B" : "A"));
    const [first, ...rest] = consistency;
    const broken = { ...bundle, consistency: [{ ...first, checkpoint: forged }, ...rest] };
    assert.ok(codes(verifyRound(broken, keys, options)).includes("COSIGNATURE_REFUSED"));
  }
});

test("a bundle under a later key of the log is verified from the key that is known", () => {
  const log = vectors("audit/cosigned").find((row) => row["id"] === "log_key_rotated") as Row;
  const keys = { origin: log["origin"], logKey: log["log_key"], rootKey: log["root_key"] };
  for (const roundId of roundsOf(log)) {
    const result = verifyRound(bundleOf(log, roundId), keys, { now: log["now"] });
    assert.deepEqual(result.findings, []);
    assert.ok(result.passed);
  }
  const revoked = vectors("audit/cosigned").find((row) => row["id"] === "checkpoint_by_a_revoked_log_key") as Row;
  const bundle = bundleOf(revoked, roundsOf(revoked)[0] as string);
  assert.deepEqual(codes(verifyRound(bundle, keys)), ["KEY_NOT_VALID"]);
});
