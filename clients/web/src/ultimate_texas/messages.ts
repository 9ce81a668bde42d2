/** What messages show of Ultimate Texas Hold'em. */

import type { Card } from "../cards/card";
import type { Text } from "../words/say";

export type Decision = "CHECK" | "PLAY_4X" | "PLAY_3X" | "PLAY_2X" | "PLAY_1X" | "FOLD";

/** A row of a paytable. */
export interface Pay {
  readonly hand: string;
  readonly odds: string;
}

/** The smallest and largest bets, in minor units. */
export interface Limits {
  readonly smallest_ante: number;
  readonly largest_ante: number;
  readonly smallest_trips: number;
  readonly largest_trips: number;
}

export interface TexasSeat {
  readonly ante_minor: number;
  readonly blind_minor: number;
  readonly trips_minor: number;
  readonly play_multiple: number;
  readonly folded: boolean;
  readonly gone: boolean;
  readonly checked: boolean;
  readonly is_deciding: boolean;
}

export interface UltimateTexas {
  readonly street: "PREFLOP" | "FLOP" | "RIVER" | "SHOWDOWN";
  readonly board: readonly Card[];
  readonly house?: readonly Card[] | null;
  readonly hands?: readonly (readonly Card[])[] | null;
  readonly seats: readonly TexasSeat[];
  readonly legal?: readonly Decision[];
  /** The best hand of this seat's cards and the board, from the flop on; not in a sealed room. */
  readonly value?: { readonly category: string; readonly name: Text };
}

/** What a decision is worth on average. */
export interface Worth {
  readonly decision: string;
  readonly value_minor: number;
}

declare module "../connection/messages" {
  interface Suggestions {
    readonly ultimate_texas: Worth;
  }
  interface Results {
    readonly decide: Receipted;
  }
  interface Ruleset {
    readonly blind_pays?: readonly Pay[];
    readonly trips_pays?: readonly Pay[];
    readonly limits?: Limits;
  }
  interface Round {
    readonly ultimate_texas?: UltimateTexas;
  }
  interface SeatResult {
    readonly hole?: readonly Card[];
  }
  interface Last {
    readonly house?: readonly Card[];
    readonly board?: readonly Card[];
    readonly house_value_name?: Text;
    readonly house_qualified?: boolean;
  }
  interface ReplayEvent {
    readonly decision?: string;
    readonly street?: string;
  }
}
