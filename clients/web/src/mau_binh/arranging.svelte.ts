/**
 * A seat's thirteen cards while they are being arranged: the place of each, the referee's verdict and suggestions, and
 * whether they lie as they were handed in. The rules are asked for, never worked out here.
 */

import { announce } from "../announcing";
import { type Card, byRank, bySuit } from "../cards/card";
import { attending } from "../connection/attending.svelte";
import { arrangementCommitment } from "../connection/binding";
import { clock } from "../connection/clock.svelte";
import { connection, type RefusedError } from "../connection/connection.svelte";
import type { AskedRound } from "../connection/gateway";
import { keep, randomHex, recallOrDraw } from "../connection/keepsakes";
import { makeMove } from "../connection/signing";
import { Trying } from "../connection/trying.svelte";
import type { Round } from "../connection/messages";
import { broken, pick } from "../words/say";
import { arrangementOf } from "./arrangement";
import { arrangeChoice, commitChoice } from "./choices";
import type { Checked, SuggestedArrangement } from "./messages";
import { checkSealed, suggestSealed } from "./sealed";
import { say } from "./words";

const CALM = 140; // ms without a change before the referee is asked
const DRAFT_CALM = 900; // ms without a change before the arrangement is handed in as a draft
const SHORT_OF_TIME = 6_000; // ms before the deadline, from which a draft is handed in at once

type Suggested = Pick<SuggestedArrangement, "arrangement"> & Partial<SuggestedArrangement>;

export class Arranging extends Trying {
  places = $state.raw<readonly Card[]>([]);
  /** Whether the cards were ever moved: before that there is nothing to warn of. */
  isTouched = $state(false);
  /** Whether a foul waits for the player's word. */
  isAsking = $state(false);
  suggested = $state.raw<{ at: number; all: readonly Suggested[] }>({ at: -1, all: [] });

  /** The places that were checked, joined, and the answer. */
  #answer = $state.raw<(Checked & { readonly of: string }) | null>(null);
  /** The last arrangement that the table server has, and whether it is final. */
  #handed = $state.raw({ cards: "", isFinal: false, isSigned: true });

  #timer: ReturnType<typeof setTimeout> | undefined;
  #drafting: ReturnType<typeof setTimeout> | undefined;
  #checking: Promise<void> = Promise.resolve();
  #asked = 0;
  #isFoul = false;
  #isSigning = false;
  /** What is being handed in, one after the other. */
  #sending: Promise<unknown> = Promise.resolve();

  /** The cards start as they were last handed in, here or in another tab, else as dealt. */
  constructor(hand: readonly Card[], present: () => Round | null) {
    super(present);
    const { round_id, mau_binh } = this.round();
    const shared = mau_binh?.arrangement;
    const bound = recallOrDraw(round_id).bound[mau_binh?.commitment ?? ""]?.cards;
    const handed = shared ? [...shared.back, ...shared.middle, ...shared.front] : bound;
    this.#handed = {
      cards: handed?.join() ?? "",
      isFinal: mau_binh?.is_final ?? handed !== undefined,
      isSigned: false,
    };
    this.places = handed ?? hand;
    this.isTouched = this.places.join() !== hand.join();
    this.#check();
  }

  /** What the referee says of the cards as they lie now; null until it has. */
  get checked(): Checked | null {
    return this.#answer?.of === this.places.join() ? this.#answer : null;
  }

  get isHandedIn(): boolean {
    return this.#handed.isFinal && this.#handed.cards === this.places.join();
  }

  /** Whether the table server has the cards as they lie, handed in or as a draft. */
  get isKept(): boolean {
    return this.#handed.cards === this.places.join();
  }

  get isFouled(): boolean {
    return this.checked?.violations.some(({ code }) => code.startsWith("FOULED")) ?? false;
  }

  /** The cards lie so from now on. They are handed in as a draft once they rest, so that they count at the deadline. */
  set(places: readonly Card[]): void {
    this.places = places;
    this.isTouched = true;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#check(), CALM);
    this.#draftSoon();
  }

  sort(by: "rank" | "suit"): void {
    this.set((by === "rank" ? byRank : bySuit)(this.places));
    announce(say(by === "rank" ? "sortedByRank" : "sortedBySuit"));
  }

  /** Takes the next of the referee's suggestions. */
  async suggest(): Promise<void> {
    await this.try(async () => {
      if (this.suggested.all.length === 0) {
        this.suggested = { at: -1, all: await this.#askSuggestions() };
      }
      const { at, all } = this.suggested;
      const next = all[(at + 1) % all.length];
      if (next !== undefined) {
        this.suggested = { at: (at + 1) % all.length, all };
        const { back, middle, front } = next.arrangement;
        this.set([...back, ...middle, ...front]);
        if (next.value_names !== undefined) {
          this.#answer = { violations: [], value_names: next.value_names, of: this.places.join() };
        }
      }
    });
  }

  /** Hands in the cards as they lie. They can be changed until the time is up. A known foul is asked about first. */
  async handIn({ isAsked = false } = {}): Promise<void> {
    await this.try(async () => {
      if (this.checked === null) {
        clearTimeout(this.#timer);
        this.#check();
        await this.#checking;
      }
      if (this.isFouled && !isAsked) {
        this.isAsking = true;
        return;
      }
      this.isAsking = false;
      await this.#send(true);
      announce(say("handedIn"));
    });
  }

  /**
   * Signs what was handed in without a signature; asked for as soon as it becomes an event. That may be before the answer
   * to what was handed in: what this page has said last is known only then.
   */
  async signNow(): Promise<void> {
    if (!this.#isSigning) {
      this.#isSigning = true;
      await this.#sending.catch(() => undefined);
      if (this.#handed.cards !== "") {
        await this.#send(this.isHandedIn).catch(() => undefined);
      }
      this.#isSigning = false;
    }
  }

  #draftSoon(): void {
    clearTimeout(this.#drafting);
    if (this.round().mau_binh?.hand_in_time === undefined) {
      return;
    }
    const left = (connection.view?.phase_end_time ?? Infinity) - clock.now;
    const send = (): void => void this.#send(false).catch(() => undefined);
    this.#drafting = setTimeout(send, left < SHORT_OF_TIME ? 0 : DRAFT_CALM);
  }

  #send(isFinal: boolean): Promise<void> {
    clearTimeout(this.#drafting);
    const cards = this.places;
    const sent = this.#sending.catch(() => undefined).then(() => this.#handOver(cards, isFinal));
    this.#sending = sent;
    return sent;
  }

  async #handOver(cards: readonly Card[], isFinal: boolean): Promise<void> {
    const { round_id } = this.round();
    const isSigned = this.round().mau_binh?.takes_signed ?? true;
    const isKept = this.#handed.cards === cards.join();
    const isSent = isKept && (this.#handed.isFinal || !isFinal) && (this.#handed.isSigned || !isSigned);
    if (isSent || (!isFinal && connection.view?.phase !== "PLAYING")) {
      return;
    }
    if (attending.hand?.roundId === round_id) {
      await this.#commit(cards, isFinal, isSigned);
    } else {
      const arrangement = arrangementOf(cards);
      const fields = { is_final: isFinal, ...arrangement };
      const choice = isSigned ? arrangeChoice(arrangement) : null;
      await makeMove("arrange", this.round, fields, choice);
    }
    this.#handed = { cards: cards.join(), isFinal, isSigned };
  }

  async #commit(cards: readonly Card[], isFinal: boolean, isSigned: boolean): Promise<void> {
    const { round_id, you } = this.round();
    const kept = recallOrDraw(round_id);
    const former = Object.values(kept.bound).find((one) => one.cards.join() === cards.join());
    const nonce = former?.nonce ?? randomHex();
    const commitment = arrangementCommitment(round_id, you ?? 0, cards, nonce);
    keep(round_id, { ...kept, bound: { ...kept.bound, [commitment]: { cards, nonce } } });
    const choice = isSigned ? commitChoice(commitment) : null;
    await makeMove("commit", this.round, { commitment, is_final: isFinal }, choice);
  }

  protected override wordsOf({ text }: RefusedError): string {
    return pick(text);
  }

  async #askSuggestions(): Promise<readonly Suggested[]> {
    const round = this.round();
    const sealed = this.#sealed(round);
    if (sealed !== null) {
      return suggestSealed(sealed.gateway, sealed.round, round.you ?? 0);
    }
    return connection.suggestions<"mau_binh">(round.round_id);
  }

  /** What questions about a sealed hand are asked with; null where the hand is open. */
  #sealed(round: Round): { gateway: string; round: AskedRound } | null {
    const { hand } = attending;
    const gateway = connection.welcome?.gateway;
    if (hand?.roundId !== round.round_id || gateway == null) {
      return null;
    }
    return { gateway, round: { header: round.header, certificates: [hand.certificate] } };
  }

  #check(): void {
    this.#asked += 1;
    const asked = this.#asked;
    const round = this.round();
    const sealed = this.#sealed(round);
    const of = this.places.join();
    const answer: Promise<Checked> =
      sealed === null
        ? connection.command("check", { round_id: round.round_id, ...arrangementOf(this.places) })
        : checkSealed(sealed.gateway, sealed.round, round.you ?? 0, arrangementOf(this.places));
    this.#checking = answer
      .then((checked) => {
        if (asked === this.#asked) {
          const wasFouled = this.#isFoul;
          this.#answer = { ...checked, of };
          this.#isFoul = this.isFouled;
          if (this.isFouled && !wasFouled && this.isTouched) {
            announce(broken(checked.violations));
          }
        }
      })
      .catch(() => undefined);
  }
}
