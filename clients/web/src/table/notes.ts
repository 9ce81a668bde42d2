/** What a plate says of its person besides name and score. */

import type { Person, View } from "../connection/messages";
import { amount, say } from "../words/say";

interface Note {
  readonly note?: string;
  readonly isDone?: boolean;
  readonly isOnTurn?: boolean;
  readonly cards?: number | null;
}

export function noteOf(view: View, person: Person): Note {
  const { round, phase } = view;
  if (!person.is_seated && !person.is_bot && phase === "LOBBY") {
    return { note: say("watching") };
  }
  if (phase === "LOBBY" || round === null) {
    if (person.is_ready) {
      return { note: say("isReady"), isDone: true };
    }
    return { note: person.is_bot ? "" : say("notReady") }; // nobody waits for a bot
  }
  const seat = round.seats.findIndex((one) => one.person === person.person);
  if (seat < 0) {
    return { note: say("watching") };
  }
  if (phase === "BINDING" || phase === "SEEDING") {
    const done = (phase === "BINDING" ? round.bound : round.seeded)?.includes(seat) ?? false;
    return { note: say("mixing"), isDone: done };
  }
  const { mau_binh, tien_len, ultimate_texas } = round;
  if (mau_binh !== undefined) {
    if (mau_binh.gone[seat] === true) {
      return { note: say("gone") };
    }
    const isDone = mau_binh.submitted[seat] === true;
    return phase === "PLAYING" ? { note: say(isDone ? "arranged" : "arranging"), isDone } : {};
  }
  if (tien_len !== undefined) {
    const cards = tien_len.cards_left[seat] ?? 0;
    if (tien_len.gone.includes(seat)) {
      return { note: say("gone"), cards };
    }
    const isOnTurn = tien_len.turn === seat;
    return { isOnTurn, cards, note: tien_len.passed.includes(seat) ? say("passed") : "" };
  }
  const bets = ultimate_texas?.seats[seat];
  if (bets === undefined) {
    return {};
  }
  if (bets.folded) {
    return { note: say("folded") };
  }
  if (bets.play_multiple > 0) {
    const play = amount(bets.play_multiple * bets.ante_minor);
    return { note: say("playedBet", { times: bets.play_multiple, amount: play }), isDone: true };
  }
  return { isOnTurn: bets.is_deciding, note: bets.checked ? say("checked") : "" };
}
