/** What page and table server say to one another, as far as this page reads it. */

import type { Card } from "../cards/card";
import type { Text } from "../words/say";

export type Game = "mau_binh" | "tien_len" | "ultimate_texas";
export type Phase = "LOBBY" | "BINDING" | "SEEDING" | "PLAYING" | "OPENING" | "SHOWDOWN";
export type Decision = "CHECK" | "PLAY_4X" | "PLAY_3X" | "PLAY_2X" | "PLAY_1X" | "FOLD";
export type Names = Record<string, Record<string, Text>>;

/** A row of a paytable. */
export interface Pay {
  readonly hand: string;
  readonly odds: string;
}

export interface Ruleset {
  readonly id: string;
  readonly version: string;
  readonly digest: string;
  readonly game: Game;
  readonly title: Text;
  readonly min_seats: number;
  readonly max_seats: number;
  readonly bet_unit_minor: number;
  readonly can_seal: boolean;
  readonly round_ms: { readonly shortest: number; readonly longest: number };
  readonly names: Names;
  readonly blind_pays?: readonly Pay[];
  readonly trips_pays?: readonly Pay[];
}

export interface LogKeys {
  readonly origin: string;
  readonly log_key: string;
  readonly root_key: string;
}

export interface Welcome {
  readonly type: "welcome";
  readonly protocol: number;
  readonly server: string;
  readonly time: number;
  readonly person: string;
  readonly gateway: string | null;
  readonly log: LogKeys;
  readonly room: string | null;
  readonly rulesets: readonly Ruleset[];
  readonly stakes: readonly number[];
}

export interface ListedRoom {
  readonly room: string;
  readonly ruleset: string;
  readonly stake_minor: number;
  readonly sealed: boolean;
  readonly phase: Phase;
  readonly persons: readonly string[];
  readonly free_seats: number;
}

export interface Lobby {
  readonly type: "lobby";
  readonly time: number;
  readonly rooms: readonly ListedRoom[];
}

export interface Person {
  readonly person: string;
  readonly name: string;
  readonly is_bot: boolean;
  readonly is_away: boolean;
  readonly is_ready: boolean;
  readonly is_seated: boolean;
  readonly score_minor: number;
  readonly kick_time?: number;
  readonly ante_minor?: number;
  readonly trips_minor?: number;
}

export interface Seat {
  readonly person: string;
  readonly name: string;
  readonly is_bot: boolean;
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
}

export interface TienLen {
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

export interface Round {
  readonly number: number;
  readonly table: string;
  readonly round_id: string;
  readonly header?: unknown;
  readonly seats: readonly Seat[];
  readonly you: number | null;
  readonly server_commitment?: string;
  readonly dealt_time?: number;
  readonly bound?: readonly number[];
  readonly seeded?: readonly number[];
  readonly hand?: readonly Card[] | null;
  readonly certificates?: readonly string[];
  readonly events?: readonly unknown[];
  readonly receipt?: string;
  readonly mau_binh?: MauBinh;
  readonly tien_len?: TienLen;
  readonly ultimate_texas?: UltimateTexas;
}

export interface HandValue {
  readonly category: string;
  readonly name: Text;
}

export interface SeatResult extends Seat {
  readonly net_minor: number;
  readonly winner?: boolean;
  readonly cards?: readonly Card[];
  readonly arrangement?: Arrangement;
  readonly values?: readonly HandValue[];
  readonly fouled?: boolean;
  readonly defaulted?: boolean;
  readonly instant_win?: string;
  readonly instant_win_name?: Text;
  readonly left?: readonly Card[];
  readonly hole?: readonly Card[];
  readonly best?: readonly Card[];
  readonly value?: HandValue;
  readonly result?: string;
  readonly play_multiple?: number;
}

export interface Transfer {
  readonly payer: number;
  readonly payee: number;
  readonly amount_minor: number;
  readonly reason: string;
  readonly reason_name?: Text;
  readonly subject?: string;
  readonly subject_name?: Text;
}

export interface Proof {
  readonly leaf_index: number;
  readonly leaf_hash: string;
  readonly bundle: string;
  readonly is_revealed: boolean;
}

/** A finished round. */
export interface Last {
  readonly number: number;
  readonly table: string;
  readonly round_id: string;
  readonly time: number;
  readonly end: "SETTLED" | "ABORTED" | "GIVEN_UP";
  readonly reason?: string;
  readonly missing?: readonly number[];
  readonly abort_time?: number;
  readonly seats?: readonly SeatResult[];
  readonly transfers?: readonly Transfer[];
  readonly house_net_minor?: number;
  readonly house?: readonly Card[];
  readonly board?: readonly Card[];
  readonly house_best?: readonly Card[];
  readonly house_value?: HandValue;
  readonly house_qualified?: boolean;
  readonly ending?: string;
  readonly ending_name?: Text;
  readonly showdown?: Showdown;
  readonly proof?: Proof;
}

export interface ReplayEvent extends Partial<Combination> {
  readonly time: number;
  readonly seat: number;
  readonly action: "ARRANGE" | "COMMIT" | "PLAY" | "PASS" | "DECIDE" | "TIMEOUT" | "LEAVE";
  readonly arrangement?: Arrangement;
  readonly decision?: string;
}

export interface Replay extends Last {
  readonly hands?: readonly (readonly Card[])[];
  readonly leader?: number;
  readonly events: readonly ReplayEvent[];
}

export interface View {
  readonly type: "view";
  readonly room: string;
  readonly version: number;
  readonly time: number;
  readonly ruleset: string;
  readonly stake_minor: number;
  readonly currency: string;
  readonly sealed: boolean;
  readonly phase: Phase;
  readonly deadline: number | null;
  readonly referee: "REACHED" | "AWAY";
  readonly persons: readonly Person[];
  readonly you: string;
  readonly round: Round | null;
  readonly last: Last | null;
}

export interface Violation {
  readonly code: string;
  readonly text: Text;
  readonly seat?: number;
  readonly cards?: readonly Card[];
  readonly against?: readonly Card[];
}

export interface Refused {
  readonly type: "refused";
  readonly id: string;
  readonly code: string;
  readonly text: Text;
  readonly violations?: readonly Violation[];
  readonly is_retryable?: boolean;
}

export interface Notice {
  readonly code: string;
  readonly text: Text;
}

export type Message =
  | Welcome
  | Lobby
  | View
  | Refused
  | { readonly type: "done"; readonly id: string; readonly result: unknown }
  | { readonly type: "pong"; readonly sent: number; readonly time: number }
  | ({ readonly type: "notice" } & Notice)
  | ({ readonly type: "goodbye" } & Notice);
