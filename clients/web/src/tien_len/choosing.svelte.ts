/** The cards that a seat has picked up, and which legal play they are. What is legal is given by the referee. */

import { announce } from "../announcing";
import { type Card, numberOf } from "../cards/card";
import { connection } from "../connection/connection.svelte";
import { type Choice, makeMove } from "../connection/signing";
import { Trying } from "../connection/trying.svelte";
import { pick } from "../words/say";
import type { Combination } from "./messages";
import { say } from "./words";

const key = (cards: readonly Card[]): string => [...cards].sort().join();

export class Choosing extends Trying {
  chosen = $state.raw<readonly Card[]>([]);
  advice = $state("");

  get #plays(): readonly Combination[] {
    return this.round().tien_len?.legal?.plays ?? [];
  }

  /** The legal play that the chosen cards are, if they are one. */
  get play(): Combination | undefined {
    const chosen = key(this.chosen);
    return this.#plays.find(({ cards }) => key(cards) === chosen);
  }

  get mayPass(): boolean {
    return this.round().tien_len?.legal?.may_pass ?? false;
  }

  /** The cards that could still join the chosen ones in a legal play. */
  get lit(): ReadonlySet<Card> {
    const fitting = this.#plays.filter(({ cards }) => this.chosen.every((card) => cards.includes(card)));
    return new Set(fitting.flatMap(({ cards }) => cards));
  }

  toggle(card: Card): void {
    this.trouble = this.advice = "";
    this.chosen = this.chosen.includes(card) ? this.chosen.filter((one) => one !== card) : [...this.chosen, card];
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
    this.advice = "";
    await this.try(async () => {
      const { round_id } = this.round();
      const [best] = await connection.suggestions<"tien_len">(round_id);
      this.chosen = best?.cards ?? [];
      const what = best?.action === "PLAY" ? pick(best.name) : say("advisePass");
      this.advice = [what, pick(best?.reasons[0]?.text)].filter((part) => part !== "").join(": ");
      announce(this.advice);
    });
  }

  async handIn(): Promise<void> {
    const cards = this.chosen;
    await this.#move("play", { cards }, { kind: "PLAY", cards: cards.map(numberOf) });
  }

  async pass(): Promise<void> {
    await this.#move("pass", {}, { kind: "PASS" });
  }

  async #move(name: string, fields: object, choice: Choice): Promise<void> {
    this.advice = "";
    await this.try(async () => {
      await makeMove(name, this.round, fields, choice);
      this.chosen = [];
    });
  }
}
