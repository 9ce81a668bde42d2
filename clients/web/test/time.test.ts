import assert from "node:assert/strict";
import { after, mock, test } from "node:test";

mock.timers.enable({ apis: ["setInterval", "Date"], now: 1_000_000 });
mock.method(performance, "now", () => Date.now() - performance.timeOrigin);
after(() => mock.reset());

const { clock, forgetTime, learnTime, secondsTo } = await import("../src/connection/clock.svelte");
const { clockOf, compareTimes, timesShown } = await import("../src/connection/times");
const { keep, recall } = await import("../src/connection/keepsakes");

const ROUND = { number: 1, table: "t", round_id: "aa", seats: [], you: 0 };

test("a deadline is counted by the server's clock, rounded and never below zero", () => {
  forgetTime();
  learnTime(5_000_000, 100);
  assert.equal(clock.now, 5_000_050);
  assert.equal(clock.wrongMs, -4_000_050);
  assert.deepEqual([5_030_050, 5_030_549, 5_000_000].map(secondsTo), [30, 30, 0]);
  mock.timers.tick(1_000);
  assert.equal(clock.now, 5_001_050);
});

test("a slow answer does not replace what a fast one measured, until all is measured again", () => {
  forgetTime();
  learnTime(5_000_000, 100);
  learnTime(6_000_000, 3_000);
  assert.equal(clock.now, 5_000_050);
  forgetTime();
  learnTime(6_000_000, 3_000);
  assert.equal(clock.now, 6_001_500);
});

test("a view dates its deal, and its events only in a whole course", () => {
  const events = [{ event: "{}", time: 7, received: true }];
  const course = { deck_root: "", is_whole: true, events };
  assert.deepEqual(timesShown(ROUND), []);
  assert.deepEqual(timesShown({ ...ROUND, dealt_time: 5, course }), [
    ["DEAL", 5, 0],
    ["EVENT", 7, 1],
  ]);
  const own = { ...course, is_whole: false };
  assert.deepEqual(timesShown({ ...ROUND, dealt_time: 5, course: own }), [["DEAL", 5, 0]]);
});

test("a time that differs by more than ten seconds is kept with the round, once", () => {
  keep("aa", { seed: "", token: "", bound: {} });
  clockOf("aa").asked = clockOf("aa").seedsShown = Date.now();
  assert.deepEqual(compareTimes("aa", [["DEAL", Date.now() + 9_000, 0]]), []);
  const ahead = Date.now() + 60_000;
  assert.equal(compareTimes("aa", [["EVENT", ahead, 1]]).length, 1);
  assert.equal(compareTimes("aa", [["EVENT", ahead, 1]]).length, 1);
  assert.equal(recall("aa")?.differences?.length, 1);
});
