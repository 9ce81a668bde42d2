/**
 * The encoding under every hash: each field follows its length, so no two field lists share their bytes.
 *
 *     enc(tag, f1..fn) = u8(len T) || T || u8(n) || for each f: u32be(len f) || f
 *     TH(tag, f..)     = SHA-256(enc(tag, f..))                 T = "referee/v1/" + tag
 *
 * Integers are big-endian, text is ASCII 0x20 to 0x7E, an absent field is zero-length.
 *
 * Keys by HKDF-SHA256 (RFC 5869). An empty salt is the salt of 32 zero bytes, as HMAC pads it.
 */

import { hkdf as derive } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";

import { type Bytes, concat, SpellingError, utf8 } from "./bytes.js";

const NAMESPACE = "referee/v1/";
const PRINTABLE = /^[ -~]*$/;

export const MAX_INTEGER = Number.MAX_SAFE_INTEGER;

/** The bytes that stand for a tagged list of fields. */
export function enc(tag: string, ...fields: Bytes[]): Bytes {
  const name = ascii(NAMESPACE + tag);
  if (name.length > 255 || fields.length > 255) {
    throw new SpellingError(`no encoding has the tag ${tag} and ${fields.length} fields`);
  }
  const framed = fields.flatMap((field) => [u32(field.length), field]);
  return concat(u8(name.length), name, u8(fields.length), ...framed);
}

/** SHA-256 of `enc(tag, ...fields)`. */
export function taggedHash(tag: string, ...fields: Bytes[]): Bytes {
  return sha256(enc(tag, ...fields));
}

export function u8(value: number): Bytes {
  return unsigned(value, 1);
}

export function u32(value: number): Bytes {
  return unsigned(value, 4);
}

/** The integer as eight bytes; at most 2^53-1. */
export function u64(value: number): Bytes {
  return unsigned(value, 8);
}

/** The text as its ASCII bytes; SpellingError unless every character is within 0x20 to 0x7E. */
export function ascii(text: string): Bytes {
  if (!PRINTABLE.test(text)) {
    throw new SpellingError(`'${text.slice(0, 80)}' is not text of ASCII 0x20 to 0x7E`);
  }
  return utf8(text);
}

function unsigned(value: number, size: number): Bytes {
  if (!Number.isSafeInteger(value) || value < 0 || value >= 256 ** size) {
    throw new SpellingError(`${value} is no unsigned integer of ${8 * size} bits`);
  }
  const bytes = new Uint8Array(size);
  let rest = value;
  for (let at = size - 1; at >= 0; at -= 1) {
    bytes[at] = rest % 256;
    rest = Math.floor(rest / 256);
  }
  return bytes;
}

export const EMPTY: Bytes = utf8("");

/** `length` bytes of key from a secret. */
export function hkdf(ikm: Bytes, terms: { salt: Bytes; info: Bytes; length: number }): Bytes {
  return derive(sha256, ikm, terms.salt, terms.info, terms.length);
}
