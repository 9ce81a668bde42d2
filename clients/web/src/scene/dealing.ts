/** Cards that fly in from the middle of the table and turn over, one after the other; at once under reduced motion. */

import type { TransitionConfig } from "svelte/transition";

import { clock } from "../connection/clock.svelte";
import type { Round } from "../connection/messages";
import { settings } from "../settings.svelte";
import { sound } from "./sound";

const FLIGHT = 380; // ms of one card
const GAP = 55; // ms between cards
const NEW = 4_000; // ms after the deal in which its cards are dealt before the eye

/** Whether the round was dealt just now, so that its cards fly in. */
export const isFresh = ({ dealt_time }: Round): boolean =>
  !settings.stillness && dealt_time !== undefined && clock.now - dealt_time < NEW;

interface Place {
  /** The card's number in the deal; null for one that lies there already. */
  readonly at: number | null;
}

/** The flight of one card. */
export function dealIn(card: Element, { at }: Place): TransitionConfig {
  if (at === null || settings.stillness) {
    return { duration: 0 };
  }
  const box = card.getBoundingClientRect();
  const [dx, dy] = [innerWidth / 2 - box.x - box.width / 2, innerHeight * 0.25 - box.y];
  setTimeout(() => sound("card"), at * GAP);
  return {
    delay: at * GAP,
    duration: FLIGHT,
    css: (t, u) =>
      `opacity: ${Math.min(1, t * 6)}; transform: translate(${u ** 2 * dx}px, ${u ** 2 * dy}px) ` +
      `rotate(${u * 160}deg) perspective(600px) rotateY(${t < 0.5 ? 180 - 180 * t : 180 * u}deg)`,
  };
}

/** The back of a card in flight, gone when it has turned over. */
export function backOf(_back: Element, { at }: Place): TransitionConfig {
  return at === null || settings.stillness
    ? { duration: 0 }
    : { delay: at * GAP, duration: FLIGHT, css: (t) => `opacity: ${t < 0.55 ? 1 : 0}` };
}
