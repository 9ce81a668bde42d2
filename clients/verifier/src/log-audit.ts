/**
 * A log under verification. In memory are the rounds that wait for a leaf, one line a table, a
 * bounded list of findings, and 16 bytes of every seed.
 */

import { type Bytes, hex, SpellingError, text, utf8 } from "./bytes.js";
import { type CheckCode, Docket } from "./check.js";
import { type Checkpoint, openCheckpoint } from "./checkpoint.js";
import { unlike } from "./difference.js";
import { byRound, findForeign } from "./exhibit.js";
import { type Finding, inOrder, type Severity } from "./finding.js";
import type { Exhibits, GatheredRound, Law } from "./gathered.js";
import { KeyHistory } from "./keys.js";
import type { EventLevel } from "./level.js";
import { Frontier, leafHash } from "./merkle.js";
import { checkOf, LeafFaultError, readLeaf } from "./reading.js";
import { clientSeedsOf, examine } from "./round.js";
import { SeedBook } from "./seed-book.js";
import { Tables } from "./table.js";
import { GRACE_MS, type LogOptions, type LogResult, type Tally } from "./terms.js";
import type { VerifierKey } from "./vkey.js";

const MAX_FINDINGS = 1_000;
const ALWAYS: CheckCode[] = ["CHECKPOINT", "TREE", "CONTINUITY", "KEYS", "SPELLING", "ORDER"];

export class LogAudit {
  readonly #law: Law;
  readonly #log: VerifierKey;
  readonly #keys: KeyHistory;
  readonly #docket = new Docket();
  readonly #held: ReadonlyMap<string, Exhibits>;
  readonly #tables: Tables;
  readonly #edge = new Frontier();
  readonly #seeds = new SeedBook();
  readonly #seen = new Set<string>();
  readonly #found: Record<Severity, Finding[]> = { FAIL: [], NOTE: [] };
  readonly #counts: Record<string, number> = {};
  readonly #tally: Partial<Tally> = {};
  readonly #events: Record<EventLevel, number> = { E0: 0, E1: 0, E2: 0, NONE: 0 };
  readonly #kept = new Map<number, { checkpoint: Checkpoint; note: Bytes }[]>();
  #newest: { checkpoint: Checkpoint | null; note: Bytes } = { checkpoint: null, note: utf8("") };
  #rounds = 0;

  constructor(
    known: { origin: string; root: VerifierKey; log: VerifierKey },
    private readonly options: LogOptions,
  ) {
    this.#law = { origin: known.origin, rulesets: options.rulesets ?? null };
    this.#log = known.log;
    this.#keys = new KeyHistory(known.root);
    this.#held = byRound(options.exhibits ?? { certificates: [], eventReceipts: [] });
    this.#tables = new Tables(this.#held);
  }

  get size(): number {
    return this.#edge.size;
  }

  /** The newest checkpoint; null, and a finding, where it does not hold. */
  openCheckpoint(note: Bytes): Checkpoint | null {
    this.#docket.begin("CHECKPOINT");
    const checkpoint = this.#open(note, "CHECKPOINT", "");
    this.#newest = { checkpoint, note };
    return checkpoint;
  }

  /** The checkpoints that somebody kept. */
  openWitnessed(newest: Checkpoint): void {
    for (const [number, note] of (this.options.witnessed ?? []).entries()) {
      this.#docket.begin("CONTINUITY");
      const checkpoint = this.#open(note, "CONTINUITY", `checkpoint ${number} that was kept: `);
      if (checkpoint === null) {
        continue;
      }
      const { size } = checkpoint;
      this.#kept.set(size, [...(this.#kept.get(size) ?? []), { checkpoint, note }]);
      if (size > newest.size) {
        const detail = `the log has ${newest.size} leaves and once signed that it has ${size}`;
        this.#docket.find("CONTINUITY", "LOG_TRUNCATED", detail, this.#beside(note));
      }
    }
    this.#compareKept();
    this.#docket.begin("TREE", "KEYS", "SPELLING", "ORDER", "PREVIOUS_LEAF");
  }

  /** The next leaf goes by. */
  take(data: Bytes): void {
    const index = this.#edge.size;
    try {
      this.#read(data, index);
    } catch (error) {
      if (!(error instanceof LeafFaultError)) {
        throw error;
      }
      const where = { leaf_index: index };
      this.#docket.find(checkOf(error.code), error.code, error.message, where);
    }
    this.#edge.append(leafHash(data));
    this.#compareKept();
  }

  /** Rounds that still wait are examined as they are, and the tree is compared. */
  close(checkpoint: Checkpoint): void {
    const { now, grace = GRACE_MS } = this.options;
    for (const gathered of this.#tables.close({ now: now ?? null, grace })) {
      this.#examine(gathered);
    }
    this.#compareRoot(checkpoint);
    for (const { check, finding } of this.#tables.findings) {
      this.#docket.take(check, finding);
    }
    const named = this.#keys.ring.of("log").map(hex);
    if (named.length > 0 && !named.includes(hex(this.#log.publicKey))) {
      const detail = `the root named other keys for the log than ${this.#log.text}`;
      this.#docket.find("KEYS", "LOG_KEY_UNREGISTERED", detail);
    }
    findForeign(
      this.#held,
      (roundId) => this.#seen.has(roundId),
      (check, code, detail) => this.#docket.find(check, code, detail),
    );
  }

  /** The tiles that hold other hashes than the leaves have. */
  blameTiles(faults: readonly string[]): void {
    for (const fault of faults) {
      this.#docket.find("TREE", "TILE_MISMATCH", fault);
    }
  }

  result(): LogResult {
    this.#count(this.#docket);
    const checks = this.#docket.checks();
    return {
      passed: this.#found.FAIL.length === 0,
      origin: this.#law.origin,
      size: this.#newest.checkpoint?.size ?? 0,
      root: hex(this.#edge.root),
      checks: checks.filter((one) => one.outcome !== "NOT_CHECKED" || ALWAYS.includes(one.code)),
      rounds: this.#rounds,
      round_checks: this.#tally,
      tables: Object.fromEntries([...this.#tables.counts].sort()),
      dealing_levels: this.#seeds.levels,
      event_levels: this.#events,
      finding_counts: this.#counts,
      findings: inOrder([...this.#found.FAIL, ...this.#found.NOTE]),
    };
  }

  #open(note: Bytes, check: CheckCode, prefix: string): Checkpoint | null {
    try {
      return openCheckpoint(note, { origin: this.#law.origin, keys: [this.#log] });
    } catch (error) {
      if (!(error instanceof SpellingError)) {
        throw error;
      }
      this.#docket.find(check, "CHECKPOINT_REFUSED", `${prefix}${error.message}`);
      return null;
    }
  }

  #read(data: Bytes, index: number): void {
    const placed = readLeaf(data, { index, ring: this.#keys.ring });
    if (placed.kind === "KEY") {
      const fault = this.#keys.take(placed.envelope, placed.value);
      if (fault !== null) {
        this.#docket.find("KEYS", fault.code, fault.detail, { leaf_index: index });
      }
    } else if (placed.kind === "OPEN") {
      if (this.#held.has(placed.value.round_id)) {
        this.#seen.add(placed.value.round_id);
      }
      this.#tables.open(placed);
    } else {
      const gathered = this.#tables.take(placed);
      if (gathered !== null) {
        this.#examine(gathered);
      }
    }
  }

  #examine(gathered: GatheredRound): void {
    const { header, deal, reveal } = gathered;
    const docket = new Docket({ table_id: header.table_id, round_number: header.round_number });
    const { dealingLevel, eventLevel } = examine(gathered, this.#law, docket);
    this.#rounds += 1;
    if (dealingLevel !== null && deal !== undefined) {
      this.#seeds.rate(dealingLevel, deal.index);
      for (const seed of new Set(clientSeedsOf(deal).map(hex))) {
        const first = this.#seeds.use("client", seed, deal.index);
        const detail = `a seat's seed stands in leaf ${first} too`;
        this.#findRepeated(first, "CLIENT_SEED_REPEATED", detail, deal.index);
      }
    }
    if (reveal !== undefined) {
      const first = this.#seeds.use("server", reveal.value.server_seed, reveal.index);
      const detail = `leaf ${first} shows the same server seed`;
      this.#findRepeated(first, "SERVER_SEED_REPEATED", detail, reveal.index);
    }
    if (eventLevel !== null) {
      this.#events[eventLevel] += 1;
    }
    for (const { code, outcome } of docket.checks()) {
      const counts = (this.#tally[code] ??= { PASSED: 0, FAILED: 0, NOT_CHECKED: 0 });
      counts[outcome] += 1;
    }
    this.#count(docket);
  }

  #findRepeated(
    first: number | null,
    code: "CLIENT_SEED_REPEATED" | "SERVER_SEED_REPEATED",
    detail: string,
    leaf: number,
  ): void {
    if (first !== null) {
      this.#docket.find("SEED_QUALITY", code, detail, { leaf_index: leaf });
    }
  }

  /** All findings are counted; the first of each severity are kept. */
  #count(docket: Docket): void {
    for (const [code, count] of docket.counts) {
      this.#counts[code] = (this.#counts[code] ?? 0) + count;
    }
    for (const one of docket.findings) {
      const kept = this.#found[one.severity];
      if (kept.length < MAX_FINDINGS) {
        kept.push(one);
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
      const detail = "the leaves are not those that the log signed";
      this.#docket.find("TREE", "ROOT_MISMATCH", detail, difference);
    }
  }

  /** The tree so far is the one that each kept checkpoint of its size was signed for. */
  #compareKept(): void {
    for (const { checkpoint, note } of this.#kept.get(this.#edge.size) ?? []) {
      if (hex(checkpoint.root) !== hex(this.#edge.root)) {
        const isSplit = checkpoint.size === this.#newest.checkpoint?.size;
        const code = isSplit ? "SPLIT_VIEW" : "HISTORY_REWRITTEN";
        const detail = "the log signed two checkpoints of which neither continues the other";
        this.#docket.find("CONTINUITY", code, detail, this.#beside(note));
      }
    }
  }

  #beside(kept: Bytes): ReturnType<typeof unlike> {
    return unlike("checkpoint", text(this.#newest.note), text(kept));
  }
}
