/**
 * Reads one JSON object a line from standard input, a whole log as the audit's fixtures have it or
 * `{"bundle", "now"}`, and prints for each what was found as one line of JSON.
 */

import { createInterface } from "node:readline";

import { verifyRound } from "../src/index.js";
import { audited, type Row, RULESETS } from "./files.js";

for await (const line of createInterface({ input: process.stdin })) {
  const row = JSON.parse(line) as Row;
  const start = performance.now();
  const bundle = row["bundle"] as Row | undefined;
  const result =
    bundle === undefined
      ? await audited(row)
      : verifyRound(
          bundle,
          {
            origin: bundle["origin"],
            logKey: bundle["log_key"],
            rootKey: bundle["root_key"],
          },
          { rulesets: RULESETS, now: row["now"] },
        );
  console.log(JSON.stringify({ ...result, milliseconds: performance.now() - start }));
}
