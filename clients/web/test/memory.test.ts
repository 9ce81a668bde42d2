import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import type { Last, Replay, Ruleset, SeatResult, Welcome } from "../src/connection/messages";
import { byRank } from "../src/cards/card";
import type { Replayed } from "../src/games";
import { rowsOf } from "../src/memory/picture";
import { stepsOf } from "../src/memory/replaying";
import { readRound, withoutNames } from "../src/memory/share";
import * as mauBinh from "../src/mau_binh/picture";
import { comparedChi } from "../src/mau_binh/replay";
import { byTienLen } from "../src/tien_len/order";
import * as tienLen from "../src/tien_len/picture";
import * as texas from "../src/ultimate_texas/picture";

const seat = (name: string, net: number, more: Partial<SeatResult> = {}): SeatResult => ({
  person: `p-${name}`,
  name,
  is_bot: false,
  net_minor: net,
  ...more,
});
const round = (...seats: SeatResult[]): Last => ({
  number: 3,
  table: "room.1",
  round_id: "00",
  time: 0,
  end: "SETTLED",
  seats,
});

test("a round without names has neither names nor persons, and all else", () => {
  const given = round(seat("Lan", 5), seat("An", -5));
  const shown = withoutNames(given);
  assert.equal(/Lan|An|p-/.test(JSON.stringify(shown)), false);
  assert.deepEqual(
    shown.seats?.map(({ net_minor }) => net_minor),
    [5, -5],
  );
  assert.equal(given.seats?.[0]?.name, "Lan");
});

test("a fetched round has a name and a person of its own for each seat", () => {
  const { person: _one, name: _other, ...bare } = seat("", 1);
  const hidden = { ...round(), events: [], seats: [bare, bare] as unknown as SeatResult[] };
  const share = { share: "s", until: 0, ruleset: "r", stake_minor: 1 };
  const read = readRound({ ...share, has_names: false, round: hidden });
  assert.equal(new Set(read.seats?.map(({ name }) => name)).size, 2);
  assert.equal(new Set(read.seats?.map(({ person }) => person)).size, 2);
  const named = readRound({ ...share, has_names: true, round: { ...hidden, seats: [seat("Lan", 1)] } });
  assert.equal(named.seats?.[0]?.name, "Lan");
});

test("a picture has the house first, then who won most, with the cards that each shows", () => {
  const rows = rowsOf(
    {
      ...round(seat("An", -5, { hole: ["AS"] }), seat("Lan", 5, { hole: ["2S", "3S"] })),
      board: ["4H"],
      house: ["5H"],
    },
    texas,
  );
  assert.deepEqual(
    rows.map(({ net }) => net),
    [undefined, 5, -5],
  );
  assert.deepEqual(
    rows.map(({ groups }) => groups.map(({ cards }) => cards.join(" "))),
    [["4H", "5H"], ["2S 3S"], ["AS"]],
  );
});

test("a picture of Mậu Binh has the three chi, and marks a foul", () => {
  const arrangement = { back: ["AS"], middle: ["KS"], front: ["QS"] };
  const [row] = rowsOf(round(seat("An", -5, { arrangement, fouled: true })), mauBinh);
  assert.deepEqual(
    row?.groups.map(({ cards }) => cards.join(" ")),
    ["AS", "KS", "QS"],
  );
  assert.match(row?.label ?? "", /^An · ./);
});

test("a picture of Tiến Lên has the dealt hand in order, and dims what was played", () => {
  const [row] = rowsOf(round(seat("An", -1, { hand: ["2H", "3S", "AS"], left: ["AS"] })), tienLen);
  assert.deepEqual(row?.groups[0]?.cards, ["3S", "AS", "2H"]);
  assert.deepEqual(row?.dim, ["3S", "2H"]);
});

test("a hand that won at the deal is pictured in the groups that make it", () => {
  const name = { vi: "ba thùng", en: "three flushes" };
  const [row] = rowsOf(
    {
      ...round(seat("An", 1, { hand: ["2S", "3S", "AS"] })),
      instant_wins: [{ seat: 0, pattern: "THREE_FLUSHES", name, groups: [["2S"], ["3S", "AS"]] }],
    },
    mauBinh,
  );
  assert.deepEqual(
    row?.groups.map(({ cards }) => cards.length),
    [1, 2],
  );
  assert.deepEqual(
    row?.groups.map((group) => group.name === ""),
    [false, true],
  );
});

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
  compared: (last) => (last.showdown?.chi ?? []).map((chi) => comparedChi(chi, last)),
});
const rulesetOf = (game: string): Ruleset | undefined =>
  example<Welcome>("welcome").rulesets.find((one) => game.startsWith(one.game));

for (const game of ["mau_binh", "mau_binh.sealed", "tien_len", "ultimate_texas"]) {
  test(`a replay of ${game} has the deal, each event and the end, and every seat in each step`, () => {
    const replay = replayOf(game);
    const steps = stepsOf(replay, rulesetOf(game), gameOf(game));
    assert.equal(steps.length, 2 + replay.events.length + (replay.showdown?.chi.length ?? 0));
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
    replay.showdown?.chi.map(({ position }) => ["FRONT", "MIDDLE", "BACK"].indexOf(position)),
  );
});
