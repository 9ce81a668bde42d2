/**
 * A round's leaves together, and what a round is verified by.
 *
 * A ruleset file as a header names it: id, version, and the SHA-256 of the bytes; and its bounds of a round.
 */

import { sha256 } from "@noble/hashes/sha2.js";

import { type Bytes, hex, SpellingError, text } from "./bytes.js";
import type { Header } from "./header.js";
import type { Placed } from "./reading.js";

/** Who won a table's last settled round: the seat it had then, and that round's header. */
export interface LastWinner {
  readonly seat: number;
  readonly header: Header;
}

/** A log receipt that somebody was given, a C2SP tlog-proof, with its leaf where they have it. */
export interface LogPromise {
  readonly receipt: Bytes;
  readonly leaf?: Bytes | undefined;
}

/** A seat's seed of a round, as somebody hands it in; `roundId` is lowercase hex. */
export interface HeldSeed {
  readonly roundId: string;
  readonly seat: number;
  readonly seed: Bytes;
}

/**
 * What people hold besides the log: certificates and event receipts as envelopes, log receipts, any bytes that were
 * handed out while a round was played, which must not hold its secrets, and seats' seeds.
 */
export interface Exhibits {
  readonly certificates: readonly Bytes[];
  readonly eventReceipts: readonly Bytes[];
  readonly logReceipts?: readonly LogPromise[];
  readonly exports?: readonly Bytes[];
  readonly seeds?: readonly HeldSeed[];
}

/**
 * The leaves of one round, absent where there is none. `lastWinner` won the table's last settled round before: null
 * where that names nobody, or its game has no leader, "UNKNOWN" where the evidence does not reach back so far.
 * `isLapsed`: its deadline has passed and it has not ended.
 */
export interface RoundLeaves {
  /** Lowercase hex, as OPEN names it. */
  readonly roundId: string;
  readonly header: Header;
  readonly open: Placed<"OPEN">;
  readonly deal?: Placed<"DEAL"> | undefined;
  /** In the order of the log, each of a later event than the one before. */
  readonly unseals: readonly Placed<"UNSEAL">[];
  readonly settle?: Placed<"SETTLE"> | undefined;
  readonly abort?: Placed<"ABORT"> | undefined;
  readonly reveal?: Placed<"REVEAL"> | undefined;
  readonly isLapsed?: boolean;
  readonly previousRoundId: string | null;
  readonly lastWinner: LastWinner | null | "UNKNOWN";
  readonly exhibits: Exhibits;
}

/**
 * A ruleset that the verifier's user holds; `digest` is the SHA-256 of its file, lowercase hex. The
 * round's deadline comes at least `shortest` and at most `longest` ms after the deal's.
 */
export interface HeldRuleset {
  readonly id: string;
  readonly version: string;
  readonly digest: string;
  readonly shortest: number;
  readonly longest: number;
}

/** What rounds are verified by. Without rulesets, whether a header names a known one is not asked. */
export interface Law {
  readonly origin: string;
  readonly rulesets: readonly HeldRuleset[] | null;
}

/** The ruleset in a TOML file's bytes; SpellingError where it names no id, version or bounds. */
export function heldRuleset(data: Bytes): HeldRuleset {
  const file = text(data);
  const top = file.split(/^\s*\[/m)[0] ?? "";
  const round = /^\s*\[round\]\s*$([^]*?)(?=^\s*\[|(?![^]))/m.exec(file)?.[1] ?? "";
  const value = (part: string, name: string, form: string): string => {
    const match = new RegExp(`^${name}\\s*=\\s*${form}`, "m").exec(part);
    if (match === null) {
      throw new SpellingError(`the file has no ${name}, so it is no ruleset`);
    }
    return match[1] ?? "";
  };
  const seconds = (name: string): number => 1000 * Number(value(round, name, "([0-9]{1,5})\\b"));
  return {
    id: value(top, "id", '"([^"]*)"'),
    version: value(top, "version", '"([^"]*)"'),
    digest: hex(sha256(data)),
    shortest: seconds("shortest_seconds"),
    longest: seconds("longest_seconds"),
  };
}
