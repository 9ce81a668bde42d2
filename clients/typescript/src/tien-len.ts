/** Tiến Lên Miền Nam: plays, passes, and who leads, proved by the table's last settled round. */

import { create } from "@bufbuild/protobuf";
import {
  gameOf,
  type LastWinner,
  NO_KEY,
  parseEnvelope,
  winnerOf,
} from "referee-verifier/protocol";
import { type Cards, readCards } from "./cards.js";
import { VerificationError } from "./errors.js";
import type { GameMethods } from "./game.js";
import { LogService } from "./gen/referee/v1/log_pb.js";
import {
  type CheckPlayResponse,
  type ListPlaysResponse,
  type PreviousRound,
  PreviousRoundSchema,
  type SuggestPlayResponse,
  type TienLenEvent,
  TienLenEventSchema,
  type TienLenOutcome,
  type TienLenRound,
  TienLenRoundSchema,
  TienLenService,
  type TienLenServiceAcceptEventResponse,
  type TienLenServicePreviewRoundResponse,
} from "./gen/referee/v1/tien_len_pb.js";
import { ResumableRound } from "./resuming.js";
import { readHeader } from "./terms.js";
import { verified } from "./trust.js";

/** The types of Tiến Lên. */
export interface TienLenTypes {
  readonly event: TienLenEvent;
  readonly round: TienLenRound;
  readonly accepted: TienLenServiceAcceptEventResponse;
  readonly preview: TienLenServicePreviewRoundResponse;
  readonly outcome: TienLenOutcome;
}

const { method } = TienLenService;

export const TIEN_LEN: GameMethods<TienLenTypes> = {
  name: "tien_len",
  round: TienLenRoundSchema,
  event: TienLenEventSchema,
  accept: method.acceptEvent,
  preview: method.previewRound,
  settle: method.settleRound,
};

/** Where the last winner is now, if it had no key: at this seat, or gone from the table. */
export interface LastWinnerNow {
  readonly winnerSeat?: number;
  readonly winnerGone?: boolean;
}

/** A round of Tiến Lên. */
export class TienLenGame extends ResumableRound<TienLenTypes> {
  /**
   * Find the seat that leads as the winner of the table's last settled round; undefined if the
   * leader is drawn. To be asked once, after the deal and before the first play. A winner with a key
   * sits where its key does; one without at the seat it had, or at `winnerSeat`.
   */
  async lookBack({ winnerSeat, winnerGone = false }: LastWinnerNow = {}): Promise<
    number | undefined
  > {
    const { rounds, winner } = await this.#previous();
    this.lastWinner = winner;
    this.message.previousRounds = [];
    delete this.message.previousWinnerSeat;
    if (winner === null) {
      return undefined;
    }
    const keys = this.header.seat_keys;
    const seat = winner.key === NO_KEY ? (winnerSeat ?? winner.seat) : keys.indexOf(winner.key);
    if ((winner.key === NO_KEY && winnerGone) || seat < 0 || seat >= keys.length) {
      return undefined;
    }
    this.message.previousRounds = rounds;
    this.message.previousWinnerSeat = seat;
    return seat;
  }

  /** Every legal play of the seat on turn, and whether it may pass. */
  async plays(grouped = false): Promise<ListPlaysResponse> {
    return this.session.line.ask(method.listPlays, { round: this.message, grouped });
  }

  /** Everything wrong with a play; nothing is played. */
  async check(seat: number, cards: Cards): Promise<CheckPlayResponse> {
    const event = { seat, choice: playing(cards) };
    return this.session.line.ask(method.checkPlay, { round: this.message, event });
  }

  /** Suggest the best plays of the seat on turn, with reasons, from what that seat may know. */
  async suggest(count = 3, samples = 0): Promise<SuggestPlayResponse> {
    return this.session.line.ask(method.suggestPlay, { round: this.message, count, samples });
  }

  /** Play cards. */
  async play(seat: number, cards: Cards): Promise<TienLenServiceAcceptEventResponse> {
    return this.#accept({ seat, choice: playing(cards) });
  }

  /** Pass. */
  async passTurn(seat: number): Promise<TienLenServiceAcceptEventResponse> {
    return this.#accept({ seat, choice: { case: "passTurn", value: {} } });
  }

  /** Report that a seat's time has run out. */
  async timeOut(seat: number): Promise<TienLenServiceAcceptEventResponse> {
    return this.#accept({ seat, choice: { case: "timeout", value: {} } });
  }

  /** Report that a seat leaves. */
  async leave(seat: number): Promise<TienLenServiceAcceptEventResponse> {
    return this.#accept({ seat, choice: { case: "leave", value: {} } });
  }

  async #accept(event: Parameters<typeof create<typeof TienLenEventSchema>>[1]) {
    return this.acceptEvent(create(TienLenEventSchema, event));
  }

  /** The table's rounds back to its last settled one, and who won that. */
  async #previous(): Promise<{ rounds: PreviousRound[]; winner: LastWinner | null }> {
    const rounds: PreviousRound[] = [];
    for (let number = this.number - 1; number > 0; number -= 1) {
      const request = { tableId: this.table, roundNumber: BigInt(number) };
      const found = await this.session.line.ask(LogService.method.getTableRound, request);
      const ends = found.leaves.filter(({ leaf }) => {
        const type = verified("a leaf", () => parseEnvelope(leaf)).payloadType;
        return ["settle", "abort"].includes(type.split(".")[2] ?? "");
      });
      const [end] = ends;
      if (end === undefined || ends.length > 1) {
        throw new VerificationError(`round ${number} of table ${this.table} has no single end`);
      }
      const header = readHeader(found.header);
      rounds.push(
        create(PreviousRoundSchema, {
          terminalLeaf: end.leaf,
          ...(found.header ? { header: found.header } : {}),
        }),
      );
      const type = verified("a leaf", () => parseEnvelope(end.leaf)).payloadType;
      if (type.split(".")[2] === "abort") {
        await this.session.check((believed) => believed.prove(end, "ABORT"));
        continue;
      }
      const proved = await this.session.check((believed) => believed.prove(end, "SETTLE"));
      const isSame = gameOf(header) === TIEN_LEN.name;
      const winner = isSame
        ? winnerOf(proved.placed.value, proved.placed.value.inputs.header)
        : null;
      return winner === null ? { rounds: [], winner } : { rounds, winner };
    }
    return { rounds: [], winner: null };
  }
}

function playing(cards: Cards) {
  return { case: "play" as const, value: { cards: readCards(cards) } };
}
