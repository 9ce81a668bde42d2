/**
 * A frontend that is killed: each process plays its round until a call that no process was killed at before. It holds a
 * journal, and all that it knows of its round it has from there and from the server. CRASH has where and when, as JSON.
 */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { create, toBinary } from "@bufbuild/protobuf";
import { Client, type Line, MauBinhGame, SeatSecrets, TienLenGame, UltimateTexasGame } from "../src/index.js";
import { connect, FileJournal, grpcLine } from "../src/node.js";
import { chiOf } from "./server.js";

interface Crash {
  readonly address: string;
  readonly table: string;
  readonly token: string;
  readonly seatTokens: readonly string[];
  readonly journal: string;
  readonly ledger: string;
  readonly scene: string;
  readonly isBefore: boolean;
}

const crash = JSON.parse(process.env["CRASH"] ?? "") as Crash;
const READS = ["GetKeys", "GetTableRound", "GetRuleset", "PreviewRound", "ListPlays"];
const PASSED = [...READS, "PrepareRound", "GetCheckpoint"];

/** The honest line, but the process dies at the first call that is not in the ledger yet. */
function deadly(honest: Line): Line {
  return {
    ask: async (method, request, timeoutMs) => {
      const bytes = toBinary(method.input, create(method.input, request));
      const name = `${method.name} ${createHash("sha256").update(bytes).digest("hex")}`;
      const before = existsSync(crash.ledger) ? readFileSync(crash.ledger, "utf8").split("\n") : [];
      const isLast = !PASSED.includes(method.name) && !before.includes(name);
      if (isLast) {
        appendFileSync(crash.ledger, `${name}\n`);
      }
      if (isLast && crash.isBefore) {
        process.kill(process.pid, "SIGKILL");
      }
      const answer = await honest.ask(method, request, timeoutMs);
      if (isLast) {
        process.kill(process.pid, "SIGKILL");
      }
      return answer;
    },
    close: () => honest.close(),
  };
}

const client = new Client(
  deadly(grpcLine({ baseUrl: `http://${crash.address}`, token: crash.token, timeoutMs: 60_000 })),
  { journal: new FileJournal(crash.journal) },
);
const { table } = crash;
const keyed = () => [0, 1].map((seat) => SeatSecrets.make(seat, { keyed: true }));

async function finish(game: MauBinhGame | TienLenGame | UltimateTexasGame): Promise<void> {
  const { violations, outcome } = await game.settle();
  assert.deepEqual(violations, []);
  assert.ok(outcome !== undefined);
  await game.reveal();
}

/** The seat's hand, which it opens on a machine of its own, with its own token. */
async function handOf(game: MauBinhGame, seat: number): Promise<readonly number[]> {
  const own = connect(crash.address, { token: crash.seatTokens[seat] ?? "", timeoutMs: 60_000 });
  const seatKeys = game.seatKeys;
  const secrets = [game.secrets.get(seat)!];
  const mine = own.mauBinh({ ...game.terms, seatKeys }, { secrets });
  await mine.join(game.number);
  const hand = await mine.openHand(seat);
  own.close();
  return hand;
}

const scenes: Record<string, () => Promise<void>> = {
  async mau_binh() {
    const terms = { table, ruleset: "mau_binh.classic", seats: 2, stake: 10 };
    const game = (await client.resume(table)) ?? client.mauBinh(terms);
    assert.ok(game instanceof MauBinhGame);
    await game.open();
    for (const [seat, hand] of await game.deal()) {
      const isIn = game.message.events.some((event) => event.seat === seat);
      if (!isIn && !(await game.isOver())) {
        await game.arrange(seat, chiOf(hand));
      }
    }
    await finish(game);
  },
  async mau_binh_sealed() {
    const terms = { table, ruleset: "mau_binh.classic", seats: 2, stake: 10 };
    const fresh = () => client.mauBinh(terms, { secrets: keyed() });
    const game = (await client.resume(table)) ?? fresh();
    assert.ok(game instanceof MauBinhGame);
    await game.open({ sealed: true });
    await game.deal();
    for (const kind of ["commit", "arrange"] as const) {
      for (const seat of [0, 1]) {
        const isIn = game.message.events.some((one) => one.seat === seat && one.choice.case === kind);
        if (!isIn && !(await game.isOver())) {
          await game[kind](seat, game.committed(seat) ?? chiOf(await handOf(game, seat)));
        }
      }
    }
    await finish(game);
  },
  async tien_len() {
    const terms = { table, ruleset: "tien_len.mien_nam", seats: 2, stake: 10 };
    const fresh = () => client.tienLen(terms, { secrets: keyed() });
    const game = (await client.resume(table)) ?? fresh();
    assert.ok(game instanceof TienLenGame);
    await game.open();
    await game.deal();
    for (;;) {
      const { turn, plays } = await game.plays();
      if (turn === undefined) {
        break;
      }
      const [longest] = [...plays].sort((one, other) => other.cards.length - one.cards.length);
      await (longest === undefined ? game.passTurn(turn) : game.play(turn, longest.cards));
    }
    await finish(game);
  },
  async ultimate_texas() {
    const bets = [{ ante: 20, trips: 4 }];
    const terms = { table, ruleset: "ultimate_texas.casino", seats: 1, stake: 2, bets };
    const game = (await client.resume(table)) ?? client.ultimateTexas(terms);
    assert.ok(game instanceof UltimateTexasGame);
    await game.open();
    await game.deal();
    for (const choice of (["CHECK", "CHECK", "PLAY_1X"] as const).slice(game.message.events.length)) {
      await game.decide(0, choice);
    }
    await finish(game);
  },
};

await scenes[crash.scene]?.();
client.close();
