import assert from "node:assert/strict";
import { test } from "node:test";
import type { Line } from "../src/line.js";
import { VerificationError } from "../src/errors.js";
import { Session } from "../src/session.js";

test("keys on pages without an end are refused, and each page is asked for by the last one's token", async () => {
  const asked: (string | undefined)[] = [];
  const ask = (_method: unknown, { pageToken }: { pageToken?: string }): Promise<object> => {
    asked.push(pageToken);
    return Promise.resolve({ logKey: "", rootKey: "", keyLeaves: [], nextPageToken: String(asked.length) });
  };
  const session = new Session({ ask } as unknown as Line);
  await assert.rejects(
    session.believed(),
    (error) => error instanceof VerificationError && /1000 pages/.test(error.message),
  );
  assert.deepEqual(asked.slice(0, 3), [undefined, "1", "2"]);
  assert.equal(asked.length, 1001);
});
