/** Results as lines for a terminal: every check, and under a failed one what was claimed and found. */

import type { Check } from "./check.js";
import { type Finding, printableLines } from "./finding.js";
import type { LogResult, ProofResult, RoundResult } from "./terms.js";

const SIGNS = { PASSED: "ok  ", FAILED: "FAIL", NOT_CHECKED: "-   " } as const;

export function roundLines(result: RoundResult): string[] {
  const { table_id: table, round_number: number, round_id: id } = result;
  const levels = [result.dealing_level, result.event_level].filter(Boolean).join(", ");
  const name = table === null ? `round ${id}` : `table ${table}, round ${number}, ${id}`;
  const count = result.findings.filter(({ code }) => code === "UNFINISHED_IN_COPY").length;
  const whole = verdict(result.passed, result.findings);
  const said = result.passed ? "nothing broken so far" : whole;
  return [
    `${printableLines(name)}${levels === "" ? "" : ` (${levels})`}`,
    ...(count === 0 ? [] : [unfinishedLine(count)]),
    ...result.checks.flatMap(checkLines),
    ...explainedLines(result.explained),
    count === 0 ? whole : `${said}; ${unfinishedLine(count)}`,
  ];
}

export function proofLines(result: ProofResult): string[] {
  const time = result.cosigned_time;
  const vouched = time === null ? [] : [`witnesses vouched for it at ${time} ms since 1970 UTC`];
  return [
    `leaf ${result.index} of log ${printableLines(result.origin)}, ${result.size} leaves, hash ${result.leaf_hash}`,
    ...vouched,
    ...result.findings.flatMap(findingLines),
    verdict(result.passed, result.findings),
  ];
}

export function logLines(result: LogResult): string[] {
  const tally = Object.entries(result.round_checks).map(([code, counts]) => {
    const parts = [`${counts.PASSED} passed`, `${counts.FAILED} failed`];
    return `     ${code.padEnd(16)} ${parts.join(", ")}, ${counts.NOT_CHECKED} not checked`;
  });
  const levels = Object.entries({ ...result.dealing_levels, ...result.event_levels });
  return [
    `log ${printableLines(result.origin)}, ${counted(result.size, "leaf", "leaves")}, ${counted(result.rounds, "round")}`,
    ...asOfLines(result),
    ...result.checks.flatMap((check) => checkLines({ ...check, findings: [] })),
    "rounds, check by check",
    ...tally,
    `levels: ${levels.map(([level, count]) => `${level} ${count}`).join(", ")}`,
    ...result.findings.flatMap(findingLines),
    ...explainedLines(result.explained),
    logVerdict(result),
  ];
}

/** As of when a copy was verified that did not show all rounds to their end. */
function asOfLines(result: LogResult): string[] {
  const unfinished = unfinishedOf(result);
  return unfinished === null ? [] : [`as of ${dateOf(result.as_of)}`, unfinished];
}

function logVerdict(result: LogResult): string {
  const unfinished = unfinishedOf(result);
  const whole = verdict(result.passed, result.findings);
  const said = result.passed ? "nothing broken" : whole;
  return unfinished === null ? whole : `${said} as of ${dateOf(result.as_of)}; ${unfinished}`;
}

function unfinishedOf({ finding_counts: counts }: LogResult): string | null {
  const count = counts["UNFINISHED_IN_COPY"] ?? 0;
  return count === 0 ? null : unfinishedLine(count);
}

function unfinishedLine(count: number): string {
  const [rounds, it] = count === 1 ? ["round", "it"] : ["rounds", "them"];
  return `${count} ${rounds} had not ended that should have by now: ask the service for ${it}`;
}

function dateOf(time: number | null): string {
  const date = new Date(time ?? Number.NaN);
  return Number.isNaN(date.getTime()) ? `${time} ms` : date.toISOString();
}

function explainedLines(count: number): string[] {
  const why = "what is wrong above explains them; mend that, then verify again";
  return count === 0 ? [] : [`${count} more findings are left out: ${why} to see what remains`];
}

function checkLines({ code, outcome, detail, findings }: Check): string[] {
  return [`${SIGNS[outcome]} ${code.padEnd(16)} ${detail}`, ...findings.flatMap(findingLines)];
}

function findingLines(one: Finding): string[] {
  const where = [
    one.leaf_index === undefined ? "" : `leaf ${one.leaf_index}`,
    one.table_id === undefined ? "" : `table ${one.table_id} round ${one.round_number}`,
  ].filter(Boolean);
  const lines = [`     ${one.severity} ${one.code} ${where.join(", ")}: ${one.detail}`];
  if (one.difference !== undefined) {
    const { path, claimed, found } = one.difference;
    lines.push(`       at      ${path}`, `       claimed ${claimed}`, `       found   ${found}`);
  }
  return lines.map(printableLines);
}

function verdict(passed: boolean, findings: readonly Finding[]): string {
  const notes = findings.filter((one) => one.severity === "NOTE").length;
  const failures = findings.length - notes;
  const named = notes === 0 ? "" : `, ${counted(notes, "note")}`;
  return passed ? `verified${named}` : `NOT verified: ${counted(failures, "failure")}${named}`;
}

/** Returns a number with its noun, in the singular for one. */
function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
