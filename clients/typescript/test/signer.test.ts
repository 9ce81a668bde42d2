import assert from "node:assert/strict";
import { test } from "node:test";

import { type Cue, NOTHING_SENT, type Output, type State, step, TABLE, type Table } from "../src/signing-states.js";
import { type Bounds, type Step, walk } from "./signer-model.js";

/** Each walk bounds something else; together they lose, delay, double and refuse every sending in every way. */
const BOUNDS: Readonly<Record<string, Bounds>> = {
  "two sendings on their way, one reload": { ids: 2, frames: 2, stream: 2, cuts: 1, clock: 0, leaves: 0 },
  "the seat's clock runs out, one reload": { ids: 2, frames: 1, stream: 2, cuts: 1, clock: 1, leaves: 0 },
  "the seat leaves or is sent out, one reload": { ids: 2, frames: 1, stream: 2, cuts: 1, clock: 0, leaves: 1 },
  "three signings, no reload": { ids: 3, frames: 1, stream: 2, cuts: 0, clock: 0, leaves: 0 },
};

for (const [name, bounds] of Object.entries(BOUNDS)) {
  test(`every promise is kept in every order: ${name}`, (context) => {
    const { states, transitions, violation } = walk((memory, input) => step(memory, input), bounds);
    context.diagnostic(`${states} states, ${transitions} transitions`);
    assert.equal(violation, null);
    assert.ok(states > 1_000);
  });
}

const changed = (state: State, cue: Cue, next: State, output: Output): Step => {
  const table: Table = { ...TABLE, [state]: { ...TABLE[state], [cue]: [next, output] } };
  return (memory, input) => step(memory, input, table);
};

const MUTANTS: readonly (readonly [what: string, broken: string, step: Step])[] = [
  [
    "repeats under a new id",
    "an accepted event is given up",
    (memory, input) =>
      input.cue === "RESUME" && memory.state === "SENT"
        ? { memory: { ...memory, id: `${memory.id}'` }, output: "REPEAT" }
        : step(memory, input),
  ],
  ["signs anew while one is unanswered", "two events are signed", changed("SENT", "WANT", "SENT", "SIGN")],
  ["gives up what was not looked at", "is given up", changed("SENT", "NO_DECISION", "FREE", "FORGET")],
  ["signs beside what is held", "two events are signed", changed("HELD", "WANT", "SENT", "SIGN")],
  ["offers what is held", "an accepted event is given up", changed("HELD", "WANT", "SENT", "OFFER")],
  ["repeats what was refused", "a refused event is sent", changed("SENT", "DENIAL", "SENT", "REPEAT")],
  ["repeats nothing after a reload", "is never decided", changed("SENT", "RESUME", "SENT", "NONE")],
  ["ignores a refusal", "a refused event is sent", changed("SENT", "DENIAL", "SENT", "NONE")],
  [
    "takes an answer to another sending",
    "is given up",
    (memory, input) => step(memory, "id" in input ? { ...input, id: memory.id } : input),
  ],
];

for (const [what, broken, mutant] of MUTANTS) {
  test(`the walk catches a signer that ${what}`, () => {
    const violations = Object.values(BOUNDS).map((bounds) => walk(mutant, bounds).violation ?? "");
    assert.match(violations.join("\n"), new RegExp(broken));
  });
}

test("an id belongs to the newest sending, and a late answer to another changes nothing", () => {
  const sent = step(NOTHING_SENT, { cue: "WANT", freshId: "t.1" });
  assert.deepEqual(sent, { memory: { state: "SENT", id: "t.1" }, output: "SIGN" });
  assert.deepEqual(step(sent.memory, { cue: "DENIAL", id: "t.0" }), { memory: sent.memory, output: "NONE" });
  assert.deepEqual(step(sent.memory, { cue: "WANT", freshId: "t.2" }).memory.id, "t.1");
  assert.deepEqual(step(sent.memory, { cue: "DENIAL", id: "t.1" }), { memory: NOTHING_SENT, output: "FORGET" });
});
