/**
 * Log receipts that people hold: what the log once promised to have, it has. The leaf must stand at its place, and the
 * tree be one that this log grew through. A receipt handed over without its leaf is taken to be for the leaf at its
 * index: where it then does not hold, the log's tree of that size decides whether the promise was of another history or
 * the receipt is spoilt. One whose proof is too long or too short, whose index lies outside its tree, or whose leaf is
 * really an inner node, proves nothing.
 */

import { type Bytes, equal, SpellingError, text } from "./bytes.js";
import type { Report } from "./check.js";
import { type Checkpoint, type LogReceipt, openCheckpoint, parseReceipt, verifyReceipt } from "./checkpoint.js";
import { unlike } from "./finding.js";
import { EMPTY_ROOT, leafHash, ProofError, rootFromInclusion } from "./merkle.js";
import type { LogPromise } from "./round-leaves.js";
import type { VerifierKey } from "./vkey.js";

interface Held {
  readonly number: number;
  readonly receipt: LogReceipt;
  readonly leaf: Bytes | null;
}

/** The log at its end: its newest note, its size, and hashes and roots by index and size. */
export interface Grown {
  readonly note: Bytes;
  readonly size: number;
  readonly hashes: ReadonlyMap<number, Bytes>;
  readonly roots: ReadonlyMap<number, Bytes>;
}

/** The receipts of one verification. */
export class Promises {
  /** The indexes whose leaf hashes, and the sizes whose roots, are needed. */
  readonly places = new Set<number>();
  readonly sizes = new Set<number>();
  readonly #held: Held[] = [];

  constructor(
    promises: readonly LogPromise[],
    private readonly report: Report,
  ) {
    for (const [number, { receipt: data, leaf }] of promises.entries()) {
      report.begin("LOG_RECEIPTS");
      try {
        const receipt = parseReceipt(data);
        this.sizes.add(claimedSize(receipt));
        this.places.add(receipt.index);
        this.#held.push({ number, receipt, leaf: leaf ?? null });
      } catch (error) {
        this.#refuse(number, error);
      }
    }
  }

  /** Verify the receipts once every leaf has been read. */
  close(grown: Grown, terms: { origin: string; keys: VerifierKey[] }): void {
    for (const held of this.#held) {
      try {
        this.#judge(held, opened(held, terms), grown);
      } catch (error) {
        this.#refuse(held.number, error);
      }
    }
  }

  #judge({ number, receipt, leaf }: Held, checkpoint: Checkpoint, grown: Grown): void {
    const { index } = receipt;
    const present = grown.hashes.get(index);
    const isKept =
      present !== undefined &&
      (leaf === null ? leadsToRoot(present, receipt, checkpoint) : equal(present, leafHash(leaf)));
    const root = grown.roots.get(checkpoint.size);
    const isGrown = root === undefined ? null : equal(root, checkpoint.root);
    const difference = unlike("checkpoint", text(grown.note), text(receipt.checkpoint));
    const find = this.report.find.bind(this.report, "LOG_RECEIPTS");
    if (isKept && isGrown === true) {
      return;
    }
    if (isKept && isGrown === null) {
      const detail = `by log receipt ${number} the log once signed that it has ${checkpoint.size} leaves, of ${grown.size}`;
      find("LOG_TRUNCATED", detail, difference);
    } else if (isKept) {
      const code = checkpoint.size === grown.size ? "SPLIT_VIEW" : "HISTORY_REWRITTEN";
      const detail = `by log receipt ${number} the log signed two checkpoints of which neither continues the other`;
      find(code, detail, difference);
    } else if (isGrown === true && leaf === null) {
      find("LOG_RECEIPT_REFUSED", `log receipt ${number} does not prove the leaf at its index`, { leaf_index: index });
    } else {
      const detail = `log receipt ${number} promises leaf ${index}, which is not in the log`;
      find("PROMISED_LEAF_ABSENT", detail, { leaf_index: index, ...difference });
    }
  }

  #refuse(number: number, error: unknown): void {
    if (!(error instanceof SpellingError || error instanceof ProofError)) {
      throw error;
    }
    this.report.find("LOG_RECEIPTS", "LOG_RECEIPT_REFUSED", `log receipt ${number} is refused: ${error.message}`);
  }
}

/** The checkpoint of a receipt that holds by itself. */
function opened({ receipt, leaf }: Held, terms: { origin: string; keys: VerifierKey[] }): Checkpoint {
  if (leaf !== null) {
    return verifyReceipt(receipt, leaf, terms);
  }
  const checkpoint = openCheckpoint(receipt.checkpoint, terms);
  rootFromInclusion(EMPTY_ROOT, { index: receipt.index, size: checkpoint.size }, receipt.proof);
  return checkpoint;
}

function leadsToRoot(hashed: Bytes, { index, proof }: LogReceipt, { size, root }: Checkpoint): boolean {
  return equal(rootFromInclusion(hashed, { index, size }, proof), root);
}

/** The size that a receipt's unverified checkpoint names; -1 where it names none. */
function claimedSize({ checkpoint }: LogReceipt): number {
  const size = Number(text(checkpoint).split("\n")[1] ?? "");
  return Number.isSafeInteger(size) ? size : -1;
}
