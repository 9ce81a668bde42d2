/** A real server, asked by gRPC, by gRPC-Web and by Connect; REFEREE has where it is and its keys. */

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { Code, type Referee, refusalOf } from "../src/index.js";
import { connectNode } from "../src/node.js";
import { receiptText, verifyReceipt, verifyRound } from "../src/verify.js";
import { connectWeb } from "../src/web.js";
import { play } from "./table.js";

interface Server {
  readonly grpc: string;
  readonly web: string;
  readonly keys: { readonly origin: string; readonly logKey: string; readonly rootKey: string };
}

const given = process.env["REFEREE"];
const { grpc, web, keys } = JSON.parse(given ?? '{"keys":{}}') as Server;
const native = given === undefined ? undefined : connectNode({ baseUrl: `http://${grpc}` });
const routes: Record<string, Referee | undefined> =
  given === undefined
    ? {}
    : {
        grpc: native,
        "grpc-web": connectWeb({ baseUrl: `http://${web}` }),
        connect: connectWeb({ baseUrl: `http://${web}`, json: true }),
      };
const tableNamed = (name: string) => `ts-${name}-${crypto.randomUUID().slice(0, 8)}`;
after(() => native?.close());

test("there is a server to ask", { skip: given === undefined && "REFEREE is not set" }, () => {
  assert.equal(Object.keys(routes).length, 3);
});

for (const [name, referee] of Object.entries(routes)) {
  describe(`over ${name}`, () => {
    const server = referee as Referee;

    test("a round is dealt, settled, and its receipt verified", async () => {
      const { receipt, net } = await play(server, tableNamed(name));
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
      const { tableId, certificate } = await play(server, tableNamed(name));
      await server.shuffler.revealRound({ tableId, roundNumber: 1n });
      const round = { tableId, roundNumber: 1n, certificates: [certificate] };
      const found = await verifyRound(server, keys, round, { now: Date.now() });
      const failed = found.findings.filter((one) => one.severity !== "NOTE");
      assert.deepEqual(failed, []);
      const passed = found.checks.filter((one) => one.outcome === "PASSED").map((one) => one.code);
      for (const code of ["CHECKPOINT", "SIGNATURES", "DECK", "CARDS", "MONEY", "CERTIFICATES"]) {
        assert.ok(passed.includes(code as (typeof passed)[number]), code);
      }
    });

    test("256 calls at once are answered", async () => {
      const calls = Array.from({ length: 256 }, () => server.log.getKeys({}));
      const answers = await Promise.all(calls);
      assert.deepEqual(new Set(answers.map((one) => one.origin)), new Set([keys.origin]));
    });

    test("a refusal has its code, reason, field and request id", async () => {
      const asked = server.log.getTableRound(
        { tableId: "nobody", roundNumber: 1n },
        { headers: { "x-request-id": "from-the-test" } },
      );
      const refusal = refusalOf(await asked.catch((error: unknown) => error));
      assert.equal(refusal.code, Code.FailedPrecondition);
      assert.equal(refusal.reason, "NOT_OPENED");
      assert.deepEqual(
        refusal.fields.map((one) => one.path),
        ["round_number"],
      );
      assert.ok(["from-the-test", ""].includes(refusal.requestId)); // Connect's errors have no trailers
    });

    test("a batch refuses each request by itself, with its reason", async () => {
      const requests = [{ tableId: "nobody", roundNumber: 1n }];
      const { responses } = await server.shuffler.revealRounds({ requests });
      const refused = responses.map(({ refused: status }) => status?.code);
      assert.deepEqual(refused, [Code.FailedPrecondition]);
      const details = responses[0]?.refused?.details.map(({ typeUrl }) => typeUrl);
      assert.deepEqual(details, ["type.googleapis.com/google.rpc.ErrorInfo"]);
    });

    test("a deadline ends a call", async () => {
      const seen: number[] = [];
      const watching = async () => {
        for await (const { status } of server.health.watch({}, { timeoutMs: 1500 })) {
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
        for await (const { status } of server.health.watch({}, { signal: leaving.signal })) {
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
        server.rulesets
          .getRuleset({ rulesetId: rulesetId(bytes) })
          .then(() => assert.fail("it was answered"))
          .catch((error: unknown) => refusalOf(error));
      assert.equal((await asked(900_000)).code, Code.NotFound);
      const { code, reason } = await asked(1_500_000);
      assert.deepEqual([code, reason], [Code.ResourceExhausted, "MESSAGE_TOO_LARGE"]);
    });
  });
}
