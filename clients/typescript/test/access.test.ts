/** A server with access control, asked with a frontend's token; REFEREE has where it is. */

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { DeniedError, RefereeError, refusalOf, SeatSecrets, ShufflerService } from "../src/index.js";
import { connect, connectNode } from "../src/node.js";
import { logSource, verifyRound } from "../src/verify.js";
import { assertVerified, guarded } from "./server.js";
import { play } from "./table.js";

const without = guarded === undefined && "REFEREE names no server with access control";

describe("with a frontend's token", { skip: without }, () => {
  const { grpc, keys, token } = guarded ?? ({} as NonNullable<typeof guarded>);
  const referee = guarded === undefined ? undefined : connectNode({ baseUrl: `http://${grpc}`, token });
  after(() => referee?.close());

  test("a round of its own table is played and verified", async () => {
    const { tableId, certificate } = await play(referee!, `acme.${crypto.randomUUID()}`);
    await referee!.shuffler.revealRound({ round: { tableId, roundNumber: 1n } });
    const round = { tableId, roundNumber: 1n, certificates: [certificate] };
    const found = await verifyRound(referee!, keys, round, { now: Date.now() });
    assertVerified(found);
  });

  test("a batch with another tenant's table is sent again one by one", async () => {
    const client = connect(grpc, { trust: keys, token });
    const reveal = async (tableId: string) => {
      const request = { round: { tableId, roundNumber: 1n } };
      const error: unknown = await client
        .ask(ShufflerService.method.revealRound, request)
        .catch((failure: unknown) => failure);
      assert.ok(error instanceof RefereeError, String(error));
      return error.reason;
    };
    const tables = [`acme.${crypto.randomUUID()}`, "bcme.t"];
    const reasons = await Promise.all(tables.map(reveal));
    assert.deepEqual(reasons, ["NOT_OPENED", "TABLE_FORBIDDEN"]);
    assert.deepEqual(client.gathering, { requests: 2, calls: 3 });
    client.close();
  });

  test("rounds of its own tables are listed, and a key's own by anyone", async () => {
    const frontend = connect(grpc, { trust: keys, token });
    const table = `acme.${crypto.randomUUID()}`;
    const privateKey = crypto.getRandomValues(new Uint8Array(32));
    const secrets = [SeatSecrets.make(0, { privateKey }), SeatSecrets.make(1)];
    const terms = { table, ruleset: "mau_binh.classic", seats: 2 };
    await frontend.mauBinh(terms, { secrets }).open();
    const player = connect(grpc, { trust: keys });
    const listed = [await frontend.rounds({ table }).next(), await player.ownRounds(privateKey).next()];
    assert.deepEqual(
      listed.map(({ value }) => value?.round?.tableId),
      [table, table],
    );
    await assert.rejects(frontend.rounds().next(), DeniedError);
    await assert.rejects(frontend.rounds({ tablePrefix: "bcme." }).next(), DeniedError);
    await assert.rejects(player.rounds({ table }).next(), DeniedError);
    frontend.close();
    player.close();
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
