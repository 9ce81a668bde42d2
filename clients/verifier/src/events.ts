/** What an event of any game says: its seat, what its player had seen, its cards. */

import type { Json } from "./canonical.js";
import { hasOwn } from "./form.js";
import type { InputEvent } from "./leaf.js";

/** The seat whose event it is; -1 where the event names none. */
export function seatOf({ event }: InputEvent): number {
  const seat = member(event, "seat");
  return typeof seat === "number" ? seat : -1;
}

/** Whether the time of its seat ran out, which others report. */
export function isTimeout({ event }: InputEvent): boolean {
  return member(event, "kind") === "TIMEOUT" || member(event, "decision") === "TIMEOUT";
}

/** A member of an event; undefined where it has none. */
export function member(value: Json | undefined, name: string): Json | undefined {
  const isRecord = typeof value === "object" && !Array.isArray(value);
  return isRecord && hasOwn(value, name) ? value[name] : undefined;
}

/** The numbers in a member that is a list. */
export function numbers(value: Json | undefined): number[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "number") : [];
}
