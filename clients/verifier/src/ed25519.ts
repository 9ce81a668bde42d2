/**
 * Ed25519 (RFC 8032), read strictly: a public key is the canonical encoding of a point of the prime-order group, S is
 * below the group order, R is no identity, and `[S]B - [k]A` encodes to exactly the R received.
 *
 * The last rule is the equation without the cofactor. With it (as noble's own `verify` has it) a signer could add a
 * point of small order to R and so make a signature that one verifier accepts and another refuses; here the two
 * verifiers of this project agree on every signature.
 */

import { ed25519 } from "@noble/curves/ed25519.js";
import { sha512 } from "@noble/hashes/sha2.js";

import { type Bytes, concat, equal, hex } from "./bytes.js";

export const SIGNATURE_SIZE = 64;

type Point = InstanceType<typeof ed25519.Point>;

const { Point } = ed25519;
const ORDER = Point.Fn.ORDER;
const IDENTITY = Point.ZERO.toBytes();
/** Uses of a key after which a table is made for it: it takes as long as some ten signatures. */
const WORTH_A_TABLE = 16;
const MAX_KEYS = 4096;

const points = new Map<string, { point: Point | null; uses: number }>();

/** Whether the key may be trusted with anything. */
export function isPublicKey(key: Bytes): boolean {
  return known(key).point !== null;
}

/** Whether the key has signed this message with these bytes; false for a key that is not sound. */
export function isSignature(signature: Bytes, message: Bytes, publicKey: Bytes): boolean {
  if (signature.length !== SIGNATURE_SIZE) {
    return false;
  }
  const [r, s] = [signature.subarray(0, 32), littleEndian(signature.subarray(32))];
  const entry = known(publicKey);
  if (entry.point === null || s >= ORDER || equal(r, IDENTITY)) {
    return false;
  }
  entry.uses += 1;
  if (entry.uses === WORTH_A_TABLE) {
    entry.point.precompute(6);
  }
  const k = littleEndian(sha512(concat(r, publicKey, message))) % ORDER;
  const found = Point.BASE.multiplyUnsafe(s).subtract(entry.point.multiplyUnsafe(k));
  return equal(found.toBytes(), r);
}

/** Whether the S of a signature of 64 bytes is below the group order. */
export function hasCanonicalS(signature: Bytes): boolean {
  return littleEndian(signature.subarray(32)) < ORDER;
}

function known(key: Bytes): { point: Point | null; uses: number } {
  const name = hex(key);
  let entry = points.get(name);
  if (entry === undefined) {
    entry = { point: read(key), uses: 0 };
    if (points.size >= MAX_KEYS) {
      points.clear();
    }
    points.set(name, entry);
  }
  return entry;
}

function read(key: Bytes): Point | null {
  try {
    const point = Point.fromBytes(key, false);
    return !point.is0() && point.isTorsionFree() ? point : null;
  } catch {
    return null;
  }
}

function littleEndian(bytes: Bytes): bigint {
  return BigInt(`0x${hex(bytes.slice().reverse())}`);
}
