/** The events of all games as messages of the API, and the canonical bytes that are hashed and signed. */

import { hex } from "referee-verifier/protocol";
import { canonical, Course } from "./course.js";
import type { MauBinhEvent } from "./gen/referee/v1/mau_binh_pb.js";
import type { TienLenEvent } from "./gen/referee/v1/tien_len_pb.js";
import { Decision, type UltimateTexasEvent } from "./gen/referee/v1/ultimate_texas_pb.js";

export type AnyEvent = MauBinhEvent | TienLenEvent | UltimateTexasEvent;

/** Return the course of a round's events, in their order. */
export function courseOf(roundId: Uint8Array, deckRoot: Uint8Array, events: Iterable<AnyEvent>): Course {
  const course = new Course(roundId, deckRoot);
  for (const event of events) {
    course.append(eventBytes(event), { time: event.time ?? BigInt(0), received: event.received });
  }
  return course;
}

/** The canonical bytes of an event: its choice and what its player had seen, without its time. */
export function eventBytes(event: AnyEvent): Uint8Array {
  const { seat, seen } = event;
  return canonical({ seat, ...(seen === undefined ? {} : { seen }), ...choiceOf(event) });
}

function choiceOf(event: AnyEvent): Record<string, unknown> {
  if (event.$typeName === "referee.v1.UltimateTexasEvent") {
    return { decision: Decision[event.decision], kind: "DECIDE" };
  }
  const { choice } = event;
  const kind = choice.case === "passTurn" ? "PASS" : (choice.case ?? "").toUpperCase();
  switch (choice.case) {
    case "play":
      return { kind, cards: choice.value.cards };
    case "arrange": {
      const { back, middle, front } = choice.value;
      const nonce = "nonce" in event ? event.nonce : undefined;
      return { kind, back, middle, front, ...(nonce?.length ? { nonce: hex(nonce) } : {}) };
    }
    case "commit":
      return { kind, commitment: hex(choice.value.commitment) };
    default:
      return { kind };
  }
}
