/**
 * Which keys sign for a log through its life: the one that is known from elsewhere, and those that it changed to. A log
 * may change its key, and says so in KEY leaves that the root signs. A key vouches for trees from the leaf that names
 * it to the one before its revocation; the first one also for what is before it is named.
 *
 * What is said where the given keys are not the log's: both keys by name and id, and what to give.
 */

import { attempt } from "./attempt.js";
import { type Bytes, hex, SpellingError } from "./bytes.js";
import type { Report } from "./check.js";
import type { Kept } from "./checkpoint.js";
import type { KeyRecord } from "./keys.js";
import { parseNote, verifyNote } from "./note.js";
import { sameKey, type VerifierKey } from "./vkey.js";

/** Whether a note bears a good signature by one of the keys, and no bad one. */
export function isNoteSigned(note: Bytes, keys: readonly VerifierKey[]): boolean {
  const signers = attempt(() => verifyNote(parseNote(note), [...keys]), SpellingError);
  return !(signers instanceof SpellingError);
}

/** The keys that may have signed these notes: the known one, or, where the root named it, all named. */
export function logKeys(notes: readonly Bytes[], log: VerifierKey, records: () => readonly KeyRecord[]): VerifierKey[] {
  if (notes.every((note) => isNoteSigned(note, [log]))) {
    return [log];
  }
  const named = logRecords(records()).map(({ key }) => key);
  return named.some((key) => sameKey(key, log)) ? named : [log];
}

/** Every checkpoint is signed by a key that was the log's then, where the root named any. */
export function examineSigners(
  notes: readonly Kept[],
  { log, records, size }: { log: VerifierKey; records: readonly KeyRecord[]; size: number },
  report: Report,
): void {
  const named = logRecords(records);
  if (named.length === 0) {
    return;
  }
  if (!named.some(({ publicKey }) => hex(publicKey) === hex(log.publicKey))) {
    report.find("KEYS", "LOG_KEY_UNREGISTERED", `the root named other keys for the log than ${log.text}`);
    return;
  }
  for (const { checkpoint, note } of notes) {
    const signers = named.filter((record) => isNoteSigned(note, [record.key]));
    if (checkpoint.size <= size && !signers.some((one) => counts(one, named[0], checkpoint.size))) {
      const detail = `the checkpoint of ${checkpoint.size} leaves is signed by no key that was the log's then`;
      report.find("KEYS", "KEY_NOT_VALID", detail);
    }
  }
}

function logRecords(records: readonly KeyRecord[]): KeyRecord[] {
  return records.filter(({ role }) => role === "log");
}

function counts(record: KeyRecord, first: KeyRecord | undefined, size: number): boolean {
  const begins = record === first ? 0 : record.addedLeaf + 1;
  return begins <= size && (record.revokedLeaf === null || size <= record.revokedLeaf);
}

/** Why findings are left out. */
export const LEFT_OUT = {
  DAMAGED: "the leaves are not those that the log signed",
  FOREIGN: "the root key is not this log's",
} as const;

/** Detail of ROOT_KEY_MISMATCH; `named` is the root key's text that the log's keeper names. */
export function foreignRoot(given: VerifierKey, named?: string): string {
  const isOther = named !== undefined && named !== "" && named !== given.text;
  const other = isOther ? `, whose keeper names ${named.split("+").slice(0, 2).join("+")}` : "";
  return `the root key ${idOf(given)} signed no KEY leaf of this log${other}; is this the right key? Give the root key that the operator publishes with --root-key`;
}

/** Detail of a refused checkpoint: its signers and the given keys, where they have none in common. */
export function foreignLog(note: Bytes, keys: readonly VerifierKey[], reason: string): string {
  const signed = attempt(() => parseNote(note), SpellingError);
  const lines = signed instanceof SpellingError ? [] : signed.signatures;
  const signers = lines.map((line) => `${line.name}+${hex(line.keyId)}`);
  const given = keys.map(idOf);
  if (signers.length === 0 || given.some((one) => signers.includes(one))) {
    return reason;
  }
  return `${reason}: it is signed by ${signers.join(", ")}, and the log key is ${given.join(", ")}; is this the right key? Give the log key that the operator publishes with --log-key`;
}

function idOf(key: VerifierKey): string {
  return `${key.name}+${hex(key.keyId)}`;
}
