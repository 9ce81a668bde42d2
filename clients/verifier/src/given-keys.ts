/** What is said where the given keys are not the log's: both keys by name and id, and what to give. */

import { attempt } from "./attempt.js";
import { type Bytes, hex, SpellingError } from "./bytes.js";
import { parseNote } from "./note.js";
import type { VerifierKey } from "./vkey.js";

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
