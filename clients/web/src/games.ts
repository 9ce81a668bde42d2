/**
 * The games that the page knows. A game is a folder with one registration, ``GAME`` in its ``game.ts``; no other source of
 * the page names a game.
 */

import type { Component } from "svelte";

import type { Card } from "./cards/card";
import type { Game, Last, Phase, Replay, ReplayEvent, Round, Ruleset, SeatResult, View } from "./connection/messages";
import type { Choice } from "./connection/signing";
import type { Text } from "./words/say";

/** What a plate says of a seat besides name and score. */
export interface Note {
  readonly note?: string;
  readonly isDone?: boolean;
  readonly isOnTurn?: boolean;
  readonly cards?: number | null;
}

/** Bets before the deal, as members of the command that says that a person is ready. */
export type Bets = Readonly<Record<string, number>>;

/** A comparison of all seats' cards after the last event of a round, as a replay shows it. */
export interface Compared {
  readonly words: string;
  /** The row of each seat's cards that is compared. */
  readonly bright: number;
  /** By seat: its rows of cards, from the top, and what this comparison brings it. */
  readonly seats: readonly { readonly rows: readonly (readonly Card[])[]; readonly note: string }[];
}

/** What a replay shows of a game besides hands, events and their cards. */
export interface Replayed {
  /** What an event of a replay is called, and the groups of cards that are shown with it. */
  readonly wordsOf: (event: ReplayEvent, ruleset: Ruleset | undefined) => string;
  readonly groupsOf: (event: ReplayEvent) => readonly (readonly Card[])[];
  /** One's own cards, in the order for the eye. */
  readonly sort: (cards: readonly Card[]) => Card[];
  /** How many cards of the board lie open when an event happens. */
  readonly openAt?: (event: ReplayEvent) => number;
  /** The comparisons of a round, in order. */
  readonly compared?: (replay: Replay) => readonly Compared[];
  /** What is said of a seat at the end in the place of its value; empty for nothing. */
  readonly endOf?: (result: SeatResult) => string;
}

/** All that the page needs of a game. What is optional is left out by a game that has no such thing. */
export interface PageGame extends Replayed {
  /** Name in rulesets; also that of the game's member of a round. */
  readonly name: Game;
  readonly title: Text;
  /** Cards on the tile of a ruleset in the lobby: others for each, so that no two tiles look alike. */
  readonly tileOf: (ruleset: string) => readonly Card[];

  /** The round on the felt, made anew for each round, from its deal on. */
  readonly Board: Component<{ view: View; round: Round; ruleset: Ruleset | undefined }>;
  /** Bets that are chosen before a person is ready, and those of a person who chose none. */
  readonly betting?: {
    readonly Choice: Component<
      { bets: Bets | null; stake: number; ruleset: Ruleset; disabled: boolean },
      object,
      "bets"
    >;
    readonly first: (stake: number, ruleset: Ruleset) => Bets;
  };
  /** The end of a round on the felt, in the phase ENDING; left out by a game whose show has it. */
  readonly Ending?: Component<{ last: Last }>;
  /** What a result shows above the seats. */
  readonly ResultHead?: Component<{ last: Last }>;
  /** A seat's part of a result: marks beside its name, and its cards. */
  readonly ResultMarks?: Component<{ result: SeatResult }>;
  readonly ResultCards: Component<{ result: SeatResult }>;

  /** Whether the round waits for a seat while its phase is PLAYING. */
  readonly isAwaited: (round: Round, seat: number) => boolean;
  /** The name of a turn within its round; a player is called once for each. */
  readonly turnOf: (round: Round) => string;
  readonly noteOf: (round: Round, seat: number, phase: Phase) => Note;

  /** What a seat signs when it leaves; ``{ kind: "LEAVE" }`` where it is left out. */
  readonly leaveChoice?: Choice;
  /** Whether a command that was signed before the page was loaded may be sent again. */
  readonly takes?: (round: Round, command: string) => boolean;
  /** Whether the table wants, signed, what it was given unsigned. */
  readonly wantsSigned?: (round: Round) => boolean;
  /** Opens what a seat of a sealed table is bound to, once, in the phase OPENING. ``present`` is the newest round. */
  readonly open?: (round: Round, seat: number, present: () => Round) => void;
}

export const GAMES: readonly PageGame[] = Object.values(
  import.meta.glob<PageGame>("./*/game.ts", { eager: true, import: "GAME" }),
);

/** The game of a name; undefined for one that this page does not know. */
export const gameNamed = (name: Game | undefined): PageGame | undefined => GAMES.find((game) => game.name === name);

/** The game that a dealt round is of; undefined before its deal. */
export const gameOf = (round: Round | null): PageGame | undefined =>
  GAMES.find(({ name }) => round !== null && name in round);
