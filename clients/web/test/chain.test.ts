import assert from "node:assert/strict";
import { test } from "node:test";

import { AlreadySignedError, CourseError, seedStatementOf, shown } from "../src/connection/chain";
import type { Round } from "../src/connection/messages";

const KEY = "00".repeat(32);
const ROUND: Round = {
  number: 1,
  table: "t",
  round_id: "11".repeat(32),
  seats: [],
  you: 1,
  course: { deck_root: "22".repeat(32), is_whole: true, events: [] },
};
const PASS = { kind: "PASS", seat: 1 };

const withEvents = (...events: object[]): Round => ({
  ...ROUND,
  course: {
    deck_root: "22".repeat(32),
    is_whole: true,
    events: events.map((event, place) => ({ event: JSON.stringify(event), time: 1_000 + place, received: true })),
  },
});

test("a choice that is kept and restored is the same event with the same bytes", () => {
  const chain = shown(ROUND, KEY);
  const first = chain.next(PASS);
  const restored = shown(ROUND, KEY, chain.save());
  assert.deepEqual(restored.next(PASS), first);
  assert.throws(() => restored.next({ kind: "PLAY", seat: 1, cards: [1] }), AlreadySignedError);
});

test("an event of the clock makes the pending one void, and another may be signed after it", () => {
  const chain = shown(ROUND, KEY);
  chain.next(PASS);
  const later = shown(withEvents({ kind: "PASS", seat: 1 }), KEY, chain.save());
  assert.equal(later.pending, undefined);
  assert.equal(later.next({ kind: "PLAY", seat: 1, cards: [1] }).seen, 1);
});

test("the page signs on no course with an event of its seat that it did not sign", () => {
  assert.throws(() => shown(withEvents({ kind: "PASS", seat: 1, seen: 0 }), KEY), CourseError);
});

test("the page signs on no course that lost what it was shown", () => {
  const chain = shown(withEvents({ kind: "PASS", seat: 0, seen: 0 }), KEY);
  assert.throws(() => shown(ROUND, KEY, chain.save()), CourseError);
});

test("there is nothing to sign on without a seat or a course", () => {
  const { course: _, ...unsigned } = ROUND;
  assert.throws(() => shown({ ...ROUND, you: null }, KEY), TypeError);
  assert.throws(() => shown(unsigned, KEY), TypeError);
});

test("the statement of a seed differs by seat, seed and token", () => {
  const at = { round_id: ROUND.round_id, server_commitment: "33".repeat(32), seat: 0 };
  const [seed, other, token] = ["44", "55", "66"].map((byte) => byte.repeat(32));
  assert.ok(seed !== undefined && other !== undefined && token !== undefined);
  const statements = [
    seedStatementOf(at, seed, ""),
    seedStatementOf({ ...at, seat: 1 }, seed, ""),
    seedStatementOf(at, other, ""),
    seedStatementOf(at, seed, token),
  ].map((bytes) => Buffer.from(bytes).toString("hex"));
  assert.equal(new Set(statements).size, 4);
});
