/** What a frontend holds of a round: all that it was given and has checked. */

import { create, type MessageInitShape } from "@bufbuild/protobuf";
import type { GenMessage } from "@bufbuild/protobuf/codegenv2";
import { type Course, type Header, hex, type ReceiptedEvent, sectionsOf, text, unhex } from "referee-verifier/protocol";
import type { SeatChain } from "./chain.js";
import { type ClockDifference, RoundClock } from "./clock.js";
import { courseOf } from "./events.js";
import type { GameMethods, GameTypes } from "./game.js";
import type { Card } from "./gen/referee/v1/card_pb.js";
import type { SeatSecrets } from "./secrets.js";
import type { Terms } from "./terms.js";
import type { Proved } from "./trust.js";

/** The leaves of a round that were proved to be in the log. */
export interface ProvedLeaves {
  open?: Proved<"OPEN">;
  deal?: Proved<"DEAL">;
  readonly unseals: Proved<"UNSEAL">[];
  settle?: Proved<"SETTLE">;
  abort?: Proved<"ABORT">;
  reveal?: Proved<"REVEAL">;
}

/** An event that was sent and not answered: a receipt may have been given for it. */
export interface Unanswered<Event> {
  readonly event: Event;
  readonly signature: Uint8Array;
  /** When it was first sent, by this machine's clock, in ms since 1970 UTC. */
  readonly sentTime: number;
}

/** How far a round has got; it ends SETTLED or ABORTED, and is REVEALED afterwards. */
export type Stage = "NEW" | "PREPARED" | "OPENED" | "DEALT" | "SETTLED" | "ABORTED" | "REVEALED";

/** Names of the sections that are no hands, by how far they are behind the last seat. */
const BOARD = ["house", "flop", "turn_river"] as const;

/** A round as its frontend reads it. What is not known yet is empty or undefined. */
export class RoundState<Types extends GameTypes> {
  /** The messages and methods of the round's game. */
  readonly game: GameMethods<Types>;
  /** The terms that were asked for. */
  readonly terms: Terms;
  /** The secrets of the seats that play through this client. */
  readonly secrets: ReadonlyMap<number, SeatSecrets>;
  /** Public keys of all seats, zeros for none; empty where no seat has a key. */
  readonly seatKeys: readonly Uint8Array[];
  /** The round as every question carries it; only what the referee accepted is in its events. */
  message: Types["round"];
  /** The chains of the seats that have a key in this client, from the deal on. */
  readonly chains = new Map<number, SeatChain>();
  /** The round's leaves that were shown to be in the log. */
  readonly leaves: ProvedLeaves = { unseals: [] };
  protected known: Header | undefined;
  protected id: Uint8Array | undefined;
  protected commitments: readonly Uint8Array[] = [];
  protected tokens: readonly Uint8Array[] = [];
  protected readonly sections = new Map<number, readonly Card[]>();
  /** When each section opened that opened after the deal, in ms since 1970 UTC. */
  protected readonly unsealed = new Map<number, number>();
  /** On a sealed table, hands that their own seats opened, each with its certificate. */
  protected readonly own = new Map<number, { certificate: Uint8Array; hand: readonly Card[] }>();
  /** Seeds given to the deal from elsewhere, and their signatures; by seat. */
  protected seeds: readonly Uint8Array[] = [];
  protected seedSignatures: readonly Uint8Array[] = [];
  protected unanswered: Unanswered<Types["event"]> | undefined;
  /** Arrangements that seats of a sealed table committed to: thirteen cards, back to front. */
  protected readonly arrangements = new Map<number, readonly Card[]>();
  /** Whether events may be missing, because the round was resumed without a journal. */
  protected isPartial = false;
  /** Why the round can only lapse after it was resumed; empty where it goes on. */
  lapses = "";
  protected readonly clock = new RoundClock();
  /**
   * Events with a receipt of their own, in the order in which this client got them. What
   * `writeReceiptedEvent` makes of one is a file for `referee audit --receipt`.
   */
  readonly receiptedEvents: ReceiptedEvent[] = [];

  constructor(game: GameMethods<Types>, terms: Terms, secrets: readonly SeatSecrets[]) {
    this.game = game;
    this.terms = terms;
    this.secrets = new Map(secrets.map((one) => [one.seat, one]));
    const given = terms.seatKeys ?? [];
    const keys = Array.from(Array(terms.seats), (_, seat) => {
      const mine = this.secrets.get(seat);
      return mine?.privateKey ? mine.publicKey : (given[seat] ?? new Uint8Array(32));
    });
    this.seatKeys = keys.some((key) => key.some((byte) => byte !== 0)) ? keys : [];
    this.message = create(game.round) as Types["round"];
  }

  /** Make an event of the game from its fields, for `acceptEvent`. */
  event(fields: MessageInitShape<GenMessage<Types["event"]>>): Types["event"] {
    return create(this.game.event, fields) as Types["event"];
  }

  /** How far the round has got, as this client has proved. */
  get stage(): Stage {
    const { open, deal, settle, abort, reveal } = this.leaves;
    if (reveal !== undefined) {
      return "REVEALED";
    }
    if (settle !== undefined || abort !== undefined) {
      return settle === undefined ? "ABORTED" : "SETTLED";
    }
    if (open !== undefined) {
      return deal === undefined ? "OPENED" : "DEALT";
    }
    return this.known === undefined ? "NEW" : "PREPARED";
  }

  /** The round's terms in full, as its leaves have them; an error before it was prepared. */
  get header(): Header {
    return needed(this.known, "prepared");
  }

  /** The hash of the terms, 32 bytes. */
  get roundId(): Uint8Array {
    return needed(this.id, "prepared");
  }

  /** Id of the table. */
  get table(): string {
    return this.terms.table;
  }

  /** The round's number at its table, from 1. */
  get number(): number {
    return this.header.round_number;
  }

  /** Whether each seat alone sees its hand until the hands open. */
  get isSealed(): boolean {
    return this.tokens.length > 0;
  }

  /** The hands that lie open to this frontend, by seat, each in the order dealt. */
  get hands(): ReadonlyMap<number, readonly Card[]> {
    const hands = [...this.sections].filter(([section]) => section < this.terms.seats);
    return new Map(hands.sort(([one], [other]) => one - other));
  }

  /** What lies open of `flop`, `turn_river` and `house`, in games that have a board. */
  get board(): Readonly<Record<string, readonly Card[]>> {
    const board: Record<string, readonly Card[]> = {};
    const places = (sectionsOf(this.header)?.order ?? []).filter((at) => at >= this.terms.seats);
    for (const section of places) {
      const cards = this.sections.get(section);
      if (cards !== undefined) {
        board[BOARD[section - this.terms.seats] ?? ""] = cards;
      }
    }
    return board;
  }

  /** Times of the round that differ from this machine's clock by more than ten seconds. */
  get clockDifferences(): readonly ClockDifference[] {
    return this.clock.differences;
  }

  /** When it was dealt, in ms since 1970 UTC; the game's clocks count from here. 0 before. */
  get dealtTime(): number {
    return this.leaves.deal?.placed.value.dealt_time ?? 0;
  }

  /** The seat that the deal names to lead, in a game that has a leader. */
  get leader(): number | undefined {
    return this.leaves.deal?.placed.value.leader;
  }

  /** Why that seat leads: it won before, was drawn, or was dealt the lowest card. */
  get leaderBy(): "WINNER" | "DRAW" | "LOWEST_CARD" | undefined {
    return this.leaves.deal?.placed.value.leader_by;
  }

  /** The events so far, with the hashes that receipts and seats sign. */
  get course(): Course {
    return courseOf(this.game, this.roundId, unhex(this.dealt.placed.value.deck_root), this.message.events);
  }

  protected get opened(): Proved<"OPEN"> {
    return needed(this.leaves.open, "opened");
  }

  protected get dealt(): Proved<"DEAL"> {
    return needed(this.leaves.deal, "dealt");
  }

  protected get serverCommitment(): Uint8Array {
    return unhex(this.opened.placed.value.server_commitment);
  }

  /** The secrets of a seat of this client. */
  protected secretsOf(seat: number): SeatSecrets {
    const secrets = this.secrets.get(seat);
    if (secrets === undefined) {
      throw new Error(`this client has no secrets of seat ${seat}`);
    }
    return secrets;
  }

  protected get ownSecrets(): SeatSecrets[] {
    return [...this.secrets.values()].sort((one, other) => one.seat - other.seat);
  }

  /** Keep the events up to this number of a course with its receipt and its seat's signature, unless they are kept. */
  protected keepReceipted(course: Course, number: number, receipt: Uint8Array, signature: Uint8Array): void {
    const events = course.links.slice(0, number).map(({ event }) => text(event));
    const kept = { events, receipt: text(receipt), signature: hex(signature) };
    if (!this.receiptedEvents.some((one) => one.receipt === kept.receipt)) {
      this.receiptedEvents.push(kept);
    }
  }

  protected hexId(): string {
    return hex(this.roundId);
  }
}

function needed<T>(value: T | undefined, step: string): T {
  if (value === undefined) {
    throw new Error(`the round was not ${step}`);
  }
  return value;
}
