import assert from "node:assert/strict";
import { test } from "node:test";

import { cardsOf, CHI, chiAt, placeAt, spotOf } from "../src/mau_binh/arrangement";

const PLACES = Array.from({ length: 13 }, (_, place) => place);
const CARDS = PLACES.map((place) => `${"23456789TJQKA".charAt(place)}S`);

test("the three chi are thirteen places in the order back, middle, front", () => {
  assert.deepEqual(
    CHI.flatMap((chi) => cardsOf(CARDS, chi)),
    CARDS,
  );
  assert.deepEqual(
    CHI.map((chi) => cardsOf(CARDS, chi).length),
    [5, 5, 3],
  );
  for (const chi of CHI) {
    assert.ok(cardsOf(CARDS, chi).every((card) => chiAt(CARDS.indexOf(card)) === chi));
  }
});

test("each place lies at a spot of its own and is found there again", () => {
  const spots = PLACES.map(spotOf);
  assert.equal(new Set(spots.map(({ row, column }) => `${row} ${column}`)).size, 13);
  assert.deepEqual(
    spots.map(({ row, column }) => placeAt(row, column)),
    PLACES,
  );
});

test("a spot beside the front's three is the nearest of them, and one off the felt is none", () => {
  assert.deepEqual([placeAt(0, 0), placeAt(0, 4)], [10, 12]);
  for (const [row, column] of [
    [-1, 0],
    [3, 0],
    [0, -1],
    [2, 5],
  ] as const) {
    assert.equal(placeAt(row, column), null);
  }
});
