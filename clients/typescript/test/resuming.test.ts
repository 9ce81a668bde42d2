/**
 * A frontend that kept no journal goes on where no move can be left out; elsewhere its round lapses.
 * REFEREE has a harness, whose cards are scripted and whose clock is moved.
 */

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import {
  AbortReason,
  type Client,
  MauBinhGame,
  RefereeError,
  RoundLapsesError,
  SeatSecrets,
  TienLenGame,
  UltimateTexasGame,
} from "../src/index.js";
import { connect } from "../src/node.js";
import { chiOf, dealt, harness, move, tableNamed, withoutHarness } from "./server.js";

/** A vector whose hands do not win at the deal. */
const QUIET = "mau_binh/settlement#value-front-three-M";

const binh = (table: string) => ({ table, ruleset: "mau_binh.classic", seats: 2, stake: 100 });
const lead = (table: string) => ({ table, ruleset: "tien_len.mien_nam", seats: 2, stake: 10 });
const bet = (table: string) => {
  const bets = [{ ante: 20, trips: 0 }];
  return { table, ruleset: "ultimate_texas.casino", seats: 1, stake: 2, bets };
};
async function control(call: string, body: object): Promise<void> {
  const answer = await fetch(`${harness.control}/${call}`, { method: "POST", body: JSON.stringify(body) });
  assert.equal(answer.status, 200, await answer.text());
}

test("times of a server that is forty seconds fast are kept", { skip: withoutHarness }, async (t) => {
  const trust = { logKey: harness.keys.log, rootKey: harness.keys.root };
  const clock = await fetch(`${harness.control}/clock`);
  const { now: served } = (await clock.json()) as { now: number };
  let now = served;
  t.mock.method(Date, "now", () => now);
  const game = await dealt(
    connect(harness.grpc, { trust }).ultimateTexas(bet(tableNamed("fast")), {
      secrets: [SeatSecrets.make(0)],
    }),
  );
  assert.deepEqual(game.clockDifferences, []);
  now -= 40_000;
  await game.decide(0, "CHECK");
  assert.deepEqual(
    game.clockDifferences.map(({ what, number }) => [what, number]),
    [
      ["EVENT", 1],
      ["UNSEAL", 1],
    ],
  );
  for (const { time, latest } of game.clockDifferences) {
    assert.ok(time >= latest + 40_000, `${time} is not ahead of ${latest}`);
  }
});

describe("without a journal", { skip: withoutHarness }, () => {
  const trust = { logKey: harness.keys.log, rootKey: harness.keys.root };
  const connected = (): Client => connect(harness.grpc, { trust });
  const client = withoutHarness === false ? connected() : (undefined as unknown as Client);
  const lost = withoutHarness === false ? connected() : (undefined as unknown as Client);
  after(() => {
    client?.close();
    lost?.close();
  });

  /** A dealt round of Mậu Binh that is not won at the deal. */
  async function quiet(name: string) {
    const table = tableNamed(name);
    await control("script", { table_id: table, vector: QUIET });
    const game = client.mauBinh(binh(table));
    await game.open();
    return { table, game, hands: await game.deal() };
  }

  test("a table without a round has none to resume", async () => {
    assert.equal(await lost.resume(tableNamed("none")), undefined);
  });

  test("a round without seeds is aborted at once", async () => {
    const table = tableNamed("unseeded");
    await client.mauBinh(binh(table)).open();
    const game = await lost.resume(table);
    assert.equal(game?.stage, "ABORTED");
    assert.equal(await lost.resume(table), undefined);
    await lost.mauBinh(binh(table)).open();
  });

  test("a round with a seed waits for the others", async () => {
    const table = tableNamed("seeded");
    const first = client.mauBinh(binh(table));
    await first.open();
    await first.contribute(0);
    const game = await lost.resume(table);
    assert.equal(game?.stage, "OPENED");
    await first.contribute(1);
    assert.equal((await game?.deal())?.size, 2);
  });

  test("a round goes on from the longest course that players hold, and no clock plays", async () => {
    const table = tableNamed("held");
    const game = await dealt(client.tienLen(lead(table)));
    const held: Uint8Array[] = [];
    for (let made = 0; made < 3; made += 1) {
      assert.ok(await move(game));
      held.push(game.saved());
    }
    const again = await lost.resume(table, { held: [held[2]!, held[0]!] });
    assert.ok(again instanceof TienLenGame);
    assert.deepEqual([again.hands, again.lapses], [game.hands, ""]);
    assert.deepEqual(again.message.events, game.message.events);
    const turn = (await again.plays()).turn;
    assert.ok(turn !== undefined);
    await assert.rejects(again.timeOut(turn), (error: unknown) => {
      return error instanceof RoundLapsesError && error.message.includes("may have a receipt");
    });
    while (await move(again));
    const { outcome, violations } = await again.settle();
    assert.deepEqual(violations, []);
    assert.equal(
      outcome?.seats.reduce((sum, { netMinor }) => sum + netMinor, 0n),
      0n,
    );
    const { sections } = await again.reveal();
    assert.deepEqual(sections.slice(0, 2), [...again.hands.values()]);
  });

  test("no seat is settled without its move", async () => {
    const { table, game, hands } = await quiet("unmoved");
    await game.arrange(0, chiOf(hands.get(0)));
    const again = await lost.resume(table, { held: [game.saved()] });
    assert.ok(again instanceof MauBinhGame);
    await control("clock", { advance_ms: 61_000 }); // the server would settle with what is in
    assert.equal(await again.isOver(), true);
    await assert.rejects(again.settle(), RoundLapsesError);
    await control("clock", { advance_ms: 2_000_000 });
    const aborted = await again.abort(AbortReason.DEADLINE);
    assert.equal(aborted.placed.value.reason, "DEADLINE");
    await again.reveal();
  });

  test("every seat's move settles a round of which nothing else was kept", async () => {
    const { table, game, hands } = await quiet("moved");
    await game.arrange(0, chiOf(hands.get(0)));
    const again = await lost.resume(table, { held: [game.saved()] });
    assert.ok(again instanceof MauBinhGame);
    await again.arrange(1, chiOf(hands.get(1)));
    assert.deepEqual((await again.settle()).violations, []);
  });

  test("a round whose cards were opened lapses, whatever its players hold", async () => {
    const table = tableNamed("opened");
    const game = await dealt(client.ultimateTexas(bet(table)));
    await game.decide(0, "CHECK");
    const again = await lost.resume(table, { held: [game.saved()] });
    assert.ok(again instanceof UltimateTexasGame);
    assert.match(again.lapses, /cards were opened/);
    await assert.rejects(again.settle(), RoundLapsesError);
    await assert.rejects(again.decide(0, "CHECK"), RoundLapsesError);
  });

  test("two courses that contradict each other let the round lapse", async () => {
    const { table, game, hands } = await quiet("forked");
    const other = client.mauBinh(binh(table), { secrets: [] });
    await other.join();
    await other.deal();
    for (const [seat, one] of [game, other].entries()) {
      await one.arrange(seat, chiOf(hands.get(seat)));
    }
    const again = await lost.resume(table, { held: [game.saved(), other.saved()] });
    assert.match(again?.lapses ?? "", /differ at event 1/);
  });

  test("what is held and is no course of the round is named by its place", async () => {
    const table = tableNamed("forged");
    const game = await dealt(client.tienLen(lead(table)));
    await move(game);
    const receipted = game.saved();
    game.message.receipt = undefined;
    const others = [game.saved(), Uint8Array.of(255)];
    for (const wrong of others) {
      await assert.rejects(lost.resume(table, { held: [receipted, wrong] }), (error: unknown) => {
        return error instanceof RangeError && error.message.includes("held[1]");
      });
    }
  });

  test("the deal of a sealed table is resumed without its hands", async () => {
    const table = tableNamed("sealed");
    await control("script", { table_id: table, vector: QUIET });
    const secrets = [0, 1].map((seat) => SeatSecrets.make(seat, { keyed: true }));
    await dealt(client.mauBinh(binh(table), { secrets }), { sealed: true });
    const again = await lost.resume(table);
    assert.deepEqual([again?.isSealed, again?.hands.size], [true, 0]);
  });

  test("what was refused on the way is asked again by the next call", async () => {
    const table = tableNamed("restarted");
    await client.tienLen(lead(table)).open();
    await control("fault", { kind: "refuse", method: "GetTableRound", status: "INTERNAL" });
    await assert.rejects(lost.resume(table), RefereeError);
    assert.equal((await lost.resume(table))?.stage, "ABORTED");
  });
});
