/**
 * Requests about a round, which name its message where the server read the very same one before. `round.proto` has what a
 * server makes of that: it saves bytes and work and changes no answer.
 */

import {
  create,
  type DescMessage,
  type DescMethodUnary,
  equals,
  type MessageInitShape,
  type MessageShape,
} from "@bufbuild/protobuf";
import { taggedHash, u8, unhex } from "referee-verifier/protocol";
import { NotReadyError } from "./errors.js";
import { courseOf } from "./events.js";
import type { GameMethods, GameTypes } from "./game.js";
import { type RoundCourse, RoundCourseSchema } from "./gen/referee/v1/round_pb.js";
import type { SeatSecrets } from "./secrets.js";
import type { Session } from "./session.js";
import { RoundState } from "./state.js";
import type { Terms } from "./terms.js";

/** A round that asks a server. */
export class AskingRound<Types extends GameTypes> extends RoundState<Types> {
  protected readonly session: Session;
  /** The name of the round message that the server has read last, so that it may remember it. */
  #read: RoundCourse | undefined;

  constructor(session: Session, game: GameMethods<Types>, terms: Terms, secrets: readonly SeatSecrets[]) {
    super(game, terms, secrets);
    this.session = session;
  }

  /**
   * Ask about a round by the name of its message if the server read the same message before, and whole otherwise,
   * or once the server has answered that it does not remember the message.
   */
  protected async askRound<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I> & { readonly round: Types["round"] },
  ): Promise<MessageShape<O>> {
    const { line, abridging } = this.session;
    const course = this.#nameOf(request.round);
    if (course !== undefined && this.#read !== undefined && isSame(course, this.#read) && abridging.isOn()) {
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
    this.#read = course;
    return answer;
  }

  /** Note that the server has read the round as it is now, with the event that it accepted. */
  protected noteRead(): void {
    this.#read = this.#nameOf(this.message);
  }

  /** What names the round in a request. */
  protected get place(): { round: { tableId: string; roundNumber: bigint } } {
    return { round: { tableId: this.table, roundNumber: BigInt(this.number) } };
  }

  /** The name of a round message; undefined before the deal, where it has no course. */
  #nameOf(round: Types["round"]): RoundCourse | undefined {
    const root = this.leaves.deal?.placed.value.deck_root;
    if (root === undefined) {
      return undefined;
    }
    const { start, links } = courseOf(this.game, this.roundId, unhex(root), round.events);
    const history = links[links.length - 1]?.history ?? start;
    const content = contentHash(round, this.terms.seats);
    return create(RoundCourseSchema, { ...this.place, history, content });
  }
}

function isSame(one: RoundCourse, other: RoundCourse): boolean {
  return equals(RoundCourseSchema, one, other);
}

/** What a round message says beside its header and events. */
export interface RoundContent {
  readonly certificates: readonly Uint8Array[];
  readonly receipt?: Uint8Array | undefined;
  /** By seat; empty where no seat has a signature. */
  readonly signatures: readonly Uint8Array[];
}

/** The content of a round message, by which it is named: as secret as the certificates in it. */
export function contentHash({ certificates, receipt, signatures }: RoundContent, seats: number): Uint8Array {
  const empty = new Uint8Array();
  const bySeat = signatures.length === 0 ? Array<Uint8Array>(seats).fill(empty) : signatures;
  return taggedHash("content", u8(certificates.length), ...certificates, receipt ?? empty, ...bySeat);
}
