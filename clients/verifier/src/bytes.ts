/**
 * Bytes and their spellings. Hexadecimal is lowercase and base64 padded; a text that decodes but
 * would be written otherwise is refused, so that one value has one text.
 *
 * Written in the language alone: engines of games have neither TextDecoder nor atob.
 */

import { bytesToHex, concatBytes } from "@noble/hashes/utils.js";

export type Bytes = Uint8Array;

/** A text or a list of bytes that does not spell what it should. */
export class SpellingError extends Error {
  override name = "SpellingError";
}

export const concat: (...parts: Bytes[]) => Bytes = concatBytes;
export const hex: (bytes: Bytes) => string = bytesToHex;

const HEX = /^(?:[0-9a-f]{2})*$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const VALUES: ReadonlyMap<string, number> = new Map(LETTERS.split("").map((letter, value) => [letter, value]));
const LONE_SURROGATE = /[\ud800-\udfff]/gu;
/** How many characters one call of String.fromCharCode takes. */
const TOGETHER = 0x2000;

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
  for (let at = 0; at < bytes.length; at += 3) {
    const [one, two, three] = [bytes[at] ?? 0, bytes[at + 1], bytes[at + 2]];
    const bits = (one << 16) | ((two ?? 0) << 8) | (three ?? 0);
    letters += LETTERS.charAt(bits >> 18) + LETTERS.charAt((bits >> 12) & 63);
    letters += two === undefined ? "=" : LETTERS.charAt((bits >> 6) & 63);
    letters += three === undefined ? "=" : LETTERS.charAt(bits & 63);
  }
  return letters;
}

/** The bytes whose one base64 the text is; SpellingError for any other text. */
export function unbase64(text: string): Bytes {
  const bytes = looseBase64(text);
  if (base64(bytes) !== text) {
    throw new SpellingError("its base64 is not the one text of the bytes that it spells");
  }
  return bytes;
}

/** The bytes that base64 spells, with or without padding and whatever its last bits are. */
export function looseBase64(text: string): Bytes {
  const letters = text.replace(/=+$/, "");
  if (!BASE64.test(text) || letters.length % 4 === 1) {
    throw new SpellingError("it is not base64");
  }
  const bytes = new Uint8Array(Math.floor((letters.length * 3) / 4));
  let [bits, count, at] = [0, 0, 0];
  for (let place = 0; place < letters.length; place += 1) {
    bits = ((bits << 6) | (VALUES.get(letters.charAt(place)) ?? 0)) & 0xffff;
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes[at] = (bits >> count) & 0xff;
      at += 1;
    }
  }
  return bytes;
}

/** A character for each byte, as ISO 8859-1 has it. */
export function binary(bytes: Bytes): string {
  let letters = "";
  for (let at = 0; at < bytes.length; at += TOGETHER) {
    letters += String.fromCharCode(...bytes.subarray(at, at + TOGETHER));
  }
  return letters;
}

/** The UTF-8 bytes of a text; a lone surrogate is written as U+FFFD. */
export function utf8(text: string): Bytes {
  const escaped = encodeURIComponent(text.replace(LONE_SURROGATE, "\ufffd"));
  const letters = escaped.replace(/%(..)/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  return Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
}

/** The text whose UTF-8 the bytes are; SpellingError where they are none's. */
export function text(bytes: Bytes): string {
  const letters = binary(bytes);
  if (bytes.every((byte) => byte < 0x80)) {
    return letters;
  }
  try {
    // Strict, and in every engine: it refuses overlong forms, surrogates and what is cut off.
    const escaped = (letter: string): string => `%${letter.charCodeAt(0).toString(16)}`;
    return decodeURIComponent(letters.replace(/[%\u0080-\u00ff]/g, escaped));
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
