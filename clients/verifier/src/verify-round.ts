/**
 * One round verified from a bundle. Nothing is believed but the keys given: the log's key signed
 * the checkpoint, every leaf is proved to stand in its tree, the root key named the other keys, and
 * everything that the round's leaves promise is held against them.
 *
 * A bundle shows what is in the log, not what else does: a second OPEN of the same slot, or a
 * REVOKE that was left out, shows in the whole log only.
 */

import { asOfTime } from "./as-of.js";
import { attempt } from "./attempt.js";
import { type Bytes, hex, SpellingError, text } from "./bytes.js";
import { type Bundle, BundleError, parseBundle } from "./bundle.js";
import { carriedCheckpoint } from "./carried.js";
import { type CheckCode, CHECKS, Report } from "./check.js";
import { type Checkpoint, openCheckpoint } from "./checkpoint.js";
import { CosignedHeads } from "./cosigned.js";
import { quorumOf } from "./cosignature.js";
import { unlike } from "./difference.js";
import { byRound, findForeign } from "./exhibit.js";
import { inOrder } from "./finding.js";
import { foreignLog, foreignRoot, LEFT_OUT } from "./given-keys.js";
import type { RoundLeaves } from "./round-leaves.js";
import { KeyHistory, type KeyRecord } from "./keys.js";
import { leafHash, ProofError, rootFromInclusion, verifyConsistency } from "./merkle.js";
import { followPrevious } from "./previous.js";
import { checkOf, LeafFaultError, type Placed, readLeaf, signatureFault } from "./reading.js";
import { type Examined, examine } from "./round.js";
import { examineSigners, logKeys } from "./succession.js";
import type { RoundLeaf } from "./step.js";
import { Tables } from "./table.js";
import { GRACE_MS, type Keys, type Options, type RoundResult } from "./terms.js";
import { parseKey, type VerifierKey } from "./vkey.js";

/**
 * Verify the round of a bundle, a parsed JSON value. BundleError where it is no
 * bundle or does not hold its round's OPEN, SpellingError where a key given is none.
 */
export function verifyRound(value: unknown, keys: Keys, options: Options = {}): RoundResult {
  const bundle = parseBundle(value);
  const [root, log] = [parseKey(keys.rootKey), parseKey(keys.logKey)];
  const report = new Report();
  const heads = headsOf(keys.origin, options, report);
  const named = logKeys(notesOf(bundle), log, () => recordsOf(bundle, root));
  const tree = openTree(bundle, { origin: keys.origin, keys: named }, report);
  if (tree === null) {
    report.skip("the checkpoint does not hold", ...(Object.keys(CHECKS) as CheckCode[]));
    return answer(bundle, report, { leaves: null, examined: null });
  }
  const [newest] = tree;
  const read = readLeaves(bundle, newest.checkpoint, root, report);
  const { records } = read.history;
  examineSigners(tree, { log, records, size: newest.checkpoint.size }, report);
  if (heads !== null) {
    heads.read(
      tree.map(({ note }) => note),
      { areGiven: false },
    );
    heads.judge(new Map(tree.map(({ checkpoint: { size, root } }) => [size, root])), named);
    heads.close(newest.checkpoint, records, []);
  }
  const leaves = gather(bundle, read.placed, options, report);
  const law = { origin: keys.origin, rulesets: options.rulesets ?? null };
  const examined = leaves === null ? null : examine(leaves, law, report);
  const isForeign = read.history.isForeign;
  if (isForeign) {
    const detail = foreignRoot(root, options.namedRootKey ?? bundle.root_key);
    report.find("KEYS", "ROOT_KEY_MISMATCH", detail);
  }
  const explained =
    isForeign || report.has("ROOT_MISMATCH")
      ? report.leaveOutExplained(isForeign ? LEFT_OUT.FOREIGN : LEFT_OUT.DAMAGED)
      : 0;
  return answer(bundle, report, { leaves, examined: witnessed(leaves, examined, { heads, tree }), explained });
}

/**
 * What came of a round, raised to L3 where its DEAL carries a checkpoint by which a quorum vouches
 * for its OPEN, and the bundle shows that checkpoint to be of the same log.
 */
function witnessed(
  leaves: RoundLeaves | null,
  examined: Examined | null,
  { heads, tree }: { heads: CosignedHeads | null; tree: readonly Kept[] },
): Examined | null {
  const deal = leaves?.deal;
  const carried = leaves === null || deal === undefined ? null : carriedCheckpoint(leaves.open, deal);
  if (examined?.dealingLevel !== "L2" || carried === null || "code" in carried || heads === null) {
    return examined;
  }
  const { size, root } = carried.checkpoint;
  const isShown = tree.some(({ checkpoint }) => checkpoint.size === size && hex(checkpoint.root) === hex(root));
  return isShown && heads.carry(carried).isQuorate ? { ...examined, dealingLevel: "L3" } : examined;
}

function headsOf(
  origin: string,
  { witnesses = [], quorum, now, maxAge }: Options,
  report: Report,
): CosignedHeads | null {
  if (witnesses.length === 0) {
    report.skip("no witnesses were named", "WITNESSES");
    return null;
  }
  const terms = { origin, now: now ?? null, maxAge: maxAge ?? null };
  return new CosignedHeads(quorumOf(witnesses, quorum), terms, report);
}

function notesOf(bundle: Bundle): Bytes[] {
  return [bundle.checkpoint, ...(bundle.consistency ?? []).map(({ checkpoint }) => checkpoint)];
}

/** The keys that the root named in a bundle, whatever tree their leaves are in. */
function recordsOf(bundle: Bundle, root: VerifierKey): KeyRecord[] {
  const history = new KeyHistory(root);
  for (const { index, leaf } of bundle.leaves) {
    const read = attempt(() => readLeaf(leaf, { index, ring: history.ring }), LeafFaultError);
    if (!(read instanceof LeafFaultError) && read.kind === "KEY") {
      history.take(read.envelope, read.value, index);
    }
  }
  return history.records;
}

function answer(
  bundle: Bundle,
  report: Report,
  { leaves, examined, explained = 0 }: { leaves: RoundLeaves | null; examined: Examined | null; explained?: number },
): RoundResult {
  const findings = inOrder(report.findings);
  return {
    passed: leaves !== null && findings.every((one) => one.severity === "NOTE"),
    round_id: bundle.round_id,
    table_id: leaves?.header.table_id ?? null,
    round_number: leaves?.header.round_number ?? null,
    dealing_level: examined?.dealingLevel ?? null,
    event_level: examined?.eventLevel ?? null,
    checks: report.checks(),
    findings,
    explained,
  };
}

/** A signed checkpoint with its note. */
interface Kept {
  readonly checkpoint: Checkpoint;
  readonly note: Bytes;
}

/**
 * The bundle's checkpoint, and after it those that somebody kept and that are shown to be of the
 * same log; null where it does not hold.
 */
function openTree(
  bundle: Bundle,
  terms: { origin: string; keys: VerifierKey[] },
  report: Report,
): [Kept, ...Kept[]] | null {
  const open = (note: Uint8Array, check: CheckCode): Checkpoint | null => {
    report.begin(check);
    const checkpoint = attempt(() => openCheckpoint(note, terms), SpellingError);
    if (!(checkpoint instanceof SpellingError)) {
      return checkpoint;
    }
    report.find(check, "CHECKPOINT_REFUSED", foreignLog(note, terms.keys, checkpoint.message));
    return null;
  };
  const newest = open(bundle.checkpoint, "CHECKPOINT");
  const shown: Kept[] = [];
  for (const { checkpoint: note, proof } of newest === null ? [] : (bundle.consistency ?? [])) {
    const kept = open(note, "CONTINUITY");
    if (newest === null || kept === null) {
      continue;
    }
    const [old, young] = kept.size <= newest.size ? [kept, newest] : [newest, kept];
    const fault = attempt(() => verifyConsistency(old, young, proof), ProofError);
    if (fault instanceof ProofError) {
      const code = kept.size === newest.size ? "SPLIT_VIEW" : "HISTORY_REWRITTEN";
      const detail = `two checkpoints are not shown to be of one log: ${fault.message}`;
      const notes = unlike("checkpoint", text(bundle.checkpoint), text(note));
      report.find("CONTINUITY", code, detail, notes);
    } else {
      shown.push({ checkpoint: kept, note });
    }
  }
  return newest === null ? null : [{ checkpoint: newest, note: bundle.checkpoint }, ...shown];
}

/** The leaves that can be read, each with the keys in force at its place. */
function readLeaves(
  bundle: Bundle,
  { size, root: signed }: Checkpoint,
  root: VerifierKey,
  report: Report,
): { placed: Placed[]; history: KeyHistory } {
  report.begin("TREE", "KEYS", "SPELLING");
  const history = new KeyHistory(root);
  const placed: Placed[] = [];
  for (const { index, leaf, proof } of bundle.leaves) {
    const where = { leaf_index: index };
    try {
      const found = hex(rootFromInclusion(leafHash(leaf), { index, size }, proof));
      if (found !== hex(signed)) {
        const detail = "the leaf's proof leads to another root than the checkpoint's";
        const difference = unlike("root", hex(signed), found);
        report.find("TREE", "ROOT_MISMATCH", detail, { ...where, ...difference });
      }
      const read = readLeaf(leaf, { index, ring: history.ring });
      placed.push(read);
      const fault = read.kind === "KEY" ? history.take(read.envelope, read.value, index) : null;
      if (fault !== null) {
        report.find("KEYS", fault.code, fault.detail, where);
      }
      if (read.kind === "START") {
        const forged = signatureFault(read.envelope, read.kind, read.ring);
        if (forged !== null) {
          report.find("SIGNATURES", forged.code, forged.detail, where);
        }
      }
    } catch (error) {
      if (error instanceof ProofError) {
        report.find("TREE", "ROOT_MISMATCH", error.message, where);
      } else if (error instanceof LeafFaultError) {
        report.find(checkOf(error.code), error.code, error.message, where);
      } else {
        throw error;
      }
    }
  }
  return { placed, history };
}

/** The bundle's round, its steps taken in the order of the log; null where its OPEN is unreadable. */
function gather(
  bundle: Bundle,
  placed: Placed[],
  { now, asOf, grace = GRACE_MS }: Options,
  report: Report,
): RoundLeaves | null {
  const held = byRound({ certificates: bundle.certificates ?? [], eventReceipts: bundle.event_receipts ?? [] });
  const isOwn = (one: Placed): boolean =>
    one.kind !== "KEY" && one.kind !== "START" && one.value.round_id === bundle.round_id;
  const own = placed.filter(isOwn);
  const open = own.find((one): one is Placed<"OPEN"> => one.kind === "OPEN");
  if (open === undefined) {
    if (report.findings.length === 0) {
      throw new BundleError(`the bundle does not hold the OPEN of round ${bundle.round_id}`);
    }
    report.skip("the round's OPEN cannot be read", ...(Object.keys(CHECKS) as CheckCode[]));
    return null;
  }
  const { header } = open.value;
  report.round = { table_id: header.table_id, round_number: header.round_number };
  const tables = new Tables(held, now ?? null);
  const others = placed.filter((one) => !isOwn(one));
  followPrevious(tables, { open, others }, report);
  let leaves: RoundLeaves | null = null;
  report.begin("ORDER");
  for (const one of own) {
    if (one.kind === "OPEN") {
      tables.open(one);
    } else {
      leaves = tables.take(one as RoundLeaf) ?? leaves;
    }
  }
  // a leaf can be left out of a bundle: only its own leaves, and no cosignature, say as of when it is judged
  const judged = now === undefined ? 0 : asOfTime(now, asOf, tables.timeline.last);
  leaves ??= tables.close({ asOf: judged, now: now ?? null, grace })[0] ?? null;
  for (const { check, finding } of tables.findings) {
    report.take(check, finding);
  }
  findForeign(
    held,
    (roundId) => roundId === bundle.round_id,
    (check, code, detail) => report.find(check, code, detail),
  );
  return leaves;
}
