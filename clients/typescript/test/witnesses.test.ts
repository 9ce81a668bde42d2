/** With witnesses in its trust, a client shows no seed before a quorum of them has cosigned OPEN. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { NotReadyError, SeatSecrets, type Trust, VerificationError } from "../src/index.js";
import { connect } from "../src/node.js";
import { server, tableNamed, watched, without, withoutWitness } from "./server.js";

const binh = (table: string) => ({ table, ruleset: "mau_binh.classic", seats: 2, stake: 100 });

/** Open a round at the watched server with this trust, and deal it. */
async function dealtBy(trust: Trust, table: string) {
  const client = connect(watched.grpc, { trust });
  const secrets = [0, 1].map((seat) => SeatSecrets.make(seat, { keyed: true }));
  const game = client.mauBinh(binh(table), { secrets });
  try {
    await game.open();
    await game.deal();
    return game;
  } finally {
    client.close();
  }
}

describe("a server with a witness", { skip: withoutWitness }, () => {
  const { logKey, rootKey } = watched.keys;
  const witnesses = [watched.witness];

  test("deals a round whose OPEN the witness has cosigned before", async () => {
    const { leaves } = await dealtBy({ logKey, rootKey, witnesses }, watched.table);
    assert.ok((leaves.deal?.index ?? 0) > (leaves.open?.index ?? Infinity));
  });

  test("gets no seed from a client that believes another witness", async () => {
    const trust = { logKey, rootKey, witnesses: [watched.stranger] };
    const dealing = dealtBy(trust, tableNamed("stranger"));
    await assert.rejects(dealing, (error: unknown) => {
      return error instanceof VerificationError && /0 witnesses of 1 cosigned/.test(error.message);
    });
  });

  test("gets no seed where the witness is one of two that are needed", async () => {
    const both = [watched.witness, watched.stranger];
    const dealing = dealtBy({ logKey, rootKey, witnesses: both }, tableNamed("two"));
    await assert.rejects(dealing, (error: unknown) => {
      return error instanceof VerificationError && /1 witnesses of 2 cosigned/.test(error.message);
    });
    const enough = { logKey, rootKey, witnesses: both, quorum: 1 };
    assert.equal((await dealtBy(enough, tableNamed("one"))).stage, "DEALT");
  });
});

test("a server without witnesses gets no seed, and says so", { skip: without }, async () => {
  const { logKey, rootKey } = server.keys;
  const trust = { logKey, rootKey, witnesses: [watched.witness] };
  const client = connect(server.grpc, { trust });
  const game = client.mauBinh(binh(tableNamed("alone")));
  await game.open();
  await assert.rejects(game.deal(), (error: unknown) => {
    return error instanceof NotReadyError && error.reason === "NO_WITNESSES";
  });
  assert.equal(game.stage, "OPENED");
  client.close();
});
