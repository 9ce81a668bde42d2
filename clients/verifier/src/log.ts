/**
 * A whole log verified: its leaves go by once, in order, against its signed checkpoint, its keys
 * and its rounds. Nothing is believed but the two keys given, the log's and the root's. What is
 * kept in memory is the rounds that wait for a leaf, one line a table, a bounded list of findings,
 * and 16 bytes of every seed, to find those used twice.
 */

import { type Bytes, hex, SpellingError, text, utf8 } from "./bytes.js";
import { type Check, type CheckCode, Docket } from "./check.js";
import { type Checkpoint, openCheckpoint } from "./checkpoint.js";
import { unlike } from "./difference.js";
import { byRound, findForeign } from "./exhibit.js";
import { type Finding, inOrder } from "./finding.js";
import type { Exhibits, GatheredRound, HeldRuleset, Law } from "./gathered.js";
import { KeyHistory } from "./keys.js";
import type { DealingLevel, EventLevel } from "./level.js";
import { Frontier, leafHash } from "./merkle.js";
import { LeafFaultError, readLeaf } from "./reading.js";
import { clientSeedsOf, examine } from "./round.js";
import { type TableCounts, Tables } from "./table.js";
import { parseKey, type VerifierKey } from "./vkey.js";

/** How long after its deadline, in ms, a leaf may be missing before that is a finding. */
export const GRACE_MS = 60_000;
const MAX_FINDINGS = 1_000;

/** A log as it is handed to a verifier: the newest signed note, and all leaves in order. */
export interface LogSource {
  readonly checkpoint: Bytes;
  readonly leaves: Iterable<Bytes> | AsyncIterable<Bytes>;
}

/** The keys that everything rests on, as C2SP verifier key text, known from elsewhere. */
export interface Keys {
  readonly origin: string;
  readonly logKey: string;
  readonly rootKey: string;
}

/** `now` is ms since 1970 UTC; without it no deadline is held against anybody. */
export interface LogOptions {
  readonly now?: number;
  readonly grace?: number;
  readonly rulesets?: readonly HeldRuleset[];
  /** Signed checkpoints of this log that somebody kept. */
  readonly witnessed?: readonly Bytes[];
  readonly exhibits?: Exhibits;
}

/** How often each check passed, failed, or could not be made. */
export type Tally = Record<CheckCode, { passed: number; failed: number; not_checked: number }>;

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

/** Pages of leaves, such as LogService.ListEntries gives, as one sequence; an empty page ends it. */
export async function* pagesOf(
  fetchPage: (start: number) => Promise<readonly Bytes[]>,
): AsyncGenerator<Bytes> {
  for (let start = 0; ; ) {
    const page = await fetchPage(start);
    if (page.length === 0) {
      return;
    }
    yield* page;
    start += page.length;
  }
}

/** What is to be said about a log; SpellingError where a key given is none. */
export async function verifyLog(
  source: LogSource,
  keys: Keys,
  options: LogOptions = {},
): Promise<LogResult> {
  const [root, log] = [parseKey(keys.rootKey), parseKey(keys.logKey)];
  const audit = new LogAudit(keys.origin, root, options);
  const checkpoint = audit.openCheckpoint(source.checkpoint, log);
  if (checkpoint !== null) {
    audit.openWitnessed(options.witnessed ?? [], log, checkpoint);
    for await (const leaf of source.leaves) {
      if (audit.size === checkpoint.size) {
        break;
      }
      audit.take(leaf);
    }
    audit.close(checkpoint, log);
  }
  return audit.result(checkpoint);
}

class LogAudit {
  readonly #law: Law;
  readonly #docket = new Docket();
  readonly #keys: KeyHistory;
  readonly #held: ReadonlyMap<string, Exhibits>;
  readonly #tables: Tables;
  readonly #edge = new Frontier();
  readonly #findings: Finding[] = [];
  readonly #counts: Record<string, number> = {};
  readonly #tally: Partial<Tally> = {};
  readonly #seeds = new Map<string, number>();
  readonly #seen = new Set<string>();
  readonly #lowered = new Set<number>();
  readonly #dealing: Record<DealingLevel, number> = { L0: 0, L1: 0, L2: 0 };
  readonly #event: Record<EventLevel, number> = { E0: 0, E1: 0, E2: 0, NONE: 0 };
  readonly #independent = new Set<number>();
  #kept: { checkpoint: Checkpoint; note: Bytes }[] = [];
  #note: Bytes = utf8("");
  #rounds = 0;

  constructor(
    origin: string,
    root: VerifierKey,
    private readonly options: LogOptions,
  ) {
    this.#law = { origin, rulesets: options.rulesets ?? null };
    this.#keys = new KeyHistory(root);
    this.#held = byRound(options.exhibits ?? { certificates: [], eventReceipts: [] });
    this.#tables = new Tables(this.#held);
  }

  get size(): number {
    return this.#edge.size;
  }

  openCheckpoint(note: Bytes, log: VerifierKey): Checkpoint | null {
    this.#docket.begin("CHECKPOINT");
    this.#note = note;
    try {
      return openCheckpoint(note, { origin: this.#law.origin, keys: [log] });
    } catch (error) {
      if (!(error instanceof SpellingError)) {
        throw error;
      }
      this.#docket.find("CHECKPOINT", "CHECKPOINT_REFUSED", error.message);
      return null;
    }
  }

  openWitnessed(notes: readonly Bytes[], log: VerifierKey, newest: Checkpoint): void {
    for (const [number, note] of notes.entries()) {
      this.#docket.begin("CONTINUITY");
      try {
        const checkpoint = openCheckpoint(note, { origin: this.#law.origin, keys: [log] });
        this.#kept.push({ checkpoint, note });
        if (checkpoint.size > newest.size) {
          const detail = `the log has ${newest.size} leaves and once signed that it has ${checkpoint.size}`;
          this.#docket.find("CONTINUITY", "LOG_TRUNCATED", detail, this.#notes(note));
        }
      } catch (error) {
        if (!(error instanceof SpellingError)) {
          throw error;
        }
        const detail = `checkpoint ${number} that was kept: ${error.message}`;
        this.#docket.find("CONTINUITY", "CHECKPOINT_REFUSED", detail);
      }
    }
    this.#compare(newest);
    this.#docket.begin("TREE", "KEYS", "SPELLING");
  }

  /** The next leaf goes by. */
  take(data: Bytes): void {
    const index = this.#edge.size;
    this.#edge.append(leafHash(data));
    try {
      const placed = readLeaf(data, { index, ring: this.#keys.ring });
      if (placed.kind === "KEY") {
        const fault = this.#keys.take(placed.envelope, placed.value);
        if (fault !== null) {
          this.#docket.find("KEYS", fault.code, fault.detail, { leaf_index: index });
        }
      } else if (placed.kind === "OPEN") {
        this.#seen.add(placed.value.round_id);
        this.#tables.open(placed);
      } else {
        const gathered = this.#tables.take(placed);
        if (gathered !== null) {
          this.#examine(gathered);
        }
      }
    } catch (error) {
      if (!(error instanceof LeafFaultError)) {
        throw error;
      }
      const isKey = error.code === "UNSOUND_KEY";
      const check = isKey ? "KEYS" : "SPELLING";
      this.#docket.find(check, error.code, error.message, { leaf_index: index });
    }
  }

  /** Rounds that still wait are examined as they are, and the tree is compared. */
  close(checkpoint: Checkpoint, log: VerifierKey): void {
    const { now, grace = GRACE_MS } = this.options;
    for (const gathered of this.#tables.close({ now: now ?? null, grace })) {
      this.#examine(gathered);
    }
    this.#compareRoot(checkpoint);
    this.#docket.begin("ORDER", "PREVIOUS_LEAF");
    for (const { check, finding } of this.#tables.findings) {
      this.#docket.take(check, finding);
    }
    const named = this.#keys.ring.of("log").map(hex);
    if (named.length > 0 && !named.includes(hex(log.publicKey))) {
      const detail = `the root named other keys for the log than ${log.text}`;
      this.#docket.find("KEYS", "LOG_KEY_UNREGISTERED", detail);
    }
    findForeign(
      this.#held,
      (roundId) => this.#seen.has(roundId),
      (check, code, detail) => this.#docket.find(check, code, detail),
    );
  }

  result(checkpoint: Checkpoint | null): LogResult {
    this.#count(this.#docket.findings);
    const failures = this.#findings.filter((one) => one.severity === "FAIL");
    return {
      passed: failures.length === 0,
      origin: this.#law.origin,
      size: checkpoint?.size ?? 0,
      root: hex(this.#edge.root),
      checks: this.#docket.checks().filter((one) => LOG_CHECKS.includes(one.code)),
      rounds: this.#rounds,
      round_checks: this.#tally,
      tables: Object.fromEntries([...this.#tables.counts].sort()),
      dealing_levels: this.#dealing,
      event_levels: this.#event,
      finding_counts: this.#counts,
      findings: inOrder(this.#findings).slice(0, MAX_FINDINGS),
    };
  }

  #examine(gathered: GatheredRound): void {
    const { header, deal, reveal } = gathered;
    const docket = new Docket({ table_id: header.table_id, round_number: header.round_number });
    const { dealingLevel, eventLevel } = examine(gathered, this.#law, docket);
    this.#rounds += 1;
    if (dealingLevel !== null && deal !== undefined) {
      this.#dealing[dealingLevel] += 1;
      if (dealingLevel === "L2") {
        this.#independent.add(deal.index);
      }
      new Set(clientSeedsOf(deal).map(hex)).forEach((seed) => this.#useSeed(seed, deal.index));
    }
    if (eventLevel !== null) {
      this.#event[eventLevel] += 1;
    }
    if (reveal !== undefined) {
      this.#useServerSeed(reveal.value.server_seed, reveal.index);
    }
    for (const { code, outcome } of docket.checks()) {
      const counts = (this.#tally[code] ??= { passed: 0, failed: 0, not_checked: 0 });
      counts[outcome === "PASSED" ? "passed" : outcome === "FAILED" ? "failed" : "not_checked"] += 1;
    }
    this.#count(docket.findings);
  }

  #useServerSeed(seed: string, leaf: number): void {
    const first = this.#remember(`s${seed.slice(0, 32)}`, leaf);
    if (first !== leaf) {
      const detail = `leaf ${first} shows the same server seed`;
      this.#docket.find("SEED_QUALITY", "SERVER_SEED_REPEATED", detail, { leaf_index: leaf });
    }
  }

  #useSeed(seed: string, leaf: number): void {
    const first = this.#remember(`c${seed.slice(0, 32)}`, leaf);
    if (first !== leaf) {
      const detail = `a seat's seed stands in leaf ${first} too`;
      this.#docket.find("SEED_QUALITY", "CLIENT_SEED_REPEATED", detail, { leaf_index: leaf });
      this.#lower(first);
      this.#lower(leaf);
    }
  }

  #remember(seed: string, leaf: number): number {
    const first = this.#seeds.get(seed) ?? leaf;
    this.#seeds.set(seed, first);
    return first;
  }

  /** A round of level L2 with this DEAL leaf is of level L1, once. */
  #lower(leaf: number): void {
    if (this.#independent.has(leaf) && !this.#lowered.has(leaf)) {
      this.#lowered.add(leaf);
      this.#dealing.L2 -= 1;
      this.#dealing.L1 += 1;
    }
  }

  #count(findings: readonly Finding[]): void {
    for (const one of findings) {
      this.#counts[one.code] = (this.#counts[one.code] ?? 0) + 1;
      const isRoom = this.#findings.length < 2 * MAX_FINDINGS;
      const isFirstFailure = one.severity === "FAIL" && this.#counts[one.code] === 1;
      if (isRoom || isFirstFailure) {
        this.#findings.push(one);
      }
    }
  }

  #compareRoot(checkpoint: Checkpoint): void {
    const { size, root } = this.#edge;
    if (size < checkpoint.size) {
      const detail = `the checkpoint is of ${checkpoint.size} leaves, and there are ${size}`;
      this.#docket.find("TREE", "LOG_TRUNCATED", detail);
    } else if (hex(root) !== hex(checkpoint.root)) {
      const difference = unlike("root", hex(checkpoint.root), hex(root));
      this.#docket.find("TREE", "ROOT_MISMATCH", "the leaves are not those that the log signed", difference);
    }
  }

  /** The tree so far is the one that each checkpoint of its size was signed for. */
  #compare(newest: Checkpoint): void {
    for (const { checkpoint, note } of this.#kept) {
      if (checkpoint.size === this.#edge.size && hex(checkpoint.root) !== hex(this.#edge.root)) {
        const code = checkpoint.size === newest.size ? "SPLIT_VIEW" : "HISTORY_REWRITTEN";
        const detail = "the log signed two checkpoints of which neither continues the other";
        this.#docket.find("CONTINUITY", code, detail, this.#notes(note));
      }
    }
  }

  #notes(kept: Bytes): ReturnType<typeof unlike> {
    return unlike("checkpoint", text(this.#note), text(kept));
  }
}

const LOG_CHECKS: CheckCode[] = [
  "CHECKPOINT",
  "TREE",
  "CONTINUITY",
  "KEYS",
  "SPELLING",
  "ORDER",
  "PREVIOUS_LEAF",
];
