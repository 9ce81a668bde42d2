/**
 * A log under verification. In memory are the rounds that wait for a leaf, one line a table, a bounded list of
 * findings, 16 bytes of every seed, and the roots and leaf hashes that checkpoints and receipts are held against. Who
 * may have signed a checkpoint is known once all KEY leaves went by, so these are judged at the end.
 */

import { attempt } from "./attempt.js";
import { type Bytes, hex, SpellingError, text } from "./bytes.js";
import { type CheckCode, Report } from "./check.js";
import { type Checkpoint, claimedCheckpoint, type Kept, openCheckpoint, parseCheckpoint } from "./checkpoint.js";
import { carriedCheckpoint, CosignedHeads, findOutgrown, holdsCarried } from "./cosigned.js";
import { byRound, findForeign } from "./exhibit.js";
import { inOrder, unlike } from "./finding.js";
import { KeyHistory, type KeyRecord, StartHistory } from "./keys.js";
import { SeedBook } from "./level.js";
import { Frontier, GrowingTree, leafHash } from "./merkle.js";
import { parseNote } from "./note.js";
import { Promises } from "./promise.js";
import { checkOf, LeafFaultError, type Placed, readLeaf, signatureFault } from "./reading.js";
import type { Exhibits, Law } from "./round-leaves.js";
import { examineSigners, foreignLog, foreignRoot, LEFT_OUT, logKeys } from "./succession.js";
import { Tables } from "./table.js";
import { GRACE_MS, type LogOptions, type LogResult, type SourceFault } from "./terms.js";
import { asOfTime, heldTime } from "./timeline.js";
import { Totals } from "./totals.js";
import type { VerifierKey } from "./vkey.js";

const ALWAYS: CheckCode[] = ["CHECKPOINT", "TREE", "CONTINUITY", "KEYS", "SPELLING", "ORDER"];

export class LogAudit {
  readonly #law: Law;
  readonly #log: VerifierKey;
  readonly #root: VerifierKey;
  readonly #keys: KeyHistory;
  readonly #report = new Report();
  readonly #starts = new StartHistory();
  readonly #totals: Totals;
  readonly #held: ReadonlyMap<string, Exhibits>;
  readonly #tables: Tables;
  readonly #tree = new GrowingTree();
  readonly #seen = new Set<string>();
  readonly #heads: CosignedHeads | null;
  readonly #promises: Promises;
  /** Roots by size and leaf hashes by index, as far as they are needed. */
  readonly #roots = new Map<number, Bytes>();
  readonly #hashes = new Map<number, Bytes>();
  readonly #wanted = new Set<number>();
  #newest: Kept | null = null;
  #refusal: string | null = null;
  #isDamaged = false;
  #asOf: number | null = null;

  constructor(
    known: { origin: string; root: VerifierKey; log: VerifierKey },
    private readonly options: LogOptions,
  ) {
    this.#law = { origin: known.origin, rulesets: options.rulesets ?? null };
    this.#log = known.log;
    this.#root = known.root;
    this.#totals = new Totals(this.#law, this.#report);
    this.#keys = new KeyHistory(known.root);
    this.#held = byRound(options.exhibits ?? { certificates: [], eventReceipts: [] });
    this.#tables = new Tables(this.#held, options.now ?? null);
    this.#promises = new Promises(options.exhibits?.logReceipts ?? [], this.#report);
    this.#heads = CosignedHeads.of(known.origin, options, this.#report);
  }

  get size(): number {
    return this.#tree.frontier.size;
  }

  /** The newest checkpoint as it claims to be; null, and a finding, where it is none of this log. */
  begin(note: Bytes, cosigned: readonly Bytes[]): Checkpoint | null {
    this.#report.begin("CHECKPOINT");
    const checkpoint = attempt(() => parseCheckpoint(parseNote(note).text), SpellingError);
    if (checkpoint instanceof SpellingError) {
      this.#refusal = checkpoint.message;
      return null;
    }
    const { origin } = this.#law;
    if (checkpoint.origin !== origin) {
      this.#refusal = `the checkpoint is of '${checkpoint.origin}', not of '${origin}'`;
      return null;
    }
    this.#newest = { checkpoint, note };
    this.#report.begin("TREE", "KEYS", "SPELLING", "ORDER", "PREVIOUS_LEAF");
    const seen = [note, ...this.#seenBefore];
    this.#heads?.read(seen, { areGiven: false });
    this.#heads?.read([...cosigned, ...(this.options.cosigned ?? [])], { areGiven: true });
    const sizes = seen.map((one) => claimedCheckpoint(one)?.size ?? -1);
    for (const size of [...sizes, ...this.#promises.sizes, ...(this.#heads?.wanted ?? [])]) {
      this.#wanted.add(size);
    }
    this.#keepRoot();
    return this.#newest.checkpoint;
  }

  /** The next leaf goes by. */
  take(data: Bytes): void {
    const index = this.#tree.frontier.size;
    const fault = attempt(() => this.#read(data, index), LeafFaultError);
    if (fault instanceof LeafFaultError) {
      const { code, message } = fault;
      this.#report.find(checkOf(code), code, message, { leaf_index: index });
    }
    const hash = leafHash(data);
    if (this.#promises.places.has(index)) {
      this.#hashes.set(index, hash);
    }
    this.#tree.append(hash);
    this.#keepRoot();
  }

  /** Rounds that still wait are examined as they are, then all that the whole log says. */
  close(): void {
    const newest = this.#newest;
    const { now, grace = GRACE_MS, outgrown = [] } = this.options;
    const { records } = this.#keys;
    const keys = logKeys(newest === null ? [] : [newest.note, ...this.#seenBefore], this.#log, () => records);
    const terms = { origin: this.#law.origin, keys };
    if (newest === null || !this.#isSigned(newest.note, terms)) {
      return;
    }
    const kept = this.#openKept(newest, terms);
    this.#heads?.judge(this.#roots, keys);
    this.#asOf = now === undefined ? null : asOfTime(now, this.options.asOf, this.#newestTime(now, records));
    for (const leaves of this.#tables.close({ asOf: this.#asOf ?? 0, now: now ?? null, grace })) {
      this.#totals.examine(leaves);
    }
    this.#compareKept(newest, kept);
    this.#compareRoot(newest.checkpoint);
    for (const { check, finding } of this.#tables.findings) {
      this.#report.take(check, finding);
    }
    const size = newest.checkpoint.size;
    examineSigners([newest, ...kept], { log: this.#log, records, size }, this.#report);
    const behind = kept.filter(({ note }) => outgrown.includes(note));
    if (this.#heads === null) {
      findOutgrown(newest.checkpoint, behind, this.#report);
    } else {
      this.#heads.close(newest.checkpoint, records, behind);
    }
    findForeign(
      this.#held,
      (roundId) => this.#seen.has(roundId),
      (check, code, detail) => this.#report.find(check, code, detail),
    );
    const roots = new Map([...this.#roots, [size, newest.checkpoint.root] as const]);
    const grown = { note: newest.note, size, hashes: this.#hashes, roots };
    this.#promises.close(grown, terms);
  }

  /** The newest time in the log, in all that is handed in, and of a former verification. */
  #newestTime(now: number, records: readonly KeyRecord[]): number {
    const held = heldTime(this.options.exhibits, records, now);
    const { former = 0 } = this.options;
    return Math.max(former, held, this.#tables.timeline.last, this.#heads?.newestTime ?? 0);
  }

  /** The tiles that hold other hashes than the leaves have. */
  blameTiles(faults: readonly SourceFault[]): void {
    for (const { detail, leaf_index } of faults) {
      this.#report.find("TREE", "TILE_MISMATCH", detail, { leaf_index });
    }
  }

  result(): LogResult {
    if (this.#refusal !== null) {
      return this.#refused(this.#refusal);
    }
    this.#totals.givenUp.note(this.#report);
    const explained = this.#leaveOutExplained();
    this.#totals.count(this.#report);
    const checks = this.#report.checks();
    const findings = inOrder(this.#totals.listed);
    return {
      passed: !findings.some((one) => one.severity === "FAIL"),
      origin: this.#law.origin,
      size: this.#newest?.checkpoint.size ?? 0,
      root: hex(this.#tree.frontier.root),
      as_of: this.#asOf,
      checks: checks.filter((one) => one.outcome !== "NOT_CHECKED" || ALWAYS.includes(one.code)),
      rounds: this.#totals.rounds,
      round_checks: this.#totals.tally,
      tables: Object.fromEntries([...this.#tables.counts].sort()),
      dealing_levels: this.#totals.seeds.levels,
      event_levels: this.#totals.events,
      finding_counts: this.#totals.counts,
      findings,
      explained,
    };
  }

  /** Leave out, and count, what follows from a wrong root key or from leaves that are damaged. */
  #leaveOutExplained(): number {
    const isForeign = this.#keys.isForeign;
    if (isForeign) {
      this.#report.find("KEYS", "ROOT_KEY_MISMATCH", foreignRoot(this.#root, this.options.namedRootKey));
    }
    if (!isForeign && !this.#isDamaged) {
      return 0;
    }
    const reason = isForeign ? LEFT_OUT.FOREIGN : LEFT_OUT.DAMAGED;
    return this.#report.leaveOutExplained(reason) + this.#totals.leaveOutExplained();
  }

  /** The result for a log without a checkpoint that holds: nothing in it says anything. */
  #refused(message: string): LogResult {
    const report = new Report();
    report.find("CHECKPOINT", "CHECKPOINT_REFUSED", message);
    const checks = report.checks();
    return {
      passed: false,
      origin: this.#law.origin,
      size: 0,
      root: hex(new Frontier().root),
      as_of: null,
      checks: checks.filter(({ code }) => ALWAYS.includes(code)),
      rounds: 0,
      round_checks: {},
      tables: {},
      dealing_levels: new SeedBook().levels,
      event_levels: { E0: 0, E1: 0, E2: 0, NONE: 0 },
      finding_counts: { CHECKPOINT_REFUSED: 1 },
      findings: report.findings,
      explained: 0,
    };
  }

  get #seenBefore(): Bytes[] {
    return [...(this.options.witnessed ?? []), ...(this.options.outgrown ?? [])];
  }

  #isSigned(note: Bytes, terms: { origin: string; keys: VerifierKey[] }): boolean {
    const checkpoint = attempt(() => openCheckpoint(note, terms), SpellingError);
    if (checkpoint instanceof SpellingError) {
      this.#refusal = foreignLog(note, terms.keys, checkpoint.message);
      return false;
    }
    return true;
  }

  /** The checkpoints that somebody kept, as far as the log signed them. */
  #openKept(newest: Kept, terms: { origin: string; keys: VerifierKey[] }): Kept[] {
    const kept: Kept[] = [];
    for (const [number, note] of this.#seenBefore.entries()) {
      this.#report.begin("CONTINUITY");
      const checkpoint = attempt(() => openCheckpoint(note, terms), SpellingError);
      if (checkpoint instanceof SpellingError) {
        const detail = `checkpoint ${number} that was kept: ${checkpoint.message}`;
        this.#report.find("CONTINUITY", "CHECKPOINT_REFUSED", detail);
      } else {
        kept.push({ checkpoint, note });
      }
    }
    const { size } = newest.checkpoint;
    for (const { checkpoint, note } of kept.filter((one) => one.checkpoint.size > size)) {
      const detail = `the log has ${size} leaves and once signed that it has ${checkpoint.size}`;
      this.#report.find("CONTINUITY", "LOG_TRUNCATED", detail, unlike("checkpoint", text(newest.note), text(note)));
    }
    return kept;
  }

  #keepRoot(): void {
    if (this.#wanted.has(this.#tree.frontier.size)) {
      const { size, root } = this.#tree.frontier;
      this.#roots.set(size, root);
      this.#tables.timeline.witness(this.#heads?.timesAt(size, root) ?? []);
    }
  }

  #read(data: Bytes, index: number): void {
    const placed = readLeaf(data, { index, ring: this.#keys.ring });
    if (placed.kind === "KEY") {
      const fault = this.#keys.take(placed.envelope, placed.value, index);
      if (fault !== null) {
        this.#report.find("KEYS", fault.code, fault.detail, { leaf_index: index });
      }
    } else if (placed.kind === "START") {
      const fault = signatureFault(placed.envelope, placed.kind, placed.ring);
      if (fault === null) {
        this.#starts.take(placed.value);
      } else {
        this.#report.find("SIGNATURES", fault.code, fault.detail, { leaf_index: index });
      }
    } else if (placed.kind === "OPEN") {
      if (this.#held.has(placed.value.round_id)) {
        this.#seen.add(placed.value.round_id);
      }
      this.#tables.open(placed);
    } else {
      if (placed.kind === "DEAL") {
        this.#carry(placed);
      }
      if (placed.kind === "SETTLE") {
        this.#checkStarted(placed);
      }
      const leaves = this.#tables.take(placed);
      if (leaves !== null) {
        this.#totals.examine(leaves);
      }
    }
  }

  /** Note a settlement under a ruleset that no START in force names, in a log that has any by then. */
  #checkStarted({ index, value }: Placed<"SETTLE">): void {
    const { ruleset_id, ruleset_version, ruleset_digest, table_id, round_number } = value.inputs.header;
    if (!this.#starts.isEmpty && !this.#starts.names(ruleset_digest)) {
      const detail = `no START in force names ${ruleset_id} ${ruleset_version}, ${ruleset_digest}`;
      this.#report.find("RULESET", "RULESET_NOT_STARTED", detail, { leaf_index: index, table_id, round_number });
    }
  }

  /** The cosigned checkpoint that a DEAL carries is held against the leaves and the witnesses. */
  #carry(deal: Placed<"DEAL">): void {
    const open = this.#tables.opened(deal.value.round_id);
    const carried = open === null ? null : carriedCheckpoint(open, deal);
    if (open === null || carried === null || "code" in carried) {
      return; // a fault is reported with its round
    }
    const root = this.#tree.rootAt(carried.checkpoint.size);
    const named = this.#keys.records.filter(({ role }) => role === "log").map(({ key }) => key);
    const terms = { root: root ?? carried.checkpoint.root, leaf: deal.index };
    const logKeys = [this.#log, ...named];
    if (root === null || !holdsCarried(carried, { ...terms, logKeys }, this.#report)) {
      return;
    }
    const seen = this.#heads?.carry(carried);
    if (seen !== undefined) {
      this.#tables.timeline.witnessDeal(open, deal, seen.times);
      if (seen.isQuorate) {
        this.#totals.vouched.add(deal.index);
      }
    }
  }

  #compareRoot(checkpoint: Checkpoint): void {
    const { size, root } = this.#tree.frontier;
    this.#isDamaged = size < checkpoint.size || hex(root) !== hex(checkpoint.root);
    if (size < checkpoint.size) {
      const detail = `the checkpoint is of ${checkpoint.size} leaves, and there are ${size}`;
      this.#report.find("TREE", "LOG_TRUNCATED", detail);
    } else if (hex(root) !== hex(checkpoint.root)) {
      const difference = unlike("root", hex(checkpoint.root), hex(root));
      this.#report.find("TREE", "ROOT_MISMATCH", "the leaves are not those that the log signed", difference);
    }
  }

  /** The log grew through the tree that each kept checkpoint was signed for. */
  #compareKept(newest: Kept, kept: readonly Kept[]): void {
    for (const { checkpoint, note } of kept) {
      const isHead = checkpoint.size === newest.checkpoint.size;
      const root = isHead ? newest.checkpoint.root : this.#roots.get(checkpoint.size);
      if (root !== undefined && hex(checkpoint.root) !== hex(root)) {
        const code = isHead ? "SPLIT_VIEW" : "HISTORY_REWRITTEN";
        const detail = "the log signed two checkpoints of which neither continues the other";
        this.#report.find("CONTINUITY", code, detail, unlike("checkpoint", text(newest.note), text(note)));
      }
    }
  }
}
