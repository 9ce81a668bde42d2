/**
 * A finding: one thing that does not hold, by a stable code, with the place and the facts that show
 * it. The codes are those of `referee audit`, as far as they can be found from a log's bytes without
 * playing a game again and without statistics. A FAIL is a broken promise; a NOTE says only that less is proved than could
 * be. Members are named as in the JSON that the command prints.
 */

import { printable } from "./printable.js";

/** All codes, in the order in which findings of one leaf are listed. */
export const CODES = [
  "CHECKPOINT_REFUSED",
  "WRONG_ORIGIN",
  "ROOT_KEY_MISMATCH",
  "LOG_KEY_UNREGISTERED",
  "ROOT_MISMATCH",
  "LOG_TRUNCATED",
  "HISTORY_REWRITTEN",
  "SPLIT_VIEW",
  "LOG_RECEIPT_REFUSED",
  "PROMISED_LEAF_ABSENT",
  "TILE_MISMATCH",
  "COSIGNATURE_REFUSED",
  "QUORUM_UNMET",
  "WITNESS_DOUBLED",
  "HEAD_FROZEN",
  "LEAF_TOO_LONG",
  "NOT_CANONICAL",
  "TYPE_CONFUSION",
  "SIGNATURE_MALFORMED",
  "SIGNATURE_FORGED",
  "WRONG_ROLE",
  "KEY_NOT_VALID",
  "KEY_REUSED",
  "UNSOUND_KEY",
  "DEAL_BEFORE_OPEN",
  "OPENED_TWICE",
  "DEALT_TWICE",
  "NEXT_ROUND_EARLY",
  "WRONG_PREVIOUS_LEAF",
  "SETTLED_UNDEALT",
  "ENDED_TWICE",
  "LEAF_OF_NO_ROUND",
  "ABORT_MISMATCH",
  "ABORTED_AFTER_SEED",
  "NEVER_DEALT",
  "REVEALED_EARLY",
  "NEVER_REVEALED",
  "DEADLINE_PASSED",
  "UNFINISHED_IN_COPY",
  "DEALT_LATE",
  "SETTLED_LATE",
  "DEADLINE_OUT_OF_BOUNDS",
  "TIME_OUT_OF_ORDER",
  "TIME_AHEAD",
  "TIME_BACKDATED",
  "HEADER_REFUSED",
  "SEAT_KEY_SHARED",
  "ROUND_ID_MISMATCH",
  "WRONG_RULESET",
  "RULESET_UNKNOWN",
  "RULESET_NOT_STARTED",
  "CLIENT_SEED_MISMATCH",
  "FOREIGN_COMMITMENT",
  "CLIENT_SEED_TRIVIAL",
  "CLIENT_SEEDS_EQUAL",
  "CLIENT_SEED_REPEATED",
  "CLIENT_SEED_UNSIGNED",
  "SEED_SIGNATURE_FORGED",
  "SEAT_TOKEN_MISMATCH",
  "SEAL_BROKEN",
  "MIX_MISMATCH",
  "LEADER_MISMATCH",
  "COMMITMENT_SWAPPED",
  "SERVER_SEED_MISMATCH",
  "SERVER_SEED_REPEATED",
  "DUPLICATE_CARD",
  "CARDS_MISMATCH",
  "DECK_NOT_FROM_SEEDS",
  "HIDDEN_CARDS_DIFFER",
  "DECK_ROOT_MISMATCH",
  "DEAL_MISMATCH",
  "SECTION_WRONG_SIZE",
  "SEED_HELD",
  "HELD_SEED_REFUSED",
  "CERTIFICATE_REFUSED",
  "CERTIFICATES_DISAGREE",
  "STAKE_MISMATCH",
  "HEADER_MISMATCH",
  "SETTLED_OTHER_ROUND",
  "CARD_NOT_IN_HAND",
  "WRONG_RESULT",
  "EVENTS_ALTERED",
  "RECEIPT_REFUSED",
  "FORKED_RECEIPTS",
  "MOVE_DROPPED",
  "STREET_OPENED_EARLY",
  "UNSEAL_NOT_IN_COURSE",
  "OPENED_WITHOUT_UNSEAL",
  "UNSEAL_REFUSED",
  "EVENT_UNSIGNED",
  "HISTORY_ALTERED",
  "SECRET_EXPOSED",
  "SECTION_KEY_WEAK",
  "GIVEN_UP_BY_YOUNG_KEYS",
  "ROUNDS_GIVEN_UP",
] as const;

export type Code = (typeof CODES)[number];
export type Severity = "FAIL" | "NOTE";

const NOTES: readonly Code[] = [
  "UNFINISHED_IN_COPY",
  "RULESET_UNKNOWN",
  "RULESET_NOT_STARTED",
  "ROUNDS_GIVEN_UP",
  "GIVEN_UP_BY_YOUNG_KEYS",
  "TIME_BACKDATED",
  "CLIENT_SEED_TRIVIAL",
  "CLIENT_SEEDS_EQUAL",
  "CLIENT_SEED_REPEATED",
  "CLIENT_SEED_UNSIGNED",
  "FORKED_RECEIPTS",
  "RECEIPT_REFUSED",
  "SEED_HELD",
];

/** The tenant of a table: its id before the first dot. */
export function tenantOf(tableId: string): string {
  return tableId.split(".", 1)[0] ?? "";
}

/** The first difference of two values: the member's path, what the log claims, what was found. */
export interface Difference {
  readonly path: string;
  readonly claimed: string;
  readonly found: string;
}

/** `leaf_index` is where it shows, left out where it concerns the whole log. */
export interface Finding {
  readonly code: Code;
  readonly severity: Severity;
  readonly detail: string;
  readonly leaf_index?: number;
  readonly table_id?: string;
  readonly round_number?: number;
  readonly difference?: Difference;
}

/** What a finding names besides its code and detail. */
export type Where = Omit<Finding, "code" | "severity" | "detail">;

export function finding(code: Code, detail: string, where: Where = {}): Finding {
  const severity = NOTES.includes(code) ? "NOTE" : "FAIL";
  return { code, severity, detail: printable(detail), ...where };
}

/**
 * Causes of findings, in the order of a report. KEYS: the given keys are not this log's. DAMAGE: the
 * bytes are not those that the log signed. STATEMENTS: signed notes contradict each other, whatever
 * the leaves are. LEAVES: what the leaves say, and what is compared with them.
 */
export const CAUSES = ["KEYS", "DAMAGE", "STATEMENTS", "LEAVES"] as const;
export type Cause = (typeof CAUSES)[number];

const BY_CODE: Partial<Record<Code, Cause>> = {
  CHECKPOINT_REFUSED: "KEYS",
  ROOT_KEY_MISMATCH: "KEYS",
  ROOT_MISMATCH: "DAMAGE",
  LOG_TRUNCATED: "DAMAGE",
  TILE_MISMATCH: "DAMAGE",
  LOG_RECEIPT_REFUSED: "STATEMENTS",
  COSIGNATURE_REFUSED: "STATEMENTS",
  WITNESS_DOUBLED: "STATEMENTS",
  HEAD_FROZEN: "STATEMENTS",
  SPLIT_VIEW: "STATEMENTS",
};

/** The cause of a code's findings. */
export function causeOf(code: Code): Cause {
  return BY_CODE[code] ?? "LEAVES";
}

/**
 * Whether damage or a wrong root key explains findings of this code: they are made from leaves, so
 * they are left out until the log is restored or the key is right.
 */
export function isExplained(code: Code): boolean {
  return causeOf(code) === "LEAVES";
}

/** Findings in the audit's order: failures before notes, by cause, by leaf (the whole log first), by code. */
export function inOrder(findings: Finding[]): Finding[] {
  const rank = (one: Finding): [number, number, number, number] => [
    one.severity === "NOTE" ? 1 : 0,
    CAUSES.indexOf(causeOf(one.code)),
    one.leaf_index ?? -1,
    CODES.indexOf(one.code),
  ];
  return [...findings].sort((one, other) => {
    const [a, b] = [rank(one), rank(other)];
    return a[0] - b[0] || a[1] - b[1] || a[2] - b[2] || a[3] - b[3];
  });
}
