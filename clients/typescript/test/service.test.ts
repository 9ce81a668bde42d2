/** A real server, asked by gRPC, by gRPC-Web and by Connect; REFEREE has where it is and its keys. */

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { Code, type Referee, refusalOf } from "../src/index.js";
import { connectNode } from "../src/node.js";
import { receiptText, verifyReceipt, verifyRound } from "../src/verify.js";
import { connectWeb } from "../src/web.js";
import { assertVerified, server, tableNamed, without } from "./server.js";
import { play } from "./table.js";

const { grpc, web, keys } = server;
const native = without === false ? connectNode({ baseUrl: `http://${grpc}` }) : undefined;
const routes: Record<string, Referee | undefined> =
  without === false
    ? {
        grpc: native,
        "grpc-web": connectWeb({ baseUrl: `http://${web}` }),
        connect: connectWeb({ baseUrl: `http://${web}`, json: true }),
      }
    : {};
after(() => native?.close());

test("there is a server to ask", { skip: without }, () => {
  assert.equal(Object.keys(routes).length, 3);
});

for (const [name, route] of Object.entries(routes)) {
  describe(`over ${name}`, () => {
    const referee = route as Referee;

    test("a round is dealt, settled, and its receipt verified", async () => {
      const { receipt, net } = await play(referee, tableNamed(name));
      assert.equal(
        net.reduce((sum, one) => sum + one, 0n),
        0n,
      );
      const found = verifyReceipt(receipt, keys);
      assert.deepEqual(found.findings, []);
      assert.equal(found.index, Number(receipt.leafIndex));
      const edited = { ...receipt, leaf: receipt.leaf.slice(1) };
      assert.equal(verifyReceipt(edited, keys).passed, false);
      assert.ok(receiptText(receipt).startsWith("c2sp.org/tlog-proof@v1\n"));
    });

    test("a revealed round is verified from deal to money, with any caller", async () => {
      const { tableId, certificate } = await play(referee, tableNamed(name));
      await referee.shuffler.revealRound({ round: { tableId, roundNumber: 1n } });
      const round = { tableId, roundNumber: 1n, certificates: [certificate] };
      const found = await verifyRound(referee, keys, round, { now: Date.now() });
      assertVerified(found);
    });

    test("256 calls at once are answered", async () => {
      const calls = Array.from({ length: 256 }, () => referee.log.getKeys({}));
      const answers = await Promise.all(calls);
      assert.deepEqual(new Set(answers.map((one) => one.origin)), new Set([keys.origin]));
    });

    test("a refusal has its code, reason, field and request id", async () => {
      const asked = referee.log.getTableRound(
        { round: { tableId: "nobody", roundNumber: 1n } },
        { headers: { "x-request-id": "from-the-test" } },
      );
      const refusal = refusalOf(await asked.catch((error: unknown) => error));
      assert.equal(refusal.code, Code.FailedPrecondition);
      assert.equal(refusal.reason, "NOT_OPENED");
      assert.deepEqual(
        refusal.fields.map((one) => one.path),
        ["round.round_number"],
      );
      assert.ok(["from-the-test", ""].includes(refusal.requestId)); // Connect's errors have no trailers
    });

    test("a batch refuses each request by itself, with its reason", async () => {
      const requests = [{ round: { tableId: "nobody", roundNumber: 1n } }];
      const { responses } = await referee.shuffler.revealRounds({ requests });
      const refused = responses.map(({ refused: status }) => status?.code);
      assert.deepEqual(refused, [Code.FailedPrecondition]);
      const details = responses[0]?.refused?.details.map(({ typeUrl }) => typeUrl);
      assert.deepEqual(details, ["type.googleapis.com/google.rpc.ErrorInfo"]);
    });

    test("a deadline ends a call", async () => {
      const seen: number[] = [];
      const watching = async () => {
        for await (const { status } of referee.health.watch({}, { timeoutMs: 1500 })) {
          seen.push(status);
        }
      };
      const error = await watching().catch((failure: unknown) => failure);
      assert.equal(refusalOf(error).code, Code.DeadlineExceeded);
      assert.deepEqual(seen, [1]);
    });

    test("a stream says what is so and goes on until it is left", async () => {
      const leaving = new AbortController();
      const seen: number[] = [];
      try {
        for await (const { status } of referee.health.watch({}, { signal: leaving.signal })) {
          seen.push(status);
          leaving.abort();
        }
      } catch (error) {
        assert.equal(refusalOf(error).code, Code.Canceled);
      }
      assert.deepEqual(seen, [1]);
    });

    test("a large question is answered, one too large refused with its reason", async () => {
      const rulesetId = (bytes: number) => "x".repeat(bytes);
      const asked = (bytes: number) =>
        referee.rulesets
          .getRuleset({ rulesetId: rulesetId(bytes) })
          .then(() => assert.fail("it was answered"))
          .catch((error: unknown) => refusalOf(error));
      assert.equal((await asked(900_000)).code, Code.NotFound);
      const { code, reason } = await asked(1_500_000);
      assert.deepEqual([code, reason], [Code.ResourceExhausted, "MESSAGE_TOO_LARGE"]);
    });
  });
}
