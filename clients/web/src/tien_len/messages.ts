/** What messages show of Tiến Lên. */

import type { Card } from "../cards/card";
import type { InstantWin } from "../connection/messages";
import type { Text } from "../words/say";

export interface Combination {
  readonly name: Text;
  readonly cards: readonly Card[];
}

export interface TrickAction extends Partial<Combination> {
  readonly seat: number;
  readonly action: "PLAY" | "PASS" | "TIMEOUT" | "LEAVE";
  /** Whose play this one chopped, and the price without the rest of a chain. */
  readonly chops?: {
    readonly seat: number;
    readonly cards: readonly Card[];
    readonly name: Text;
    readonly amount_minor: number;
  };
}

export interface TienLen {
  readonly instant_wins?: readonly InstantWin[];
  readonly turn?: number | null;
  /** The name of the combination to beat; null for the seat that leads. */
  readonly to_beat: Text | null;
  readonly cards_left: readonly number[];
  readonly passed: readonly number[];
  readonly gone: readonly number[];
  readonly trick: readonly TrickAction[];
  readonly last_trick: readonly TrickAction[];
  readonly played: readonly Card[];
  readonly legal?: { readonly plays: readonly Combination[]; readonly may_pass: boolean } | null;
}

/** A suggested play or pass, and why. */
export interface SuggestedPlay extends Partial<Combination> {
  readonly action: "PLAY" | "PASS";
  readonly reasons: readonly { readonly text: Text }[];
}

declare module "../connection/messages" {
  interface Suggestions {
    readonly tien_len: SuggestedPlay;
  }
  interface Results {
    readonly play: Receipted;
    readonly pass: Receipted;
  }
  interface Round {
    readonly tien_len?: TienLen;
  }
  interface SeatResult {
    readonly left?: readonly Card[];
  }
  interface Last {
    /** The last trick. */
    readonly trick?: readonly TrickAction[];
  }
  interface ReplayEvent extends Partial<Combination> {
    readonly chops?: TrickAction["chops"];
  }
}
