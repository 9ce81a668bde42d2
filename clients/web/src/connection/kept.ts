/** Messages about rooms in lists, kept tables and the scores of a device. */

import type { Game, Phase } from "./messages";

export interface ListedRoom {
  readonly room: string;
  readonly ruleset: string;
  readonly stake_minor: number;
  readonly sealed: boolean;
  readonly phase: Phase;
  readonly persons: readonly string[];
  readonly free_seats: number;
  readonly host?: string;
  readonly bots?: number;
  readonly watchers?: number;
  readonly max_seats?: number;
  /** Seats that a person would get now: bots give way. */
  readonly open_seats?: number;
  /** Until when a kept table stays without a round; only its link leads there. */
  readonly kept_until?: number;
}

/** A kept table in the lobby of one of its members. */
export interface OwnTable extends ListedRoom {
  readonly kept_until: number;
  readonly members: readonly string[];
  readonly score_minor: number;
  /** When its last round ended. */
  readonly time: number | null;
}

/** Who a kept table remembers, and what each pair has paid in all. */
export interface Members {
  readonly room: string;
  readonly until: number;
  /** The host comes first. */
  readonly members: readonly {
    readonly person: string;
    readonly name: string;
    readonly avatar: string;
    readonly is_host: boolean;
    readonly is_here: boolean;
    readonly stats: Stats;
  }[];
  readonly pairs: readonly {
    readonly payer: string;
    readonly payee: string;
    readonly amount_minor: number;
  }[];
}

/** Settled rounds of somebody. */
export interface Stats {
  readonly rounds: number;
  readonly won: number;
  readonly net_minor: number;
  readonly best_minor: number;
  readonly worst_minor: number;
}

/** What this device has played over all rooms of the table server. */
export interface DeviceScores {
  /** When they are deleted unless a round is played before; null without any. */
  readonly until: number | null;
  readonly all: readonly { readonly currency: string; readonly stats: Stats }[];
  readonly games: readonly {
    readonly game: Game;
    readonly currency: string;
    readonly stats: Stats;
  }[];
  /** The room played last comes first. */
  readonly rooms: readonly {
    readonly room: string;
    readonly ruleset: string;
    readonly stake_minor: number;
    readonly currency: string;
    readonly time: number;
    readonly stats: Stats;
  }[];
}
