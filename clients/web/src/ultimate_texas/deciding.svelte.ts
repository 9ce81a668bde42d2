/** A seat's decisions against the house, and what each is worth where it asks. */

import { attending } from "../connection/attending.svelte";
import { connection } from "../connection/connection.svelte";
import { ask } from "../connection/gateway";
import { makeMove } from "../connection/signing";
import { Trying } from "../connection/trying.svelte";
import { decideChoice } from "./choices";
import type { Decision, Worth } from "./messages";

/** What each decision of a sealed seat is worth, as the referee itself answers. */
interface ProtoAdvice {
  readonly options?: readonly { readonly decision: string; readonly valueMinor?: string }[];
}

export class Deciding extends Trying {
  advice = $state.raw<{ readonly of: string; readonly worth: readonly Worth[] } | null>(null);

  get #moment(): string {
    const { round_id, ultimate_texas } = this.round();
    return `${round_id}.${ultimate_texas?.street ?? ""}`;
  }

  /** What decisions are worth on this street; empty where nobody asked. */
  get worth(): readonly Worth[] {
    return this.advice?.of === this.#moment ? this.advice.worth : [];
  }

  async decide(decision: Decision): Promise<void> {
    await this.try(() => makeMove("decide", this.round, { decision }, decideChoice(decision)));
  }

  async suggest(): Promise<void> {
    await this.try(async () => {
      const of = this.#moment;
      this.advice = { of, worth: await this.#ask() };
    });
  }

  async #ask(): Promise<readonly Worth[]> {
    const { round_id, header, certificates = [], events = [], receipt = "", you } = this.round();
    const { signatures = [] } = this.round();
    const { hand } = attending;
    const gateway = connection.welcome?.gateway;
    if (hand?.roundId !== round_id || gateway == null) {
      return connection.suggestions<"ultimate_texas">(round_id);
    }
    const round = { header, certificates: [hand.certificate, ...certificates], events, receipt, signatures };
    const request = { round, seat: you ?? 0 };
    const { options = [] } = await ask<ProtoAdvice>(gateway, "AdviceService/SuggestDecision", request);
    return options
      .map(({ decision, valueMinor = "0" }) => ({
        decision: decision.replace("DECISION_", ""),
        value_minor: Number(valueMinor),
      }))
      .sort((one, other) => other.value_minor - one.value_minor);
  }
}
