/**
 * A round of any game, from its terms to its revealed seed. A step is idempotent, so one whose answer was lost is asked
 * again. Each answer is compared with the request, with earlier answers and with the log. TypeScript has no law of the
 * games: what the rules make of the events is the referee's word, signed and logged, which `referee audit` replays.
 */

import { deriveDeal, encode, hex, StreamUsedUpError, type Transcript, unhex, utf8 } from "referee-verifier/protocol";
import { VerificationError } from "./errors.js";
import type { AnyOutcome, GameTypes, Outcomes } from "./game.js";
import type { Card } from "./gen/referee/v1/card_pb.js";
import { AbortReason, ShufflerService } from "./gen/referee/v1/shuffler_pb.js";
import type { Violation } from "./gen/referee/v1/violation_pb.js";
import { PlayedRound } from "./playing.js";
import { present, same } from "./terms.js";
import type { Proved } from "./trust.js";

const { method: shuffler } = ShufflerService;

/** A round that was settled, or `violations` that say why it was not; then all else is absent. */
export interface Settled<Outcome extends AnyOutcome> {
  /** Reasons why the round cannot be settled yet, in words for players; empty once it is. */
  readonly violations: readonly Violation[];
  /** The game's outcome, with `transfers` and `seats`; amounts in minor units. */
  readonly outcome?: Outcome;
  /** The SETTLE leaf, shown to be in the log. */
  readonly receipt?: Proved<"SETTLE">;
}

/** The server's seed, which is the one committed to, and all cards by section, dealt again from it. */
export interface Revealed {
  /** The server's seed; 32 bytes. */
  readonly serverSeed: Uint8Array;
  /** All cards by section: the hands in the order of the seats, then the board. */
  readonly sections: readonly (readonly Card[])[];
  /** The REVEAL leaf, shown to be in the log. */
  readonly receipt: Proved<"REVEAL">;
}

/** A round: `open`, `deal`, play, `settle`, `reveal`, in this order. */
export class Round<Types extends GameTypes> extends PlayedRound<Types> {
  /**
   * Settle the round. Its transcript is in the log and has the events sent from here; seeds, cards, signatures and
   * money hold together, as any verifier finds. Where the rules do not let it be settled yet, `violations` say why.
   */
  async settle(): Promise<Settled<Types["outcome"]>> {
    this.requireGoing();
    await this.sendUnanswered();
    this.requireGoing();
    await this.requireMoves();
    const asked = await this.askRound(this.game.settle, { round: this.message });
    const answer = asked as Outcomes<Types["outcome"]>;
    if (answer.violations.length > 0) {
      return { violations: answer.violations };
    }
    const outcome = present(answer.outcome, "outcome");
    const proved = await this.prove(answer.logReceipt, "SETTLE");
    this.#checkInputs(proved.placed.value);
    const paid = outcome.transfers.map(({ payer, payee, amountMinor, reason }) => {
      return { from: payer, to: payee, amount: Number(amountMinor), reason };
    });
    same("the transfers", paid, transfersOf(proved.placed.value));
    this.leaves.settle = proved;
    await this.examine();
    return { violations: [], outcome, receipt: proved };
  }

  /**
   * Abort the round. The operator may give it up until a seat's seed was received; after that it
   * ends by a deadline alone.
   */
  async abort(reason: AbortReason = AbortReason.OPERATOR): Promise<Proved<"ABORT">> {
    const answer = await this.session.line.ask(shuffler.abortRound, { ...this.place, reason });
    const proved = await this.prove(answer.logReceipt, "ABORT");
    this.leaves.abort = proved;
    await this.examine();
    return proved;
  }

  /** Reveal the server's seed of an ended round; its commitment and every known card hold. */
  async reveal(): Promise<Revealed> {
    const answer = await this.session.line.ask(shuffler.revealRound, this.place);
    const proved = await this.prove(answer.logReceipt, "REVEAL");
    const { server_seed: seed } = proved.placed.value;
    same("the revealed seed", answer.serverSeed, unhex(seed));
    this.leaves.reveal = proved;
    await this.examine();
    const sections = this.#dealtAgain(unhex(seed));
    await this.session.journal?.forget(this.table, this.number);
    return { serverSeed: unhex(seed), sections, receipt: proved };
  }

  /** A RoundLapsesError where a clock would play for a seat whose move may have been lost. */
  protected async requireMoves(): Promise<void> {
    await Promise.resolve(); // only Mau Binh settles without every seat's move
  }

  #dealtAgain(serverSeed: Uint8Array): readonly (readonly Card[])[] {
    if (this.leaves.deal === undefined) {
      return [];
    }
    const clientSeeds = this.dealt.placed.value.client_seeds.map((seed) => unhex(seed));
    try {
      const { deckRoot, sections } = deriveDeal(this.header, { serverSeed, clientSeeds });
      same("the deck root dealt again", hex(deckRoot), this.dealt.placed.value.deck_root);
      for (const [section, cards] of this.sections) {
        same(`section ${section} dealt again`, sections[section], cards);
      }
      return sections;
    } catch (error) {
      throw error instanceof StreamUsedUpError
        ? new VerificationError(`a round that was dealt is void: ${error.message}`)
        : error;
    }
  }

  /** Verify that a transcript's inputs are this round's, as it was dealt and played from here. */
  #checkInputs({ inputs }: Transcript): void {
    const { course, message } = this;
    for (const [section, cards] of inputs.sections.entries()) {
      same(`the settled section ${section}`, cards, this.sections.get(section) ?? cards);
    }
    const events = message.events.map(({ time, received }, at) => {
      const link = course.links[at];
      return [link && hex(link.event), Number(time), received ? 1 : 0];
    });
    const settled = inputs.events.map(({ event, time, received }) => [hex(utf8(encode(event))), time, received]);
    same("the events settled", settled, events);
    const signatures = this.header.seat_keys.map((_, seat) => hex(message.signatures[seat] ?? new Uint8Array()));
    same("the settled signatures", inputs.signatures, signatures);
    same("the number of the settled receipt", inputs.receipt?.number ?? 0, course.newestReceived);
    const unsealed = inputs.unsealed.map(({ sections, time }) => sections.map((section) => [section, time] as const));
    const opened = unsealed.reduce((all, more) => [...all, ...more], []);
    same("the settled openings", sorted(opened), sorted([...this.unsealed]));
  }
}

function sorted(pairs: readonly (readonly [number, number])[]): readonly (readonly number[])[] {
  return [...pairs].sort(([one], [other]) => one - other);
}

/** The transfers of a transcript's results, which the examination of its money has read already. */
function transfersOf({ results }: Transcript): unknown {
  const { transfers } = results as { transfers?: unknown };
  return (Array.isArray(transfers) ? transfers : []).map((one: Record<string, unknown>) => {
    return { from: one["from"], to: one["to"], amount: one["amount"], reason: one["reason"] };
  });
}
