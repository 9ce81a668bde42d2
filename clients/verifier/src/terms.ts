/** What a verifier is given, and what it answers; members of answers are named as the JSON printed. */

import type { Bytes } from "./bytes.js";
import type { Check, CheckCode, Outcome } from "./check.js";
import type { Finding } from "./finding.js";
import type { Exhibits, HeldRuleset } from "./round-leaves.js";
import type { DealingLevel, EventLevel } from "./level.js";
import type { TableCounts } from "./table.js";

/** How long after its deadline, in ms, a leaf may be missing before that is a finding. */
export const GRACE_MS = 60_000;

/** The keys that everything rests on, as C2SP verifier key text, known from elsewhere. */
export interface Keys {
  readonly origin: string;
  readonly logKey: string;
  readonly rootKey: string;
}

/**
 * `now` is the verifier's clock and `asOf` the time by which deadlines are judged, both ms since 1970 UTC: `now` for a
 * running log. Without `asOf` the log is a copy, judged as of the newest time in it, in all that is handed in, and
 * `former`, the time as of which it was verified before. Without `now` nobody is blamed for a leaf that is missing.
 */
export interface Options {
  readonly now?: number;
  readonly asOf?: number;
  readonly former?: number;
  readonly grace?: number;
  readonly rulesets?: readonly HeldRuleset[];
  /** The witnesses that are believed, as C2SP verifier key text; without any nobody is asked. */
  readonly witnesses?: readonly string[];
  /** How many of them must have cosigned; all of them where it is not said. */
  readonly quorum?: number;
  /** How many ms ago a quorum may have vouched last. */
  readonly maxAge?: number;
  /** The root key that the log's keeper names, for the message about another root key. */
  readonly namedRootKey?: string;
}

export interface LogOptions extends Options {
  /** Signed checkpoints of this log that somebody kept. */
  readonly witnessed?: readonly Bytes[];
  readonly exhibits?: Exhibits;
  /** Checkpoints that witnesses cosigned, smallest first. */
  readonly cosigned?: readonly Bytes[];
  /** Signed checkpoints that somebody saw, and that the log must have grown beyond by now. */
  readonly outgrown?: readonly Bytes[];
}

/** How often each check passed, failed, or could not be made. */
export type Tally = Record<CheckCode, Record<Outcome, number>>;

/** What came of a log. `root` is of the leaves as they went by; at most 1,000 findings are listed. */
export interface LogResult {
  readonly passed: boolean;
  readonly origin: string;
  readonly size: number;
  readonly root: string;
  /** The time by which deadlines were judged, null where no time was given. */
  readonly as_of: number | null;
  readonly checks: Check[];
  readonly rounds: number;
  readonly round_checks: Partial<Tally>;
  readonly tables: Record<string, TableCounts>;
  readonly dealing_levels: Record<DealingLevel, number>;
  readonly event_levels: Record<EventLevel, number>;
  readonly finding_counts: Record<string, number>;
  readonly findings: Finding[];
  /** Findings that are left out because damage or a wrong root key explains them. */
  readonly explained: number;
}

/** What came of a log receipt: the leaf's place and hash, and when a quorum vouched, in ms. */
export interface ProofResult {
  readonly passed: boolean;
  readonly origin: string;
  readonly index: number;
  readonly size: number;
  readonly leaf_hash: string;
  readonly cosigned_time: number | null;
  readonly findings: Finding[];
}

/** What came of one round. */
export interface RoundResult {
  readonly passed: boolean;
  readonly round_id: string;
  readonly table_id: string | null;
  readonly round_number: number | null;
  readonly dealing_level: DealingLevel | null;
  readonly event_level: EventLevel | null;
  readonly checks: Check[];
  readonly findings: Finding[];
  /** Findings that are left out because damage or a wrong root key explains them. */
  readonly explained: number;
}

/** What is wrong with a file beside the leaves, and the first leaf that it is about. */
export interface SourceFault {
  readonly detail: string;
  readonly leaf_index: number;
}
