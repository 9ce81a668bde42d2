/**
 * Prints what an audit must catch, by number: each of the audit's fixtures with the code that the audit finds first and
 * the code that this library finds first. Exit code 1 where two differ and no reason replaces it.
 */

import { audited, FIXTURES, ONLY_IN_THE_AUDIT, vectors } from "./files.js";

const LAST = 70;
/** What is tested in the service itself: no bytes of a log can show it. */
const OF_THE_IMPLEMENTATION: Readonly<Record<number, string>> = {
  12: "a seed field in the production API",
  51: "a crash at every step of an append",
  52: "two sequencers",
};

const rows: [number, string][] = [];
const row = (number: number, ...columns: [string, string, string]): void => {
  const [fixture, expected, found] = columns;
  const line = `${String(number).padStart(2)}  ${fixture.padEnd(46)}${expected.padEnd(24)}${found}`;
  rows.push([number, line]);
};

for (const log of FIXTURES.flatMap((name) => vectors(`audit/${name}`))) {
  const { code = "nothing", number = 0 } = log["expected"] as { code?: string; number?: number };
  const found = (await audited(log)).findings[0]?.code ?? "nothing";
  const reasons = Object.entries(ONLY_IN_THE_AUDIT).filter(([, codes]) => codes.includes(code));
  const reason = reasons.map(([why]) => ` (${why})`).join();
  row(number, String(log["id"]), code, `${found}${reason}`);
  if (found !== code && (reason === "" || found !== "nothing")) {
    console.error(`${log["id"]}: ${code} was expected, and ${found} found`);
    process.exitCode = 1;
  }
}
for (const [number, what] of Object.entries(OF_THE_IMPLEMENTATION)) {
  row(Number(number), what, "-", "tested in the service, not in its log");
}
const missing = Array.from({ length: LAST }, (_, at) => at + 1).filter(
  (number) => !rows.some(([one]) => one === number),
);
if (missing.length > 0) {
  console.error(`there is no fixture for ${missing.join(", ")}`);
  process.exitCode = 1;
}
rows.sort(([one], [other]) => one - other);
console.log(rows.map(([, line]) => line).join("\n"));
