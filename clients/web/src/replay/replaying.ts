/**
 * A finished round step by step, as it lay on the felt: the deal, each event, each comparison that the game
 * shows, and the end. Nothing is decided here: what a step shows is in the record of the round.
 */

import { byRank, type Card } from "../cards/card";
import type { Replay, ReplayEvent, Ruleset } from "../connection/messages";
import type { Replayed } from "../games";
import { capital, pick, say } from "../words/say";

export interface ReplaySeat {
  readonly name: string;
  /** Cards in hand; empty where they lie in rows or are played. */
  readonly hand: readonly Card[];
  /** Its cards in rows, from the top, once they are arranged. */
  readonly rows?: readonly (readonly Card[])[];
  /** The row that is compared in this step, or null for all. */
  readonly bright: number | null;
  readonly isFaceDown: boolean;
  readonly isActive: boolean;
  readonly note: string;
  readonly net?: number;
  readonly isWinner: boolean;
}

export interface ReplayStep {
  readonly words: string;
  readonly seats: readonly ReplaySeat[];
  /** The plays of the trick so far. */
  readonly pile: readonly ReplayEvent[];
  readonly board: readonly Card[];
  readonly house: readonly Card[];
  /** Whether there is a house in this game: its cards are face down until the end. */
  readonly hasHouse: boolean;
}

type Seats = readonly ReplaySeat[];

/** All steps of a round: the first is its deal, step `n` its event `n`, and the last its end. */
export function stepsOf(
  replay: Replay,
  ruleset: Ruleset | undefined,
  game: Replayed | undefined,
): readonly ReplayStep[] {
  const sort = game?.sort ?? byRank;
  const nameOf = (seat: number): string => replay.seats?.[seat]?.name ?? "";
  const hasHouse = replay.board !== undefined;
  const board = replay.board ?? [];
  const didWhat = (event: ReplayEvent): string => {
    const what = game?.wordsOf(event, ruleset) ?? event.action;
    return event.name === undefined ? what : `${what} (${pick(event.name)})`;
  };

  let seats: Seats = (replay.hands ?? []).map((hand, seat) => ({
    name: nameOf(seat),
    hand: sort(hand),
    bright: null,
    isFaceDown: false,
    isActive: false,
    note: "",
    isWinner: false,
  }));
  const leads = typeof replay.leader === "number" ? nameOf(replay.leader) : "";
  let pile: readonly ReplayEvent[] = [];
  let open = 0;
  const steps: ReplayStep[] = [];
  const lay = (words: string, rest: Partial<ReplayStep> = {}): void => {
    steps.push({ words, seats, pile, board: board.slice(0, open), house: [], hasHouse, ...rest });
  };
  lay(say("asDealt") + (leads === "" ? "" : ` · ${say("leads", { name: leads })}`));

  for (const event of replay.events) {
    const cards = event.cards ?? [];
    const rows = cards.length > 0 ? [] : (game?.groupsOf(event) ?? []).toReversed();
    open = Math.max(open, game?.openAt?.(event) ?? 0);
    if (event.leads === true) {
      pile = [];
      seats = seats.map((one) => ({ ...one, note: "" }));
    }
    if (cards.length > 0) {
      pile = [...pile, event];
    }
    seats = seats.map((one, seat) =>
      seat !== event.seat
        ? { ...one, isActive: false }
        : {
            ...one,
            hand: rows.length > 0 ? [] : one.hand.filter((card) => !cards.includes(card)),
            ...(rows.length > 0 ? { rows } : {}),
            isFaceDown: event.commitment !== undefined,
            isActive: true,
            note: rows.length > 0 ? "" : capital(didWhat(event)),
          },
    );
    lay(capital(`${nameOf(event.seat)}: ${didWhat(event)}`));
  }

  seats = seats.map((one) => ({ ...one, isActive: false, isFaceDown: false, note: "" }));
  for (const { words, bright, seats: compared } of game?.compared?.(replay) ?? []) {
    const before = seats;
    seats = before.map((one, seat) => ({ ...one, ...compared[seat], hand: [], bright }));
    lay(words);
    seats = seats.map((one) => ({ ...one, bright: null }));
  }
  const net = (seat: number): number => replay.seats?.[seat]?.net_minor ?? 0;
  open = board.length;
  seats = seats.map((one, seat) => ({
    ...one,
    net: net(seat),
    isWinner: replay.seats?.[seat]?.winner === true,
    note: noteAtEnd(replay, seat, game),
  }));
  const words = replay.ending_name === undefined ? say("roundOver") : capital(pick(replay.ending_name));
  lay(words, { house: replay.house ?? [] });
  return steps;
}

/** What a seat has in the end. */
function noteAtEnd(replay: Replay, seat: number, game: Replayed | undefined): string {
  const result = replay.seats?.[seat];
  if (result?.instant_win_name !== undefined) {
    return capital(pick(result.instant_win_name));
  }
  const end = result === undefined ? "" : game?.endOf?.(result);
  return capital(end || pick(result?.value_name));
}
