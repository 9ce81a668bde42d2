/** Keys by HKDF-SHA256 (RFC 5869). An empty salt is the salt of 32 zero bytes, as HMAC pads it. */

import { hkdf as derive } from "@noble/hashes/hkdf.js";
import { sha256 } from "@noble/hashes/sha2.js";

import { type Bytes, utf8 } from "./bytes.js";

export const EMPTY: Bytes = utf8("");

/** `length` bytes of key from a secret. */
export function hkdf(ikm: Bytes, terms: { salt: Bytes; info: Bytes; length: number }): Bytes {
  return derive(sha256, ikm, terms.salt, terms.info, terms.length);
}
