/**
 * Calls whose answers are lost: a move is sent again by itself, before any other one and before the settlement, and no
 * refusal of a repeat lets its seat sign another move in its place.
 */

import assert from "node:assert/strict";
import { test } from "node:test";
import { Code } from "@connectrpc/connect";
import type { DescMessage, DescMethodUnary, MessageInitShape, MessageShape } from "@bufbuild/protobuf";
import { AlreadySignedError, Client, type Line, RefereeError, SeatSecrets } from "../src/index.js";
import { refusedWith } from "../src/errors.js";
import { grpcLine } from "../src/node.js";
import { dealt, hex, move, server, tableNamed, without } from "./server.js";

/** What becomes of a call: its request or its answer is lost, or it is refused without being looked at. */
interface Fate {
  readonly error: RefereeError;
  readonly isCarriedOut: boolean;
}

const error = (code: Code, reason = "") => refusedWith({ code, reason, message: "said by the test" });
const [AWAY, LATE, RESET] = [Code.Unavailable, Code.DeadlineExceeded, Code.Aborted].map((code) => error(code));
const before = (fault = AWAY): Fate => ({ error: fault!, isCarriedOut: false });
const after = (fault = AWAY): Fate => ({ error: fault!, isCarriedOut: true });

/** A line whose next calls of a method meet the fates that they are given; it keeps the moves that were sent. */
class LosingLine implements Line {
  method = "AcceptEvent";
  fates: Fate[] = [];
  /** Names of the calls that were made, in their order. */
  readonly calls: string[] = [];
  /** The signatures that were sent for a place in a seat's chain, by seat and what it had seen. */
  readonly signatures = new Map<string, Set<string>>();
  readonly #honest = grpcLine({ baseUrl: `http://${server.grpc}`, timeoutMs: 60_000 });

  async ask<I extends DescMessage, O extends DescMessage>(
    method: DescMethodUnary<I, O>,
    request: MessageInitShape<I>,
    timeoutMs?: number,
  ): Promise<MessageShape<O>> {
    this.calls.push(method.name);
    if (method.name === "AcceptEvent") {
      const { event, signature } = request as { event: { seat: number; seen: number }; signature: Uint8Array };
      const place = `${event.seat} ${event.seen}`;
      this.signatures.set(place, (this.signatures.get(place) ?? new Set()).add(hex(signature)));
    }
    const fate = method.name === this.method ? this.fates.shift() : undefined;
    if (fate?.isCarriedOut === false) {
      throw fate.error;
    }
    const answer = await this.#honest.ask(method, request, timeoutMs);
    if (fate !== undefined) {
      throw fate.error;
    }
    return answer;
  }

  /** How often a method was called. */
  count(name: string): number {
    return this.calls.filter((call) => call === name).length;
  }

  /** Nobody signed two events for one place of its chain. */
  assertOneEach(): void {
    assert.ok(this.signatures.size > 0);
    for (const [place, signatures] of this.signatures) {
      assert.equal(signatures.size, 1, place);
    }
  }

  close(): void {
    this.#honest.close();
  }
}

const keyed = (seats: number) => Array.from({ length: seats }, (_, seat) => SeatSecrets.make(seat, { keyed: true }));

async function withLine(timeoutMs: number, work: (line: LosingLine, client: Client) => Promise<void>): Promise<void> {
  const line = new LosingLine();
  const client = new Client(line, { trust: server.keys, timeoutMs });
  try {
    await work(line, client);
  } finally {
    client.close();
  }
}

/** A dealt round of Tiến Lên of two seats with keys, whose first seat moves. */
async function leading(client: Client) {
  const terms = { table: tableNamed("lost"), ruleset: "tien_len.mien_nam", seats: 2, stake: 10 };
  const game = await dealt(client.tienLen(terms, { secrets: keyed(2) }));
  const { turn = 0, plays } = await game.plays();
  assert.ok(plays.length > 1);
  return { game, turn, plays: plays.map(({ cards }) => cards) };
}

/** A dealt round of Ultimate Texas Hold'em of one seat with a key, whose first CHECK opens the flop. */
async function betting(client: Client) {
  const bets = [{ ante: 20 }];
  const terms = { table: tableNamed("lost"), ruleset: "ultimate_texas.casino", seats: 1, stake: 2, bets };
  return dealt(client.ultimateTexas(terms, { secrets: keyed(1) }));
}

const LOSSES: Readonly<Record<string, readonly Fate[]>> = {
  "before the server has it": [before(), before()],
  "after the server has it": [after(), after()],
  "by a connection that ends": [after(RESET), before(RESET)],
  "by an answer that comes too late": [after(LATE)],
  "by a server that is busy": [before(error(Code.Unavailable, "LOG_BUSY"))],
};

for (const [name, fates] of Object.entries(LOSSES)) {
  test(`a move that is lost ${name} is sent again by itself`, { skip: without }, async () => {
    await withLine(60_000, async (line, client) => {
      const { game } = await leading(client);
      line.fates = [...fates];
      assert.ok(await move(game));
      assert.equal(line.count("AcceptEvent"), fates.length + 1);
      while (await move(game));
      assert.deepEqual((await game.settle()).violations, []);
      line.assertOneEach();
    });
  });
}

test("a move that stays lost ends with the timeout, and goes before the next one", { skip: without }, async () => {
  await withLine(200, async (line, client) => {
    const { game, turn, plays } = await leading(client);
    line.fates = Array.from({ length: 100 }, () => after());
    await assert.rejects(game.play(turn, plays[0]!), { code: Code.Unavailable });
    assert.ok(line.count("AcceptEvent") > 1);
    await assert.rejects(game.play(turn, plays[1]!), AlreadySignedError);
    line.fates = [];
    const other = 1 - turn;
    assert.deepEqual((await game.passTurn(other)).violations, []);
    assert.deepEqual(
      game.message.events.map(({ seat }) => seat),
      [turn, other],
    );
    line.assertOneEach();
  });
});

test("a move that stays lost goes before the settlement", { skip: without }, async () => {
  await withLine(100, async (line, client) => {
    const game = await betting(client);
    await game.decide(0, "CHECK");
    await game.decide(0, "CHECK");
    line.fates = Array.from({ length: 100 }, () => before());
    await assert.rejects(game.decide(0, "PLAY_1X"), { code: Code.Unavailable });
    line.fates = [before()];
    const { violations, outcome } = await game.settle();
    assert.deepEqual([violations, outcome?.seats.length], [[], 1]);
    assert.equal(game.message.events.length, 3);
  });
});

for (const fault of [
  error(Code.PermissionDenied, "CREDENTIALS_EXPIRED"),
  error(Code.Aborted, "ROUND_CHANGED"),
  error(Code.FailedPrecondition, "ROUND_OVER"),
  error(Code.InvalidArgument, "INVALID_FIELD"),
]) {
  test(`a repeat that is refused with ${fault.reason} frees no seat`, { skip: without }, async () => {
    await withLine(60_000, async (line, client) => {
      const { game, turn, plays } = await leading(client);
      line.fates = [after(), before(fault)];
      await assert.rejects(game.play(turn, plays[0]!), { reason: fault.reason });
      await assert.rejects(game.play(turn, plays[1]!), AlreadySignedError);
      line.fates = [before(fault)];
      await assert.rejects(game.play(turn, plays[0]!), { reason: fault.reason });
      await assert.rejects(game.play(turn, plays[1]!), AlreadySignedError);
      assert.equal((await game.play(turn, plays[0]!)).eventNumber, 1);
      line.assertOneEach();
    });
  });
}

test("a seat is free where its move was refused at once, or broke a rule", { skip: without }, async () => {
  await withLine(60_000, async (line, client) => {
    const { game, turn, plays } = await leading(client);
    line.fates = [before(error(Code.InvalidArgument, "INVALID_FIELD"))];
    await assert.rejects(game.play(turn, plays[1]!), { reason: "INVALID_FIELD" });
    line.fates = [after()];
    assert.ok((await game.passTurn(turn)).violations.length > 0); // who leads may not pass
    assert.equal(line.count("AcceptEvent"), 3);
    assert.equal((await game.play(turn, plays[0]!)).eventNumber, 1);
  });
});

test("cards that did not open are asked for again, and their move is sent once", { skip: without }, async () => {
  await withLine(60_000, async (line, client) => {
    const game = await betting(client);
    [line.method, line.fates] = ["OpenSection", [before(), after(LATE), before(RESET)]];
    assert.equal((await game.decide(0, "CHECK")).eventNumber, 1);
    assert.deepEqual([line.count("AcceptEvent"), line.count("OpenSection")], [1, 4]);
    assert.equal(game.board["flop"]?.length, 3);
  });
});

test(
  "cards that stay closed open before anything else, and the same call returns their move",
  { skip: without },
  async () => {
    await withLine(100, async (line, client) => {
      const game = await betting(client);
      [line.method, line.fates] = ["OpenSection", Array.from({ length: 100 }, () => before())];
      await assert.rejects(game.decide(0, "CHECK"), { code: Code.Unavailable });
      line.fates = [];
      assert.equal((await game.decide(0, "CHECK")).eventNumber, 1);
      assert.equal(line.count("AcceptEvent"), 1);
      assert.equal(game.board["flop"]?.length, 3);
      line.fates = Array.from({ length: 100 }, () => before());
      await assert.rejects(game.decide(0, "CHECK"), { code: Code.Unavailable });
      line.fates = [];
      assert.equal((await game.decide(0, "PLAY_1X")).eventNumber, 3);
      assert.deepEqual((await game.settle()).violations, []);
    });
  },
);

test("a client that is closed sends nothing again", { skip: without }, async () => {
  const line = new LosingLine();
  const client = new Client(line, { trust: server.keys, timeoutMs: 0 });
  const { game, turn, plays } = await leading(client);
  line.fates = [before()];
  const playing = game.play(turn, plays[0]!);
  client.close();
  await assert.rejects(playing, RefereeError);
  assert.equal(line.count("AcceptEvent"), 1);
});
