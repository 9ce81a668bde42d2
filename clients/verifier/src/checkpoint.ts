/**
 * A checkpoint says: the log of this origin had this many leaves and this root. Signed, it is a
 * C2SP note. Three lines and nothing after them: origin, size in decimal, root in base64.
 *
 * Source: https://c2sp.org/tlog-checkpoint and https://c2sp.org/tlog-proof
 */

import { attempt } from "./attempt.js";
import { base64, type Bytes, equal, SpellingError, text as textOf, unbase64, utf8 } from "./bytes.js";
import { EMPTY_ROOT, leafHash, verifyInclusion } from "./merkle.js";
import { parseNote, verifyNote } from "./note.js";
import { ED25519, type VerifierKey } from "./vkey.js";

const ORIGIN = /^[!-~](?:[ -~]{0,253}[!-~])?$/;
const BODY = /^([^\n]+)\n(0|[1-9][0-9]{0,15})\n([A-Za-z0-9+/]{43}=)\n$/;
const INDEX = /^index (0|[1-9][0-9]{0,15})$/;
const HASH = /^[A-Za-z0-9+/]{43}=$/;
const FIRST_LINE = "c2sp.org/tlog-proof@v1";
const MAX_PROOF = 64;

/** A text that is no checkpoint, or one of another log. */
export class CheckpointError extends SpellingError {
  override name = "CheckpointError";
}

export interface Checkpoint {
  readonly origin: string;
  readonly size: number;
  readonly root: Bytes;
}

/** A signed checkpoint with its note. */
export interface Kept {
  readonly checkpoint: Checkpoint;
  readonly note: Bytes;
}

/** The checkpoint that a note's text spells; CheckpointError for anything but three such lines. */
export function parseCheckpoint(body: string): Checkpoint {
  const match = BODY.exec(body);
  if (match === null || !ORIGIN.test(match[1] ?? "")) {
    throw new CheckpointError(`'${body.slice(0, 300)}' is no checkpoint of three lines`);
  }
  const checkpoint = { origin: match[1] ?? "", size: Number(match[2]), root: unbase64(match[3] ?? "") };
  if (!Number.isSafeInteger(checkpoint.size)) {
    throw new CheckpointError(`no log has ${match[2]} leaves`);
  }
  if (checkpoint.size === 0 && !equal(checkpoint.root, EMPTY_ROOT)) {
    throw new CheckpointError("the root of an empty log is SHA-256 of nothing");
  }
  return checkpoint;
}

/** The text that is signed, its last newline included. */
export function checkpointBody(checkpoint: Checkpoint): string {
  return `${checkpoint.origin}\n${checkpoint.size}\n${base64(checkpoint.root)}\n`;
}

/** The checkpoint in a note of this origin that one of the log's keys signed. */
export function openCheckpoint(note: Bytes, terms: { origin: string; keys: VerifierKey[] }): Checkpoint {
  const signed = parseNote(note);
  verifyNote(
    signed,
    terms.keys.filter((key) => key.algorithm === ED25519),
  );
  const checkpoint = parseCheckpoint(signed.text);
  if (checkpoint.origin !== terms.origin) {
    throw new CheckpointError(`the checkpoint is of '${checkpoint.origin}', not of '${terms.origin}'`);
  }
  return checkpoint;
}

/** Read the checkpoint of a note without its signatures; null where it holds none. */
export function claimedCheckpoint(note: Bytes): Checkpoint | null {
  const checkpoint = attempt(() => parseCheckpoint(parseNote(note).text), SpellingError);
  return checkpoint instanceof SpellingError ? null : checkpoint;
}

/** A C2SP tlog-proof without extra data: the leaf's index, the proof, and the checkpoint. */
export interface LogReceipt {
  readonly index: number;
  readonly proof: Bytes[];
  readonly checkpoint: Bytes;
}

/** The receipt that a tlog-proof spells; CheckpointError where it spells none. */
export function parseReceipt(data: Bytes): LogReceipt {
  const whole = textOf(data);
  const blank = whole.indexOf("\n\n");
  const [first, place, ...hashes] = whole.slice(0, Math.max(blank, 0)).split("\n");
  const index = INDEX.exec(place ?? "");
  if (first !== FIRST_LINE || index === null || !Number.isSafeInteger(Number(index[1]))) {
    throw new CheckpointError("these bytes are no log receipt: they have no such first two lines");
  }
  if (hashes.length > MAX_PROOF || !hashes.every((line) => HASH.test(line))) {
    throw new CheckpointError("these bytes are no log receipt: the proof is no list of hashes");
  }
  return { index: Number(index[1]), proof: hashes.map(unbase64), checkpoint: utf8(whole.slice(blank + 2)) };
}

/** The checkpoint under which a receipt shows the leaf; an error of any of these modules otherwise. */
export function verifyReceipt(
  receipt: LogReceipt,
  leaf: Bytes,
  terms: { origin: string; keys: VerifierKey[] },
): Checkpoint {
  const checkpoint = openCheckpoint(receipt.checkpoint, terms);
  const place = { index: receipt.index, size: checkpoint.size, root: checkpoint.root };
  verifyInclusion(leafHash(leaf), place, receipt.proof);
  return checkpoint;
}
