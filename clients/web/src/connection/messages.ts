/**
 * What page and table server say to one another, as far as this page reads it. The folder of a game adds the members that
 * are its own.
 */

import type { Card } from "../cards/card";
import type { Text } from "../words/say";

/** Name of a game, which is also its folder's and its member's of a round. */
export type Game = string;
export type Phase = "LOBBY" | "BINDING" | "SEEDING" | "PLAYING" | "OPENING" | "SHOWDOWN" | "ENDING";
export type Names = Record<string, Record<string, Text>>;

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
}

export interface LogKeys {
  readonly origin: string;
  readonly log_key: string;
  readonly root_key: string;
}

export interface Welcome {
  readonly type: "welcome";
  readonly server: string;
  readonly time: number;
  readonly person: string;
  readonly gateway: string | null;
  readonly log: LogKeys;
  readonly rulesets: readonly Ruleset[];
  readonly stakes: readonly number[];
}

/** A hand that wins at the deal. */
export interface InstantWin {
  readonly seat: number;
  readonly name: Text;
  readonly cards: readonly Card[];
}

/** Has a seat; will have one in the next round; watches. */
export type Place = "SEAT" | "WAITING" | "WATCHING";

/** What a link to a room leads to. */
export interface Preview {
  readonly room: string;
  readonly ruleset: string;
  readonly stake_minor: number;
  readonly sealed: boolean;
  readonly persons: readonly string[];
  /** Seats that a person would get now: bots give way. */
  readonly open_seats: number;
}

/** What a person outside every room is sent in the place of a view. */
export interface Lobby {
  readonly type: "lobby";
  readonly time: number;
}

export interface Person {
  readonly person: string;
  readonly name: string;
  readonly is_bot: boolean;
  readonly is_away: boolean;
  readonly is_ready: boolean;
  readonly place: Place;
  readonly score_minor: number;
  /** When the person sits out unless it is ready before; left out without a clock. */
  readonly sit_out_time?: number;
}

export interface Seat {
  readonly person: string;
  readonly name: string;
  readonly key?: string;
}

/** What a seat with a key is shown of the round's events, to sign its own on. */
export interface SeatCourse {
  readonly deck_root: string;
  readonly is_whole: boolean;
  readonly events: readonly {
    readonly event: string;
    readonly time: number;
    readonly received: boolean;
  }[];
  readonly signature?: string;
  readonly receipt?: string;
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
  readonly signatures?: readonly string[];
  readonly course?: SeatCourse;
}

export interface SeatResult extends Seat {
  readonly net_minor: number;
  readonly winner?: boolean;
  readonly instant_win_name?: Text;
  /** The name of its hand, in a game with one hand a seat. */
  readonly value_name?: Text;
  readonly result?: string;
}

export interface Transfer {
  readonly payer: number;
  readonly payee: number;
  readonly amount_minor: number;
  readonly reason: string;
  readonly reason_name?: Text;
  readonly subject_name?: Text;
}

export interface Proof {
  readonly leaf_index: number;
  readonly leaf_hash: string;
  readonly bundle: string;
}

/** A finished round. */
export interface Last {
  readonly number: number;
  readonly table: string;
  readonly round_id: string;
  readonly time: number;
  readonly end: "SETTLED" | "ABORTED" | "GIVEN_UP";
  readonly reason?: string;
  /** The seats at fault for a round that was aborted. */
  readonly fault?: readonly number[];
  readonly seats?: readonly SeatResult[];
  readonly transfers?: readonly Transfer[];
  readonly instant_wins?: readonly InstantWin[];
  readonly house_net_minor?: number;
  readonly ending?: string;
  readonly ending_name?: Text;
  readonly proof?: Proof;
}

export interface ReplayEvent {
  readonly seat: number;
  readonly action: string;
  readonly name?: Text;
  readonly cards?: readonly Card[];
  /** Whether its cards begin a pile of their own. */
  readonly leads?: boolean;
  /** What a seat bound itself to, face down. */
  readonly commitment?: string;
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
  readonly sealed: boolean;
  readonly phase: Phase;
  /** When the phase ends by the server's clock; null for one without a clock. */
  readonly phase_end_time: number | null;
  readonly referee: "REACHED" | "AWAY";
  readonly persons: readonly Person[];
  readonly you: string;
  readonly round: Round | null;
  readonly last: Last | null;
}

export interface Violation {
  readonly code: string;
  readonly text: Text;
}

export interface Refused {
  readonly type: "refused";
  readonly id: string;
  readonly code: string;
  readonly text: Text;
  readonly violations?: readonly Violation[];
  /** For developers: the referee's own reason, and what is wrong with the command. */
  readonly reason?: string;
  readonly detail?: string;
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

/** The answer to a command that only does something. */
export interface Done {}

/** The answer to a command that takes a person to a room. */
export interface Entered {
  readonly room: string;
  readonly place: Place;
}

/** The answer to a move: the number of its event, the referee's receipt, and the file that proves it. */
export interface Receipted {
  readonly number: number;
  readonly receipt: string;
  readonly round_id: string;
  /** The file that proves the move; left out while the events before it are secret. */
  readonly kept?: string;
}

/** One of a game's suggestions, by the game's name. The folder of a game adds its own. */
export interface Suggestions {}

/** What the table server answers to a command, by its name. The folder of a game adds its own commands. */
export interface Results {
  readonly create: Entered;
  readonly preview: Preview;
  readonly join: Entered;
  readonly leave: Done;
  readonly ready: Done;
  readonly sit_out: Done;
  readonly add_bot: Done;
  readonly remove_bot: Done;
  readonly bind: Done;
  readonly seed: Done;
  readonly skip: Done;
  /** Best first. */
  readonly suggest: { readonly suggestions: readonly Suggestions[keyof Suggestions][] };
  readonly history: { readonly rounds: readonly Last[] };
  readonly replay: Replay;
}

/** The answer to a command; unknown for one that no folder describes. */
export type ResultOf<Name extends string> = Name extends keyof Results ? Results[Name] : unknown;
