/** What is to be played, and a round's header as it comes back: the same terms, or it is refused. */

import { checkHeader, type Header, HeaderError, hex, NO_KEY, NO_LEAF } from "referee-verifier/protocol";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { VerificationError } from "./errors.js";
import type { GetTableRoundRequestSchema } from "./gen/referee/v1/log_pb.js";
import type { RoundHeader } from "./gen/referee/v1/round_pb.js";
import type { RoundTermsSchema } from "./gen/referee/v1/shuffler_pb.js";
import { amount, instant, whole } from "./numbers.js";

/** A seat's own bets in Ultimate Texas Hold'em, in minor units; the Blind equals the Ante. */
export interface Bet {
  /** Bet on the hand: a multiple of the table's stake. */
  readonly ante: number;
  /** Side bet; absent for none. */
  readonly trips?: number;
}

/** A table's next round. Amounts are whole minor units, times ms since 1970 UTC. */
export interface Terms {
  /**
   * Your name for the table: 1 to 64 characters of `A-Z a-z 0-9 . _ -`. With access control, what comes before its
   * first dot is the caller's tenant.
   */
  readonly table: string;
  /** Such as `tien_len.mien_nam`. */
  readonly ruleset: string;
  /** How many seats are dealt to. */
  readonly seats: number;
  /** `CHIP` where it is not said. */
  readonly currency?: string;
  /** One stake; 1 where it is not said. */
  readonly stake?: number;
  /** By seat, where seats bet on their own. */
  readonly bets?: readonly Bet[];
  /** Ed25519 public keys by seat, zeros for none, of players who keep their keys elsewhere. */
  readonly seatKeys?: readonly Uint8Array[];
  /** Empty or absent for the newest version. */
  readonly version?: string;
  /** Last time for the deal, at most ten minutes ahead; absent for the server's own. */
  readonly dealDeadline?: number;
  /** Last time for the settlement; absent for the server's own. */
  readonly roundDeadline?: number;
}

/** The request for a table's round, 0 for its latest. */
export function whichRound(tableId: string, number: number): MessageInitShape<typeof GetTableRoundRequestSchema> {
  return number === 0 ? { tableId } : { round: { tableId, roundNumber: BigInt(number) } };
}

/** The message that asks for these terms; a RangeError names a number that is not whole or in another unit. */
export function termsMessage(terms: Terms, seatKeys: readonly Uint8Array[]): MessageInitShape<typeof RoundTermsSchema> {
  return {
    tableId: terms.table,
    rulesetId: terms.ruleset,
    rulesetVersion: terms.version ?? "",
    seatCount: whole("seats", terms.seats, "the number of seats"),
    currency: terms.currency ?? "CHIP",
    stakeMinor: amount("stake", terms.stake ?? 1),
    seatStakes: (terms.bets ?? []).map(({ ante, trips = 0 }, seat) => ({
      betMinor: amount(`bets[${seat}].ante`, ante),
      ...(trips !== 0 && { sideBetMinor: amount(`bets[${seat}].trips`, trips) }),
    })),
    seatKeys: seatKeys.map((key) => (hex(key) === NO_KEY ? new Uint8Array() : key)),
    dealDeadlineTime: instant("dealDeadline", terms.dealDeadline ?? 0),
    roundDeadlineTime: instant("roundDeadline", terms.roundDeadline ?? 0),
  };
}

/** Verify that a header has these terms; a VerificationError names the first that differs. */
export function checkTerms(
  terms: Terms,
  header: Header,
  { seatKeys, origin }: { seatKeys: readonly Uint8Array[]; origin: string },
): void {
  const keys = seatKeys.length > 0 ? seatKeys.map(hex) : Array.from(Array(terms.seats), () => NO_KEY);
  const bets = (terms.bets ?? []).map(({ ante, trips = 0 }) => [ante, trips]);
  const wanted: readonly (readonly [string, unknown, unknown])[] = [
    ["origin", origin, header.origin],
    ["table", terms.table, header.table_id],
    ["ruleset", terms.ruleset, header.ruleset_id],
    ["version", terms.version || header.ruleset_version, header.ruleset_version],
    ["currency", terms.currency ?? "CHIP", header.currency],
    ["stake", terms.stake ?? 1, header.stake],
    ["bets", bets, header.seat_stakes],
    ["seat keys", keys, header.seat_keys],
    ["deal deadline", terms.dealDeadline || header.deal_deadline, header.deal_deadline],
    ["round deadline", terms.roundDeadline || header.round_deadline, header.round_deadline],
  ];
  for (const [name, asked, found] of wanted) {
    same(`the ${name} in the header`, found, asked);
  }
}

/** The header of a message, as the log's leaves write it; a VerificationError if it breaks the protocol. */
export function readHeader(message: RoundHeader | undefined): Header {
  if (message === undefined) {
    throw new VerificationError("the answer has no header");
  }
  const header: Header = {
    currency: message.currency,
    deal_deadline: Number(message.dealDeadlineTime),
    layout: message.layout,
    origin: message.origin,
    previous_leaf: message.previousLeafHash ? hex(message.previousLeafHash) : NO_LEAF,
    protocol: message.protocol,
    randomness_suite: message.randomnessSuite,
    round_deadline: Number(message.roundDeadlineTime),
    round_number: Number(message.round?.roundNumber),
    ruleset_digest: hex(message.rulesetDigest),
    ruleset_id: message.rulesetId,
    ruleset_version: message.rulesetVersion,
    seat_keys: message.seatKeys.map((key) => hex(key) || NO_KEY),
    seat_stakes: message.seatStakes.map((stake) => [Number(stake.betMinor), Number(stake.sideBetMinor ?? 0)]),
    stake: Number(message.stakeMinor),
    table_id: message.round?.tableId ?? "",
  };
  try {
    checkHeader(header);
  } catch (error) {
    throw error instanceof HeaderError
      ? new VerificationError(`the header breaks the protocol: ${error.field}: ${error.message}`)
      : error;
  }
  return header;
}

/** Return a value that an answer should have had. */
export function present<Value>(value: Value | undefined, name: string): Value {
  if (value === undefined) {
    throw new VerificationError(`the answer has no ${name}`);
  }
  return value;
}

/** How much of two things that differ an error shows. */
const SHOWN = 200;

/** Verify that two values are equal as JSON; a VerificationError names both otherwise. */
export function same(what: string, found: unknown, expected: unknown): void {
  const [one, other] = [shown(found), shown(expected)];
  if (one !== other) {
    const cut = [one, other].map((text) => text.slice(0, SHOWN));
    throw new VerificationError(`${what}: ${cut[0]} was answered, and ${cut[1]} is right`);
  }
}

/** A value as JSON, members sorted, bytes as hex and 64-bit integers as decimals. */
function shown(value: unknown): string {
  const plain = (_: string, one: unknown): unknown => {
    if (one instanceof Uint8Array) {
      return hex(one);
    }
    return typeof one === "bigint" ? String(one) : one;
  };
  return JSON.stringify(value === undefined ? null : value, plain);
}
