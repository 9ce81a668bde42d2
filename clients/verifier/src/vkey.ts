/**
 * A verifier key is text, `name+hash+key`, as C2SP signed-note spells it. The hash is the first
 * four bytes of SHA-256 over name, newline, algorithm and public key: a hint that decides nothing.
 * One key has one text, and a public key that is no sound point of the curve is no key here.
 *
 * Source: https://c2sp.org/signed-note
 */

import { sha256 } from "@noble/hashes/sha2.js";

import { base64, type Bytes, concat, equal, hex, SpellingError, unbase64, utf8 } from "./bytes.js";
import { isPublicKey } from "./ed25519.js";

export const ED25519 = 0x01;
/** A witness's timestamped signature over a checkpoint (C2SP tlog-cosignature). */
export const COSIGNATURE_V1 = 0x04;

const TEXT = /^([!-*,-~]{1,255})\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/;

/** A named public key of 32 bytes; `keyId` precedes its signatures. */
export interface VerifierKey {
  readonly name: string;
  readonly algorithm: number;
  readonly publicKey: Bytes;
  readonly keyId: Bytes;
  readonly text: string;
}

/** The key that a text spells; SpellingError for any text that is no key's. */
export function parseKey(text: string): VerifierKey {
  const match = TEXT.exec(text);
  if (match === null) {
    throw new SpellingError(`'${text.slice(0, 300)}' is no verifier key; write name+hash+base64`);
  }
  const [name, material] = [match[1] ?? "", unbase64(match[3] ?? "")];
  const [algorithm, publicKey] = [material[0], material.subarray(1)];
  if (algorithm !== ED25519 && algorithm !== COSIGNATURE_V1) {
    throw new SpellingError(`'${text}' is a key of another algorithm than Ed25519`);
  }
  if (publicKey.length !== 32 || !isPublicKey(publicKey)) {
    throw new SpellingError(
      `${hex(publicKey)} is no sound Ed25519 public key: it is not the canonical encoding of a point of the prime-order group`,
    );
  }
  const keyId = sha256(concat(utf8(`${name}\n`), material)).subarray(0, 4);
  if (hex(keyId) !== match[2]) {
    throw new SpellingError(`'${text}' is no verifier key: its hash would be ${hex(keyId)}`);
  }
  return { name, algorithm, publicKey, keyId, text: `${name}+${hex(keyId)}+${base64(material)}` };
}

export function sameKey(one: VerifierKey, other: VerifierKey): boolean {
  return one.name === other.name && one.algorithm === other.algorithm && equal(one.publicKey, other.publicKey);
}
