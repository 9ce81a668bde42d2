/** What a plate says of its person besides name and score. */

import type { Person, View } from "../connection/messages";
import { gameOf, type Note } from "../games";
import { say } from "../words/say";

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
  return gameOf(round)?.noteOf(round, seat, phase) ?? {};
}
