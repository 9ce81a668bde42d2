/** Ultimate Texas Hold'em: each seat decides against the house; streets open as they close. */

import { gameOf, type TypesOf } from "./game.js";
import { AdviceService, type SuggestDecisionResponse } from "./gen/referee/v1/advice_pb.js";
import {
  type CheckDecisionResponse,
  Decision,
  type UltimateTexasEvent,
  type UltimateTexasOutcome,
  type UltimateTexasRound,
  UltimateTexasService,
  type UltimateTexasServiceAcceptEventResponse,
} from "./gen/referee/v1/ultimate_texas_pb.js";
import { ResumableRound } from "./resuming.js";

/** A decision by its value or its name: CHECK, PLAY_4X, PLAY_3X, PLAY_2X, PLAY_1X, FOLD, LEAVE. */
export type Choice = Decision | Exclude<keyof typeof Decision, "UNSPECIFIED">;

/** The types of Ultimate Texas Hold'em. */
export type UltimateTexasTypes = TypesOf<
  typeof UltimateTexasService,
  UltimateTexasEvent,
  UltimateTexasRound,
  UltimateTexasOutcome
>;

const { method } = UltimateTexasService;

/** The messages and methods of Ultimate Texas Hold'em. */
export const ULTIMATE_TEXAS = gameOf<UltimateTexasTypes>("ultimate_texas", UltimateTexasService, ({ decision }) => ({
  kind: "DECIDE",
  decision: Decision[decision],
}));

/** A round of Ultimate Texas Hold'em. `decide` opens what the closed street opens. */
export class UltimateTexasGame extends ResumableRound<UltimateTexasTypes> {
  /** Check a decision without making it: its violations and the round's state. */
  async check(seat: number, choice: Choice): Promise<CheckDecisionResponse> {
    const event = { seat, decision: readDecision(choice) };
    return this.askRound(method.checkDecision, { round: this.message, event });
  }

  /**
   * What each of the seat's decisions is worth, exactly, from its hand and the open board alone. On
   * a sealed table the seat's hand is the one that `openHand` opened.
   */
  async suggest(seat: number): Promise<SuggestDecisionResponse> {
    const own = this.own.get(seat);
    const certificates = [...this.message.certificates, ...(own ? [own.certificate] : [])];
    const round = { ...this.message, certificates };
    return this.session.line.ask(AdviceService.method.suggestDecision, { round, seat });
  }

  /** Submit a decision, such as `"PLAY_4X"`. */
  async decide(seat: number, choice: Choice): Promise<UltimateTexasServiceAcceptEventResponse> {
    return this.acceptEvent(this.event({ seat, decision: readDecision(choice) }));
  }
}

function readDecision(choice: Choice): Decision {
  return typeof choice === "string" ? Decision[choice] : choice;
}
