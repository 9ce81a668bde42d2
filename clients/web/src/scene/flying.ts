/** Chips that fly from plate to plate, and confetti: drawn over the page, moved by the compositor, gone when they land. */

import { settings } from "../settings.svelte";
import { sound } from "./sound";

const MOST_CHIPS = 6;
const FLIGHT = 700; // ms
const COLOURS = 5; // classes c0 to c4

interface Payment {
  readonly from: Element | null;
  readonly to: Element | null;
  /** Stakes that are paid; a chip each, up to a handful. */
  readonly stakes: number;
}

function fly(className: string, frames: Keyframe[], timing: KeyframeAnimationOptions): void {
  const thing = document.createElement("i");
  thing.className = className;
  thing.setAttribute("aria-hidden", "true");
  document.body.append(thing);
  thing.animate(frames, { fill: "both", ...timing }).finished.finally(() => thing.remove());
}

const middle = (element: Element | null): readonly [number, number] => {
  const box = element?.getBoundingClientRect();
  return box === undefined ? [innerWidth / 2, innerHeight / 2] : [box.x + box.width / 2, box.y + box.height / 2];
};

/** Shows who pays whom. */
export function flyChips(payments: readonly Payment[]): void {
  if (settings.stillness) {
    return;
  }
  for (const [turn, { from, to, stakes }] of payments.entries()) {
    const [[x, y], [left, top]] = [middle(from), middle(to)];
    for (let at = 0; at < Math.min(MOST_CHIPS, Math.max(1, Math.round(stakes))); at += 1) {
      const frames = [
        { transform: `translate(${x}px, ${y}px) scale(0.6)`, opacity: 0 },
        { transform: `translate(${x}px, ${y - 14}px) scale(1)`, opacity: 1, offset: 0.15 },
        { transform: `translate(${left}px, ${top}px) scale(1)`, opacity: 1, offset: 0.9 },
        { transform: `translate(${left}px, ${top}px) scale(0.6)`, opacity: 0 },
      ];
      const delay = turn * 160 + at * 70;
      fly("chip", frames, { duration: FLIGHT, delay, easing: "cubic-bezier(.4,0,.3,1)" });
    }
    setTimeout(() => sound("chip"), turn * 160 + FLIGHT * 0.8);
  }
}

/** A win is a moment. */
export function confetti(): void {
  if (settings.stillness) {
    return;
  }
  for (let at = 0; at < 60; at += 1) {
    const [x, drift] = [innerWidth * (0.2 + 0.6 * Math.random()), (Math.random() - 0.5) * 360];
    const [rise, turn] = [innerHeight * (0.25 + 0.2 * Math.random()), 720 * Math.random()];
    const start = innerHeight * 0.45;
    const frames = [
      { transform: `translate(${innerWidth / 2}px, ${start}px) rotate(0)`, opacity: 1 },
      { transform: `translate(${x}px, ${start - rise}px) rotate(${turn}deg)`, opacity: 1, offset: 0.4 },
      { transform: `translate(${x + drift}px, ${innerHeight}px) rotate(${turn * 2}deg)`, opacity: 0 },
    ];
    fly(`confetti c${at % COLOURS}`, frames, {
      duration: 1_300 + 700 * Math.random(),
      easing: "cubic-bezier(.2,.6,.4,1)",
    });
  }
}
