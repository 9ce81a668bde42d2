/** A seat's decisions against the house, and what each is worth where it asks. */

import { announce } from "../announcing";
import { attending } from "../connection/attending.svelte";
import { connection, RefusedError } from "../connection/connection.svelte";
import { makeMove } from "../connection/signing";
import type { Round } from "../connection/messages";
import { broken, pick, say } from "../words/say";
import { decideChoice } from "./choices";
import type { Decision } from "./messages";
import { adviseSealed } from "./sealed";

/** Best first. */
interface Worth {
  readonly decision: string;
  readonly value_minor: number;
}

export class Deciding {
  busy = $state(false);
  trouble = $state("");
  advice = $state.raw<{ readonly of: string; readonly worth: readonly Worth[] } | null>(null);

  readonly #round: () => Round;

  constructor(round: () => Round) {
    this.#round = round;
  }

  get #moment(): string {
    const { round_id, ultimate_texas } = this.#round();
    return `${round_id}.${ultimate_texas?.street ?? ""}`;
  }

  /** What decisions are worth on this street; empty where nobody asked. */
  get worth(): readonly Worth[] {
    return this.advice?.of === this.#moment ? this.advice.worth : [];
  }

  async decide(decision: Decision): Promise<void> {
    await this.#try(async () => {
      await makeMove("decide", this.#round, { decision }, decideChoice(decision));
    });
  }

  async suggest(): Promise<void> {
    await this.#try(async () => {
      const of = this.#moment;
      this.advice = { of, worth: await this.#ask() };
    });
  }

  async #ask(): Promise<readonly Worth[]> {
    const { round_id, header, certificates = [], events = [], receipt = "", you } = this.#round();
    const { signatures = [] } = this.#round();
    const { hand } = attending;
    const gateway = connection.welcome?.gateway;
    if (hand?.roundId !== round_id || gateway == null) {
      return (await connection.command<{ suggestions: Worth[] }>("suggest", { round_id }))
        .suggestions;
    }
    const round = {
      header,
      certificates: [hand.certificate, ...certificates],
      events,
      receipt,
      signatures,
    };
    const { options = [] } = await adviseSealed(gateway, round, you ?? 0);
    return options
      .map(({ decision, valueMinor = "0" }) => ({
        decision: decision.replace("DECISION_", ""),
        value_minor: Number(valueMinor),
      }))
      .sort((one, other) => other.value_minor - one.value_minor);
  }

  async #try(act: () => Promise<void>): Promise<void> {
    this.busy = true;
    this.trouble = "";
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
