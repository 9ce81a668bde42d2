/**
 * Canonical JSON: RFC 8785 restricted to ASCII strings, integers, arrays and objects, so one value
 * has one text: no white space, members sorted by name, text within ASCII 0x20 to 0x7E, integers
 * within -(2^53-1) to 2^53-1, never a float, a boolean or null.
 *
 * A text is canonical exactly when it is what its own value encodes to; `decode` holds it to that.
 */

import { type Bytes, SpellingError, text as textOf } from "./bytes.js";

export type Json = string | number | Json[] | { [name: string]: Json };

/** A value that has no canonical text, or bytes that are none. */
export class CanonicalError extends SpellingError {
  override name = "CanonicalError";
}

const PRINTABLE = /^[ -~]*$/;
const MAX_DEPTH = 254;

/** The canonical text of a value; CanonicalError where it has none. */
export function encode(value: unknown, depth = 0): string {
  if (typeof value === "string") {
    if (!PRINTABLE.test(value)) {
      throw new CanonicalError("a string holds characters beyond ASCII 0x20 to 0x7E");
    }
    return JSON.stringify(value);
  }
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) {
      throw new CanonicalError(`${value} is no integer within 2^53-1`);
    }
    return String(value);
  }
  if (typeof value !== "object" || value === null) {
    throw new CanonicalError(`${String(value)} has no canonical text`);
  }
  if (depth >= MAX_DEPTH) {
    throw new CanonicalError(`it is nested more than ${MAX_DEPTH} deep`);
  }
  if (Array.isArray(value)) {
    return `[${value.map((item) => encode(item, depth + 1)).join(",")}]`;
  }
  const members = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `{${members.map(([name, member]) => `${encode(name)}:${encode(member, depth + 1)}`).join(",")}}`;
}

/** The value whose canonical text the bytes are; CanonicalError where they are no canonical text. */
export function decode(data: Bytes): Json {
  let value: Json;
  const text = textOf(data);
  try {
    value = JSON.parse(text) as Json;
  } catch {
    throw new CanonicalError("the bytes are no JSON text");
  }
  if (encode(value) !== text) {
    throw new CanonicalError("the bytes are not the canonical text of the value they hold");
  }
  return value;
}
