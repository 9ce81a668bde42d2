import assert from "node:assert/strict";
import { test } from "node:test";

import type { TypedCommand } from "../src/games";
import { parseTyped, plain } from "../src/text/typed";

const command = (...phrases: string[]): TypedCommand => ({ phrases, act: () => "" });
const sort = command("sort rank", "xep so");
const bet = command("bet", "to");
const done = command("done", "xong");

test("a typed line is lower case with single spaces and no accents", () => {
  assert.equal(plain("  Đổi   3S KH "), "doi 3s kh");
});

test("a command is found in either language, with the words behind it", () => {
  assert.deepEqual(parseTyped("tố 4x", [sort, bet]), { command: bet, words: ["4x"] });
  assert.deepEqual(parseTyped("XẾP SỐ", [sort, bet]), { command: sort, words: [] });
});

test("the longest phrase wins, whatever the order of the commands", () => {
  const short = command("xep");
  for (const commands of [
    [short, sort],
    [sort, short],
  ]) {
    assert.equal(parseTyped("xep so", commands)?.command, sort);
  }
});

test("a phrase is no command inside a longer word, or for a game that does not have it", () => {
  assert.equal(parseTyped("better", [bet]), null);
  assert.equal(parseTyped("done", [bet]), null);
  assert.notEqual(parseTyped("done", [bet, done]), null);
});
