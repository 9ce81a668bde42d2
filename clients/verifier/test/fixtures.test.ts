/**
 * The audit's fixtures: a sound log, and one log for each attack with the code that must be found
 * first. What follows from a game's rules alone is not this verifier's to find.
 */

import assert from "node:assert/strict";
import { test } from "node:test";

import { type Code, CODES, verifyRound } from "../src/index.js";
import { audited, bundleOf, FIXTURES, ONLY_IN_THE_AUDIT, roundsOf, RULESETS, vectors } from "./files.js";

const MUTATIONS = [...vectors("audit/mutations"), ...vectors("audit/seats")];
const ALL = FIXTURES.flatMap((name) => vectors(`audit/${name}`));

/** The place in the list of leaves that hold any bytes: they need not say of which round they are. */
const ANY_BYTES = 69;

/** Faults outside of one round's bundle. */
const ONLY_IN_THE_WHOLE_LOG: readonly Code[] = [
  "OPENED_TWICE",
  "WRONG_PREVIOUS_LEAF",
  "LEAF_OF_NO_ROUND",
  "LEAF_TOO_LONG",
  "CLIENT_SEED_REPEATED",
  "SERVER_SEED_REPEATED",
  "HISTORY_REWRITTEN",
  "SPLIT_VIEW",
  "LOG_TRUNCATED",
  "TIME_OUT_OF_ORDER",
  "RULESET_NOT_STARTED",
];

for (const log of vectors("audit/healthy")) {
  test(`${log["id"]}: ${log["why"]}`, async () => {
    const result = await audited(log);
    assert.deepEqual(result.findings, []);
    assert.ok(result.passed && result.rounds > 0);
    const tally = Object.values(result.round_checks);
    assert.ok(tally.every((counts) => counts.FAILED === 0));
    for (const roundId of roundsOf(log)) {
      const bundle = bundleOf({ ...log, certificates: [], event_receipts: [] }, roundId);
      const keys = { origin: log["origin"], logKey: log["log_key"], rootKey: log["root_key"] };
      const round = verifyRound(bundle, keys, { rulesets: RULESETS, now: log["now"] });
      assert.deepEqual(round.findings, []);
      assert.ok(round.passed);
    }
  });
}

test("the codes are those that no reason keeps from this verifier", () => {
  const elsewhere = Object.values(ONLY_IN_THE_AUDIT).flat();
  const expected = ALL.map((log) => log["expected"].code as string | undefined);
  const here = [...new Set(expected)].filter((code) => code && !elsewhere.includes(code));
  assert.deepEqual([...CODES].sort(), here.sort());
});

for (const log of ALL.filter(({ expected, id }) => !expected.code && id !== "healthy")) {
  test(`${log["id"]}: ${log["why"]}`, async () => {
    const { dealing_levels: levels, findings } = await audited(log);
    assert.deepEqual(findings, []);
    const counted = Object.entries(levels).filter(([, count]) => count > 0);
    assert.deepEqual(Object.fromEntries(counted), log["levels"] ?? { L2: levels.L2 });
  });
}

for (const log of ALL.filter(({ expected }) => expected.code)) {
  const expected = log["expected"] as { code: string; severity: string; leaf_index?: number };
  if (!CODES.includes(expected.code as Code)) {
    test(`${log["id"]}: ${expected.code} is only the audit's, so nothing is found`, async () => {
      const found = (await audited(log)).findings.filter(({ code }) => code !== "ROUNDS_GIVEN_UP");
      assert.deepEqual(found, []);
    });
    continue;
  }
  test(`${log["id"]}: ${log["why"]}`, async () => {
    const result = await audited(log);
    const [first] = result.findings;
    assert.deepEqual([first?.code, first?.severity], [expected.code, expected.severity]);
    if (expected.leaf_index !== undefined) {
      assert.equal(first?.leaf_index, expected.leaf_index);
    }
    assert.equal(result.passed, expected.severity === "NOTE");
  });
}

test("all but faults outside of the round are found in its own bundle as well", () => {
  const own = MUTATIONS.filter(({ expected }) => expected.number !== ANY_BYTES);
  const missed = own.flatMap((log) => {
    const { code } = log["expected"] as { code: Code };
    const keys = { origin: log["origin"], logKey: log["log_key"], rootKey: log["root_key"] };
    const asOf = log["as_of"] === undefined ? {} : { asOf: log["as_of"] as number };
    const options = { rulesets: RULESETS, now: log["now"] as number, ...asOf };
    const found = roundsOf(log).flatMap((roundId) =>
      verifyRound(bundleOf(log, roundId), keys, options).findings.map((one) => one.code),
    );
    return found.includes(code) || !CODES.includes(code) ? [] : [code];
  });
  assert.deepEqual([...new Set(missed)].sort(), [...ONLY_IN_THE_WHOLE_LOG].sort());
});
