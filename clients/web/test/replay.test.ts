import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { byRank } from "../src/cards/card";
import type { Replay, Ruleset, Welcome } from "../src/connection/messages";
import type { Replayed } from "../src/games";
import { comparedChi } from "../src/mau_binh/replay";
import { stepsOf } from "../src/replay/replaying";
import { byTienLen } from "../src/tien_len/order";

const example = <Value>(name: string): Value =>
  JSON.parse(readFileSync(`../table/examples/${name}.json`, "utf8")) as Value;
const replayOf = (game: string): Replay => example<{ result: Replay }>(`done.${game}.replay`).result;
/** What a replay asks of each game's registration, whose components need a browser. */
const gameOf = (game: string): Replayed => ({
  wordsOf: ({ action }) => action,
  groupsOf: ({ arrangement }) =>
    arrangement === undefined ? [] : [arrangement.back, arrangement.middle, arrangement.front],
  sort: game === "tien_len" ? byTienLen : byRank,
  openAt: ({ street = "" }) => ({ PREFLOP: 0, FLOP: 3, RIVER: 5 })[street] ?? 0,
  compared: (replay) => (replay.chi ?? []).map((chi) => comparedChi(chi, replay)),
});
const rulesetOf = (game: string): Ruleset | undefined =>
  example<Welcome>("welcome").rulesets.find((one) => game.startsWith(one.game));

for (const game of ["mau_binh", "mau_binh.sealed", "tien_len", "ultimate_texas"]) {
  test(`a replay of ${game} has the deal, each event and the end, and every seat in each step`, () => {
    const replay = replayOf(game);
    const steps = stepsOf(replay, rulesetOf(game), gameOf(game));
    assert.equal(steps.length, 2 + replay.events.length + (replay.chi?.length ?? 0));
    assert.ok(steps.every(({ seats }) => seats.length === replay.seats?.length));
    assert.ok(steps.every(({ words }) => words !== "" && !/undefined|null|NaN/.test(words)));
    assert.deepEqual(
      steps[0]?.seats.map(({ hand }) => [...hand].sort()),
      replay.hands?.map((hand) => [...hand].sort()),
    );
    assert.deepEqual(
      steps.at(-1)?.seats.map(({ net }) => net),
      replay.seats?.map(({ net_minor }) => net_minor),
    );
    replay.events.forEach((event, at) => {
      assert.deepEqual(
        steps[at + 1]?.seats.map(({ isActive }) => isActive),
        replay.seats?.map((_, seat) => seat === event.seat),
      );
    });
  });
}

test("cards that were played leave the hand, and each trick has a pile of its own", () => {
  const replay = replayOf("tien_len");
  const steps = stepsOf(replay, rulesetOf("tien_len"), gameOf("tien_len"));
  const played = replay.events.flatMap(({ cards }) => cards ?? []);
  const held = steps.at(-2)?.seats.flatMap(({ hand }) => hand) ?? [];
  assert.ok(played.length > 0);
  assert.deepEqual([...played, ...held].sort(), replay.hands?.flat().sort());
  let tricks = 0;
  replay.events.forEach((event, at) => {
    const pile = steps[at + 1]?.pile ?? [];
    if (event.leads === true) {
      tricks += 1;
      assert.deepEqual(pile, [event]);
    } else if (event.cards !== undefined) {
      assert.equal(pile.at(-1), event);
      assert.equal(pile.length > 1, true);
    }
  });
  assert.ok(tricks > 1);
});

test("the board opens street by street, and the house's cards at the end alone", () => {
  const replay = replayOf("ultimate_texas");
  const steps = stepsOf(replay, rulesetOf("ultimate_texas"), gameOf("ultimate_texas"));
  const open = replay.events.map(({ street }) => ({ PREFLOP: 0, FLOP: 3, RIVER: 5 })[street ?? ""]);
  assert.deepEqual(
    steps.slice(1, -1).map(({ board }) => board.length),
    open,
  );
  assert.ok(steps.slice(0, -1).every(({ house }) => house.length === 0));
  assert.deepEqual(steps.at(-1)?.house, replay.house);
});

test("a sealed arrangement lies face down until it is opened, and each chi is compared by itself", () => {
  const replay = replayOf("mau_binh.sealed");
  const steps = stepsOf(replay, rulesetOf("mau_binh"), gameOf("mau_binh"));
  replay.events.forEach(({ seat, action }, at) => {
    assert.equal(steps[at + 1]?.seats[seat]?.isFaceDown, action === "COMMIT");
  });
  const compared = steps.slice(1 + replay.events.length, -1);
  assert.deepEqual(
    compared.map(({ seats }) => seats[0]?.bright),
    replay.chi?.map(({ position }) => ["FRONT", "MIDDLE", "BACK"].indexOf(position)),
  );
});
