/** The events of a round as messages of its game, and the canonical bytes that are hashed and signed. */

import { Course, encode, text, utf8 } from "referee-verifier/protocol";
import type { AnyEvent } from "./game.js";

/** How a game's events are encoded; a `GameMethods` has it. */
export interface EventEncoder<Event extends AnyEvent> {
  /** The members of an event's canonical JSON beside `seat` and `seen`. */
  readonly choiceOf: (event: Event) => Readonly<Record<string, unknown>>;
}

/** Return the course of a round's events, in their order. */
export function courseOf<Event extends AnyEvent>(
  game: EventEncoder<Event>,
  roundId: Uint8Array,
  deckRoot: Uint8Array,
  events: Iterable<Event>,
): Course {
  const course = new Course(roundId, deckRoot);
  for (const event of events) {
    course.append(eventBytes(game, event), { time: event.time ?? BigInt(0), received: event.received });
  }
  return course;
}

/** The canonical bytes of an event: its choice and what its player had seen, without its time. */
export function eventBytes<Event extends AnyEvent>({ choiceOf }: EventEncoder<Event>, event: Event): Uint8Array {
  const { seat, seen } = event;
  return utf8(encode({ seat, ...(seen === undefined ? {} : { seen }), ...choiceOf(event) }));
}

/** The members of an event's canonical JSON, without what its player had seen. */
export function choiceMembers<Event extends AnyEvent>(
  game: EventEncoder<Event>,
  event: Event,
): Record<string, unknown> {
  const { seen: _, ...choice } = JSON.parse(text(eventBytes(game, event))) as Record<string, unknown>;
  return choice;
}

/** Whether others report of a seat that its time has run out, so that no seat signs it. */
export function isTimeout<Event extends AnyEvent>({ choiceOf }: EventEncoder<Event>, event: Event): boolean {
  const { kind, decision } = choiceOf(event);
  return kind === "TIMEOUT" || decision === "TIMEOUT";
}
