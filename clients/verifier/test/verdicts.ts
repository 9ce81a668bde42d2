/**
 * Reads one JSON object a line from standard input, a whole log as the audit's fixtures have it or `{"bundle", "now"}`,
 * and prints for each what was found as one line of JSON, or the `error` that was thrown.
 */

import { createInterface } from "node:readline";

import { verifyRound } from "../src/index.js";
import { audited, type Row, RULESETS } from "./files.js";

async function verdict(row: Row): Promise<object> {
  const bundle = row["bundle"] as Row | undefined;
  if (bundle === undefined) {
    return audited(row);
  }
  const keys = { origin: bundle["origin"], logKey: bundle["log_key"], rootKey: bundle["root_key"] };
  return verifyRound(bundle, keys, { rulesets: RULESETS, now: row["now"] });
}

for await (const line of createInterface({ input: process.stdin })) {
  const start = performance.now();
  try {
    const result = await verdict(JSON.parse(line) as Row);
    console.log(JSON.stringify({ ...result, milliseconds: performance.now() - start }));
  } catch (error) {
    const { name, message } = error as Error;
    console.log(JSON.stringify({ error: name, message, findings: [] }));
  }
}
