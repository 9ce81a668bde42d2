/** A server whose clock is moved: tokens expire in a living client, and a clock behind the log keeps it from writing. */

import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { type Client, connect as connectJson, DeniedError, type Token, UnavailableError } from "../src/index.js";
import { connect as connectGrpc } from "../src/node.js";
import { chiOf, expiring, withoutExpiring } from "./server.js";

describe("a client whose tokens expire", { skip: withoutExpiring }, () => {
  const { grpc, web, control, keys } = expiring;
  const ask = async (path: string) => {
    const answer = await fetch(`${control}/${path}`);
    assert.ok(answer.ok, await answer.clone().text());
    return answer.text();
  };
  const lines: Readonly<Record<string, (token: Token) => Client>> = {
    grpc: (token) => connectGrpc(grpc, { trust: keys, token }),
    json: (token) => connectJson(`http://${web}`, { trust: keys, token }),
  };

  for (const [name, open] of Object.entries(lines)) {
    for (const kind of ["own", "provider"]) {
      test(`asks for another token once and plays on (${kind}, ${name})`, async () => {
        let asked = 0;
        const client = open(() => {
          asked += 1;
          return ask(kind);
        });
        const game = client.mauBinh({ table: `acme.${kind}-${name}`, ruleset: "mau_binh.classic", seats: 2 });
        await game.open();
        const hands = await game.deal();
        await ask("expire");
        await Promise.all([...hands].map(([seat, hand]) => game.arrange(seat, chiOf(hand))));
        await Promise.all([1, 2, 3].map(() => client.rounds({ table: game.table }).next()));
        assert.equal((await game.settle()).outcome?.seats.length, 2);
        await ask("expire");
        await game.reveal();
        assert.equal(asked, 3, "one token at the start, and one after each expiry");
        client.close();
      });
    }

    test(`a token that is one text, or one that stays expired, is refused (${name})`, async () => {
      const old = await ask("own");
      await ask("expire");
      for (const token of [old, () => old]) {
        const client = open(token);
        const error: unknown = await client
          .mauBinh({ table: `acme.old-${name}`, ruleset: "mau_binh.classic", seats: 2 })
          .open()
          .catch((failure: unknown) => failure);
        assert.ok(error instanceof DeniedError, String(error));
        assert.equal(error.reason, "CREDENTIALS_EXPIRED");
        client.close();
      }
    });
  }

  for (const [name, open] of Object.entries(lines)) {
    test(`a server that cannot write is said to be its operator's to mend (${name})`, async () => {
      const client = open(() => ask("own"));
      const terms = (number: number) => ({ table: `acme.up-${name}-${number}`, ruleset: "mau_binh.classic", seats: 2 });
      await client.mauBinh(terms(0)).open();
      await ask("behind");
      try {
        let words = "";
        for (let attempt = 1; attempt < 60 && !words.includes("health"); attempt += 1) {
          const error: unknown = await client
            .mauBinh(terms(attempt))
            .open()
            .catch((failure: unknown) => failure);
          assert.ok(error instanceof UnavailableError, String(error));
          words = error.message; // until the server has noticed, there is its refusal alone
          assert.equal(error.reason, "CLOCK_BEHIND");
        }
        assert.match(words, /the server is up and its health says NOT_SERVING, that it cannot serve; ask its operator/);
      } finally {
        await ask("right");
        client.close();
      }
    });
  }
});
