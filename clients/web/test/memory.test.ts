import assert from "node:assert/strict";
import { test } from "node:test";

import type { Last, SeatResult } from "../src/connection/messages";
import { rowsOf } from "../src/memory/picture";
import { readRound, withoutNames } from "../src/memory/share";
import * as mauBinh from "../src/mau_binh/picture";
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
  const named = readRound({
    ...share,
    has_names: true,
    round: { ...hidden, seats: [seat("Lan", 1)] },
  });
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
