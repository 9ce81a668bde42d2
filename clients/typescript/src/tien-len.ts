/** Tiến Lên Miền Nam: plays and passes; the deal says who leads. */

import { create } from "@bufbuild/protobuf";
import { type Cards, readCards } from "./cards.js";
import type { GameMethods } from "./game.js";
import { AdviceService, type SuggestPlayResponse } from "./gen/referee/v1/advice_pb.js";
import {
  type CheckPlayResponse,
  type ListPlaysResponse,
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
  choiceOf: ({ choice }) => {
    if (choice.case === "play") {
      return { kind: "PLAY", cards: choice.value.cards };
    }
    return { kind: choice.case === "passTurn" ? "PASS" : (choice.case ?? "").toUpperCase() };
  },
};

/** A round of Tiến Lên. */
export class TienLenGame extends ResumableRound<TienLenTypes> {
  /** Every legal play of the seat on turn, and whether it may pass. */
  async plays(grouped = false): Promise<ListPlaysResponse> {
    return this.askRound(method.listPlays, { round: this.message, grouped });
  }

  /** Everything wrong with a play; nothing is played. */
  async check(seat: number, cards: Cards): Promise<CheckPlayResponse> {
    const event = { seat, choice: playing(cards) };
    return this.askRound(method.checkPlay, { round: this.message, event });
  }

  /** Suggest the best plays of the seat on turn, with reasons, from what that seat may know. */
  async suggest(count = 3, samples = 0): Promise<SuggestPlayResponse> {
    const request = { round: this.message, count, samples };
    return this.session.line.ask(AdviceService.method.suggestPlay, request);
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
}

function playing(cards: Cards) {
  return { case: "play" as const, value: { cards: readCards(cards) } };
}
