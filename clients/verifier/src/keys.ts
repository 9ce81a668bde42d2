/**
 * Which keys may sign what, at each place of the log: KEY leaves add and revoke them, and the root
 * key, which comes from outside, signs those. A key is valid for its role from the leaf after the
 * one that adds it up to the leaf that revokes it, and has one role for ever.
 *
 * What judges a log's rounds: START leaves, of which the last one of each server is in force.
 */

import { type Bytes, equal, hex } from "./bytes.js";
import { type Envelope, isSignedBy } from "./dsse.js";
import { hasCanonicalS } from "./ed25519.js";
import type { Code } from "./finding.js";
import type { KeyLeaf, Role, StartLeaf } from "./leaf.js";
import { parseKey, type VerifierKey } from "./vkey.js";

export interface Fault {
  readonly code: Code;
  readonly detail: string;
}

/** A key's life in the log: the leaf that added it and the leaf that revoked it, null for none. */
export interface KeyRecord {
  readonly role: Role;
  readonly key: VerifierKey;
  readonly publicKey: Bytes;
  readonly addedLeaf: number;
  readonly revokedLeaf: number | null;
}

/** The keys as they stand at one leaf: those in force, and all that ever were. */
export class KeyRing {
  constructor(readonly known: readonly (readonly [role: Role, key: Bytes, revokedLeaf: number | null])[] = []) {}

  /** The public keys that are in force for a role. */
  of(role: Role): Bytes[] {
    return this.since(role, Infinity);
  }

  /** The public keys that were in force for a role somewhere from a leaf to this one. */
  since(role: Role, leaf: number): Bytes[] {
    return this.known
      .filter(([one, , revoked]) => one === role && (revoked === null || revoked >= leaf))
      .map(([, key]) => key);
  }

  /**
   * What is wrong with an envelope's signature where the role must have signed it; null where nothing is. Named most
   * specifically first: another role's key, a key not in force, S beyond the group order, none at all.
   */
  faultOf(envelope: Envelope, role: Role): Fault | null {
    if (this.of(role).some((key) => isSignedBy(envelope, key))) {
      return null;
    }
    if (envelope.signature === null) {
      return { code: "SIGNATURE_FORGED", detail: `it is unsigned; the ${role} signs it` };
    }
    for (const [one, key] of this.known) {
      if (isSignedBy(envelope, key)) {
        return one === role
          ? { code: "KEY_NOT_VALID", detail: `${hex(key)} is no longer a key of the ${role}` }
          : { code: "WRONG_ROLE", detail: `the ${one} has signed it; the ${role} signs it` };
      }
    }
    if (!hasCanonicalS(envelope.signature)) {
      return { code: "SIGNATURE_MALFORMED", detail: "its signature's S is not below the group order" };
    }
    return { code: "SIGNATURE_FORGED", detail: `no key of the ${role} has signed these bytes` };
  }
}

/** The keys of a log while its leaves go by. */
export class KeyHistory {
  ring: KeyRing;
  readonly #root: VerifierKey;
  readonly #records = new Map<string, KeyRecord>();
  #forged = 0;

  constructor(root: VerifierKey) {
    this.#root = root;
    this.ring = this.ringAt(Infinity);
  }

  /** Whether the log has KEY leaves and the root signed none of them: the root key is not the log's. */
  get isForeign(): boolean {
    return this.#forged > 0 && this.#records.size === 0;
  }

  /** Every key that the log has named, in the order they were added. */
  get records(): KeyRecord[] {
    return [...this.#records.values()];
  }

  /** Apply a KEY leaf and return null, or return its fault. */
  take(envelope: Envelope, leaf: KeyLeaf, index: number): Fault | null {
    const fault = this.ring.faultOf(envelope, "root");
    if (fault !== null) {
      this.#forged += 1;
      return fault;
    }
    const key = parseKey(leaf.key);
    const { publicKey } = key;
    const record = this.#records.get(hex(publicKey));
    if (leaf.action === "ADD") {
      if (record !== undefined || equal(publicKey, this.#root.publicKey)) {
        const detail = `a key that is or was one of the ${record?.role ?? "root"} is added for the ${leaf.role}`;
        return { code: "KEY_REUSED", detail };
      }
      const added = { role: leaf.role, key, publicKey, addedLeaf: index, revokedLeaf: null };
      this.#records.set(hex(publicKey), added);
    } else {
      if (record === undefined || record.role !== leaf.role || record.revokedLeaf !== null) {
        return { code: "KEY_NOT_VALID", detail: `a key is revoked that is none of the ${leaf.role}` };
      }
      this.#records.set(hex(publicKey), { ...record, revokedLeaf: index });
    }
    this.ring = this.ringAt(Infinity);
    return null;
  }

  /** The keys as they stand at a leaf, as far as KEY leaves went by. */
  ringAt(leaf: number): KeyRing {
    const records = this.records.filter(({ addedLeaf }) => addedLeaf < leaf);
    const known = records.map(({ role, publicKey, revokedLeaf: revoked }) => {
      return [role, publicKey, revoked !== null && revoked < leaf ? revoked : null] as const;
    });
    return new KeyRing([["root", this.#root.publicKey, null], ...known]);
  }
}

export class StartHistory {
  readonly #inForce = new Map<string, ReadonlySet<string>>();

  get isEmpty(): boolean {
    return this.#inForce.size === 0;
  }

  /** Apply a START: it takes the place of the last one of its instance. */
  take({ instance, rulesets }: StartLeaf): void {
    this.#inForce.set(instance, new Set(rulesets.map((one) => one.digest)));
  }

  /** Whether a START in force names a ruleset, by its digest. */
  names(digest: string): boolean {
    return [...this.#inForce.values()].some((named) => named.has(digest));
  }
}
