/**
 * What witnesses say of a log: checkpoints that they cosigned, held against the roots that its
 * leaves gave. A checkpoint counts as witnessed if enough of the named witnesses cosigned it and
 * its root is that of the leaves. A witness is a key: two names of one key, or a witness with a key
 * of the log's own, are findings. A witnessed checkpoint with a round's OPEN in it, which its DEAL
 * carries, shows that the terms were logged before the seats showed their seeds (level L3).
 *
 * The cosigned checkpoint that a DEAL carries: witnesses saw OPEN before the deal (level L3).
 */

import { attempt } from "./attempt.js";
import { type Bytes, hex, SpellingError, text, unhex } from "./bytes.js";
import type { Report } from "./check.js";
import { type Checkpoint, checkpointBody, type Kept, parseCheckpoint } from "./checkpoint.js";
import { attest, type Attestation, type Quorum, quorumOf, vouchedTime } from "./cosignature.js";
import { unlike } from "./finding.js";
import type { Fault, KeyRecord } from "./keys.js";
import { formatNote, type Note, NoteError, parseNote, verifyNote } from "./note.js";
import type { Placed } from "./reading.js";
import type { VerifierKey } from "./vkey.js";

/** How far, in seconds, a witness's clock may be ahead of the verifier's. */
const AHEAD_SECONDS = 300;

/** A cosigned checkpoint as it was handed over; `isClaimed` where it is said to be cosigned. */
interface Shown {
  readonly checkpoint: Checkpoint;
  readonly note: Note;
  readonly isClaimed: boolean;
}

/** The witnesses that are believed, how many must agree, and how old in ms their last word may be. */
interface Witnessing {
  readonly witnesses?: readonly string[];
  readonly quorum?: number;
  readonly now?: number;
  readonly maxAge?: number;
}

/** What holds of a log besides its cosigned checkpoints; `now` is ms since 1970 UTC, null for none. */
interface WitnessTerms {
  readonly origin: string;
  readonly now: number | null;
  /** How many ms ago a quorum may have vouched last. */
  readonly maxAge: number | null;
}

/** The cosigned checkpoints of one log or bundle. */
export class CosignedHeads {
  readonly #shown: Shown[] = [];
  #isWitnessed = false;
  readonly #blamed = new Set<string>();
  #newest: Shown | null = null;
  #time = 0;

  constructor(
    private readonly quorum: Quorum,
    private readonly terms: WitnessTerms,
    private readonly report: Report,
  ) {
    report.begin("WITNESSES");
  }

  /** The cosigned checkpoints for those who named witnesses; null for others. */
  static of(origin: string, { witnesses = [], quorum, now, maxAge }: Witnessing, report: Report): CosignedHeads | null {
    if (witnesses.length > 0) {
      return new CosignedHeads(
        quorumOf(witnesses, quorum),
        { origin, now: now ?? null, maxAge: maxAge ?? null },
        report,
      );
    }
    report.skip("no witnesses were named", "WITNESSES");
    return null;
  }

  /** Notes that were kept, which may be cosigned, or that are given as cosigned. */
  read(notes: readonly Bytes[], { areGiven }: { areGiven: boolean }): void {
    const read = notes.flatMap((data) => this.#read(data, areGiven) ?? []);
    const isSorted = !areGiven;
    if (isSorted) {
      read.sort((one, other) => one.checkpoint.size - other.checkpoint.size);
    }
    this.#shown.push(...read);
  }

  /** The latest time, in ms, at which a quorum cosigned a tree of this log; 0 for none. */
  get newestTime(): number {
    return 1000 * this.#time;
  }

  /** The time, in ms, at which a quorum vouched for a note; null where none did. */
  vouched(note: Bytes): number | null {
    const time = vouchedTime(this.quorum, attest(this.quorum, parseNote(note)).times);
    return time === null ? null : 1000 * time;
  }

  /** The sizes at which roots are needed. */
  get wanted(): number[] {
    return this.#shown.map(({ checkpoint }) => checkpoint.size);
  }

  /** All are held against the log's roots by size; `logKeys` are those that may sign for the log. */
  judge(roots: ReadonlyMap<number, Bytes>, logKeys: readonly VerifierKey[]): void {
    let last = 0;
    for (const shown of this.#shown) {
      const { size } = shown.checkpoint;
      if (shown.isClaimed && size < last) {
        const detail = `the cosigned checkpoint of ${size} leaves comes after a larger one`;
        this.report.find("WITNESSES", "COSIGNATURE_REFUSED", detail);
        continue;
      }
      last = shown.isClaimed ? size : last;
      const root = roots.get(size);
      if (root === undefined) {
        this.#timely(shown);
      } else {
        this.#judge(shown, root, logKeys);
      }
    }
  }

  /** The times, in ms, at which witnesses cosigned the tree of this size and root, as was shown. */
  timesAt(size: number, root: Bytes): number[] {
    const shown = this.#shown.filter(
      ({ checkpoint }) => checkpoint.size === size && hex(checkpoint.root) === hex(root),
    );
    return shown.flatMap(({ note }) => {
      const { times } = attest(this.quorum, note);
      return times.filter(({ time }) => time <= this.#latest).map(({ time }) => 1000 * time);
    });
  }

  /** The times, in ms, at which witnesses cosigned a checkpoint that a DEAL carries, and whether a quorum did. */
  carry(carried: { checkpoint: Checkpoint; note: Note }): { times: number[]; isQuorate: boolean } {
    const times = this.#timely(carried);
    const isQuorate = vouchedTime(this.quorum, times) !== null;
    return { times: times.map(({ time }) => 1000 * time), isQuorate };
  }

  /** Report on the whole log; `outgrown` are checkpoints that it must have left behind. */
  close(head: Checkpoint, records: readonly KeyRecord[], outgrown: readonly Kept[]): void {
    this.#checkKeys(records);
    const { now, maxAge } = this.terms;
    const age = now === null ? null : now - 1000 * this.#time;
    if (head.size > 0 && !this.#isWitnessed) {
      const note = this.#newest?.note ?? { text: "", signatures: [] };
      const missing = attest(this.quorum, note).missing.join(", ");
      const detail = `no checkpoint has the cosignatures of ${this.quorum.needed} witnesses`;
      this.report.find("WITNESSES", "QUORUM_UNMET", missing === "" ? detail : `${detail}; the newest lacks ${missing}`);
    } else if (maxAge !== null && age !== null && this.#isWitnessed && age > maxAge) {
      const detail = `witnesses vouched for the log last at ${1000 * this.#time}, ${age} ms ago`;
      this.report.find("WITNESSES", "HEAD_FROZEN", detail);
    }
    findOutgrown(head, outgrown, this.report);
  }

  /** The latest time, in seconds, that a cosignature may name. */
  get #latest(): number {
    const { now } = this.terms;
    return now === null ? Infinity : Math.floor(now / 1000) + AHEAD_SECONDS;
  }

  #read(data: Bytes, isClaimed: boolean): Shown | null {
    const shown = attempt((): Shown => {
      const note = parseNote(data);
      return { checkpoint: parseCheckpoint(note.text), note, isClaimed };
    }, SpellingError);
    if (shown instanceof SpellingError) {
      if (isClaimed) {
        this.report.find("WITNESSES", "COSIGNATURE_REFUSED", `a cosigned checkpoint cannot be read: ${shown.message}`);
      }
      return null;
    }
    const { origin } = shown.checkpoint;
    if (origin === this.terms.origin) {
      return shown;
    }
    if (isClaimed) {
      const detail = `a cosigned checkpoint is of '${origin}', not of '${this.terms.origin}'`;
      this.report.find("WITNESSES", "COSIGNATURE_REFUSED", detail);
    }
    return null;
  }

  #judge(shown: Shown, root: Bytes, logKeys: readonly VerifierKey[]): void {
    const { checkpoint, isClaimed } = shown;
    const time = vouchedTime(this.quorum, this.#timely(shown));
    if (checkpoint.size >= (this.#newest?.checkpoint.size ?? 0)) {
      this.#newest = shown;
    }
    if (hex(checkpoint.root) === hex(root)) {
      if (time !== null) {
        this.#isWitnessed = true;
        this.#time = Math.max(this.#time, time);
      }
    } else if (isClaimed) {
      this.#accuse(shown, root, logKeys);
    }
  }

  /** What the witnesses say on a note, without what is forged or of a time to come. */
  #timely({ checkpoint: { size }, note }: { checkpoint: Checkpoint; note: Note }): Attestation["times"] {
    const said = attest(this.quorum, note);
    for (const key of said.forged) {
      const detail = `a cosignature under ${key.text} is not by that key; the first has ${size} leaves`;
      this.#blame(`forged ${key.text}`, detail);
    }
    const latest = this.#latest;
    for (const { key, time } of said.times.filter((one) => one.time > latest)) {
      this.#blame(`early ${key.text}`, `a cosignature under ${key.text} names ${1000 * time}, a time to come`);
    }
    return said.times.filter((one) => one.time <= latest);
  }

  /** A cosigned checkpoint is not of these leaves: the log's fault if it signed it. */
  #accuse({ checkpoint, note }: Shown, root: Bytes, logKeys: readonly VerifierKey[]): void {
    const { size } = checkpoint;
    if (attempt(() => verifyNote(note, [...logKeys]), NoteError) instanceof NoteError) {
      const detail = `the cosigned checkpoint of ${size} leaves is not of this log, and the log did not sign it`;
      this.report.find("WITNESSES", "COSIGNATURE_REFUSED", detail);
      return;
    }
    const detail = `the log signed, and witnesses cosigned, another tree of ${size} leaves`;
    this.report.find("CONTINUITY", "HISTORY_REWRITTEN", detail, unlike("root", text(formatNote(note)), hex(root)));
  }

  #checkKeys(records: readonly KeyRecord[]): void {
    const { counted, doubled } = this.quorum;
    const nameOf = (key: VerifierKey): string => hex(key.publicKey);
    for (const key of doubled) {
      const first = counted.find((one) => nameOf(one) === nameOf(key))?.text ?? "";
      const detail = `${key.text} and ${first} are one key, and count as one witness`;
      this.report.find("WITNESSES", "WITNESS_DOUBLED", detail);
    }
    const held = new Map(records.map((one) => [hex(one.publicKey), one.role]));
    for (const key of counted) {
      const role = held.get(nameOf(key)) ?? "witness";
      if (role !== "witness") {
        const detail = `${key.text} is a key of the log's own ${role}, which vouches for itself`;
        this.report.find("WITNESSES", "WITNESS_DOUBLED", detail);
      }
    }
  }

  /** One finding for each witness and kind of fault, however often it shows. */
  #blame(kind: string, detail: string): void {
    if (!this.#blamed.has(kind)) {
      this.#blamed.add(kind);
      this.report.find("WITNESSES", "COSIGNATURE_REFUSED", detail);
    }
  }
}

/** A log has grown beyond checkpoints that somebody saw long enough ago. */
export function findOutgrown(head: Checkpoint, outgrown: readonly Kept[], report: Report): void {
  for (const { checkpoint, note } of outgrown) {
    if (checkpoint.size === head.size) {
      const detail = `the log has not grown beyond ${head.size} leaves, which were seen before`;
      report.find("WITNESSES", "HEAD_FROZEN", detail, unlike("checkpoint", checkpointBody(head), text(note)));
    }
  }
}

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
    report.find("WITNESSES", "COSIGNATURE_REFUSED", "the log did not sign the cosigned checkpoint in the deal", where);
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
