/**
 * A model of a page, a table server and the wire between them, walked through every order of events up to a bound. The page
 * is the signer's own `step`; the rest is what PROTOCOL.md promises: commands are done once for an id, views are whole, and
 * an answer may be lost, late or doubled.
 */

import type { Answer, Input, Memory, Output } from "../src/signing-states.js";

export type Step = (memory: Memory, input: Input) => { memory: Memory; output: Output };

/** A place of the seat's chain: how many events of its own, and how many of the clock's, come before it. */
interface Place {
  readonly own: number;
  readonly clock: number;
}
interface Signed extends Place {
  readonly choice: string;
  /** Which signing it was: the same choice may be signed anew after a refusal. */
  readonly signing: number;
}
interface Frame extends Signed {
  readonly id: string;
}
/** A frame on its way, on which connection of the page: only a cut connection loses what was sent on it. */
interface Sent {
  readonly frame: Frame;
  readonly connection: number;
}

type Message = { readonly id: string; readonly answer: Answer } | { readonly shown: Place; readonly holds: boolean };

interface World {
  readonly memory: Memory;
  readonly signed: Signed | null;
  /** What the newest view showed; kept with the chain. */
  readonly known: Place;
  readonly isShown: boolean;
  /** Whether the newest answer asks the person to try again. */
  readonly isAsked: boolean;
  readonly isConnected: boolean;
  /** Commands on their way, which may overtake one another where a connection was cut. */
  readonly frames: readonly Sent[];
  /** What the page will read, in order. */
  readonly stream: readonly Message[];
  /** The server: its course, what it holds, its answers by id, and whether the seat is in the room. */
  readonly course: readonly Signed[];
  readonly clock: number;
  readonly held: Signed | null;
  readonly done: Readonly<Record<string, Answer>>;
  readonly isSeated: boolean;
  /** What the walk counts and remembers: it changes nothing of what page and server do. */
  readonly signings: number;
  readonly ids: number;
  readonly cuts: number;
  readonly leaves: number;
  readonly offered: readonly Frame[];
  readonly denied: readonly number[];
}

export interface Bounds {
  readonly ids: number;
  readonly frames: number;
  readonly stream: number;
  readonly cuts: number;
  readonly clock: number;
  readonly leaves: number;
}

const FIRST: World = {
  memory: { state: "FREE", id: "" },
  signed: null,
  known: { own: 0, clock: 0 },
  isShown: false,
  isAsked: false,
  isConnected: true,
  frames: [],
  stream: [],
  course: [],
  clock: 0,
  held: null,
  done: {},
  isSeated: true,
  signings: 0,
  ids: 0,
  cuts: 0,
  leaves: 0,
  offered: [],
  denied: [],
};

class Violation extends Error {}

const isSamePlace = (one: Place, other: Place): boolean => one.own === other.own && one.clock === other.clock;
const isSameEvent = (one: Signed, other: Signed): boolean => isSamePlace(one, other) && one.choice === other.choice;
const without = <Item>(items: readonly Item[], index: number): Item[] => items.toSpliced(index, 1);

/** Whether a server may still accept a frame, or has. */
function isAlive({ frames, done, held, course }: World, event: Signed): boolean {
  return (
    course.some((one) => isSameEvent(one, event)) ||
    (held !== null && isSameEvent(held, event)) ||
    frames.some(({ frame }) => isSameEvent(frame, event) && done[frame.id] === undefined)
  );
}

function send(world: World, id: string): World {
  const { signed, offered } = world;
  if (signed === null) {
    throw new Violation("the page sends what it has not signed");
  }
  const frame = { ...signed, id };
  if (world.denied.includes(frame.signing)) {
    throw new Violation("a refused event is sent again");
  }
  for (const former of offered) {
    if (former.id === id && JSON.stringify(former) !== JSON.stringify(frame)) {
      throw new Violation("what is repeated is not equal byte for byte");
    }
  }
  const known = offered.some((one) => one.id === id) ? offered : [...offered, frame];
  const sent = { frame, connection: world.cuts };
  return { ...world, isAsked: false, offered: known, frames: [...world.frames, sent] };
}

/** The page takes an input and carries out the output. */
function act(world: World, step: Step, input: Input, choice = ""): World {
  const { memory, output } = step(world.memory, input);
  let next: World = { ...world, memory };
  if (input.cue === "DENIAL" && input.id === world.memory.id && world.signed !== null) {
    next = { ...next, denied: [...world.denied, world.signed.signing] };
  }
  if ("freshId" in input && memory.id === input.freshId) {
    next = { ...next, ids: world.ids + 1 };
  }
  switch (output) {
    case "SIGN": {
      const signed = { ...world.known, choice, signing: world.signings };
      const other = world.offered.find(
        (one) => isSamePlace(one, signed) && one.choice !== choice && isAlive(world, one),
      );
      if (other !== undefined) {
        throw new Violation("two events are signed for one place");
      }
      return send({ ...next, signed, signings: world.signings + 1 }, memory.id);
    }
    case "REPEAT":
    case "OFFER":
      return send(next, memory.id);
    case "FORGET":
      if (world.signed !== null && world.course.some((one) => isSameEvent(one, world.signed!))) {
        throw new Violation("an accepted event is given up");
      }
      return { ...next, signed: null };
    default:
      return next;
  }
}

/** The server does a command, in each way that it may. */
function* served(world: World, index: number): Generator<World> {
  const { frame } = world.frames[index]!;
  const left: World = { ...world, frames: without(world.frames, index) };
  const answered = (base: World, answer: Answer, isRemembered = true): World => ({
    ...base,
    stream: world.isConnected ? [...base.stream, { id: frame.id, answer }] : base.stream,
    done: isRemembered ? { ...base.done, [frame.id]: answer } : base.done,
  });
  const former = world.done[frame.id];
  if (former !== undefined) {
    yield answered(left, former);
    return;
  }
  yield answered(left, "NO_DECISION", false); // too many commands, or the seat is not in the room
  if (!world.isSeated) {
    return;
  }
  const { id: _, ...event } = frame;
  yield answered(left, "DENIAL");
  if (isSamePlace(event, { own: world.course.length, clock: world.clock })) {
    yield answered({ ...left, course: [...world.course, event], held: null }, "RECEIPT");
    yield answered({ ...left, held: event }, "HOLD");
  }
}

/** The page reads an answer, or a whole view. */
function read(world: World, step: Step, message: Message): World {
  if ("answer" in message) {
    const { answer, id } = message;
    const isAsked = answer === "NO_DECISION" && id === world.memory.id;
    return act({ ...world, isAsked: isAsked || world.isAsked }, step, { cue: answer, id });
  }
  const { shown, holds } = message;
  const { signed, known } = world;
  if (shown.own < known.own || shown.clock < known.clock) {
    throw new Violation("the course that the page is shown grows shorter");
  }
  let next: World = { ...world, known: shown, isShown: true };
  if (signed !== null && (shown.own > signed.own || shown.clock > signed.clock)) {
    next = { ...act(next, step, { cue: "RESOLVE" }), signed: null };
  } else if (!holds) {
    next = act(next, step, { cue: "RELEASE" });
  }
  return world.isShown ? next : act(next, step, { cue: "RESUME" });
}

/** Every world that may follow, with whether it needs the person or the seat's clock. */
function* following(world: World, step: Step, bounds: Bounds): Generator<[World, string]> {
  const { frames, stream, course, clock, held } = world;
  const [isOpen, hasId] = [frames.length < bounds.frames, world.ids < bounds.ids];
  if (world.isConnected && world.isShown && isOpen && (hasId || world.memory.state === "SENT")) {
    // Which of two choices comes first makes no difference.
    for (const choice of world.signings === 0 ? ["X"] : ["X", "Y"]) {
      const next = act(world, step, { cue: "WANT", freshId: String(world.ids) }, choice);
      yield [next, world.isAsked ? "want again" : "want"];
    }
  }
  for (const [index, { connection }] of frames.entries()) {
    for (const next of stream.length < bounds.stream ? served(world, index) : []) {
      yield [next, "serve"];
    }
    if (connection < world.cuts) {
      yield [{ ...world, frames: without(frames, index) }, "lose"];
    }
  }
  if (stream[0] !== undefined && (isOpen || world.isShown)) {
    const left = { ...world, stream: stream.slice(1) };
    yield [read(left, step, stream[0]), "read"];
  }
  if (held !== null) {
    const isTaken = isSamePlace(held, { own: course.length, clock });
    yield [{ ...world, held: null, course: isTaken ? [...course, held] : course }, "hand in"];
    yield [{ ...world, held: null }, "replace"]; // by a draft that the page sent without a signature
  }
  if (clock < bounds.clock) {
    yield [{ ...world, clock: clock + 1 }, "clock"];
  }
  if (world.isConnected && stream.length < bounds.stream && !stream.some((message) => "shown" in message)) {
    const view = { shown: { own: course.length, clock }, holds: held !== null };
    yield [{ ...world, stream: [...stream, view] }, "show"];
  }
  if (world.isConnected && world.cuts < bounds.cuts) {
    // A reconnect repeats what is unanswered as a page that was loaded again does: what is kept is all that either has.
    const cut = { ...world, isConnected: false, stream: [], isShown: false };
    yield [{ ...cut, cuts: world.cuts + 1 }, "cut"];
  }
  if (!world.isConnected) {
    yield [{ ...world, isConnected: true }, "connect"];
  }
  if (world.isSeated && world.leaves < bounds.leaves) {
    yield [{ ...world, isSeated: false, leaves: world.leaves + 1 }, "leave"];
  } else if (!world.isSeated) {
    yield [{ ...world, isSeated: true }, "come back"];
  }
}

/** What the page cannot count on: the person to act again, the clock to void the event, or another loss. */
const UNKIND: ReadonlySet<string> = new Set(["want", "clock", "lose", "cut", "leave"]);

export interface Walk {
  readonly states: number;
  readonly transitions: number;
  /** The broken promise with the events that lead to it; null if all are kept. */
  readonly violation: string | null;
}

/** Walks every reachable world; stops at the first broken promise. */
export function walk(step: Step, bounds: Bounds): Walk {
  const first = JSON.stringify(FIRST);
  const worlds = new Map<string, { readonly at: number; readonly path: readonly [string, string] }>();
  const [names, before]: [string[], number[][]] = [[first], [[]]];
  const isFree: boolean[] = [];
  worlds.set(first, { at: 0, path: ["", ""] });
  let transitions = 0;
  const story = (name: string): string => {
    const made: string[] = [];
    for (let at = name; at !== first;) {
      const [from, what] = worlds.get(at)!.path;
      made.unshift(what);
      at = from;
    }
    return made.join(", ");
  };
  for (let at = 0; at < names.length; at += 1) {
    const name = names[at]!;
    const world = JSON.parse(name) as World;
    isFree[at] = ["FREE", "RELEASED"].includes(world.memory.state);
    try {
      for (const [next, what] of following(world, step, bounds)) {
        transitions += 1;
        const found = JSON.stringify(next);
        let known = worlds.get(found);
        if (known === undefined) {
          known = { at: names.length, path: [name, what] };
          worlds.set(found, known);
          names.push(found);
          before.push([]);
        }
        if (!UNKIND.has(what)) {
          before[known.at]!.push(at);
        }
      }
    } catch (error) {
      if (error instanceof Violation) {
        return { states: names.length, transitions, violation: `${error.message}: ${story(name)}` };
      }
      throw error;
    }
  }
  const stuck = unreachable(before, isFree);
  const violation = stuck < 0 ? null : `an event is never decided: ${story(names[stuck]!)}`;
  return { states: names.length, transitions, violation };
}

/** The first world from which no kind path leads to a page that may sign or offer; -1 if there is none. */
function unreachable(before: readonly (readonly number[])[], isFree: readonly boolean[]): number {
  const reaches = [...isFree];
  const queue = [...reaches.keys()].filter((at) => reaches[at]);
  for (let at = queue.pop(); at !== undefined; at = queue.pop()) {
    for (const from of before[at]!) {
      if (!reaches[from]) {
        reaches[from] = true;
        queue.push(from);
      }
    }
  }
  return reaches.indexOf(false);
}
