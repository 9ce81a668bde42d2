/** Mậu Binh: thirteen cards laid out in three chi, and on sealed tables committed to first. */

import { create } from "@bufbuild/protobuf";
import { hex } from "referee-verifier/protocol";
import { type Cards, readCards } from "./cards.js";
import { RoundLapsesError } from "./errors.js";
import { gameOf, type TypesOf } from "./game.js";
import { AdviceService, type SuggestArrangementResponse } from "./gen/referee/v1/advice_pb.js";
import {
  type CheckArrangementResponse,
  type MauBinhEvent,
  type MauBinhOutcome,
  type MauBinhRound,
  MauBinhRoundSchema,
  MauBinhService,
  type MauBinhServiceAcceptEventResponse,
} from "./gen/referee/v1/mau_binh_pb.js";
import { ResumableRound } from "./resuming.js";

/** Five, five and three cards, the strongest five in the back. */
export interface Chi {
  /** The strongest chi, of five cards. */
  readonly back: Cards;
  /** The second chi, of five cards. */
  readonly middle: Cards;
  /** The weakest chi, of three cards. */
  readonly front: Cards;
}

/** The types of Mậu Binh. */
export type MauBinhTypes = TypesOf<typeof MauBinhService, MauBinhEvent, MauBinhRound, MauBinhOutcome>;

const { method } = MauBinhService;

/** The messages and methods of Mậu Binh. */
export const MAU_BINH = gameOf<MauBinhTypes>("mau_binh", MauBinhService, ({ choice, nonce }) => {
  const kind = (choice.case ?? "").toUpperCase();
  switch (choice.case) {
    case "arrange": {
      const { back, middle, front } = choice.value;
      return { kind, back, middle, front, ...(nonce?.length ? { nonce: hex(nonce) } : {}) };
    }
    case "commit":
      return { kind, commitment: hex(choice.value.commitment) };
    default:
      return { kind };
  }
});

/** A round of Mậu Binh. */
export class MauBinhGame extends ResumableRound<MauBinhTypes> {
  /** Check an arrangement without submitting it: its violations, and the names of its hands. */
  async check(seat: number, chi: Chi): Promise<CheckArrangementResponse> {
    const request = { round: this.#roundFor(seat), seat, arrangement: written(chi) };
    return this.session.line.ask(method.checkArrangement, request);
  }

  /** Suggest the arrangements that are worth most, best first, from the seat's own cards alone. */
  async suggest(seat: number, count = 3): Promise<SuggestArrangementResponse> {
    const request = { hand: { case: "dealt" as const, value: { round: this.#roundFor(seat), seat } }, count };
    return this.session.line.ask(AdviceService.method.suggestArrangement, request);
  }

  /**
   * Submit an arrangement; a seat's last one counts. A foul is accepted, and listed. On a sealed
   * table it opens what the seat committed to.
   */
  async arrange(seat: number, chi: Chi): Promise<MauBinhServiceAcceptEventResponse> {
    return this.acceptEvent(this.arrangement(seat, chi));
  }

  /** The event by which a seat arranges, for a seat that signs elsewhere; nothing is sent. */
  arrangement(seat: number, chi: Chi): MauBinhEvent {
    const isOwn = this.isSealed && this.secrets.has(seat);
    const nonce = isOwn ? { nonce: this.secretsOf(seat).nonce } : {};
    return this.event({ seat, choice: { case: "arrange" as const, value: written(chi) }, ...nonce });
  }

  /** Commit to an arrangement on a sealed table; the commitment hides it. */
  async commit(seat: number, chi: Chi): Promise<MauBinhServiceAcceptEventResponse> {
    const { back, middle, front } = written(chi);
    const cards = [...back, ...middle, ...front];
    const commitment = this.secretsOf(seat).arrangementCommitment(this.roundId, cards);
    this.arrangements.set(seat, cards);
    return this.acceptEvent(this.event({ seat, choice: { case: "commit", value: { commitment } } }));
  }

  /** What a seat of a sealed table committed to by this client; undefined for nothing. */
  committed(seat: number): Chi | undefined {
    const cards = this.arrangements.get(seat);
    return cards && { back: cards.slice(0, 5), middle: cards.slice(5, 10), front: cards.slice(10) };
  }

  /** Report that a seat of a sealed table has not committed, or not opened, in time. */
  async timeOut(seat: number): Promise<MauBinhServiceAcceptEventResponse> {
    return this.acceptEvent(this.event({ seat, choice: { case: "timeout", value: {} } }));
  }

  /** Report that a seat leaves. */
  async leave(seat: number): Promise<MauBinhServiceAcceptEventResponse> {
    return this.acceptEvent(this.event({ seat, choice: { case: "leave", value: {} } }));
  }

  protected override async requireMoves(): Promise<void> {
    const moved = this.message.events.filter(({ choice }) => choice.case !== "commit");
    const seats = new Set(moved.map(({ seat }) => seat));
    if (!this.isPartial || seats.size === this.terms.seats) {
      return;
    }
    const { outcome } = await this.preview();
    if (!outcome?.seats.some(({ instantWin }) => instantWin !== undefined)) {
      throw new RoundLapsesError(
        "the round was resumed without a journal, and a seat without an arrangement may have a receipt for one",
      );
    }
  }

  /** The round without its course, on a sealed table with the seat's own certificate alone. */
  #roundFor(seat: number): MauBinhRound {
    const own = this.hands.has(seat) ? undefined : this.own.get(seat);
    const { header } = this.message;
    const certificates = own === undefined ? this.message.certificates : [own.certificate];
    return create(MauBinhRoundSchema, { ...(header ? { header } : {}), certificates });
  }
}

function written({ back, middle, front }: Chi) {
  return { back: readCards(back), middle: readCards(middle), front: readCards(front) };
}
