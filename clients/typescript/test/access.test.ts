/** A server with access control, asked with a frontend's token; REFEREE has where it is. */

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { refusalOf } from "../src/index.js";
import { connectNode } from "../src/node.js";
import { logSource, verifyRound } from "../src/verify.js";
import { play } from "./table.js";

interface Guarded {
  readonly grpc: string;
  readonly keys: { readonly origin: string; readonly logKey: string; readonly rootKey: string };
  readonly token: string;
}

const given = process.env["REFEREE"];
const guarded = (JSON.parse(given ?? "{}") as { readonly guarded?: Guarded }).guarded;
const without = guarded === undefined && "REFEREE names no server with access control";

describe("with a frontend's token", { skip: without }, () => {
  const { grpc, keys, token } = guarded ?? ({} as Guarded);
  const referee =
    guarded === undefined ? undefined : connectNode({ baseUrl: `http://${grpc}`, token });
  after(() => referee?.close());

  test("a round of its own table is played and verified", async () => {
    const { tableId, certificate } = await play(referee!, `acme.${crypto.randomUUID()}`);
    await referee!.shuffler.revealRound({ tableId, roundNumber: 1n });
    const round = { tableId, roundNumber: 1n, certificates: [certificate] };
    const found = await verifyRound(referee!, keys, round, { now: Date.now() });
    assert.deepEqual(
      found.findings.filter((one) => one.severity !== "NOTE"),
      [],
    );
    const passed = found.checks.filter((one) => one.outcome === "PASSED").map((one) => one.code);
    for (const code of ["CHECKPOINT", "SIGNATURES", "DECK", "CARDS", "MONEY", "CERTIFICATES"]) {
      assert.ok(passed.includes(code as (typeof passed)[number]), code);
    }
  });

  test("another tenant's round is refused", async () => {
    const round = { tableId: "bcme.t", roundNumber: 1n };
    const error = await verifyRound(referee!, keys, round).catch((failure: unknown) => failure);
    assert.equal(refusalOf(error).reason, "TABLE_FORBIDDEN");
  });

  test("the whole log is for auditors, and the refusal names the method", async () => {
    const { leaves } = await logSource(referee!);
    const reading = async () => {
      for await (const leaf of leaves) {
        assert.fail(`a leaf of ${leaf.length} bytes was answered`);
      }
    };
    const error = await reading().catch((failure: unknown) => failure);
    assert.equal(refusalOf(error).reason, "ROLE_FORBIDDEN");
    assert.match(refusalOf(error).message, /LogService\.ListEntries/);
  });
});
