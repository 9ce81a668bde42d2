/** Requests of several tables in one call: fewer calls, and each table is answered and refused by itself. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import { type Client, type Line, type MauBinhGame, NotReadyError } from "../src/index.js";
import { connect } from "../src/node.js";
import { BATCHED, GatheringLine } from "../src/gathering.js";
import { LogService } from "../src/gen/referee/v1/log_pb.js";
import { MauBinhService } from "../src/gen/referee/v1/mau_binh_pb.js";
import { ShufflerService } from "../src/gen/referee/v1/shuffler_pb.js";
import { TienLenService } from "../src/gen/referee/v1/tien_len_pb.js";
import { UltimateTexasService } from "../src/gen/referee/v1/ultimate_texas_pb.js";
import { chiOf, clients, server, tableNamed, without } from "./server.js";

const TABLES = 12;

function binh(client: Client): MauBinhGame {
  const table = tableNamed("shared");
  return client.mauBinh({ table, ruleset: "mau_binh.classic", seats: 2, stake: 100 });
}

/** Play a round of Mậu Binh with hands as dealt; the number of its events. */
async function play(client: Client): Promise<number> {
  const game = binh(client);
  await game.open();
  for (const [seat, hand] of await game.deal()) {
    if (!(await game.isOver())) {
      await game.arrange(seat, chiOf(hand));
    }
  }
  assert.deepEqual((await game.settle()).violations, []);
  await game.reveal();
  return game.course.number;
}

const playAll = async (client: Client) => {
  const events = await Promise.all(Array.from({ length: TABLES }, () => play(client)));
  client.close();
  return 4 * TABLES + events.reduce((sum, one) => sum + one, 0);
};

describe("tables that play at the same time", { skip: without }, () => {
  test("share calls in Node", async () => {
    const client = connect(server.grpc, { trust: server.keys });
    const requests = await playAll(client);
    assert.equal(client.gathering.requests, requests);
    assert.ok(client.gathering.calls <= requests / 2, `${client.gathering.calls} of ${requests}`);
  });

  test("share calls over Connect and JSON where the caller wants it", async () => {
    const client = clients["json"]!();
    assert.equal(await playAll(client), client.gathering.calls);
    const sharing = clients["json, shared"]!();
    const requests = await playAll(sharing);
    assert.ok(sharing.gathering.calls <= requests / 2, `${sharing.gathering.calls} of ${requests}`);
  });

  test("share none where that is off", async () => {
    const client = connect(server.grpc, { trust: server.keys, gatherMs: 0 });
    const requests = await playAll(client);
    assert.deepEqual(client.gathering, { requests, calls: requests });
  });

  for (const name of ["grpc", "json, shared"]) {
    test(`are refused each by itself: ${name}`, async () => {
      const client = clients[name]!();
      const games = [binh(client), binh(client), binh(client)];
      await Promise.all(games.map((game) => game.open()));
      await Promise.all(games.slice(0, 2).map((game) => game.abort()));
      const [first, second, third] = await Promise.allSettled(games.map((game) => game.reveal()));
      assert.deepEqual([first?.status, second?.status], ["fulfilled", "fulfilled"]);
      const error: unknown = third?.status === "rejected" && third.reason;
      assert.ok(error instanceof NotReadyError);
      assert.equal(error.reason, "NOT_TERMINAL");
      assert.ok(client.gathering.calls < client.gathering.requests);
      client.close();
    });
  }
});

/** A line that notes the methods of its calls; each is answered by `answered`, once that is called. */
function slow() {
  const calls: string[] = [];
  let answers: (() => void)[] = [];
  const line = {
    ask: ({ name }: { name: string }, request: { requests?: readonly object[] }) =>
      new Promise((resolve) => {
        calls.push(request.requests ? `${name} of ${request.requests.length}` : name);
        answers.push(() => resolve({ responses: request.requests?.map(() => ({})) }));
      }),
    close: () => undefined,
  };
  const answered = () => {
    const ready = answers;
    answers = [];
    ready.forEach((answer) => answer());
  };
  return { line: line as unknown as Line, calls, answered };
}

const turned = () => new Promise((resolve) => setImmediate(resolve));

test("a lone request waits for none, and those during a call go together after it", async () => {
  const { line, calls, answered } = slow();
  const gathering = new GatheringLine(line, 60_000); // no timer of this test ends
  const reveal = () => gathering.ask(ShufflerService.method.revealRound, { round: { tableId: "t" } });
  const first = reveal();
  await turned();
  assert.deepEqual(calls, ["RevealRound"]);
  const others = Array.from({ length: 300 }, reveal);
  const log = gathering.ask(LogService.method.getKeys, {});
  await turned();
  assert.deepEqual(calls, ["RevealRound", "GetKeys"]);
  answered();
  await Promise.all([first, log]);
  await turned();
  assert.deepEqual(calls.slice(2), ["RevealRounds of 256", "RevealRounds of 44"]);
  answered();
  await Promise.all(others);
  assert.deepEqual(gathering.figures, { requests: 301, calls: 3 });
});

test("a batch has no more bytes than a server reads", async () => {
  const { line, calls, answered } = slow();
  const gathering = new GatheringLine(line, 60_000);
  const clientSeeds = [new Uint8Array(200_000)];
  const deal = () => gathering.ask(ShufflerService.method.dealRound, { clientSeeds });
  const dealing = Promise.all(Array.from({ length: 5 }, deal));
  await turned();
  assert.deepEqual(calls, ["DealRounds of 2", "DealRounds of 2", "DealRound"]);
  answered();
  await dealing;
});

test("requests wait no longer than is set", async () => {
  const { line, calls, answered } = slow();
  const gathering = new GatheringLine(line, 1);
  const reveal = () => gathering.ask(ShufflerService.method.revealRound, { round: { tableId: "t" } });
  const all = [reveal()];
  await turned();
  all.push(reveal(), reveal());
  while (calls.length < 2) {
    await turned();
  }
  assert.deepEqual(calls, ["RevealRound", "RevealRounds of 2"]);
  answered();
  await Promise.all(all);
});

test("every method that writes and has a batch is collected", () => {
  const services = [ShufflerService, MauBinhService, TienLenService, UltimateTexasService];
  const methods = services.flatMap((service) => service.methods);
  const names = new Set(methods.map(({ name }) => name));
  const writing = methods.filter(({ idempotency }) => idempotency !== MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS);
  const found = writing.map(({ name }) => name).filter((name) => names.has(`${name}s`));
  assert.deepEqual(new Set(found), BATCHED);
});
