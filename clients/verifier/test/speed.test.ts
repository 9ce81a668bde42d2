/** A round is verified in less than 50 ms of processor time once the engine is warm. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { verifyRound } from "../src/index.js";
import { bundleOf, roundsOf, type Row, vectors } from "./files.js";

test("a round takes less than 50 ms", (context) => {
  const log = { ...vectors("audit/healthy")[0], certificates: [], event_receipts: [] } as Row;
  const keys = { origin: log["origin"], logKey: log["log_key"], rootKey: log["root_key"] };
  const bundles = roundsOf(log).map((roundId) => bundleOf(log, roundId));
  const times: number[] = [];
  for (let turn = 0; turn < 60; turn += 1) {
    const start = process.cpuUsage();
    assert.ok(verifyRound(bundles[turn % bundles.length], keys).passed);
    const { user, system } = process.cpuUsage(start);
    times.push((user + system) / 1_000);
  }
  const warm = times.slice(20).sort((one, other) => one - other);
  const median = warm[warm.length >> 1] as number;
  context.diagnostic(`${median.toFixed(1)} ms a round, first ${times[0]?.toFixed(1)} ms`);
  assert.ok(median < 50, `${median} ms`);
});
