/** Amounts and times in another unit are refused by the name of their field, before anything is sent. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { Client, type Line, type Terms } from "../src/index.js";

const SECONDS = 1_800_000_000;
const LATE = `long before 2001; give milliseconds since 1970 UTC, not seconds: ${SECONDS * 1000}`;
const line: Line = { ask: () => assert.fail("something was sent"), close: () => undefined };
const client = new Client(line);
const refused = (words: string) => (error: unknown) => {
  assert.ok(error instanceof RangeError, String(error));
  assert.ok(error.message.startsWith(words), error.message);
  return true;
};

describe("numbers that cannot be meant", () => {
  const cases: readonly (readonly [Partial<Terms>, string])[] = [
    [{ stake: 0.5 }, "stake is 0.5; give minor units of the currency, such as cents, a whole number"],
    [{ stake: -5 }, "stake is -5; give minor units"],
    [{ stake: 2 ** 53 }, "stake is 9007199254740992; give minor units"],
    [{ bets: [{ ante: 20 }, { ante: -20 }] }, "bets[1].ante is -20; give minor units"],
    [{ bets: [{ ante: 20, trips: -4 }] }, "bets[0].trips is -4; give minor units"],
    [{ dealDeadline: SECONDS }, `dealDeadline is ${SECONDS}, ${LATE}`],
    [{ roundDeadline: SECONDS }, `roundDeadline is ${SECONDS}, ${LATE}`],
    [{ roundDeadline: SECONDS + 0.5 }, "roundDeadline is 1800000000.5; give milliseconds since 1970 UTC, a whole"],
  ];
  for (const [given, words] of cases) {
    test(words, async () => {
      const game = client.mauBinh({ table: "t", ruleset: "mau_binh.classic", seats: 2, ...given });
      await assert.rejects(game.open(), refused(words));
    });
  }

  for (const name of ["startTime", "endTime"] as const) {
    test(`a period's ${name}`, async () => {
      await assert.rejects(client.rounds({ [name]: SECONDS }).next(), refused(`${name} is ${SECONDS}, ${LATE}`));
      await assert.rejects(client.rounds({ [name]: -5 }).next(), refused(`${name} is -5; give milliseconds`));
    });
  }
});
