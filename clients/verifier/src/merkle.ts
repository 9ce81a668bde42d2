/**
 * The Merkle tree of RFC 6962 (RFC 9162, section 2.1) over SHA-256. A leaf is hashed with 0x00 before it and an inner
 * node with 0x01, so neither passes for the other. A proof has exactly the length that index and sizes give. Sizes and
 * indexes are at most 2^53-1, so they are halved by arithmetic: JavaScript's bit operators know 32 bits.
 */

import { sha256 } from "@noble/hashes/sha2.js";

import { type Bytes, concat, equal } from "./bytes.js";

const LEAF = Uint8Array.of(0);
const NODE = Uint8Array.of(1);

export const EMPTY_ROOT: Bytes = sha256(new Uint8Array());

/** A proof that does not show what it claims. */
export class ProofError extends Error {
  override name = "ProofError";
}

export function leafHash(data: Bytes): Bytes {
  return sha256(concat(LEAF, data));
}

export function nodeHash(left: Bytes, right: Bytes): Bytes {
  return sha256(concat(NODE, left, right));
}

/** The root of the tree over these leaves' data, in their order. */
export function rootOf(leaves: Bytes[]): Bytes {
  const edge = new Frontier();
  for (const leaf of leaves) {
    edge.append(leafHash(leaf));
  }
  return edge.root;
}

/** The right edge of a tree: all that appending needs, at most one hash for each bit of the size. */
export class Frontier {
  size = 0;
  readonly #peaks: Bytes[] = [];

  /** A copy that grows on its own. */
  copy(): Frontier {
    const other = new Frontier();
    other.size = this.size;
    other.#peaks.push(...this.#peaks);
    return other;
  }

  /** Append a leaf of this hash. */
  append(leaf: Bytes): void {
    let node = leaf;
    for (let size = this.size; size % 2 === 1; size = half(size)) {
      node = nodeHash(this.#peaks.pop() ?? EMPTY_ROOT, node);
    }
    this.#peaks.push(node);
    this.size += 1;
  }

  get root(): Bytes {
    const last = this.#peaks[this.#peaks.length - 1];
    if (last === undefined) {
      return EMPTY_ROOT;
    }
    return this.#peaks.slice(0, -1).reduceRight((node, peak) => nodeHash(peak, node), last);
  }
}

/** A tree that grows by one leaf after the other, and its roots at sizes that are not long past. */
export class GrowingTree {
  readonly frontier = new Frontier();
  #past: { edge: Frontier; hashes: Bytes[] }[] = [];

  append(leaf: Bytes): void {
    let last = this.#past[this.#past.length - 1];
    if (last === undefined || last.hashes.length === TOGETHER) {
      last = { edge: this.frontier.copy(), hashes: [] };
      this.#past.push(last);
      if (this.#past.length > 2 * KEPT) {
        this.#past = this.#past.slice(-KEPT);
      }
    }
    last.hashes.push(leaf);
    this.frontier.append(leaf);
  }

  /** The root of the first leaves; null where that is too long past, or there are fewer. */
  rootAt(size: number): Bytes | null {
    if (size > this.frontier.size) {
      return null;
    }
    const kept = this.#past.slice(-KEPT - 1).reverse();
    const block = kept.find(({ edge }) => edge.size <= size);
    const edge = block?.edge.copy();
    for (const hash of block?.hashes.slice(0, size - block.edge.size) ?? []) {
      edge?.append(hash);
    }
    return edge?.root ?? (size === 0 ? EMPTY_ROOT : null);
  }
}

/** Leaf hashes between two edges that are kept, and how many edges are. */
const [TOGETHER, KEPT] = [64, 1024];

/** The root that an inclusion proof leads to from a leaf hash (RFC 9162, 2.1.3.2). */
export function rootFromInclusion(leaf: Bytes, place: { index: number; size: number }, proof: Bytes[]): Bytes {
  const { index, size } = place;
  if (!Number.isSafeInteger(index) || !Number.isSafeInteger(size) || index < 0 || index >= size) {
    throw new ProofError(`a tree of ${size} leaves has no leaf ${index}`);
  }
  checkHashes([leaf, ...proof]);
  return climb(leaf, { at: index, last: size - 1 }, proof)[1];
}

/** Verify that the tree of this size and root has the leaf hash there; else ProofError. */
export function verifyInclusion(
  leaf: Bytes,
  place: { index: number; size: number; root: Bytes },
  proof: Bytes[],
): void {
  if (!equal(rootFromInclusion(leaf, place, proof), place.root)) {
    throw new ProofError("the proof leads to another root");
  }
}

/** Verify that the old tree is a prefix of the new one (RFC 9162, 2.1.4.2); else ProofError. */
export function verifyConsistency(
  old: { size: number; root: Bytes },
  young: { size: number; root: Bytes },
  proof: Bytes[],
): void {
  checkHashes([old.root, young.root, ...proof]);
  if (!(Number.isSafeInteger(old.size) && Number.isSafeInteger(young.size)) || old.size < 0 || old.size > young.size) {
    throw new ProofError(`a tree of ${young.size} leaves continues none of ${old.size}`);
  }
  if (old.size === 0 || old.size === young.size) {
    if (proof.length > 0) {
      throw new ProofError(`sizes ${old.size} and ${young.size} take no proof`);
    }
    if (!equal(old.root, old.size === young.size ? young.root : EMPTY_ROOT)) {
      throw new ProofError("the old root is not the root of that size");
    }
    return;
  }
  const [oldFound, youngFound] = rootsFromConsistency(old, young, proof);
  if (!equal(oldFound, old.root)) {
    throw new ProofError("the proof leads to another old root");
  }
  if (!equal(youngFound, young.root)) {
    throw new ProofError("the proof leads to another new root");
  }
}

function rootsFromConsistency(
  old: { size: number; root: Bytes },
  young: { size: number },
  proof: Bytes[],
): [Bytes, Bytes] {
  let [at, last] = [old.size - 1, young.size - 1];
  while (at % 2 === 1) {
    [at, last] = [half(at), half(last)];
  }
  const [start, ...path] = at === 0 ? [old.root, ...proof] : proof; // a complete old tree is a node
  if (start === undefined) {
    throw new ProofError("the proof is too short");
  }
  return climb(start, { at, last }, path);
}

/**
 * The roots of two trees that a path leads to from a node: of the one that ends with this node, and
 * of the one whose node at this height with the highest index is `last`.
 */
function climb(start: Bytes, place: { at: number; last: number }, path: Bytes[]): [Bytes, Bytes] {
  let [{ at, last }, oldNode, node] = [place, start, start];
  for (const sibling of path) {
    if (last === 0) {
      throw new ProofError("the proof is too long");
    }
    if (at % 2 === 1 || at === last) {
      [oldNode, node] = [nodeHash(sibling, oldNode), nodeHash(sibling, node)];
      while (at % 2 === 0 && at !== 0) {
        [at, last] = [half(at), half(last)];
      }
    } else {
      node = nodeHash(node, sibling);
    }
    [at, last] = [half(at), half(last)];
  }
  if (last !== 0) {
    throw new ProofError("the proof is too short");
  }
  return [oldNode, node];
}

function half(value: number): number {
  return Math.floor(value / 2);
}

function checkHashes(hashes: Bytes[]): void {
  for (const hash of hashes) {
    if (hash.length !== 32) {
      throw new ProofError(`a hash has ${hash.length} bytes instead of 32`);
    }
  }
}
