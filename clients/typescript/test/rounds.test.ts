/** Whole rounds of each game, played by the typed client over gRPC and over Connect and JSON. */

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import {
  AlreadySignedError,
  type Client,
  type MauBinhGame,
  NotReadyError,
  RefereeError,
  SeatSecrets,
} from "../src/index.js";
import { chiOf, clients, dealt, move, tableNamed, unhex, without } from "./server.js";

/** A dealt round of Mậu Binh that no hand has won at the deal. */
async function unwon(client: Client, secrets: SeatSecrets[], sealed: boolean) {
  for (;;) {
    const terms = { table: tableNamed("mb"), ruleset: "mau_binh.classic", seats: 2, stake: 100 };
    const game = client.mauBinh(terms, { secrets });
    await game.open({ sealed });
    const hands = await game.deal();
    if (!(await game.isOver()) || !sealed) {
      return { game, hands };
    }
  }
}

async function endsWell(game: MauBinhGame): Promise<void> {
  const { outcome, receipt } = await game.settle();
  const net = outcome?.seats.reduce((sum, { netMinor }) => sum + netMinor, 0n);
  assert.equal(net, 0n);
  assert.equal(receipt?.placed.value.round_id, game.leaves.open?.placed.value.round_id);
  const { sections } = await game.reveal();
  assert.deepEqual(sections[0], game.hands.get(0));
}

for (const [name, connect] of Object.entries(clients)) {
  describe(`over ${name}`, { skip: without }, () => {
    const client = without === false ? connect() : (undefined as unknown as Client);
    after(() => client?.close());

    test("two rounds of tien len: the first one's winner leads the second", async () => {
      const terms = { table: tableNamed("tl"), ruleset: "tien_len.mien_nam", seats: 4 };
      const first = await dealt(client.tienLen(terms));
      assert.equal(first.leaderBy, "DRAW");
      while (await move(first));
      const { outcome } = await first.settle();
      const winner = outcome?.seats.find((seat) => seat.winner)?.seat;
      await first.reveal();
      const second = await dealt(client.tienLen(terms));
      assert.deepEqual([second.leader, second.leaderBy], [winner, "WINNER"]);
      while (await move(second));
      assert.deepEqual((await second.settle()).violations, []);
    });

    test("mau binh, with advice that is lawful", async () => {
      const secrets = [0, 1].map((seat) => SeatSecrets.make(seat));
      const { game } = await unwon(client, secrets, false);
      for (const seat of (await game.isOver()) ? [] : [0, 1]) {
        const { suggestions } = await game.suggest(seat);
        const best = suggestions[0]?.arrangement;
        assert.ok(best !== undefined);
        assert.deepEqual((await game.check(seat, best)).violations, []);
        assert.equal((await game.arrange(seat, best)).eventNumber, seat + 1);
      }
      await endsWell(game);
    });

    test("a sealed table: each seat opens its own hand, and all open by the last commitment", async () => {
      const secrets = [0, 1].map((seat) => SeatSecrets.make(seat, { keyed: true }));
      const { game, hands } = await unwon(client, secrets, true);
      assert.equal(hands.size, 0);
      const own = [await game.openHand(0), await game.openHand(1)];
      await game.commit(0, chiOf(own[0]!));
      assert.equal(game.hands.size, 0);
      await game.commit(1, chiOf(own[1]!));
      assert.deepEqual([...game.hands.values()], own);
      for (const seat of [0, 1]) {
        await game.arrange(seat, chiOf(own[seat]!));
      }
      await endsWell(game);
    });

    test("ultimate texas with a key: streets open as they close", async () => {
      const bets = [{ ante: 20, trips: 4 }];
      const terms = { table: tableNamed("ut"), ruleset: "ultimate_texas.casino", seats: 1, bets };
      const secrets = [SeatSecrets.make(0, { keyed: true })];
      const game = await dealt(client.ultimateTexas({ ...terms, stake: 2 }, { secrets }));
      const { best } = await game.suggest(0);
      assert.ok(best !== undefined);
      assert.equal(await game.isOver(), false);
      await game.decide(0, "CHECK");
      assert.equal(game.board["flop"]?.length, 3);
      await game.decide(0, "CHECK");
      await game.decide(0, "FOLD");
      assert.equal(game.board["house"]?.length, 2);
      assert.equal((await game.settle()).outcome?.seats[0]?.result, "FOLDED");
      assert.equal((await game.reveal()).sections.length, 5);
    });

    test("tien len and ultimate texas by the server's advice until they are over", async () => {
      const plays = await dealt(
        client.tienLen({ table: tableNamed("tl"), ruleset: "tien_len.mien_nam", seats: 2, stake: 10 }),
      );
      while (!(await plays.isOver())) {
        const { turn, suggestions } = await plays.suggest(1);
        const best = suggestions[0]?.choice;
        await (best?.case === "play" ? plays.play(turn!, best.value.cards) : plays.passTurn(turn!));
      }
      assert.deepEqual((await plays.settle()).violations, []);
      const terms = { table: tableNamed("ut"), ruleset: "ultimate_texas.casino", seats: 1, stake: 2 };
      const decides = await dealt(client.ultimateTexas({ ...terms, bets: [{ ante: 20, trips: 4 }] }));
      while (!(await decides.isOver())) {
        await decides.decide(0, (await decides.suggest(0)).best!);
      }
      assert.deepEqual((await decides.settle()).violations, []);
    });

    test("a refused play is forgotten, and the seat may choose anew", async () => {
      const terms = { table: tableNamed("tl"), ruleset: "tien_len.mien_nam", seats: 2 };
      const secrets = [0, 1].map((seat) => SeatSecrets.make(seat, { keyed: true }));
      const game = client.tienLen(terms, { secrets });
      await game.open();
      const hands = await game.deal();
      const { turn } = await game.plays();
      if (turn === undefined) {
        return; // a hand has won at the deal
      }
      const foreign = hands.get(1 - turn)?.slice(0, 1) ?? [];
      const codes = (await game.play(turn, foreign)).violations.map(({ code }) => code);
      assert.ok(codes.includes("CARD_NOT_HELD"));
      const [lawful] = (await game.plays()).plays;
      assert.equal((await game.play(turn, lawful?.cards ?? [])).eventNumber, 1);
    });

    test("a round given up before a seed was received is aborted and revealed", async () => {
      const terms = { table: tableNamed("ab"), ruleset: "tien_len.mien_nam", seats: 2 };
      const game = client.tienLen(terms);
      await game.open();
      assert.equal((await game.abort()).placed.value.reason, "OPERATOR");
      assert.deepEqual((await game.reveal()).sections, []);
    });

    test("players who keep their secrets elsewhere play through a frontend", async () => {
      const [one, other] = [0, 1].map((seat) => SeatSecrets.make(seat, { keyed: true }));
      assert.ok(one !== undefined && other !== undefined);
      const seatKeys = [one.publicKey, other.publicKey];
      const terms = { table: tableNamed("el"), ruleset: "mau_binh.classic", seats: 2, seatKeys };
      const front = client.mauBinh(terms, { secrets: [] });
      const roundId = await front.prepare();
      await front.open({ commitments: [one, other].map((own) => own.seedCommitment(roundId)) });
      const commitment = unhex(front.leaves.open?.placed.value.server_commitment ?? "");
      const signed = other.signSeed(roundId, commitment, false);
      front.checkSeed(1, other.seed, signed);
      assert.throws(() => front.checkSeed(1, one.seed, signed), /seat 1 committed to another seed/);
      assert.throws(() => front.checkSeed(1, other.seed), /signature of the seed of seat 1 does not verify/);
      const players = [one, other].map((own) => client.mauBinh(terms, { secrets: [own] }));
      for (const [seat, player] of players.entries()) {
        await player.join();
        assert.deepEqual(await player.contribute(seat), seat === 0 ? [1] : []);
      }
      const hands = await front.deal();
      for (const [seat, player] of (await front.isOver()) ? [] : players.entries()) {
        await player.join();
        await player.deal();
        await player.adopt(front.saved());
        const event = front.arrangement(seat, chiOf(hands.get(seat)!));
        const signature = player.sign(event);
        assert.equal((await front.acceptEvent(event, signature)).eventNumber, seat + 1);
        const other = front.arrangement(seat, chiOf([...hands.get(seat)!].reverse()));
        assert.throws(() => player.sign(other), AlreadySignedError);
      }
      await endsWell(front);
    });

    test("a refusal is an error of its class, with reason and field", async () => {
      const terms = { table: tableNamed("no"), ruleset: "mau_binh.classic", seats: 2 };
      const error = await client
        .mauBinh(terms)
        .join(1)
        .catch((failure: unknown) => failure);
      assert.ok(error instanceof NotReadyError && error instanceof RefereeError);
      assert.deepEqual([error.reason, error.field], ["NOT_OPENED", "round.round_number"]);
    });

    test("a ruleset of another game is refused before anything is sent", () => {
      const terms = { table: "t", ruleset: "tien_len.mien_nam", seats: 2 };
      assert.throws(() => client.mauBinh(terms), RangeError);
    });
  });
}
