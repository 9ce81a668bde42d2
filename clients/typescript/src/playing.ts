/**
 * The course of a round: events accepted and signed, and a course taken over from elsewhere. One receipt, the newest,
 * speaks for all events up to its own, and each seat's newest signature for all of that seat's. The hashes that they
 * sign are computed here.
 */

import { create, fromBinary, toBinary } from "@bufbuild/protobuf";
import { type Course, encode, isSignature, NO_KEY, unhex } from "referee-verifier/protocol";
import { BadRequestError, RoundLapsesError, VerificationError } from "./errors.js";
import { choiceMembers, courseOf, eventBytes, isTimeout } from "./events.js";
import type { GameTypes } from "./game.js";
import { OpeningRound, refusing } from "./opening.js";
import { isRefused } from "./repeating.js";
import type { Unanswered } from "./state.js";
import { present, same } from "./terms.js";
import { verified } from "./trust.js";

/** A round as it is played. */
export class PlayedRound<Types extends GameTypes> extends OpeningRound<Types> {
  /** The answer to the event that is under way; a round has one at a time. */
  #last: Promise<unknown> = Promise.resolve();

  /** The state of the round and what settling now would pay; nothing is signed or written. */
  async preview(): Promise<Types["preview"]> {
    return (await this.askRound(this.game.preview, { round: this.message })) as Types["preview"];
  }

  /** Whether the round is over, so that `settle` settles it. */
  async isOver(): Promise<boolean> {
    return (await this.preview()).outcome !== undefined;
  }

  /**
   * Let an event's own seat sign it: its `seen` is set, and the signature returned. Empty for a seat without a key in
   * this client, and for a TIMEOUT. AlreadySignedError where the seat has signed another event that was never answered.
   */
  sign(event: Types["event"]): Uint8Array {
    const chain = this.chains.get(event.seat);
    if (chain === undefined || isTimeout(this.game, event)) {
      return new Uint8Array();
    }
    this.#show(this.course, event.seat);
    const { seen, move } = chain.next(this.#choiceOf(event));
    event.seen = seen;
    return this.secretsOf(event.seat).sign(move);
  }

  /**
   * Submit an event, signed by its seat if that has a key; keep it if the referee accepts it. A
   * `signature` is for a seat that keeps its key elsewhere, which has set `event.seen` too. Where
   * `violations` say that the event breaks a rule, nothing has happened. Cards that its receipt opens
   * lie open in `hands` and `board`. Calls of one round wait for one another.
   *
   * An event that is not answered is sent again for the client's `timeoutMs`, such as while a server starts again: an
   * equal event is harmless, since only the receipt that is answered counts. Then the error is thrown, and the event is
   * sent again before any other one and before the settlement. Where it is too late for it by then, it is reported with
   * the time at which it was first sent, and the answer has no receipt; if the rules forbid that, the round lapses.
   */
  async acceptEvent(event: Types["event"], signature?: Uint8Array): Promise<Types["accepted"]> {
    return this.#inTurn(() => this.#accept(event, signature));
  }

  /** The round so far in binary form, for `adopt` of another client or of a later start. */
  saved(): Uint8Array {
    return toBinary(this.game.round, this.message);
  }

  /**
   * Take over a round so far, as `saved` of this frontend or of another one wrote it. Its certificates, receipt and
   * signatures are verified, and each seat of this client is shown the course.
   */
  async adopt(saved: Uint8Array): Promise<void> {
    const given = fromBinary(this.game.round, saved) as Types["round"];
    same("the header", given.header, this.headerMessage);
    const { start } = this.course;
    const course = courseOf(this.game, this.roundId, this.deckRoot, given.events);
    same("the start of the course", course.start, start);
    const received = course.newestReceived;
    if (received > 0) {
      const receipt = await this.receipted(present(given.receipt, "receipt"), course);
      same("the number of the newest receipt", receipt.number, received);
    }
    for (const [seat, key] of this.header.seat_keys.entries()) {
      const move = course.moves.get(seat);
      const signature = given.signatures[seat] ?? new Uint8Array();
      if (move !== undefined && (key === NO_KEY || !isSignature(signature, move, unhex(key)))) {
        throw new VerificationError(`the events of seat ${seat} are not signed by its key`);
      }
    }
    const opened = new Set(this.unsealed.values());
    for (const certificate of given.certificates) {
      await this.takeCertificate(certificate);
    }
    for (const [at, link] of course.links.entries()) {
      this.clock.compare("EVENT", Number(link.time), 0, at + 1);
    }
    for (const time of new Set(this.unsealed.values())) {
      if (!opened.has(time)) {
        this.clock.compare("UNSEAL", time);
      }
    }
    const { certificates } = this.message;
    if (received > 0) {
      const { seat, isSigned, isLast } = course.moverOf(received);
      const signature = isSigned ? (given.signatures[seat] ?? new Uint8Array()) : new Uint8Array();
      if (isLast || !isSigned) {
        this.keepReceipted(course, received, present(given.receipt, "receipt"), signature);
      }
    }
    this.unopened = undefined;
    this.message = given;
    this.message.certificates = certificates;
    for (const seat of this.chains.keys()) {
      this.#show(course, seat);
    }
  }

  /** The course in a round that `saved` wrote. */
  protected courseOf(saved: Uint8Array): Course {
    const { events } = fromBinary(this.game.round, saved) as Types["round"];
    return courseOf(this.game, this.roundId, this.deckRoot, events);
  }

  /** Send again what was sent and not answered, after the event under way and before anything else. */
  protected async sendUnanswered(): Promise<void> {
    await this.#inTurn(async () => {
      await this.openLeft();
      if (this.unanswered !== undefined) {
        await this.#sendAgain(this.unanswered);
      }
    });
  }

  /** A RoundLapsesError where going on could contradict a receipt that was given. */
  protected requireGoing(event?: Types["event"]): void {
    if (this.lapses !== "") {
      throw new RoundLapsesError(this.lapses);
    }
    if (event !== undefined && this.isPartial && isTimeout(this.game, event)) {
      throw new RoundLapsesError(
        `the round was resumed without a journal, so seat ${event.seat} may have a receipt for its move`,
      );
    }
  }

  /** Note that the round can only lapse, and why. */
  protected lapse(why: string): void {
    this.lapses = `${why}; the round lapses at its deadline, ${this.header.round_deadline}`;
  }

  /** Do work on the course after all that was begun before. */
  #inTurn<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const done = this.#last.catch(() => undefined).then(work);
    this.#last = done;
    return done;
  }

  async #accept(event: Types["event"], given?: Uint8Array): Promise<Types["accepted"]> {
    this.requireGoing(event);
    const choice = this.#choiceTextOf(event);
    const unopened = this.unopened;
    await this.openLeft();
    if (unopened?.choice === choice) {
      return unopened.answer;
    }
    const sent = this.unanswered;
    if (sent !== undefined && this.#choiceTextOf(sent.event) === choice) {
      return this.#sendAgain(sent);
    }
    if (sent !== undefined && (sent.event.seat !== event.seat || !this.chains.has(event.seat))) {
      await this.#sendAgain(sent);
      this.requireGoing(event);
    }
    const isNew = this.chains.get(event.seat)?.pending === undefined;
    const signature = given ?? this.sign(event);
    this.unanswered = { event, signature, sentTime: Date.now() };
    await this.keepSafe();
    return this.#sendNew(this.unanswered, isNew);
  }

  /** Submit an event until it is answered; where it is refused at once and is `isNew`, its seat may sign another. */
  async #sendNew(sent: Unanswered<Types["event"]>, isNew: boolean): Promise<Types["accepted"]> {
    let answer: Types["accepted"];
    try {
      answer = await this.#send(sent);
    } catch (error) {
      if (this.session.repeating.isAsking(error)) {
        return this.#sendAgain(sent);
      }
      if (isRefused(error)) {
        await this.#forget(sent.event, isNew);
      }
      throw error;
    }
    if (answer.eventNumber === undefined) {
      await this.#forget(sent.event, isNew || this.#isJudged(sent.event, answer));
    }
    await this.openLeft();
    return answer;
  }

  /** Submit an event and take it into the course if it is accepted. */
  async #send({ event, signature }: Unanswered<Types["event"]>): Promise<Types["accepted"]> {
    const request = { round: this.message, event, signature };
    const asked = Date.now();
    const answer = (await this.askRound(this.game.accept, request)) as Types["accepted"];
    if (answer.eventNumber === undefined) {
      return answer;
    }
    const accepted = present(answer.event, "event");
    same("the accepted event", eventBytes(this.game, accepted), eventBytes(this.game, event));
    same("the event's number", answer.eventNumber, this.course.number + 1);
    const events = [...this.message.events, accepted];
    const course = courseOf(this.game, this.roundId, this.deckRoot, events);
    const envelope = present(answer.receipt, "receipt");
    const receipt = await this.receipted(envelope, course);
    same("the number in the receipt", receipt.number, answer.eventNumber);
    same("the section in the receipt", receipt.opensSection, answer.opensSection);
    this.message.receipt = envelope;
    this.keepReceipted(course, receipt.number, envelope, signature);
    this.clock.eventSent = asked;
    this.clock.compare("EVENT", Number(accepted.time), asked, receipt.number);
    await this.#take(accepted, signature);
    this.noteRead();
    if (receipt.opensSection !== undefined) {
      this.unopened = { choice: this.#choiceTextOf(event), answer };
    }
    return answer;
  }

  /**
   * Submit an unanswered event again, until it is answered. Where its time has passed by now, it may have a receipt all
   * the same: it is reported with the time at which it was sent, or the round lapses. A refused call frees no seat.
   */
  async #sendAgain(sent: Unanswered<Types["event"]>): Promise<Types["accepted"]> {
    const answer = await this.session.repeating.untilAnswered(() => this.#send(sent));
    if (answer.eventNumber !== undefined) {
      await this.openLeft();
      return answer;
    }
    if (!isTooLate(answer)) {
      await this.#forget(sent.event, this.#isJudged(sent.event, answer));
      return answer;
    }
    const reported = await this.#report(sent);
    if (reported === undefined) {
      const seat = `a move of seat ${sent.event.seat} was sent, its answer was lost`;
      this.lapse(`${seat}, and it is too late to send it again`);
    }
    this.unanswered = undefined;
    await this.keepSafe();
    return reported ?? answer;
  }

  async #report(sent: Unanswered<Types["event"]>): Promise<Types["accepted"] | undefined> {
    const links = this.course.links;
    const newest = Number(links[links.length - 1]?.time ?? 0);
    const time = Math.max(sent.sentTime, newest, this.dealtTime, ...this.unsealed.values());
    const event = { ...sent.event, received: false, time: BigInt(time) } as Types["event"];
    const signatures = this.#signaturesWith(event, sent.signature);
    const round = { ...this.message, events: [...this.message.events, event], signatures };
    try {
      const preview = await this.askRound(this.game.preview, { round });
      if ((preview as Types["accepted"]).violations.length > 0) {
        return undefined;
      }
    } catch (error) {
      if (error instanceof BadRequestError) {
        return undefined; // an event that needs the referee's own clock
      }
      throw error;
    }
    await this.#take(event, sent.signature);
    const said = { event, eventNumber: this.message.events.length };
    return create(this.game.accept.output, said as never) as unknown as Types["accepted"];
  }

  /** Append an event to the course, and record that before anyone sees it. */
  async #take(event: Types["event"], signature: Uint8Array): Promise<void> {
    this.message.signatures = this.#signaturesWith(event, signature);
    this.message.events.push(event);
    if (this.chains.has(event.seat)) {
      this.#show(this.course, event.seat);
    }
    this.unanswered = undefined;
    await this.keepSafe();
  }

  #signaturesWith(event: Types["event"], signature: Uint8Array): Uint8Array[] {
    const { signatures } = this.message;
    if (signature.length === 0) {
      return signatures;
    }
    return this.header.seat_keys.map((_, seat) => {
      return seat === event.seat ? signature : (signatures[seat] ?? new Uint8Array());
    });
  }

  #show(course: Course, seat: number): void {
    refusing(() => this.chains.get(seat)?.show(course, this.message.signatures[seat]));
  }

  /** Send a refused event no more, and let its seat sign another one in its place if `isFree`. */
  async #forget(event: Types["event"], isFree: boolean): Promise<void> {
    this.unanswered = undefined;
    if (isFree && !isTimeout(this.game, event)) {
      this.chains.get(event.seat)?.forget();
    }
    await this.keepSafe();
  }

  /** The members of a seat's choice, without what the seat had seen. */
  #choiceOf(event: Types["event"]): Record<string, unknown> {
    return verified("an event", () => choiceMembers(this.game, event));
  }

  #choiceTextOf(event: Types["event"]): string {
    return encode(this.#choiceOf(event));
  }

  /**
   * Whether violations show that an event can never have been accepted: the rules refuse it on the very course on which
   * it was signed, and not for the time, so that they refused it each time that it was sent.
   */
  #isJudged({ seen }: Types["event"], answer: Types["accepted"]): boolean {
    return seen === this.course.number && !isTooLate(answer);
  }
}

/** Whether a refusal says that an event's time has passed: it may have been accepted before. */
function isTooLate({ violations }: { violations: readonly { code: string }[] }): boolean {
  return violations.some(({ code }) => code === "DEADLINE_PASSED");
}
