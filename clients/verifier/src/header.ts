/**
 * A round's header: every term that is fixed before any card exists, as in OPEN and in
 * the transcript (hashes as lowercase hex). Its hash is the round's id:
 *
 *     round_id = TH("round", protocol u8, origin, randomness_suite u8, table_id, round_number u64,
 *                   ruleset_id, ruleset_version, ruleset_digest, layout (u8 a section), currency,
 *                   stake u64, seat_stakes (u64 bet, u64 side bet a seat), seat_keys (32 bytes a seat),
 *                   previous_leaf, deal_deadline u64, round_deadline u64)
 *
 * A header that breaks the protocol has no id.
 */

import { type Bytes, concat, isHex, unhex } from "./bytes.js";
import { isPublicKey } from "./ed25519.js";
import { ascii, taggedHash, u64, u8 } from "./encoding.js";
import { integer, list, type Of, pair, record, text } from "./form.js";
import { NO_LEAF } from "./slot.js";

export const NO_KEY = "00".repeat(32);
export const SUITE_COMMITMENT = 1;
export const SUITE_FIXTURE = 250;

export const headerForm = record({
  currency: text,
  deal_deadline: integer,
  layout: list(integer),
  origin: text,
  previous_leaf: text,
  protocol: integer,
  randomness_suite: integer,
  round_deadline: integer,
  round_number: integer,
  ruleset_digest: text,
  ruleset_id: text,
  ruleset_version: text,
  seat_keys: list(text),
  seat_stakes: list(pair(integer)),
  stake: integer,
  table_id: text,
});

export type Header = Of<typeof headerForm>;

/** A header that breaks the protocol; `field` is the one at fault. */
export class HeaderError extends Error {
  override name = "HeaderError";
  constructor(
    readonly field: string,
    message: string,
  ) {
    super(message);
  }
}

export const TABLE_ID = /^[A-Za-z0-9._-]{1,64}$/;
export const RULESET_ID = /^[a-z0-9_]{1,32}\.[a-z0-9_]{1,64}$/;
export const VERSION = /^[0-9]{1,6}\.[0-9]{1,6}\.[0-9]{1,6}$/;
const ORIGIN = /^[!-*,-~]{1,255}$/;
const CURRENCY = /^[!-~]{1,16}$/;
const MAX_SEATS = 6;
const DECK_SIZE = 52;

/** The round id of a header, 32 bytes; HeaderError where it breaks the protocol. */
export function roundIdOf(header: Header): Bytes {
  checkHeader(header);
  return taggedHash(
    "round",
    u8(header.protocol),
    ascii(header.origin),
    u8(header.randomness_suite),
    ascii(header.table_id),
    u64(header.round_number),
    ascii(header.ruleset_id),
    ascii(header.ruleset_version),
    unhex(header.ruleset_digest),
    Uint8Array.from(header.layout),
    ascii(header.currency),
    u64(header.stake),
    concat(...header.seat_stakes.flat().map(u64)),
    concat(...header.seat_keys.map((key) => unhex(key))),
    unhex(header.previous_leaf),
    u64(header.deal_deadline),
    u64(header.round_deadline),
  );
}

/** The game that a header is for. */
export function gameOf(header: Header): string {
  return header.ruleset_id.split(".")[0] ?? "";
}

/**
 * The section sizes that a game has for a number of seats: the seats' hands, in Ultimate Texas the
 * house's two, flop, turn and river, and what is left; null for a game not known here.
 */
export function layoutOf(game: string, seats: number): number[] | null {
  const hand = { mau_binh: 13, tien_len: 13, ultimate_texas: 2 }[game];
  if (hand === undefined) {
    return null;
  }
  const sizes = Array.from({ length: seats }, () => hand);
  if (game === "ultimate_texas") {
    sizes.push(2, 3, 2);
  }
  const stock = DECK_SIZE - sum(sizes);
  return stock === 0 ? sizes : [...sizes, stock];
}

/** Nothing where the header keeps the protocol; HeaderError naming the first field that does not. */
export function checkHeader(header: Header): void {
  const hashes = { ruleset_digest: header.ruleset_digest, previous_leaf: header.previous_leaf };
  for (const [field, value] of Object.entries(hashes)) {
    need(isHex(value), field, "a hash is the lowercase hex of 32 bytes");
  }
  need(
    header.seat_keys.every((key) => isHex(key)),
    "header",
    "a key is the hex of 32 bytes",
  );
  need(header.protocol === 1, "protocol", `the protocol is 1, not ${header.protocol}`);
  need(ORIGIN.test(header.origin), "origin", `'${header.origin}' is no origin`);
  const suites = [SUITE_COMMITMENT, SUITE_FIXTURE];
  need(suites.includes(header.randomness_suite), "randomness_suite", "no suite has that number");
  need(TABLE_ID.test(header.table_id), "table_id", `'${header.table_id}' is no table id`);
  need(header.round_number >= 1, "round_number", "rounds are numbered from 1");
  need(RULESET_ID.test(header.ruleset_id), "ruleset_id", `'${header.ruleset_id}' is no ruleset id`);
  need(VERSION.test(header.ruleset_version), "ruleset_version", "a version is three numbers");
  need(
    header.layout.every((size) => size > 0) && sum(header.layout) === DECK_SIZE,
    "layout",
    "the sections hold 52 cards and none is empty",
  );
  need(CURRENCY.test(header.currency), "currency", `'${header.currency}' is no currency`);
  need(header.stake >= 1, "stake", "a stake is 1 to 2^53-1 minor units");
  checkSeats(header);
  need(
    (header.round_number === 1) === (header.previous_leaf === NO_LEAF),
    "previous_leaf",
    "zeros stand before round 1 and before no other",
  );
  need(header.deal_deadline > 0, "deal_deadline", "a time is 1 to 2^53-1 ms since 1970 UTC");
  need(header.deal_deadline <= header.round_deadline, "round_deadline", "the round's deadline lies before the deal's");
}

function checkSeats({ seat_keys: keys, seat_stakes: stakes }: Header): void {
  need(keys.length >= 1 && keys.length <= MAX_SEATS, "seat_keys", "a round has 1 to 6 seats");
  for (const [seat, key] of keys.entries()) {
    const isSound = key === NO_KEY || isPublicKey(unhex(key));
    need(isSound, `seat_keys[${seat}]`, `${key} is no sound Ed25519 public key`);
  }
  need(
    stakes.length === 0 || stakes.length === keys.length,
    "seat_stakes",
    `${keys.length} seats have ${stakes.length} stakes`,
  );
  for (const [seat, [bet, sideBet]] of stakes.entries()) {
    need(bet >= 1 && sideBet >= 0, `seat_stakes[${seat}]`, "a bet is 1 or more, a side bet 0 or more");
  }
}

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function need(holds: boolean, field: string, message: string): void {
  if (!holds) {
    throw new HeaderError(field, message);
  }
}
