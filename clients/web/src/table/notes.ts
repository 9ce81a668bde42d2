/** What a plate says of its person besides name and score. */

import type { Person, View } from "../connection/messages";
import { gameOf, type Note } from "../games";
import { say } from "../words/say";

export function noteOf({ round, phase }: View, person: Person): Note {
  if (phase === "LOBBY" || phase === "ENDING" || round === null) {
    if (person.place !== "SEAT") {
      return { note: say("watching") };
    }
    // nobody waits for a bot
    return person.is_ready
      ? { note: say("isReady"), isDone: true }
      : { note: person.is_bot || phase === "ENDING" ? "" : say("notReady") };
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
