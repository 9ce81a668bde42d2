/**
 * A signed note: a text, a blank line, and one line for each signature. The text ends in a newline
 * and is what is signed. Signatures by unknown keys are passed over, a bad one by a known key
 * condemns the note, and a note without a good signature by a known key says nothing.
 *
 * Source: https://c2sp.org/signed-note and https://c2sp.org/tlog-cosignature
 */

import { base64, type Bytes, concat, hex, SpellingError, text as textOf, unbase64, utf8 } from "./bytes.js";
import { isSignature } from "./ed25519.js";
import { COSIGNATURE_V1, sameKey, type VerifierKey } from "./vkey.js";

const MAX_NOTE_SIZE = 65_535;
const MAX_SIGNATURES = 100;
const SIGNATURE_LINE = /^— (\S[^ +]*) ([A-Za-z0-9+/]+={0,2})$/;
const CONTROL = /[\x00-\x09\x0b-\x1f]/;
const MAX_TIME = BigInt("0x7fffffffffffffff");

/** Bytes that are no signed note, or a note that the known keys do not vouch for. */
export class NoteError extends SpellingError {
  override name = "NoteError";
}

export interface NoteSignature {
  readonly name: string;
  readonly keyId: Bytes;
  readonly signature: Bytes;
}

/** Nothing is known of the truth of the signatures until `verifyNote` has answered. */
export interface Note {
  readonly text: string;
  readonly signatures: NoteSignature[];
}

/** The note that these bytes spell; NoteError where no note is spelled so. */
export function parseNote(data: Bytes): Note {
  if (data.length > MAX_NOTE_SIZE) {
    throw new NoteError(`it has more than ${MAX_NOTE_SIZE} bytes`);
  }
  const whole = textOf(data);
  const blank = whole.lastIndexOf("\n\n");
  if (blank < 0 || !whole.endsWith("\n") || blank + 2 >= whole.length) {
    throw new NoteError("it has no blank line with signature lines below");
  }
  if (CONTROL.test(whole)) {
    throw new NoteError("it has a control character");
  }
  const lines = whole.slice(blank + 2, -1).split("\n");
  if (lines.length > MAX_SIGNATURES) {
    throw new NoteError(`it has more than ${MAX_SIGNATURES} signatures`);
  }
  return { text: whole.slice(0, blank + 1), signatures: lines.map(parseLine) };
}

/** The bytes of a note; `parseNote` reads them back. */
export function formatNote(note: Note): Bytes {
  const lines = note.signatures.map((line) => `— ${line.name} ${base64(concat(line.keyId, line.signature))}\n`);
  return utf8(`${note.text}\n${lines.join("")}`);
}

/**
 * The keys among these whose signatures the note bears, each once, in the order of the lines. NoteError where a known
 * key's signature is bad, where two of the keys share name and hint, and where no signature is by a known key.
 */
export function verifyNote(note: Note, keys: VerifierKey[]): VerifierKey[] {
  const known = new Map<string, VerifierKey>();
  for (const key of keys) {
    const name = `${key.name}+${hex(key.keyId)}`;
    const other = known.get(name);
    if (other !== undefined && !sameKey(other, key)) {
      throw new NoteError(`two keys are called ${name}`);
    }
    known.set(name, key);
  }
  const found = new Set<VerifierKey>();
  for (const line of note.signatures) {
    const name = `${line.name}+${hex(line.keyId)}`;
    const key = known.get(name);
    if (key === undefined) {
      continue;
    }
    const [message, signature] = signedPart(note.text, line, key);
    if (!isSignature(signature, message, key.publicKey)) {
      throw new NoteError(`the signature by ${name} is not its own`);
    }
    found.add(key);
  }
  if (found.size === 0) {
    throw new NoteError("no known key has signed the note");
  }
  return [...found];
}

/** The time, in seconds since 1970 UTC, that a cosignature names; it may be false. */
export function cosignatureTime(line: NoteSignature): number {
  return Number(BigInt(`0x0${hex(line.signature.subarray(0, 8))}`));
}

function parseLine(line: string): NoteSignature {
  const match = SIGNATURE_LINE.exec(line);
  if (match === null || /\s/u.test(match[1] ?? "")) {
    throw new NoteError(`'${line.slice(0, 100)}' is no signature line`);
  }
  const decoded = unbase64(match[2] ?? "");
  if (decoded.length <= 4) {
    throw new NoteError(`'${line.slice(0, 100)}' is no signature line`);
  }
  return { name: match[1] ?? "", keyId: decoded.subarray(0, 4), signature: decoded.subarray(4) };
}

function signedPart(text: string, line: NoteSignature, key: VerifierKey): [Bytes, Bytes] {
  if (key.algorithm !== COSIGNATURE_V1) {
    return [utf8(text), line.signature];
  }
  const time = BigInt(`0x0${hex(line.signature.subarray(0, 8))}`);
  return [utf8(`cosignature/v1\ntime ${time > MAX_TIME ? MAX_TIME : time}\n${text}`), line.signature.subarray(8)];
}
