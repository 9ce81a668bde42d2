/** What messages show of Mậu Binh. */

import type { Card } from "../cards/card";
import type { InstantWin, Receipted, Violation } from "../connection/messages";
import type { Text } from "../words/say";

export interface Arrangement {
  readonly back: readonly Card[];
  readonly middle: readonly Card[];
  readonly front: readonly Card[];
}

/** What one chi of a seat is called and brings it. */
export interface ComparedHand {
  readonly seat: number;
  readonly name?: Text;
  readonly fouled: boolean;
  readonly units_won: number;
  readonly units_lost: number;
}

export interface ShownHand extends ComparedHand {
  readonly cards: readonly Card[];
  readonly gone: boolean;
}

/** One chi of all seats, as a replay compares it. */
export interface ComparedChi {
  readonly position: "BACK" | "MIDDLE" | "FRONT";
  readonly name: Text;
  readonly hands: readonly ComparedHand[];
}

export interface ShownChi extends ComparedChi {
  readonly start_time: number;
  readonly seconds: number;
  readonly hands: readonly ShownHand[];
}

export interface ShownSummary {
  readonly seat: number;
  readonly added_units: number;
  readonly net_units: number;
  readonly net_minor: number;
  /** What the seat pays the house of what it won. */
  readonly commission_minor?: number;
  readonly fouled: boolean;
  readonly winner: boolean;
}

/**
 * The show: chi by chi at their times, then the sums until the phase ends. The sums begin with the end of the last chi, and
 * with the phase where no chi is shown.
 */
export interface Showdown {
  readonly chi: readonly ShownChi[];
  readonly summary: readonly ShownSummary[];
}

export interface MauBinh {
  readonly submitted: readonly boolean[];
  readonly gone: readonly boolean[];
  readonly arrangement?: Arrangement | null;
  readonly commitment?: string | null;
  readonly is_final?: boolean;
  /** When drafts are handed in; absent where the table keeps none. */
  readonly hand_in_time?: number;
  readonly takes_signed?: boolean;
  /** Whether what was handed in unsigned has to be signed now. */
  readonly sign_now?: boolean;
  /** The file that proves this seat's newest move, once all events may be seen. */
  readonly kept?: string;
  readonly instant_wins?: readonly InstantWin[];
  readonly opened?: readonly boolean[];
  readonly hands?: readonly (readonly Card[])[] | null;
  readonly showdown?: Showdown | null;
}

/** What the referee says of thirteen cards that are arranged. */
export interface Checked {
  readonly violations: readonly Violation[];
  /** Back, middle, front. */
  readonly value_names: readonly Text[];
}

/** A suggested arrangement. */
export interface SuggestedArrangement {
  readonly arrangement: Arrangement;
  readonly value_names: readonly Text[];
}

/** What was handed in: an event, or held back until it may be one. */
type HandedIn = { readonly is_held: boolean } | (Receipted & { readonly violations: readonly Violation[] });

declare module "../connection/messages" {
  interface Suggestions {
    readonly mau_binh: SuggestedArrangement;
  }
  interface Results {
    readonly arrange: HandedIn;
    readonly commit: HandedIn;
    readonly open: Receipted;
    readonly check: Checked;
  }
  interface Round {
    readonly mau_binh?: MauBinh;
  }
  interface SeatResult {
    readonly arrangement?: Arrangement;
    readonly value_names?: readonly Text[];
    readonly fouled?: boolean;
    readonly defaulted?: boolean;
  }
  interface Replay {
    readonly chi?: readonly ComparedChi[];
  }
  interface ReplayEvent {
    readonly arrangement?: Arrangement;
  }
}
