/** Tiến Lên Miền Nam: plays and passes; the deal says who leads. */

import { type Cards, readCards } from "./cards.js";
import { gameOf, type TypesOf } from "./game.js";
import { AdviceService, type SuggestPlayResponse } from "./gen/referee/v1/advice_pb.js";
import {
  type CheckPlayResponse,
  type ListPlaysResponse,
  type TienLenEvent,
  type TienLenOutcome,
  type TienLenRound,
  TienLenService,
  type TienLenServiceAcceptEventResponse,
} from "./gen/referee/v1/tien_len_pb.js";
import { ResumableRound } from "./resuming.js";

/** The types of Tiến Lên. */
export type TienLenTypes = TypesOf<typeof TienLenService, TienLenEvent, TienLenRound, TienLenOutcome>;

const { method } = TienLenService;

/** The messages and methods of Tiến Lên. */
export const TIEN_LEN = gameOf<TienLenTypes>("tien_len", TienLenService, ({ choice }) => {
  if (choice.case === "play") {
    return { kind: "PLAY", cards: choice.value.cards };
  }
  return { kind: choice.case === "passTurn" ? "PASS" : (choice.case ?? "").toUpperCase() };
});

/** A round of Tiến Lên. */
export class TienLenGame extends ResumableRound<TienLenTypes> {
  /** Every legal play of the seat on turn, and whether it may pass. */
  async plays(grouped = false): Promise<ListPlaysResponse> {
    return this.askRound(method.listPlays, { round: this.message, grouped });
  }

  /** Everything wrong with a play; nothing is played. */
  async check(seat: number, cards: Cards): Promise<CheckPlayResponse> {
    return this.askRound(method.checkPlay, { round: this.message, event: { seat, choice: playing(cards) } });
  }

  /** Suggest the best plays of the seat on turn, with reasons, from what that seat may know. */
  async suggest(count = 3, samples = 0): Promise<SuggestPlayResponse> {
    return this.session.line.ask(AdviceService.method.suggestPlay, { round: this.message, count, samples });
  }

  /** Play cards. */
  async play(seat: number, cards: Cards): Promise<TienLenServiceAcceptEventResponse> {
    return this.acceptEvent(this.event({ seat, choice: playing(cards) }));
  }

  /** Pass. */
  async passTurn(seat: number): Promise<TienLenServiceAcceptEventResponse> {
    return this.acceptEvent(this.event({ seat, choice: { case: "passTurn", value: {} } }));
  }

  /** Report that a seat's time has run out. */
  async timeOut(seat: number): Promise<TienLenServiceAcceptEventResponse> {
    return this.acceptEvent(this.event({ seat, choice: { case: "timeout", value: {} } }));
  }

  /** Report that a seat leaves. */
  async leave(seat: number): Promise<TienLenServiceAcceptEventResponse> {
    return this.acceptEvent(this.event({ seat, choice: { case: "leave", value: {} } }));
  }
}

function playing(cards: Cards) {
  return { case: "play" as const, value: { cards: readCards(cards) } };
}
