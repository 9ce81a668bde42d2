/**
 * A cosignature says: a witness saw this checkpoint at this time, continuing every one of the log that it saw before.
 * It is an Ed25519 signature over `cosignature/v1`, the time and the checkpoint's text, on a line of the checkpoint's
 * own note. A quorum names witnesses and says how many of them suffice. It counts keys, not names: what is signed does
 * not hold the witness's name, so one key under two names is one witness.
 *
 * Source: https://c2sp.org/tlog-cosignature and https://c2sp.org/tlog-policy
 */

import { attempt } from "./attempt.js";
import { hex, SpellingError } from "./bytes.js";
import { cosignatureTime, type Note, NoteError, verifyNote } from "./note.js";
import { COSIGNATURE_V1, parseKey, type VerifierKey } from "./vkey.js";

const MAX_WITNESSES = 32;

/** Which witnesses are believed, and how many must agree. Of those with one key the first counts. */
export interface Quorum {
  readonly witnesses: readonly VerifierKey[];
  readonly needed: number;
  readonly counted: readonly VerifierKey[];
  readonly doubled: readonly VerifierKey[];
}

/**
 * What a quorum's witnesses say on one note: the newest time, in seconds since 1970 UTC, of each that cosigned, those
 * under whose name there is a cosignature that is not theirs, and the names of those that did not cosign.
 */
export interface Attestation {
  readonly times: readonly { readonly key: VerifierKey; readonly time: number }[];
  readonly forged: readonly VerifierKey[];
  readonly missing: readonly string[];
}

/** The quorum of these verifier keys, all of them where no number is said; SpellingError for none. */
export function quorumOf(texts: readonly string[], needed: number = texts.length): Quorum {
  const witnesses = texts.map(parseKey);
  if (witnesses.some((key) => key.algorithm !== COSIGNATURE_V1)) {
    throw new SpellingError("a witness's key is of type 0x04; a key of another cannot cosign");
  }
  if (!Number.isSafeInteger(needed) || needed < 1 || needed > witnesses.length) {
    throw new SpellingError(`${needed} of ${witnesses.length} witnesses is no quorum`);
  }
  if (witnesses.length > MAX_WITNESSES) {
    throw new SpellingError(`a quorum has at most ${MAX_WITNESSES} witnesses`);
  }
  const names = witnesses.map((key) => hex(key.publicKey));
  const isFirst = (_: VerifierKey, at: number): boolean => names.indexOf(names[at] ?? "") === at;
  return {
    witnesses,
    needed,
    counted: witnesses.filter(isFirst),
    doubled: witnesses.filter((key, at) => !isFirst(key, at)),
  };
}

/** What the quorum's witnesses say on a note; other lines are passed over. */
export function attest(quorum: Quorum, note: Note): Attestation {
  const times = new Map<string, number>();
  const forged = new Set<VerifierKey>();
  for (const key of quorum.witnesses) {
    const mine = note.signatures.filter((line) => line.name === key.name && hex(line.keyId) === hex(key.keyId));
    for (const line of mine) {
      const own = { ...note, signatures: [line] };
      if (attempt(() => verifyNote(own, [key]), NoteError) instanceof NoteError) {
        forged.add(key);
      } else {
        const name = hex(key.publicKey);
        times.set(name, Math.max(cosignatureTime(line), times.get(name) ?? 0));
      }
    }
  }
  const timeOf = (key: VerifierKey): number | undefined => times.get(hex(key.publicKey));
  return {
    times: quorum.counted.flatMap((key) => {
      const time = timeOf(key);
      return time === undefined ? [] : [{ key, time }];
    }),
    forged: [...forged],
    missing: quorum.counted.filter((key) => timeOf(key) === undefined).map((key) => key.name),
  };
}

/** The latest time, in seconds, at which enough of these vouched; null where not enough did. */
export function vouchedTime({ needed }: Quorum, times: Attestation["times"]): number | null {
  const newest = times.map(({ time }) => time).sort((one, other) => other - one);
  return newest[needed - 1] ?? null;
}
