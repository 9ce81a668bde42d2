/** A round of each game played by the server's advice until it is over; REFEREE has where it is. */

import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import {
  create,
  isOver,
  MauBinhRoundSchema,
  type Referee,
  TienLenRoundSchema,
  ULTIMATE_TEXAS,
  UltimateTexasRoundSchema,
} from "../src/index.js";
import { connectNode } from "../src/node.js";
import { courseOf } from "../src/seat.js";
import { server, without } from "./server.js";

const asked = without === false ? connectNode({ baseUrl: `http://${server.grpc}` }) : undefined;
after(() => asked?.close());

const text = new TextDecoder();

interface Terms {
  readonly rulesetId: string;
  readonly stakeMinor: bigint;
  readonly seatStakes?: { betMinor: bigint; sideBetMinor: bigint }[];
}

/** A round of these terms, dealt to one seat where the bets are a seat's own, else to two. */
async function dealt({ shuffler }: Referee, terms: Terms) {
  const tableId = `advice-${crypto.randomUUID().slice(0, 8)}`;
  const seatCount = terms.seatStakes?.length ?? 2;
  const value = { ...terms, tableId, seatCount, currency: "CHIP" };
  const { header, roundId } = await shuffler.openRound({ round: { case: "terms", value } });
  const clientSeeds = Array.from({ length: seatCount }, () => crypto.getRandomValues(new Uint8Array(32)));
  const round = { tableId, roundNumber: 1n };
  const { certificate, logReceipt } = await shuffler.dealRound({ round, clientSeeds });
  const { payload } = JSON.parse(text.decode(logReceipt!.leaf)) as { payload: string };
  const { deck_root } = JSON.parse(atob(payload)) as { deck_root: string };
  const deckRoot = new Uint8Array(Buffer.from(deck_root, "hex"));
  return { named: { round }, roundId, deckRoot, header, certificate };
}

describe("played by its advice until it is over", { skip: without }, () => {
  const referee = asked as Referee;

  test("mau binh", async () => {
    const { header, certificate } = await dealt(referee, { rulesetId: "mau_binh.classic", stakeMinor: 10n });
    const round = create(MauBinhRoundSchema, { header: header!, certificates: [certificate] });
    for (const seat of [0, 1]) {
      const hand = { case: "dealt" as const, value: { round, seat } };
      const { suggestions } = await referee.advice.suggestArrangement({ hand });
      const best = suggestions[0]?.arrangement;
      if (best === undefined || (await isOver(referee.mauBinh, round))) {
        break; // somebody has won at the deal
      }
      const event = { seat, choice: { case: "arrange" as const, value: best } };
      const accepted = await referee.mauBinh.acceptEvent({ round, event });
      round.events.push(accepted.event!);
      round.receipt = accepted.receipt;
    }
    assert.ok(await isOver(referee.mauBinh, round));
    assert.ok((await referee.mauBinh.settleRound({ round })).logReceipt);
  });

  test("tien len", async () => {
    const { header, certificate } = await dealt(referee, { rulesetId: "tien_len.mien_nam", stakeMinor: 10n });
    const round = create(TienLenRoundSchema, { header: header!, certificates: [certificate] });
    while (!(await isOver(referee.tienLen, round))) {
      const { turn, suggestions } = await referee.advice.suggestPlay({ round, count: 1 });
      const best = suggestions[0]?.choice;
      const choice = best?.case === "play" ? { case: best.case, value: { cards: best.value.cards } } : best!;
      const accepted = await referee.tienLen.acceptEvent({ round, event: { seat: turn!, choice } });
      assert.equal(accepted.eventNumber, round.events.length + 1);
      round.events.push(accepted.event!);
      round.receipt = accepted.receipt;
    }
    assert.ok((await referee.tienLen.settleRound({ round })).logReceipt);
  });

  test("ultimate texas", async () => {
    const seatStakes = [{ betMinor: 20n, sideBetMinor: 4n }];
    const terms = { rulesetId: "ultimate_texas.casino", stakeMinor: 2n, seatStakes };
    const { named, roundId, deckRoot, header, certificate } = await dealt(referee, terms);
    const round = create(UltimateTexasRoundSchema, { header: header!, certificates: [certificate] });
    assert.equal(await isOver(referee.ultimateTexas, round), false);
    while (!(await isOver(referee.ultimateTexas, round))) {
      const { best } = await referee.advice.suggestDecision({ round, seat: 0 });
      const event = { seat: 0, decision: best! };
      const accepted = await referee.ultimateTexas.acceptEvent({ round, event });
      round.events.push(accepted.event!);
      round.receipt = accepted.receipt;
      const steps = courseOf(ULTIMATE_TEXAS, roundId, deckRoot, round.events).steps();
      const receipt = accepted.receipt!;
      const opened = await referee.shuffler.openSection({ ...named, steps, receipt });
      round.certificates = [opened.certificate];
    }
    assert.ok((await referee.ultimateTexas.settleRound({ round })).logReceipt);
  });
});
