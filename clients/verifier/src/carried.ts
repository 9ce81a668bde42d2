/** The cosigned checkpoint that a DEAL carries: witnesses saw OPEN before the deal (level L3). */

import { attempt } from "./attempt.js";
import { type Bytes, hex, SpellingError, text, unhex } from "./bytes.js";
import type { Report } from "./check.js";
import { type Checkpoint, parseCheckpoint } from "./checkpoint.js";
import { unlike } from "./difference.js";
import type { Fault } from "./keys.js";
import { formatNote, type Note, NoteError, parseNote, verifyNote } from "./note.js";
import type { Placed } from "./reading.js";
import type { VerifierKey } from "./vkey.js";

export interface Carried {
  readonly checkpoint: Checkpoint;
  readonly note: Note;
}

/**
 * The checkpoint that a DEAL carries, null for none, or what is wrong with it: it is of the header's
 * log and of a tree that has OPEN and not the DEAL. No signature and no root is looked at.
 */
export function carriedCheckpoint(open: Placed<"OPEN">, deal: Placed<"DEAL">): Carried | Fault | null {
  const digits = deal.value.cosigned_checkpoint;
  if (digits === undefined) {
    return null;
  }
  const refused = (detail: string): Fault => ({ code: "COSIGNATURE_REFUSED", detail });
  const carried = attempt((): Carried => {
    const note = parseNote(unhex(digits, digits.length / 2));
    return { checkpoint: parseCheckpoint(note.text), note };
  }, SpellingError);
  if (carried instanceof SpellingError) {
    return refused(`the cosigned checkpoint in the deal cannot be read: ${carried.message}`);
  }
  const { origin, size } = carried.checkpoint;
  if (origin !== open.value.header.origin) {
    return refused(`the cosigned checkpoint in the deal is of '${origin}'`);
  }
  if (size <= open.index || size > deal.index) {
    return refused(`the cosigned checkpoint in the deal has ${size} leaves, and OPEN is leaf ${open.index}`);
  }
  return carried;
}

/** Whether the log signed a carried checkpoint and has its tree, whose root is given. */
export function holdsCarried(
  { checkpoint, note }: Carried,
  { root, logKeys, leaf }: { root: Bytes; logKeys: readonly VerifierKey[]; leaf: number },
  report: Report,
): boolean {
  const where = { leaf_index: leaf };
  if (attempt(() => verifyNote(note, [...logKeys]), NoteError) instanceof NoteError) {
    const detail = "the log did not sign the cosigned checkpoint in the deal";
    report.find("WITNESSES", "COSIGNATURE_REFUSED", detail, where);
    return false;
  }
  if (hex(checkpoint.root) !== hex(root)) {
    const detail = `the deal carries another tree of ${checkpoint.size} leaves, which the log signed`;
    const difference = unlike("root", text(formatNote(note)), hex(root));
    report.find("CONTINUITY", "HISTORY_REWRITTEN", detail, { ...where, ...difference });
    return false;
  }
  return true;
}
