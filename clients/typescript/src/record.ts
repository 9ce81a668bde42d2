/**
 * A round as a journal keeps it: all that the next process needs and the log does not have, as
 * JSON, binary as base64. The members are those of the record of `referee-client` for Python. What
 * the log has (OPEN, DEAL, cards) is read from there again and verified as if for the first time.
 */

import { fromBinary } from "@bufbuild/protobuf";
import { base64, type ReceiptedEvent, unbase64 } from "referee-verifier/protocol";
import type { ClockDifference } from "./clock.js";
import { RoundHeaderSchema } from "./gen/referee/v1/round_pb.js";
import { SeatSecrets } from "./secrets.js";
import type { Terms } from "./terms.js";

/** A round under way. Members that are messages are in binary form. */
export interface RoundRecord {
  readonly terms: Terms;
  readonly header: Uint8Array;
  readonly secrets: readonly SeatSecrets[];
  readonly commitments: readonly Uint8Array[];
  readonly tokens: readonly Uint8Array[];
  readonly seeds: readonly Uint8Array[];
  readonly seedSignatures: readonly Uint8Array[];
  readonly message: Uint8Array;
  readonly chains: ReadonlyMap<number, string>;
  readonly openedHands: readonly number[];
  readonly arrangements: ReadonlyMap<number, readonly number[]>;
  readonly unanswered: {
    readonly event: Uint8Array;
    readonly signature: Uint8Array;
    readonly sentTime: number;
  } | null;
  readonly lapses: string;
  readonly isPartial: boolean;
  readonly clockDifferences: readonly ClockDifference[];
  readonly receiptedEvents: readonly ReceiptedEvent[];
}

/** The text of a record. */
export function encodeRecord(record: RoundRecord): string {
  return JSON.stringify(saved(record));
}

/** A receipted event without its first `same` events, which are those of the receipted event before it. */
type KeptEvent = ReceiptedEvent & { readonly same: number };

/** Receipted events as they are recorded, so that a record does not grow with the square of a course. */
function shortened(receipted: readonly ReceiptedEvent[]): KeptEvent[] {
  return receipted.map(({ events, receipt, signature }, at) => {
    const before = receipted[at - 1]?.events ?? [];
    const differs = events.findIndex((event, place) => event !== before[place]);
    const same = differs < 0 ? events.length : differs;
    return { same, events: events.slice(same), receipt, signature };
  });
}

/** The receipted events that were recorded. */
function lengthened(kept: readonly KeptEvent[]): ReceiptedEvent[] {
  let before: readonly string[] = [];
  return kept.map(({ same, events, receipt, signature }) => {
    before = [...before.slice(0, same), ...events];
    return { events: [...before], receipt, signature };
  });
}

/** A record as its JSON has it. */
type Saved = ReturnType<typeof saved>;

function saved(record: RoundRecord) {
  const { terms, unanswered } = record;
  return {
    format: 1,
    terms: {
      table: terms.table,
      ruleset: terms.ruleset,
      version: terms.version ?? "",
      seats: terms.seats,
      currency: terms.currency ?? "CHIP",
      stake: terms.stake ?? 1,
      bets: (terms.bets ?? []).map(({ ante, trips = 0 }) => [ante, trips] as const),
      seat_keys: (terms.seatKeys ?? []).map(base64),
      deal_deadline: terms.dealDeadline ?? 0,
      round_deadline: terms.roundDeadline ?? 0,
    },
    header: base64(record.header),
    secrets: record.secrets.map((one) => ({
      seat: one.seat,
      seed: base64(one.seed),
      token: base64(one.token),
      nonce: base64(one.nonce),
      private_key: base64(one.privateKey ?? new Uint8Array()),
    })),
    commitments: record.commitments.map(base64),
    tokens: record.tokens.map(base64),
    seeds: record.seeds.map(base64),
    seed_signatures: record.seedSignatures.map(base64),
    message: base64(record.message),
    chains: Object.fromEntries([...record.chains].map(([seat, saved]) => [seat, JSON.parse(saved) as unknown])),
    opened_hands: record.openedHands,
    arrangements: Object.fromEntries(record.arrangements),
    unanswered: unanswered && {
      event: base64(unanswered.event),
      signature: base64(unanswered.signature),
      sent_time: unanswered.sentTime,
    },
    lapses: record.lapses,
    is_partial: record.isPartial,
    clock_differences: record.clockDifferences,
    receipted_events: shortened(record.receiptedEvents),
  };
}

/** A journal's record that cannot be read. */
export class RecordError extends Error {
  override readonly name = "RecordError";

  /** What cannot be read, and why. */
  constructor(what: string, error: unknown) {
    const remedy = "restore the journal, or forget the round and resume it from the log and the players' courses";
    super(`${what} cannot be read: ${error instanceof Error ? error.message : String(error)}; ${remedy}`);
  }
}

/** The record that a text is; a RecordError where it is none. */
export function readRecord(text: string): RoundRecord {
  try {
    const record = parsed(text);
    fromBinary(RoundHeaderSchema, record.header);
    return record;
  } catch (error) {
    throw new RecordError("the journal's record", error);
  }
}

function parsed(text: string): RoundRecord {
  const said = JSON.parse(text) as Saved;
  if (said.format !== 1) {
    throw new Error(`the journal's record has format ${said.format}, and this version reads 1`);
  }
  const { terms, unanswered } = said;
  return {
    terms: {
      table: terms.table,
      ruleset: terms.ruleset,
      version: terms.version,
      seats: terms.seats,
      currency: terms.currency,
      stake: terms.stake,
      bets: terms.bets.map(([ante, trips]) => ({ ante, trips })),
      seatKeys: terms.seat_keys.map(unbase64),
      dealDeadline: terms.deal_deadline,
      roundDeadline: terms.round_deadline,
    },
    header: unbase64(said.header),
    secrets: said.secrets.map(({ seat, private_key: key, ...parts }) => {
      const [seed, token, nonce] = [parts.seed, parts.token, parts.nonce].map(unbase64);
      return SeatSecrets.of(seat, [seed, token, nonce], key === "" ? undefined : unbase64(key));
    }),
    commitments: said.commitments.map(unbase64),
    tokens: said.tokens.map(unbase64),
    seeds: said.seeds.map(unbase64),
    seedSignatures: said.seed_signatures.map(unbase64),
    message: unbase64(said.message),
    chains: new Map(Object.entries(said.chains).map(([seat, chain]) => [Number(seat), JSON.stringify(chain)])),
    openedHands: said.opened_hands,
    arrangements: new Map(Object.entries(said.arrangements).map(([seat, cards]) => [Number(seat), cards])),
    unanswered: unanswered && {
      event: unbase64(unanswered.event),
      signature: unbase64(unanswered.signature),
      sentTime: unanswered.sent_time,
    },
    lapses: said.lapses,
    isPartial: said.is_partial,
    clockDifferences: said.clock_differences,
    receiptedEvents: lengthened(said.receipted_events),
  };
}
