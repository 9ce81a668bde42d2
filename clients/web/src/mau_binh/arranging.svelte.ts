/**
 * A seat's thirteen cards while they are being arranged: the place of each, the referee's verdict and suggestions, and
 * whether they lie as they were handed in. The rules are asked for, never worked out here.
 */

import { announce } from "../announcing";
import { type Card, byRank, bySuit } from "../cards/card";
import { attending } from "../connection/attending.svelte";
import { arrangementCommitment } from "../connection/binding";
import { connection, RefusedError } from "../connection/connection.svelte";
import { checkSealed, fromProtoArrangement, suggestSealed } from "../connection/gateway";
import { keep, randomHex, recallOrDraw } from "../connection/keepsakes";
import type { Arrangement, HandValue, Round, Violation } from "../connection/messages";
import { pick, say } from "../words/say";
import { cardsOf } from "./arrangement";

const CALM = 140; // ms without a change before the referee is asked

interface Checked {
  readonly violations: readonly Violation[];
  readonly values: readonly HandValue[];
}

interface Suggestion {
  readonly arrangement: Arrangement;
  readonly expected_minor?: number;
}

const draftPlace = (roundId: string): string => `referee.draft.${roundId}`;

export class Arranging {
  places = $state.raw<readonly Card[]>([]);
  checked = $state.raw<Checked | null>(null);
  handedIn = $state("");
  busy = $state(false);
  trouble = $state("");
  suggested = $state.raw<{ at: number; all: readonly Suggestion[] }>({ at: -1, all: [] });

  readonly #round: () => Round;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #asked = 0;

  /** The cards start as they were handed in or left off, else as dealt. */
  constructor(hand: readonly Card[], round: () => Round) {
    this.#round = round;
    const { round_id, mau_binh } = round();
    const submitted = mau_binh?.arrangement;
    const bound = recallOrDraw(round_id).bound[mau_binh?.commitment ?? ""]?.cards;
    const handed = submitted ? [...submitted.back, ...submitted.middle, ...submitted.front] : bound;
    this.handedIn = handed?.join() ?? "";
    this.places = draftOf(round_id, hand) ?? handed ?? hand;
    this.#check();
  }

  get arrangement(): Arrangement {
    return {
      back: cardsOf(this.places, "BACK"),
      middle: cardsOf(this.places, "MIDDLE"),
      front: cardsOf(this.places, "FRONT"),
    };
  }

  get isHandedIn(): boolean {
    return this.handedIn === this.places.join();
  }

  get isFouled(): boolean {
    return this.checked?.violations.some(({ code }) => code.startsWith("FOULED")) ?? false;
  }

  set(places: readonly Card[]): void {
    this.places = places;
    try {
      sessionStorage.setItem(draftPlace(this.#round().round_id), places.join());
    } catch {
      // Without it a reloaded page starts from the cards as dealt.
    }
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#check(), CALM);
  }

  sort(by: "rank" | "suit"): void {
    this.set((by === "rank" ? byRank : bySuit)(this.places));
    announce(say(by === "rank" ? "sortedByRank" : "sortedBySuit"));
  }

  /** Takes the next of the referee's suggestions. */
  async suggest(): Promise<void> {
    await this.#try(async () => {
      if (this.suggested.all.length === 0) {
        this.suggested = { at: -1, all: await this.#askSuggestions() };
      }
      const { at, all } = this.suggested;
      const next = all[(at + 1) % all.length];
      if (next !== undefined) {
        this.suggested = { at: (at + 1) % all.length, all };
        const { back, middle, front } = next.arrangement;
        this.set([...back, ...middle, ...front]);
      }
    });
  }

  /** Hands in the cards as they lie. They can be changed until the time is up. */
  async handIn(): Promise<void> {
    const cards = this.places;
    await this.#try(async () => {
      const { round_id } = this.#round();
      if (attending.hand?.roundId === round_id) {
        await this.#commit(cards);
      } else {
        await connection.command("arrange", { round_id, ...this.arrangement });
      }
      this.handedIn = cards.join();
      announce(say("handedIn"));
    });
  }

  async #commit(cards: readonly Card[]): Promise<void> {
    const { round_id, you } = this.#round();
    const kept = recallOrDraw(round_id);
    const nonce = randomHex();
    const commitment = arrangementCommitment(round_id, you ?? 0, cards, nonce);
    keep(round_id, { ...kept, bound: { ...kept.bound, [commitment]: { cards, nonce } } });
    await connection.command("commit", { round_id, commitment });
  }

  async #try(act: () => Promise<void>): Promise<void> {
    this.busy = true;
    this.trouble = "";
    try {
      await act();
    } catch (error) {
      this.trouble = error instanceof RefusedError ? pick(error.text) : say("refereeSilent");
      announce(this.trouble);
    } finally {
      this.busy = false;
    }
  }

  async #askSuggestions(): Promise<readonly Suggestion[]> {
    const round = this.#round();
    const sealed = this.#sealed(round);
    if (sealed !== null) {
      const all = await suggestSealed(sealed.gateway, sealed.round, round.you ?? 0);
      return all.map(({ arrangement }) => ({ arrangement: fromProtoArrangement(arrangement) }));
    }
    const fields = { round_id: round.round_id };
    return (await connection.command<{ suggestions: Suggestion[] }>("suggest", fields)).suggestions;
  }

  /** What questions about a sealed hand are asked with; null where the hand is open. */
  #sealed(
    round: Round,
  ): { gateway: string; round: { header: unknown; certificates: string[] } } | null {
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
    const round = this.#round();
    const sealed = this.#sealed(round);
    const answer: Promise<Checked> =
      sealed === null
        ? connection.command<Checked>("check", { round_id: round.round_id, ...this.arrangement })
        : checkSealed(sealed.gateway, sealed.round, round.you ?? 0, this.arrangement).then(
            ({ violations = [], values = [] }) => ({ violations, values }),
          );
    answer
      .then((checked) => {
        if (asked === this.#asked) {
          const wasFouled = this.isFouled;
          this.checked = checked;
          if (this.isFouled && !wasFouled) {
            announce(checked.violations.map(({ text }) => pick(text)).join(" "));
          }
        }
      })
      .catch(() => {
        this.checked = null;
      });
  }
}

function draftOf(roundId: string, hand: readonly Card[]): readonly Card[] | null {
  try {
    const cards = sessionStorage.getItem(draftPlace(roundId))?.split(",") ?? [];
    return [...cards].sort().join() === [...hand].sort().join() ? cards : null;
  } catch {
    return null;
  }
}
