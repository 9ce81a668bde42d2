/**
 * The sounds of the table, made of oscillators and noise: no files. Silent while muted, under reduced motion, and before the
 * first press of a key or button, from which on browsers let a page sound. In a background tab only what calls the player sounds.
 */

import { untrack } from "svelte";

import { settings } from "../settings.svelte";

/** A tone: its frequency and what it glides to, when it begins, how long it lasts, how loud it is. */
interface Tone {
  readonly hz: number;
  readonly to?: number;
  readonly at?: number;
  readonly ms: number;
  readonly gain?: number;
  readonly shape?: OscillatorType;
}

const chord = (notes: readonly number[], gap: number, ms: number): Tone[] =>
  notes.map((hz, at) => ({ hz, at: at * gap, ms, gain: 0.11, shape: "triangle" }));

const SOUNDS = {
  card: [{ hz: 900, to: 240, ms: 60, gain: 0.07, shape: "square" }],
  place: [{ hz: 300, to: 150, ms: 80, gain: 0.12 }],
  turn: chord([660, 880], 110, 200),
  tick: [{ hz: 1200, ms: 40, gain: 0.06, shape: "square" }],
  name: [{ hz: 520, to: 560, ms: 140, gain: 0.09, shape: "triangle" }],
  chip: [
    { hz: 2100, ms: 35, gain: 0.05, shape: "square" },
    { hz: 2700, at: 45, ms: 40, gain: 0.05, shape: "square" },
  ],
  chop: [
    { hz: 190, to: 45, ms: 340, gain: 0.3, shape: "sawtooth" },
    { hz: 1500, to: 200, ms: 130, gain: 0.12, shape: "square" },
  ],
  sweep: chord([784, 659, 523, 392], 95, 260),
  foul: [{ hz: 210, to: 120, ms: 420, gain: 0.14, shape: "sawtooth" }],
  instant: chord([523, 659, 784, 1047, 1319], 90, 420),
  win: chord([523, 659, 784, 1047], 120, 360),
  lose: chord([392, 330, 262], 170, 340),
} as const satisfies Record<string, readonly Tone[]>;

export type Sound = keyof typeof SOUNDS;

/** What sounds in a background tab too. */
const CALLS: ReadonlySet<Sound> = new Set<Sound>(["turn", "tick"]);

let context: AudioContext | null = null;
let isAllowed = false;

for (const kind of ["pointerdown", "keydown"] as const) {
  addEventListener(kind, () => (isAllowed = true), { capture: true, once: true });
}

/** Sounds once; an effect that calls it does not sound again where a setting changes. */
export const sound = (name: Sound): void => untrack(() => play(name));

function play(name: Sound): void {
  const isUnheard = document.hidden && !CALLS.has(name);
  if (!settings.sound || settings.stillness || !isAllowed || isUnheard) {
    return;
  }
  context ??= new AudioContext();
  void context.resume();
  for (const tone of SOUNDS[name] as readonly Tone[]) {
    ring(context, tone);
  }
}

/** Shakes a phone that can be shaken, where movement is welcome. */
export function shake(ms: number): void {
  if (isAllowed && !settings.stillness) {
    navigator.vibrate?.(ms);
  }
}

function ring(into: AudioContext, tone: Tone): void {
  const { hz, to = hz, at = 0, ms, gain = 0.1, shape = "sine" } = tone;
  const [start, end] = [into.currentTime + at / 1000, into.currentTime + (at + ms) / 1000];
  const oscillator = new OscillatorNode(into, { type: shape, frequency: hz });
  oscillator.frequency.exponentialRampToValueAtTime(to, end);
  const volume = new GainNode(into, { gain: 0 });
  volume.gain.setValueAtTime(0, start);
  const peak = Math.max(0.0002, gain * settings.volume ** 2); // the ear takes loudness by its square
  volume.gain.linearRampToValueAtTime(peak, start + 0.008);
  volume.gain.exponentialRampToValueAtTime(0.0001, end);
  oscillator.connect(volume).connect(into.destination);
  oscillator.start(start);
  oscillator.stop(end + 0.02);
}
