/**
 * Requests about a round, which name it by its course where the server read the very same round before. `round.proto`
 * has what a server makes of that: it saves bytes and work and changes no answer.
 */

import {
  create,
  type DescMessage,
  type DescMethodUnary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from "@bufbuild/protobuf";
import { hex, unhex } from "referee-verifier/protocol";
import { NotReadyError } from "./errors.js";
import { courseOf } from "./events.js";
import type { GameMethods, GameTypes } from "./game.js";
import type { SeatSecrets } from "./secrets.js";
import type { Session } from "./session.js";
import { RoundState } from "./state.js";
import type { Terms } from "./terms.js";

/** What a round message says: r_n of its course, and all that the course does not cover. */
interface Identity {
  readonly history: Uint8Array;
  readonly text: string;
}

/** A round that asks a server. */
export class AskingRound<Types extends GameTypes> extends RoundState<Types> {
  protected readonly session: Session;
  /** The round that the server has read last, so that it may remember it. */
  #read: string | undefined;

  constructor(session: Session, game: GameMethods<Types>, terms: Terms, secrets: readonly SeatSecrets[]) {
    super(game, terms, secrets);
    this.session = session;
  }

  /**
   * Ask about a round by its course if the server read the same round before, and whole otherwise,
   * or once the server has answered that it does not remember the round.
   */
  protected async askRound<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I> & { readonly round: Types["round"] },
  ): Promise<MessageShape<O>> {
    const { line, abridging } = this.session;
    const identity = this.#identityOf(request.round);
    if (identity !== undefined && identity.text === this.#read && abridging.isOn()) {
      const course = { ...this.place, history: identity.history };
      try {
        const short = { ...request, round: create(this.game.round, { course } as never) };
        const answer = await line.ask(method, short as MessageInitShape<I>);
        abridging.note({ isKnown: true });
        return answer;
      } catch (error) {
        if (!(error instanceof NotReadyError && error.reason === "ROUND_UNKNOWN")) {
          throw error;
        }
        abridging.note({ isKnown: false });
      }
    }
    const answer = await line.ask(method, request);
    this.#read = identity?.text;
    return answer;
  }

  /** Note that the server has read the round as it is now, with the event that it accepted. */
  protected noteRead(): void {
    this.#read = this.#identityOf(this.message)?.text;
  }

  /** What names the round in a request. */
  protected get place(): { round: { tableId: string; roundNumber: bigint } } {
    return { round: { tableId: this.table, roundNumber: BigInt(this.number) } };
  }

  /** What a round message says; undefined before the deal, where it has no course. */
  #identityOf(round: Types["round"]): Identity | undefined {
    const root = this.leaves.deal?.placed.value.deck_root;
    if (root === undefined) {
      return undefined;
    }
    const { start, links } = courseOf(this.roundId, unhex(root), round.events);
    const history = links[links.length - 1]?.history ?? start;
    const rest = toBinary(this.game.round, { ...round, events: [] });
    return { history, text: `${hex(history)} ${hex(rest)}` };
  }
}
