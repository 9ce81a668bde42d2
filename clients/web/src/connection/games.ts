/** What views show of each game. */

import type { Card } from "../cards/card";
import type { Text } from "../words/say";

export type Decision = "CHECK" | "PLAY_4X" | "PLAY_3X" | "PLAY_2X" | "PLAY_1X" | "FOLD";

/** A hand that wins at the deal, sorted into what makes it. */
export interface InstantWin {
  readonly seat: number;
  readonly pattern: string;
  readonly name: Text;
  readonly units?: number;
  readonly groups: readonly (readonly Card[])[];
  readonly from_time?: number;
}

export interface Arrangement {
  readonly back: readonly Card[];
  readonly middle: readonly Card[];
  readonly front: readonly Card[];
}

export interface ShownHand {
  readonly seat: number;
  readonly cards: readonly Card[];
  readonly category: string;
  readonly name?: Text;
  readonly fouled: boolean;
  readonly gone: boolean;
  readonly units_won: number;
  readonly units_lost: number;
}

export interface ShownChi {
  readonly position: "BACK" | "MIDDLE" | "FRONT";
  readonly name: Text;
  readonly start_time: number;
  readonly seconds: number;
  readonly hands: readonly ShownHand[];
}

export interface ShownSummary {
  readonly seat: number;
  readonly chi_units: number;
  readonly added_units: number;
  readonly instant_win_units: number;
  readonly net_units: number;
  readonly net_minor: number;
  /** What the seat pays the house of what it won. */
  readonly commission_minor?: number;
  readonly instant_win?: string;
  readonly instant_win_name?: Text;
  readonly fouled: boolean;
  readonly winner: boolean;
}

export interface Showdown {
  readonly start_time: number;
  readonly summary_time: number;
  readonly chi: readonly ShownChi[];
  readonly summary: readonly ShownSummary[];
}

export interface MauBinh {
  readonly submitted: readonly boolean[];
  readonly gone: readonly boolean[];
  readonly arrangement?: Arrangement | null;
  readonly commitment?: string | null;
  readonly is_final?: boolean;
  /** By seat, whether an arrangement counts already, final or not. */
  readonly handed_in?: readonly boolean[];
  /** When drafts are handed in; absent where the table keeps none. */
  readonly hand_in_time?: number;
  readonly arrangements_left?: number;
  readonly takes_signed?: boolean;
  /** Whether what was handed in unsigned has to be signed now. */
  readonly sign_now?: boolean;
  readonly instant_wins?: readonly InstantWin[];
  readonly opened?: readonly boolean[];
  readonly hands?: readonly (readonly Card[])[] | null;
  readonly showdown?: Showdown | null;
}

export interface Combination {
  readonly kind: string;
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
  readonly leader: number;
  readonly to_beat?: (Combination & { readonly seat: number }) | null;
  readonly cards_left: readonly number[];
  readonly passed: readonly number[];
  readonly gone: readonly number[];
  readonly trick: readonly TrickAction[];
  readonly last_trick: readonly TrickAction[];
  readonly played: readonly Card[];
  readonly legal?: { readonly plays: readonly Combination[]; readonly may_pass: boolean } | null;
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
}
