/**
 * Rounds gone on with after a crash: from the journal's record, or from what the log and the players hold. With a
 * record, what was under way is sent again: OPEN, the event whose answer was lost, the opening of cards. Without one,
 * events may be missing for which the referee gave receipts, so nothing is settled that could leave one out.
 */

import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { hex, roundIdOf } from "referee-verifier/protocol";
import { NotReadyError, RefereeError } from "./errors.js";
import type { GameTypes } from "./game.js";
import { type GetTableRoundResponse, LogService, RoundStage } from "./gen/referee/v1/log_pb.js";
import { RoundHeaderSchema } from "./gen/referee/v1/round_pb.js";
import { encodeRecord, type RoundRecord } from "./record.js";
import { isRefused } from "./repeating.js";
import { Round } from "./round.js";
import type { Session } from "./session.js";
import { readHeader, whichRound } from "./terms.js";

/** A round that another process can go on with. */
export class ResumableRound<Types extends GameTypes> extends Round<Types> {
  #record: RoundRecord | undefined;
  /** Whether the journal's record is not taken over yet, so that nothing may replace it. */
  #isRestoring = false;

  /** Go on with a recorded round; false if it never came into the log and cannot any more. */
  async resumeRecorded(record: RoundRecord): Promise<boolean> {
    const { origin } = await this.session.believed();
    this.#restore(record);
    if (this.header.origin !== origin) {
      const { origin: its } = this.header;
      throw new Error(`the journal's round is of the log ${its}, and this server's is ${origin}`);
    }
    if ((await loggedRound(this.session, this.table, this.number)) === undefined) {
      try {
        await this.open();
      } catch (error) {
        if (isRefused(error)) {
          return false;
        }
        throw error;
      }
    }
    const logged = await loggedRound(this.session, this.table, this.number);
    if (logged === undefined || hex(logged.roundId) !== hex(this.roundId)) {
      return false;
    }
    await this.join(this.number);
    if (this.leaves.deal !== undefined) {
      await this.#takeRecorded(record);
    }
    this.#isRestoring = false;
    await this.keepSafe();
    return true;
  }

  /** Go on with a round of which the log and the players hold all that is left. */
  async resumeLogged(number: number, held: readonly Uint8Array[]): Promise<void> {
    this.isPartial = true;
    await this.join(number);
    if (this.stage === "OPENED") {
      if (this.secrets.size === 0) {
        await this.#abortUnseeded();
      }
      return;
    }
    await this.deal();
    if (this.leaves.unseals.length > 0) {
      this.lapse("cards were opened to a course of which nothing is recorded");
    } else {
      await this.#takeHeld(held);
    }
    await this.keepSafe();
  }

  protected override async keepSafe(): Promise<void> {
    const { journal } = this.session;
    if (journal === undefined || this.headerMessage === undefined || this.#isRestoring) {
      return;
    }
    const { unanswered } = this;
    const sent = unanswered && {
      event: toBinary(this.game.event, unanswered.event),
      signature: unanswered.signature,
      sentTime: unanswered.sentTime,
    };
    const record: RoundRecord = {
      terms: this.terms,
      header: toBinary(RoundHeaderSchema, this.headerMessage),
      secrets: this.ownSecrets,
      commitments: this.commitments,
      tokens: this.tokens,
      seeds: this.seeds,
      seedSignatures: this.seedSignatures,
      message: this.saved(),
      chains: new Map([...this.chains].map(([seat, chain]) => [seat, chain.save()])),
      openedHands: [...this.own.keys()],
      arrangements: this.arrangements,
      unanswered: sent ?? null,
      lapses: this.lapses,
      isPartial: this.isPartial,
      clockDifferences: this.clock.differences,
      receiptedEvents: this.receiptedEvents,
    };
    await journal.save(this.table, this.number, encodeRecord(record));
  }

  protected override savedChain(seat: number): string | undefined {
    return this.#record?.chains.get(seat);
  }

  #restore(record: RoundRecord): void {
    [this.#record, this.#isRestoring] = [record, true];
    const message = fromBinary(RoundHeaderSchema, record.header);
    [this.headerMessage, this.message.header] = [message, message];
    this.known = readHeader(message);
    this.id = roundIdOf(this.known);
    [this.commitments, this.tokens] = [record.commitments, record.tokens];
    this.isCommitted = true;
    [this.seeds, this.seedSignatures] = [record.seeds, record.seedSignatures];
    for (const [seat, cards] of record.arrangements) {
      this.arrangements.set(seat, cards);
    }
    [this.lapses, this.isPartial] = [record.lapses, record.isPartial];
    this.clock.differences.push(...record.clockDifferences);
    this.receiptedEvents.push(...record.receiptedEvents);
    this.unanswered = record.unanswered
      ? { ...record.unanswered, event: fromBinary(this.game.event, record.unanswered.event) }
      : undefined;
  }

  /** Take the recorded course; send again what was under way, which an ended round does not need. */
  async #takeRecorded(record: RoundRecord): Promise<void> {
    const hasEnded = this.stage !== "DEALT";
    await this.deal();
    if (fromBinary(this.game.round, record.message).certificates.length > 0) {
      await this.adopt(record.message);
    }
    this.#isRestoring = false;
    if (hasEnded) {
      this.unanswered = undefined;
    }
    try {
      await this.#openNewest();
      for (const seat of record.openedHands) {
        await this.openHand(seat);
      }
      await this.sendUnanswered();
    } catch (error) {
      if (!isRefused(error)) {
        throw error;
      }
      if (!hasEnded) {
        this.lapse(`what was under way is refused by now: ${(error as RefereeError).message}`);
      }
    }
  }

  /** Take the longest course that the players hold; the round lapses where two contradict. */
  async #takeHeld(held: readonly Uint8Array[]): Promise<void> {
    const courses = held.map((saved, place) => {
      try {
        return { saved, place, course: this.courseOf(saved) };
      } catch (error) {
        throw heldError(place, error);
      }
    });
    courses.sort((one, other) => one.course.number - other.course.number);
    for (const { saved, place, course } of courses) {
      const { number, links } = this.course;
      const newest = links[number - 1]?.eventHash ?? course.start;
      if (hex(course.hashAt(number)) !== hex(newest)) {
        this.lapse(`two of the courses that players hold differ at event ${number}`);
        return;
      }
      if (course.number > 0) {
        try {
          await this.adopt(saved);
        } catch (error) {
          throw error instanceof RefereeError ? error : heldError(place, error);
        }
      }
    }
    await this.#openNewest();
  }

  /** Open the cards that the newest receipt opens, unless they lie open. */
  async #openNewest(): Promise<void> {
    if (this.message.receipt !== undefined) {
      const { opensSection } = await this.receipted(this.message.receipt, this.course);
      if (opensSection !== undefined && !this.sections.has(opensSection)) {
        await this.openSection();
      }
    }
  }

  /** Abort the round unless a seat's seed was received: then other seats may still give theirs. */
  async #abortUnseeded(): Promise<void> {
    try {
      await this.abort();
    } catch (error) {
      if (!(error instanceof NotReadyError && error.reason === "SEEDS_RECEIVED")) {
        throw error;
      }
    }
  }
}

function heldError(place: number, error: unknown): RangeError {
  const what = `held[${place}] is no course of this round that its receipt proves, leave it out`;
  return new RangeError(`${what}: ${String(error)}`);
}

/** A table's round as the log has it, 0 for its latest; undefined if there is none. */
export async function loggedRound(
  { line }: Session,
  table: string,
  number: number,
): Promise<GetTableRoundResponse | undefined> {
  try {
    return await line.ask(LogService.method.getTableRound, whichRound(table, number));
  } catch (error) {
    if (error instanceof NotReadyError && error.reason === "NOT_OPENED") {
      return undefined;
    }
    throw error;
  }
}

/** Whether a round of the log has ended. */
export function hasEnded({ stage }: GetTableRoundResponse): boolean {
  return ![RoundStage.OPENED, RoundStage.DEALT].includes(stage);
}
