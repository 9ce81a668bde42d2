/** Rounds that a client names by their course: fewer bytes, the same answers, and whole rounds where none is known. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { create, toBinary } from "@bufbuild/protobuf";
import { Abridging } from "../src/abridging.js";
import { Client, Code, type Line, NotReadyError, type TienLenGame } from "../src/index.js";
import { grpcLine } from "../src/node.js";
import { dealt, forgetful, move, server, tableNamed, without } from "./server.js";

/** A client by gRPC, and the bytes of each request of Tiến Lên that it sends. */
function counted({ grpc, keys }: typeof forgetful): [Client, number[]] {
  const honest = grpcLine({ baseUrl: `http://${grpc}` });
  const sizes: number[] = [];
  const line: Line = {
    ask(method, request, timeoutMs) {
      if (method.parent.name === "TienLenService") {
        sizes.push(toBinary(method.input, create(method.input, request)).length);
      }
      return honest.ask(method, request, timeoutMs);
    },
    close: () => honest.close(),
  };
  return [new Client(line, { trust: keys }), sizes];
}

/** Play a table's rounds until one is not won at the deal; each seat plays its first lawful play. */
async function played(client: Client): Promise<TienLenGame> {
  const table = tableNamed("abridged");
  for (;;) {
    const game = await dealt(client.tienLen({ table, ruleset: "tien_len.mien_nam", seats: 4, stake: 100 }));
    while (await move(game));
    assert.deepEqual((await game.settle()).violations, []);
    if (game.course.number > 1) {
      return game;
    }
  }
}

describe("a server", { skip: without }, () => {
  test("is sent a round once, and its course after that", async () => {
    const [client, sizes] = counted(server);
    const game = await played(client);
    const { abridged, unknown } = client.abridging;
    assert.equal(unknown, 0);
    assert.ok(abridged >= 2 * game.course.number - 1, `${abridged} of ${game.course.number}`);
    assert.ok(Math.max(...sizes.slice(-10)) * 10 < game.saved().length);
    client.close();
  });

  test("is sent the whole round once, and after an unknown name alone", async () => {
    const honest = grpcLine({ baseUrl: `http://${server.grpc}` });
    let reason: string | undefined;
    const sent: string[] = [];
    const line: Line = {
      ask(method, request, timeoutMs) {
        if (reason === undefined || method.parent.name !== "TienLenService") {
          return honest.ask(method, request, timeoutMs);
        }
        const { round } = request as { readonly round: { readonly course?: unknown } };
        sent.push(round.course === undefined ? "whole" : "named");
        return Promise.reject(new NotReadyError({ code: Code.FailedPrecondition, message: "refused", reason }));
      },
      close: () => honest.close(),
    };
    const client = new Client(line, { trust: server.keys });
    const game = await dealt(
      client.tienLen({ table: tableNamed("once"), ruleset: "tien_len.mien_nam", seats: 4, stake: 100 }),
    );
    await game.preview();
    for (const [given, calls] of [
      ["SECTION_MISSING", ["named"]],
      ["ROUND_UNKNOWN", ["named", "whole"]],
    ] as const) {
      [reason, sent.length] = [given, 0];
      await assert.rejects(game.preview(), NotReadyError);
      assert.deepEqual(sent, calls);
    }
    client.close();
  });

  test("that remembers no round is sent whole ones after two misses", async () => {
    const [client, sizes] = counted(forgetful);
    const game = await played(client);
    const { abridged, unknown } = client.abridging;
    assert.equal(abridged, 0);
    assert.ok(unknown >= 2 && unknown <= 2 + sizes.length / 100, `${unknown} misses in ${sizes.length} requests`);
    assert.ok((sizes[sizes.length - 1] ?? 0) >= game.saved().length);
    client.close();
  });
});

test("two unknown rounds in a row end abridging for a hundred", () => {
  const abridging = new Abridging();
  for (const isKnown of [false, true, false]) {
    assert.ok(abridging.isOn());
    abridging.note({ isKnown });
  }
  assert.ok(abridging.isOn());
  abridging.note({ isKnown: false });
  const next = Array.from({ length: 102 }, () => abridging.isOn());
  assert.deepEqual(next, [...Array<boolean>(100).fill(false), true, false]);
  abridging.note({ isKnown: true });
  assert.ok(abridging.isOn());
  assert.deepEqual([abridging.abridged, abridging.unknown], [2, 3]);
});
