/**
 * Bytes and their spellings. Hexadecimal is lowercase and base64 padded; a text that decodes but
 * would be written otherwise is refused, so that one value has one text.
 */

import { bytesToHex, concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";

export type Bytes = Uint8Array;

/** A text or a list of bytes that does not spell what it should. */
export class SpellingError extends Error {
  override name = "SpellingError";
}

export const concat: (...parts: Bytes[]) => Bytes = concatBytes;
export const hex: (bytes: Bytes) => string = bytesToHex;
/** The UTF-8 bytes of a text. */
export const utf8: (text: string) => Bytes = utf8ToBytes;

const HEX = /^(?:[0-9a-f]{2})*$/;
const strictUtf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** Whether the text is the lowercase hex of `size` bytes. */
export function isHex(text: string, size = 32): boolean {
  return text.length === 2 * size && HEX.test(text);
}

/** The bytes that lowercase hex spells; SpellingError unless it spells `size` of them. */
export function unhex(text: string, size = 32): Bytes {
  if (!isHex(text, size)) {
    throw new SpellingError(`'${text.slice(0, 160)}' is not the lowercase hex of ${size} bytes`);
  }
  const bytes = new Uint8Array(size);
  for (let at = 0; at < size; at += 1) {
    bytes[at] = Number.parseInt(text.slice(2 * at, 2 * at + 2), 16);
  }
  return bytes;
}

/** The base64 of bytes, with padding. */
export function base64(bytes: Bytes): string {
  let letters = "";
  for (let at = 0; at < bytes.length; at += 0x2000) {
    letters += String.fromCharCode(...bytes.subarray(at, at + 0x2000));
  }
  return btoa(letters);
}

/** The bytes whose one base64 the text is; SpellingError for any other text. */
export function unbase64(text: string): Bytes {
  let letters: string;
  try {
    letters = atob(text);
  } catch {
    throw new SpellingError("it is not base64");
  }
  const bytes = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  if (base64(bytes) !== text) {
    throw new SpellingError("its base64 is not the one text of the bytes that it spells");
  }
  return bytes;
}

/** The text whose UTF-8 the bytes are; SpellingError where they are none's. */
export function text(bytes: Bytes): string {
  try {
    return strictUtf8.decode(bytes);
  } catch {
    throw new SpellingError("it is not UTF-8");
  }
}

export function equal(one: Bytes, other: Bytes): boolean {
  if (one.length !== other.length) {
    return false;
  }
  return one.every((byte, at) => byte === other[at]);
}
