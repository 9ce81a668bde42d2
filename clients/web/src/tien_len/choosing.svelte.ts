/** The cards that a seat has picked up, and which legal play they are. What is legal is given by the referee. */

import { announce } from "../announcing";
import type { Card } from "../cards/card";
import { connection, RefusedError } from "../connection/connection.svelte";
import { makeMove } from "../connection/signing";
import type { Round } from "../connection/messages";
import { broken, pick, say, type Text } from "../words/say";
import { PASS, playChoice } from "./choices";
import type { Combination } from "./messages";

interface Suggestion extends Partial<Combination> {
  readonly action: "PLAY" | "PASS";
  readonly reasons: readonly { readonly text: Text }[];
}

const key = (cards: readonly Card[]): string => [...cards].sort().join();

export class Choosing {
  chosen = $state.raw<readonly Card[]>([]);
  busy = $state(false);
  trouble = $state("");
  advice = $state("");

  readonly #round: () => Round;

  constructor(round: () => Round) {
    this.#round = round;
  }

  get #plays(): readonly Combination[] {
    return this.#round().tien_len?.legal?.plays ?? [];
  }

  /** The legal play that the chosen cards are, if they are one. */
  get play(): Combination | undefined {
    const chosen = key(this.chosen);
    return this.#plays.find(({ cards }) => key(cards) === chosen);
  }

  get mayPass(): boolean {
    return this.#round().tien_len?.legal?.may_pass ?? false;
  }

  /** The cards that could still join the chosen ones in a legal play. */
  get lit(): ReadonlySet<Card> {
    const fitting = this.#plays.filter(({ cards }) =>
      this.chosen.every((card) => cards.includes(card)),
    );
    return new Set(fitting.flatMap(({ cards }) => cards));
  }

  toggle(card: Card): void {
    this.trouble = this.advice = "";
    this.chosen = this.chosen.includes(card)
      ? this.chosen.filter((one) => one !== card)
      : [...this.chosen, card];
    const { play } = this;
    if (play !== undefined) {
      announce(pick(play.name));
    }
  }

  clear(): void {
    this.chosen = [];
    this.trouble = this.advice = "";
  }

  /** Takes up the play that the referee thinks best, and says why. */
  async suggest(): Promise<void> {
    await this.#try(async () => {
      const { round_id } = this.#round();
      const answer = await connection.command<{ suggestions: Suggestion[] }>("suggest", {
        round_id,
      });
      const best = answer.suggestions[0];
      this.chosen = best?.cards ?? [];
      const what = best?.action === "PLAY" ? pick(best.name) : say("advisePass");
      this.advice = [what, pick(best?.reasons[0]?.text)].filter((part) => part !== "").join(": ");
      announce(this.advice);
    });
  }

  async handIn(): Promise<void> {
    await this.#try(async () => {
      const cards = this.chosen;
      await makeMove("play", this.#round, { cards }, playChoice(cards));
      this.chosen = [];
    });
  }

  async pass(): Promise<void> {
    await this.#try(async () => {
      await makeMove("pass", this.#round, {}, PASS);
      this.chosen = [];
    });
  }

  async #try(act: () => Promise<void>): Promise<void> {
    this.busy = true;
    this.trouble = this.advice = "";
    try {
      await act();
    } catch (error) {
      const refused = error instanceof RefusedError ? error : null;
      this.trouble =
        broken(refused?.violations ?? []) || pick(refused?.text) || say("refereeSilent");
      announce(this.trouble);
    } finally {
      this.busy = false;
    }
  }
}
