/**
 * Whom a client believes: the log's and the root's keys, and witnesses where it has some. The keys
 * come from outside, such as the operator's web page, and everything else follows: KEY leaves that
 * the root signed name all other keys. Where nothing is known from outside, a client may believe
 * the keys that it is shown first; it then proves that the server does not contradict itself.
 */

import {
  attest,
  type Bytes,
  type Checkpoint,
  EnvelopeError,
  equal,
  KeyHistory,
  type Kind,
  leafHash,
  LeafFaultError,
  openCheckpoint,
  openEnvelope,
  parseKey,
  parseNote,
  type Placed,
  ProofError,
  type Quorum,
  quorumOf,
  readLeaf,
  type Role,
  sameKey,
  signatureFault,
  SpellingError,
  utf8,
  verifyInclusion,
  type VerifierKey,
  vouchedTime,
} from "referee-verifier/protocol";
import { VerificationError } from "./errors.js";
import type { LogReceipt } from "./gen/referee/v1/round_pb.js";

/** Keys as C2SP verifier key text. `quorum` is how many witnesses must agree; all that are named. */
export interface Trust {
  /** Key that signs the log's checkpoints, as C2SP verifier key text. */
  readonly logKey: string;
  /** Key that signs the KEY leaves, which name all other keys. */
  readonly rootKey: string;
  /** Keys of the witnesses. */
  readonly witnesses?: readonly string[];
  /** How many witnesses must have cosigned OPEN before a seed is sent; absent for all of them. */
  readonly quorum?: number;
}

/** A leaf that was shown to be in the log, with its receipt and the checkpoint above it. */
export interface Proved<K extends Kind = Kind> {
  /** Index of the leaf, from 0. */
  readonly index: number;
  /** The leaf's content, by its kind. */
  readonly placed: Placed<K>;
  /** The receipt as the server sent it. */
  readonly receipt: LogReceipt;
  /** Checkpoint of the tree in which the leaf was proved. */
  readonly checkpoint: Checkpoint;
}

/** What follows from a trust: the keys by role, as far as KEY leaves were shown. */
export class Believed {
  readonly origin: string;
  readonly quorum: Quorum | undefined;
  readonly #log: VerifierKey;
  readonly #history: KeyHistory;
  readonly #seen = new Set<number>();
  /** The note that was verified last: most answers of one moment carry the same. */
  #newest: { note: string; checkpoint: Checkpoint } | undefined;

  constructor({ logKey, rootKey, witnesses = [], quorum }: Trust) {
    this.#log = verified("the keys to trust", () => parseKey(logKey));
    this.#history = new KeyHistory(verified("the keys to trust", () => parseKey(rootKey)));
    this.origin = this.#log.name;
    if (witnesses.length > 0) {
      this.quorum = verified("the witnesses", () => quorumOf(witnesses, quorum || undefined));
    }
  }

  get isNew(): boolean {
    return this.#seen.size === 0;
  }

  /** Learn keys from the log's KEY leaves, in its order; whether one was not known before. */
  learn(leaves: readonly LogReceipt[]): boolean {
    const fresh = leaves.filter(({ leafIndex }) => !this.#seen.has(Number(leafIndex)));
    fresh.sort((one, other) => Number(one.leafIndex) - Number(other.leafIndex));
    for (const { leaf, leafIndex } of fresh) {
      const index = Number(leafIndex);
      const placed = verified(`KEY leaf ${index}`, () => readLeaf(leaf, { index, ring: this.#history.ring }));
      const fault = placed.kind === "KEY" && this.#history.take(placed.envelope, placed.value, index);
      if (fault !== null) {
        const detail = fault === false ? "it is no KEY leaf" : fault.detail;
        throw new VerificationError(`leaf ${index}, which names a key, does not hold: ${detail}`);
      }
      this.#seen.add(index);
    }
    for (const receipt of fresh) {
      this.#included(receipt);
    }
    return fresh.length > 0;
  }

  /** The public keys of a role that were in force at a leaf or came after it. */
  keysSince(role: Role, leaf: number): Bytes[] {
    return this.#history.ring.since(role, leaf);
  }

  /** The checkpoint in a note that a key of this log signed. */
  checkpoint(note: string): Checkpoint {
    if (this.#newest?.note !== note) {
      const terms = { origin: this.origin, keys: this.#logKeys() };
      const checkpoint = verified("the checkpoint", () => openCheckpoint(utf8(note), terms));
      this.#newest = { note, checkpoint };
    }
    return this.#newest.checkpoint;
  }

  /** The checkpoint in a note that a quorum of the witnesses has cosigned. */
  cosigned(note: string): Checkpoint {
    const checkpoint = this.checkpoint(note);
    if (this.quorum === undefined) {
      throw new VerificationError("no witnesses are named whose cosignatures could be looked for");
    }
    const { times, missing } = attest(this.quorum, parseNote(utf8(note)));
    if (vouchedTime(this.quorum, times) === null) {
      const detail = `${times.length} witnesses of ${this.quorum.needed} cosigned`;
      throw new VerificationError(`${detail}; ${missing.join(", ")} did not`);
    }
    return checkpoint;
  }

  /** Show that a receipt's leaf is in the log, of this kind, and signed by who must sign it. */
  prove<K extends Kind>(receipt: LogReceipt, kind: K): Proved<K> {
    const checkpoint = this.#included(receipt);
    const index = Number(receipt.leafIndex);
    const placed = verified(`leaf ${index}`, () =>
      readLeaf(receipt.leaf, { index, ring: this.#history.ringAt(index) }),
    );
    if (placed.kind !== kind) {
      throw new VerificationError(`leaf ${index} is ${placed.kind}, and ${kind} was asked for`);
    }
    const fault = signatureFault(placed.envelope, placed.kind, placed.ring);
    if (fault !== null) {
      throw new VerificationError(`leaf ${index} does not hold: ${fault.detail}`);
    }
    return { index, placed: placed as Placed<K>, receipt, checkpoint };
  }

  /** The payload that the role signed as this type, under a key in force since a leaf. */
  open(envelope: Uint8Array, type: string, { role, since }: { role: Role; since: number }): Bytes {
    const keys = this.keysSince(role, since);
    return verified(`an envelope of type ${type}`, () => openEnvelope(envelope, { type, keys }));
  }

  #included(receipt: LogReceipt): Checkpoint {
    const index = Number(receipt.leafIndex);
    const checkpoint = this.checkpoint(receipt.checkpoint);
    const hash = leafHash(receipt.leaf);
    if (!equal(hash, receipt.leafHash)) {
      throw new VerificationError(`the receipt of leaf ${index} names another hash than its leaf's`);
    }
    const place = { index, size: checkpoint.size, root: checkpoint.root };
    verified(`the proof of leaf ${index}`, () => verifyInclusion(hash, place, receipt.inclusionProof));
    return checkpoint;
  }

  #logKeys(): VerifierKey[] {
    const named = this.#history.records.filter(({ role }) => role === "log");
    const others = named.map(({ key }) => key).filter((key) => !sameKey(key, this.#log));
    return [this.#log, ...others];
  }
}

/** Run a check of the verifier; what it refuses becomes a VerificationError that says of what. */
export function verified<T>(what: string, check: () => T): T {
  try {
    return check();
  } catch (error) {
    const isRefusal =
      error instanceof SpellingError ||
      error instanceof ProofError ||
      error instanceof LeafFaultError ||
      error instanceof EnvelopeError;
    throw isRefusal ? new VerificationError(`${what} does not hold: ${error.message}`) : error;
  }
}
