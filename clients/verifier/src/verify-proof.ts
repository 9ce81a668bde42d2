/**
 * A log receipt (a C2SP tlog-proof) verified with the leaf that it is for: the leaf is at its index in the tree of a
 * checkpoint that the log's key signed, and, where witnesses are named, a quorum of them cosigned that very checkpoint.
 */

import { type Bytes, hex, SpellingError } from "./bytes.js";
import { Report } from "./check.js";
import { openCheckpoint, parseReceipt, verifyReceipt } from "./checkpoint.js";
import { CosignedHeads } from "./cosigned.js";
import { inOrder } from "./finding.js";
import { leafHash, ProofError } from "./merkle.js";
import type { Options, ProofResult } from "./terms.js";
import { parseKey } from "./vkey.js";

/** Whose log it is. */
export interface ProofTerms {
  readonly origin: string;
  readonly logKey: string;
}

/** Verify a receipt; SpellingError where a given key cannot be read. */
export function verifyProof(
  data: Bytes,
  leaf: Bytes,
  { origin, logKey }: ProofTerms,
  options: Options = {},
): ProofResult {
  const report = new Report();
  const known = { origin, keys: [parseKey(logKey)] };
  const heads = CosignedHeads.of(origin, options, report);
  let [index, size] = [-1, 0];
  let time: number | null = null;
  try {
    const receipt = parseReceipt(data);
    index = receipt.index;
    const { checkpoint: note } = receipt;
    const checkpoint = openCheckpoint(note, known);
    size = checkpoint.size;
    verifyReceipt(receipt, leaf, known);
    if (heads !== null) {
      heads.read([note], { areGiven: false });
      heads.judge(new Map([[size, checkpoint.root]]), known.keys);
      heads.close(checkpoint, [], []);
      time = heads.vouched(note);
    }
  } catch (error) {
    if (!(error instanceof SpellingError || error instanceof ProofError)) {
      throw error;
    }
    report.find("LOG_RECEIPTS", "LOG_RECEIPT_REFUSED", error.message);
  }
  const findings = inOrder(report.findings);
  return {
    passed: findings.every((one) => one.severity === "NOTE"),
    origin,
    index,
    size,
    leaf_hash: hex(leafHash(leaf)),
    cosigned_time: time,
    findings,
  };
}
