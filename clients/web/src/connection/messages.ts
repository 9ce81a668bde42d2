/**
 * What page and table server say to one another, as far as this page reads it. The folder of a game adds the members that
 * are its own.
 */

import type { Card } from "../cards/card";
import type { Text } from "../words/say";
import type { DeviceScores, ListedRoom, Members, OwnTable, Stats } from "./kept";

export type { ListedRoom } from "./kept";

/** Name of a game, which is also its folder's and its member's of a round. */
export type Game = string;
export type Phase = "LOBBY" | "BINDING" | "SEEDING" | "PLAYING" | "OPENING" | "SHOWDOWN";
/** How well bots play, and how long they think. */
export type BotLevel = "EASY" | "STEADY" | "STRONG";
export type BotPace = "QUICK" | "USUAL" | "SLOW";
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
  /** How this ruleset differs from the others of its game. */
  readonly differs?: Text;
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
  readonly protocol: number;
  readonly server: string;
  readonly time: number;
  readonly person: string;
  readonly gateway: string | null;
  readonly log: LogKeys;
  readonly room: string | null;
  readonly rulesets: readonly Ruleset[];
  readonly stakes: readonly number[];
  readonly phrases?: readonly Phrase[];
  readonly avatars?: readonly { code: string; symbol: string; text: Text }[];
}

/** A hand that wins at the deal, sorted into what makes it. */
export interface InstantWin {
  readonly seat: number;
  readonly pattern: string;
  readonly name: Text;
  readonly units?: number;
  readonly groups: readonly (readonly Card[])[];
  readonly from_time?: number;
}

/** What people may say to each other. */
export interface Phrase {
  readonly code: string;
  readonly kind: "PHRASE" | "EMOTE";
  readonly text: Text;
  readonly symbol?: string;
}

export type Place = "SEAT" | "WAITING" | "WATCHING";

/** Net of one pair of seats. */
export interface Pair {
  readonly payer: number;
  readonly payee: number;
  readonly amount_minor: number;
}

/** A screen of rules, ready to draw. */
export interface Rules {
  readonly ruleset: string;
  readonly differs?: Text;
  readonly sections: readonly {
    readonly code: string;
    readonly title: Text;
    readonly rows: readonly {
      readonly label: Text;
      readonly value: Text;
      readonly cards?: readonly Card[];
    }[];
  }[];
  /** Words of the game's players. */
  readonly terms: readonly { readonly code: string; readonly name: Text; readonly means: Text }[];
}

export interface Lobby {
  readonly type: "lobby";
  readonly time: number;
  readonly rooms: readonly ListedRoom[];
  /** The kept tables that this person is a member of. */
  readonly yours?: readonly OwnTable[];
  /** The room that this person was sent out of. */
  readonly back?: ListedRoom | null;
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
  readonly avatar?: string;
  readonly is_host?: boolean;
  readonly place?: Place;
  readonly is_auto_ready?: boolean;
  readonly is_sitting_out?: boolean;
  readonly said?: { readonly code: string; readonly time: number } | null;
  readonly stats?: Stats;
}

export interface Seat {
  readonly person: string;
  readonly name: string;
  readonly is_bot: boolean;
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

export interface HandValue {
  readonly category: string;
  readonly name: Text;
}

export interface SeatResult extends Seat {
  readonly net_minor: number;
  readonly winner?: boolean;
  readonly cards?: readonly Card[];
  readonly instant_win?: string;
  readonly instant_win_name?: Text;
  readonly hand?: readonly Card[];
  readonly value?: HandValue;
  readonly result?: string;
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
  readonly pairs?: readonly Pair[];
  readonly instant_wins?: readonly InstantWin[];
  readonly house_net_minor?: number;
  readonly ending?: string;
  readonly ending_name?: Text;
  readonly proof?: Proof;
}

export interface ReplayEvent {
  readonly time: number;
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
  readonly currency: string;
  readonly sealed: boolean;
  readonly phase: Phase;
  readonly deadline: number | null;
  readonly referee: "REACHED" | "AWAY";
  /** Until when a scene is shown: nobody is sent out and nothing is dealt before. */
  readonly scene_until?: number | null;
  readonly is_paused?: boolean;
  readonly bot_level?: BotLevel;
  readonly bot_pace?: BotPace;
  /** Until when a kept table stays without a round; null for a room that closes with its last person. */
  readonly kept_until?: number | null;
  readonly is_member?: boolean;
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

/** A choice of a seat, as an event of a replay has it, with the values of its groups of cards. */
export interface ReviewedMove extends Partial<ReplayEvent> {
  readonly values?: readonly HandValue[];
}

/** A choice beside the best one. */
export interface ReviewedChoice {
  readonly number: number;
  readonly own: ReviewedMove;
  readonly best: ReviewedMove;
  readonly cost_minor: number;
  readonly error_minor: number;
}

/** Where a seat lost. All but ``is_ready`` is left out until the advice has been made. */
export interface Review {
  readonly is_ready: boolean;
  readonly valued?: number;
  readonly cost_minor?: number;
  readonly choices?: readonly ReviewedChoice[];
}

/** What the table server answers to a command, by its name. The folder of a game adds its own commands. */
export interface Results {
  readonly create: Entered;
  readonly quick: Entered & { readonly is_new: boolean };
  readonly preview: ListedRoom;
  readonly join: Entered;
  readonly leave: Done;
  readonly rename: Done;
  readonly ready: Done;
  readonly auto_ready: Done;
  readonly sit_out: Done;
  readonly say: Done;
  readonly add_bot: Done;
  readonly remove_bot: Done;
  readonly bots: Done;
  readonly kick: Done;
  readonly pause: Done;
  readonly rules: Rules;
  readonly bind: Done;
  readonly seed: Done;
  /** Best first. */
  readonly suggest: { readonly suggestions: readonly Suggestions[keyof Suggestions][] };
  readonly history: { readonly rounds: readonly Last[] };
  readonly replay: Replay;
  readonly review: Review;
  readonly share: { readonly share: string; readonly until: number };
  readonly members: Members;
  readonly keep: Done;
  readonly hand_over: Done;
  readonly unkeep: Done;
  readonly scores: DeviceScores;
  readonly forget_scores: DeviceScores;
}

/** The answer to a command; unknown for one that no folder describes. */
export type ResultOf<Name extends string> = Name extends keyof Results ? Results[Name] : unknown;

/** A seat of a round that a link shows; its name only if the seat that made the link wanted names. */
export interface SharedSeat extends Omit<SeatResult, "person" | "name"> {
  readonly name?: string;
}

export interface SharedRound extends Omit<Replay, "seats"> {
  readonly seats?: readonly SharedSeat[];
}

/** A finished round as its link answers it. */
export interface Share {
  readonly share: string;
  readonly until: number;
  readonly ruleset: string;
  readonly stake_minor: number;
  readonly has_names: boolean;
  readonly round: SharedRound;
}
