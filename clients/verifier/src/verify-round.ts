/**
 * One round verified from a bundle. Nothing is believed but the keys given: the log's key signed
 * the checkpoint, every leaf is proved to stand in its tree, the root key named the other keys, and
 * everything that the round's leaves promise is held against them.
 *
 * A bundle shows what is in the log, not what else does: a second OPEN of the same slot, or a
 * REVOKE that was left out, shows in the whole log only.
 *
 * A bundle: all that is needed to verify one round without the log, as one JSON file.
 *
 *     {"format": 1, "origin", "log_key", "root_key", "round_id",
 *      "checkpoint": signed note,
 *      "leaves": [{"index", "leaf": envelope, "proof": [hex, ..]}, ..],
 *      "certificates": [envelope, ..], "event_receipts": [envelope, ..],
 *      "consistency": [{"checkpoint": signed note, "proof": [hex, ..]}, ..]}
 *
 * `leaves` are every KEY leaf, the round's own, and the leaf that ended the table's round before,
 * ascending by index, each with the proof that it is in the checkpoint's tree. Where the winner
 * of the last settled round leads and rounds were aborted since, each of these has its OPEN and
 * ABORT, back to that round's SETTLE. The last three members may be left out.
 */

import { attempt } from "./attempt.js";
import { type Bytes, hex, SpellingError, text as textOf, unhex, utf8 } from "./bytes.js";
import type { Json } from "./canonical.js";
import { type CheckCode, CHECKS, Report } from "./check.js";
import { type Checkpoint, type Kept, openCheckpoint } from "./checkpoint.js";
import { carriedCheckpoint, CosignedHeads } from "./cosigned.js";
import { byRound, findForeign } from "./exhibit.js";
import { inOrder, unlike } from "./finding.js";
import { type Form, FormError, hash, list, type Of, oneOf, record, text } from "./form.js";
import { KeyHistory, type KeyRecord } from "./keys.js";
import { leafHash, ProofError, rootFromInclusion, verifyConsistency } from "./merkle.js";
import { followPrevious } from "./previous.js";
import { checkOf, LeafFaultError, type Placed, readLeaf, signatureFault } from "./reading.js";
import type { RoundLeaves } from "./round-leaves.js";
import { examine, type Examined } from "./round.js";
import { examineSigners, foreignLog, foreignRoot, LEFT_OUT, logKeys } from "./succession.js";
import { type RoundLeaf, Tables } from "./table.js";
import { GRACE_MS, type Keys, type Options, type RoundResult } from "./terms.js";
import { asOfTime } from "./timeline.js";
import { parseKey, type VerifierKey } from "./vkey.js";

/** A file that is no bundle. */
export class BundleError extends Error {
  override name = "BundleError";
}

const index: Form<number> = (value, path) => {
  if (!Number.isSafeInteger(value) || (value as number) < 0) {
    throw new FormError(path, "an integer from 0 to 2^53-1");
  }
  return value as number;
};

const node: Form<Bytes> = (value, path) => unhex(hash(value, path));

const bytes: Form<Bytes> = (value, path) => utf8(text(value, path));

const bundleForm = record(
  {
    format: oneOf(1),
    origin: text,
    log_key: text,
    root_key: text,
    round_id: hash,
    checkpoint: bytes,
    leaves: list(record({ index, leaf: bytes, proof: list(node) })),
  },
  {
    certificates: list(bytes),
    event_receipts: list(bytes),
    consistency: list(record({ checkpoint: bytes, proof: list(node) })),
  },
);

export type Bundle = Of<typeof bundleForm>;

/** The bundle that a JSON value is; BundleError where it is none. */
export function parseBundle(value: unknown): Bundle {
  const bundle = attempt(() => bundleForm(value as Json, ""), FormError);
  if (bundle instanceof FormError) {
    throw new BundleError(`the bundle is malformed: ${bundle.message}`);
  }
  const indexes = bundle.leaves.map((leaf) => leaf.index);
  if (indexes.some((at, place) => place > 0 && at <= (indexes[place - 1] ?? -1))) {
    throw new BundleError("the bundle is malformed: its leaves do not ascend by index");
  }
  return bundle;
}

/** The JSON value in a file's bytes; BundleError where they are no JSON. */
export function readJson(data: Bytes): unknown {
  const read: unknown = attempt(() => JSON.parse(textOf(data)) as unknown, SyntaxError, SpellingError);
  if (read instanceof Error) {
    throw new BundleError(`the file is no JSON: ${read.message}`);
  }
  return read;
}

/**
 * Verify the round of a bundle, a parsed JSON value. BundleError where it is no
 * bundle or does not hold its round's OPEN, SpellingError where a key given is none.
 */
export function verifyRound(value: unknown, keys: Keys, options: Options = {}): RoundResult {
  const bundle = parseBundle(value);
  const [root, log] = [parseKey(keys.rootKey), parseKey(keys.logKey)];
  const report = new Report();
  const heads = CosignedHeads.of(keys.origin, options, report);
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
    report.find("KEYS", "ROOT_KEY_MISMATCH", foreignRoot(root, options.namedRootKey ?? bundle.root_key));
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
      report.find("CONTINUITY", code, detail, unlike("checkpoint", textOf(bundle.checkpoint), textOf(note)));
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
        report.find("TREE", "ROOT_MISMATCH", detail, { ...where, ...unlike("root", hex(signed), found) });
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
