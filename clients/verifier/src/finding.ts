/**
 * A finding: one thing that does not hold, by a stable code, with the place and the facts that show
 * it. The codes are those of `referee audit`, as far as they can be found from a log's bytes without
 * playing a game again and without statistics. A FAIL is a broken promise; a NOTE says only that less is proved than could
 * be. Members are named as in the JSON that the command prints.
 *
 * Text by others as it is shown: leaves, ids, notes and names are written by somebody else, and a terminal obeys escape
 * sequences and letters such as U+202E in them. Whatever is outside printable ASCII is escaped.
 *
 * Values as people read them beside each other.
 */

/** The text with every character outside printable ASCII escaped, line breaks too. */
export function printable(text: string): string {
  return text.replace(/[^ -~]/g, escaped);
}

/** The same, but line breaks stay. */
export function printableLines(text: string): string {
  return text.replace(/[^\n -~]/g, escaped);
}

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/**
 * Causes of findings, in the order of a report. KEYS: the given keys are not this log's. DAMAGE: the
 * bytes are not those that the log signed. STATEMENTS: signed notes contradict each other, whatever
 * the leaves are. LEAVES: what the leaves say, and what is compared with them.
 */
export const CAUSES = ["KEYS", "DAMAGE", "STATEMENTS", "LEAVES"] as const;
export type Cause = (typeof CAUSES)[number];

/** All codes, in the order in which findings of one leaf are listed: the cause of each, or NOTE for a note on leaves. */
const FINDINGS = {
  CHECKPOINT_REFUSED: "KEYS",
  WRONG_ORIGIN: "LEAVES",
  ROOT_KEY_MISMATCH: "KEYS",
  LOG_KEY_UNREGISTERED: "LEAVES",
  ROOT_MISMATCH: "DAMAGE",
  LOG_TRUNCATED: "DAMAGE",
  HISTORY_REWRITTEN: "LEAVES",
  SPLIT_VIEW: "STATEMENTS",
  LOG_RECEIPT_REFUSED: "STATEMENTS",
  PROMISED_LEAF_ABSENT: "LEAVES",
  TILE_MISMATCH: "DAMAGE",
  COSIGNATURE_REFUSED: "STATEMENTS",
  QUORUM_UNMET: "LEAVES",
  WITNESS_DOUBLED: "STATEMENTS",
  HEAD_FROZEN: "STATEMENTS",
  LEAF_TOO_LONG: "LEAVES",
  NOT_CANONICAL: "LEAVES",
  TYPE_CONFUSION: "LEAVES",
  SIGNATURE_MALFORMED: "LEAVES",
  SIGNATURE_FORGED: "LEAVES",
  WRONG_ROLE: "LEAVES",
  KEY_NOT_VALID: "LEAVES",
  KEY_REUSED: "LEAVES",
  UNSOUND_KEY: "LEAVES",
  DEAL_BEFORE_OPEN: "LEAVES",
  OPENED_TWICE: "LEAVES",
  DEALT_TWICE: "LEAVES",
  NEXT_ROUND_EARLY: "LEAVES",
  WRONG_PREVIOUS_LEAF: "LEAVES",
  SETTLED_UNDEALT: "LEAVES",
  ENDED_TWICE: "LEAVES",
  LEAF_OF_NO_ROUND: "LEAVES",
  ABORT_MISMATCH: "LEAVES",
  ABORTED_AFTER_SEED: "LEAVES",
  NEVER_DEALT: "LEAVES",
  REVEALED_EARLY: "LEAVES",
  NEVER_REVEALED: "LEAVES",
  DEADLINE_PASSED: "LEAVES",
  UNFINISHED_IN_COPY: "NOTE",
  DEALT_LATE: "LEAVES",
  SETTLED_LATE: "LEAVES",
  DEADLINE_OUT_OF_BOUNDS: "LEAVES",
  TIME_OUT_OF_ORDER: "LEAVES",
  TIME_AHEAD: "LEAVES",
  TIME_BACKDATED: "NOTE",
  HEADER_REFUSED: "LEAVES",
  SEAT_KEY_SHARED: "LEAVES",
  ROUND_ID_MISMATCH: "LEAVES",
  WRONG_RULESET: "LEAVES",
  RULESET_UNKNOWN: "NOTE",
  RULESET_NOT_STARTED: "NOTE",
  CLIENT_SEED_MISMATCH: "LEAVES",
  FOREIGN_COMMITMENT: "LEAVES",
  CLIENT_SEED_TRIVIAL: "NOTE",
  CLIENT_SEEDS_EQUAL: "NOTE",
  CLIENT_SEED_REPEATED: "NOTE",
  CLIENT_SEED_UNSIGNED: "NOTE",
  SEED_SIGNATURE_FORGED: "LEAVES",
  SEAT_TOKEN_MISMATCH: "LEAVES",
  SEAL_BROKEN: "LEAVES",
  MIX_MISMATCH: "LEAVES",
  LEADER_MISMATCH: "LEAVES",
  COMMITMENT_SWAPPED: "LEAVES",
  SERVER_SEED_MISMATCH: "LEAVES",
  SERVER_SEED_REPEATED: "LEAVES",
  DUPLICATE_CARD: "LEAVES",
  CARDS_MISMATCH: "LEAVES",
  DECK_NOT_FROM_SEEDS: "LEAVES",
  HIDDEN_CARDS_DIFFER: "LEAVES",
  DECK_ROOT_MISMATCH: "LEAVES",
  DEAL_MISMATCH: "LEAVES",
  SECTION_WRONG_SIZE: "LEAVES",
  SEED_HELD: "NOTE",
  HELD_SEED_REFUSED: "LEAVES",
  CERTIFICATE_REFUSED: "LEAVES",
  CERTIFICATES_DISAGREE: "LEAVES",
  STAKE_MISMATCH: "LEAVES",
  HEADER_MISMATCH: "LEAVES",
  SETTLED_OTHER_ROUND: "LEAVES",
  CARD_NOT_IN_HAND: "LEAVES",
  WRONG_RESULT: "LEAVES",
  EVENTS_ALTERED: "LEAVES",
  RECEIPT_REFUSED: "NOTE",
  FORKED_RECEIPTS: "NOTE",
  MOVE_DROPPED: "LEAVES",
  STREET_OPENED_EARLY: "LEAVES",
  UNSEAL_NOT_IN_COURSE: "LEAVES",
  OPENED_WITHOUT_UNSEAL: "LEAVES",
  UNSEAL_REFUSED: "LEAVES",
  EVENT_UNSIGNED: "LEAVES",
  HISTORY_ALTERED: "LEAVES",
  SECRET_EXPOSED: "LEAVES",
  SECTION_KEY_WEAK: "LEAVES",
  GIVEN_UP_BY_YOUNG_KEYS: "NOTE",
  ROUNDS_GIVEN_UP: "NOTE",
} satisfies Record<string, Cause | "NOTE">;

export type Code = keyof typeof FINDINGS;
export type Severity = "FAIL" | "NOTE";
export const CODES = Object.keys(FINDINGS) as Code[];

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
  const severity = FINDINGS[code] === "NOTE" ? "NOTE" : "FAIL";
  return { code, severity, detail: printable(detail), ...where };
}

/** The cause of a code's findings. */
export function causeOf(code: Code): Cause {
  const cause = FINDINGS[code];
  return cause === "NOTE" ? "LEAVES" : cause;
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

const MAX_SHOWN = 240;

/** A value as compact JSON, cut where it is long; `absent` for none. */
export function shown(value: unknown): string {
  const text = value === undefined ? "absent" : JSON.stringify(value);
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN - 3)}...`;
}

/** The difference of two values at a path. */
export function differ(path: string, claimed: unknown, found: unknown): { difference: Difference } {
  return { difference: { path, claimed: shown(claimed), found: shown(found) } };
}

/** The difference of two texts, as they are. */
export function unlike(path: string, claimed: string, found: string): { difference: Difference } {
  return { difference: { path, claimed, found } };
}
