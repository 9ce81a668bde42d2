import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import type { Ruleset } from "../src/connection/messages";
import { settings } from "../src/settings.svelte";
import { cardName, cardNames } from "../src/words/cards";
import { initialOf, pickName } from "../src/words/names";
import { amount, both, broken, glyphs, say, signed } from "../src/words/say";
import { WORDS } from "../src/words/words";

beforeEach(() => {
  settings.language = "en";
});

test("a key is said in both languages, and a value that is not given stays visible", () => {
  assert.deepEqual(both("roundNumber"), { vi: WORDS.roundNumber[0], en: WORDS.roundNumber[1] });
  assert.equal(say("roundNumber"), WORDS.roundNumber[1]);
  assert.equal(say("roundNumber", { number: 7 }), WORDS.roundNumber[1].replace("{number}", "7"));
});

test("a count of one takes the singular, whatever its sign", () => {
  const keys = Object.keys(WORDS) as (keyof typeof WORDS)[];
  const key = keys.find((one) => /\{(\w+):\w+\|\w+\}/.test(WORDS[one][1]));
  assert.ok(key !== undefined);
  const [, name = "", one = "", many = ""] = /\{(\w+):(\w+)\|(\w+)\}/.exec(WORDS[key][1]) ?? [];
  for (const [count, word] of [
    [1, one],
    ["+1", one],
    ["−1", one],
    [0, many],
    [11, many],
  ] as const) {
    assert.match(say(key, { [name]: count }), new RegExp(`\\b${word}\\b`), String(count));
  }
});

test("amounts have the language's separators and a true minus sign", () => {
  assert.equal(amount(-1234567), "−1,234,567");
  assert.equal(signed(5), "+5");
  assert.equal(signed(0), "0");
  settings.language = "vi";
  assert.equal(amount(1234567), "1.234.567");
});

test("card codes in a sentence become signs, and other words do not", () => {
  assert.equal(glyphs("3H and TC beat AS, 10D too"), "3♥ and 10♣ beat A♠, 10♦ too");
  assert.equal(glyphs("ASK for 12H in PÁS"), "ASK for 12H in PÁS");
  assert.equal(broken([{ text: { vi: "", en: "no 3H" } }, { text: { vi: "", en: "no 2S" } }]), "no 3♥ no 2♠");
});

test("cards have names in both languages", () => {
  assert.equal(cardName("QH"), "queen of hearts");
  assert.equal(cardNames(["TS", "2D"]), "10 of spades, 2 of diamonds");
  settings.language = "vi";
  assert.equal(cardName("QH"), "đầm cơ");
});

test("a code without a name is shown as it is, and a name begins with its first visible sign", () => {
  const ruleset = { names: { hands: { PAIR: { vi: "đôi", en: "pair" } } } } as unknown as Ruleset;
  assert.equal(pickName(ruleset, "hands", "PAIR"), "pair");
  assert.equal(pickName(ruleset, "hands", "TRIO"), "TRIO");
  assert.equal(pickName(undefined, "hands", "PAIR"), "PAIR");
  assert.deepEqual([" ánh", "👩‍👩‍👧 family", ""].map(initialOf), ["Á", "👩‍👩‍👧", "?"]);
});
