import assert from "node:assert/strict";
import { test } from "node:test";

import { byRank, bySuit, fromProto, numberOf, protoName, spellAll, SUITS } from "../src/cards/card";
import { byTienLen } from "../src/tien_len/order";

const LETTERS = "23456789TJQKA";
const DECK = [...LETTERS].flatMap((rank) => SUITS.map((suit) => rank + suit));

test("the deck is numbered 1 to 52, twos first and spades first of a rank", () => {
  assert.deepEqual(
    DECK.map(numberOf),
    Array.from({ length: 52 }, (_, index) => index + 1),
  );
});

test("every card is read back from its name in proto JSON, and spelled for the eye", () => {
  assert.equal(DECK.length, 52);
  for (const card of DECK) {
    assert.equal(fromProto(protoName(card)), card);
  }
  assert.equal(protoName("TH"), "CARD_TEN_OF_HEARTS");
  assert.equal(spellAll(["TH", "AS"]), "10♥ A♠");
});

test("orders keep every card and leave their argument alone", () => {
  const hand = ["3H", "AS", "2C", "AH", "TC", "3S"];
  const before = [...hand];
  assert.deepEqual(byRank(hand), ["AH", "AS", "TC", "3H", "3S", "2C"]);
  assert.deepEqual(bySuit(hand), ["AH", "3H", "TC", "2C", "AS", "3S"]);
  assert.deepEqual(byTienLen(hand), ["3S", "3H", "TC", "AS", "AH", "2C"]);
  assert.deepEqual(hand, before);
});
