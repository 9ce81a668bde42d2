import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";

import { faultOfMessage, faultOfResult, faultOfShare } from "../src/connection/checking";

type Members = Record<string, unknown>;

const FOLDER = "../table/examples";
const EXAMPLES = readdirSync(FOLDER).map((name) => ({
  name,
  message: JSON.parse(readFileSync(`${FOLDER}/${name}`, "utf8")) as Members,
}));
const SENT = EXAMPLES.filter(({ name }) => /^(welcome|lobby|view|done|refused|notice|goodbye|pong)\./.test(name));
const exampleOf = (name: string): Members => {
  const found = EXAMPLES.find((one) => one.name === `${name}.json`);
  assert.ok(found !== undefined, name);
  return structuredClone(found.message);
};

test("every example of what a table server sends is what the page expects", () => {
  assert.ok(SENT.length > 60);
  for (const { name, message } of SENT) {
    assert.equal(faultOfMessage(message), null, name);
  }
});

test("every example of a command's answer is what the page expects, and an answer that is none is found", () => {
  let checked = 0;
  for (const { name, message } of EXAMPLES.filter((example) => example.name.startsWith("done."))) {
    const asked = EXAMPLES.find((example) => example.name === name.replace("done.", "command."));
    const command = String((asked?.message ?? exampleOf("command.review"))["name"]);
    assert.equal(faultOfResult(command, message["result"]), null, name);
    assert.notEqual(faultOfResult(command, "whatever"), null, name);
    checked += 1;
  }
  assert.ok(checked > 35, String(checked));
  assert.equal(faultOfResult("a command of another game", "whatever"), null);
});

const WRONG_RESULTS: readonly (readonly [example: string, change: (result: Members) => void, where: string])[] = [
  [
    "mau_binh.suggest",
    ({ suggestions }) => delete (suggestions as Members[])[0]!["arrangement"],
    "suggest.suggestions[0].arrangement",
  ],
  [
    "tien_len.suggest",
    ({ suggestions }) => ((suggestions as Members[])[0]!["action"] = "FOLD"),
    "suggest.suggestions[0].action",
  ],
  ["check", ({ values }) => ((values as Members[])[2]!["name"] = "đôi"), "check.values[2].name"],
  ["review.ready", (result) => (result["choices"] = null), "review.choices"],
  ["decide.flop", (result) => delete result["receipt"], "decide.receipt"],
  ["share", (result) => (result["until"] = "soon"), "share.until"],
];

for (const [example, change, where] of WRONG_RESULTS) {
  test(`an answer that is wrong at ${where} is named there`, () => {
    const { result } = exampleOf(`done.${example}`) as { result: Members };
    change(result);
    const [command = ""] = where.split(".");
    assert.equal(faultOfResult(command, result)?.where, where);
  });
}

test("what a link of a round answers is checked too", () => {
  assert.equal(faultOfShare(exampleOf("share")), null);
  assert.equal(faultOfShare({ ...exampleOf("share"), round: {} })?.where, "share.round.end");
});

const WRONG: readonly (readonly [change: (view: Members) => void, where: string, why: string])[] = [
  [(view) => delete view["version"], "view.version", "missing"],
  [(view) => (view["phase"] = "NAP"), "view.phase", 'OPENING or PLAYING or SEEDING or SHOWDOWN, found "NAP"'],
  [(view) => (view["deadline"] = "soon"), "view.deadline", "expected"],
  [(view) => (view["persons"] = {}), "view.persons", "expected array, found object"],
  [({ persons }) => ((persons as Members[])[1]!["name"] = 7), "view.persons[1].name", "expected string, found number"],
  [
    ({ round }) => ((round as { seats: Members[] }).seats[0]!["is_bot"] = null),
    "view.round.seats[0].is_bot",
    "expected boolean, found null",
  ],
  [
    ({ round }) => ((round as { tien_len: { trick: unknown } }).tien_len.trick = [null]),
    "view.round.tien_len.trick[0]",
    "expected object, found null",
  ],
];

for (const [change, where, why] of WRONG) {
  test(`a view that is wrong at ${where} is named there: ${why}`, () => {
    const view = exampleOf("view.tien_len.turn");
    change(view);
    const fault = faultOfMessage(view);
    assert.equal(fault?.where, where);
    assert.ok(fault.why.includes(why), fault.why);
  });
}

test("what is no message at all is a fault, whatever it is", () => {
  for (const message of [null, undefined, 3, "view", [], {}, { type: 1 }]) {
    assert.equal(faultOfMessage(message)?.where, "type");
  }
});

test("members and types that a later server adds pass", () => {
  assert.equal(faultOfMessage({ ...exampleOf("pong"), mood: { is: "good" } }), null);
  assert.equal(faultOfMessage({ type: "weather", rain: true }), null);
});

/** Every way to leave out one member, or to put something else in the place of one. */
function* broken(value: unknown): Generator<unknown> {
  if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) {
      for (const other of broken(item)) {
        yield value.with(at, other);
      }
    }
  } else if (typeof value === "object" && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      const { [name]: _, ...others } = value as Members;
      yield others;
      for (const other of [null, 3, "text", true, [], {}]) {
        yield { ...value, [name]: other };
      }
      for (const other of broken(member)) {
        yield { ...value, [name]: other };
      }
    }
  }
}

test("no broken message makes the check itself fail, and most are found", () => {
  let [count, found] = [0, 0];
  for (const name of ["view.mau_binh.showdown", "view.ultimate_texas.river", "lobby", "refused.unlawful"]) {
    for (const message of broken(exampleOf(name))) {
      count += 1;
      found += faultOfMessage(message) === null ? 0 : 1;
    }
  }
  assert.ok(count > 1_000, String(count));
  assert.ok(found > count / 2, `${found} of ${count}`);
});
