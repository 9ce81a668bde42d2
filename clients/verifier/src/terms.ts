/** What a verifier is told, and what it answers; members of answers are named as the JSON printed. */

import type { Bytes } from "./bytes.js";
import type { Check, CheckCode, Outcome } from "./check.js";
import type { Finding } from "./finding.js";
import type { Exhibits, HeldRuleset } from "./gathered.js";
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

/** `now` is ms since 1970 UTC; without it nobody is blamed for a leaf that is missing. */
export interface Options {
  readonly now?: number;
  readonly grace?: number;
  readonly rulesets?: readonly HeldRuleset[];
}

export interface LogOptions extends Options {
  /** Signed checkpoints of this log that somebody kept. */
  readonly witnessed?: readonly Bytes[];
  readonly exhibits?: Exhibits;
}

/** How often each check passed, failed, or could not be made. */
export type Tally = Record<CheckCode, Record<Outcome, number>>;

/** What came of a log. `root` is of the leaves as they went by; at most 1,000 findings are listed. */
export interface LogResult {
  readonly passed: boolean;
  readonly origin: string;
  readonly size: number;
  readonly root: string;
  readonly checks: Check[];
  readonly rounds: number;
  readonly round_checks: Partial<Tally>;
  readonly tables: Record<string, TableCounts>;
  readonly dealing_levels: Record<DealingLevel, number>;
  readonly event_levels: Record<EventLevel, number>;
  readonly finding_counts: Record<string, number>;
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
}
