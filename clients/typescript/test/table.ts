/** A round of Mau Binh from deal to receipt by stubs, as the quickstart has it; the first seat follows the advice. */

import assert from "node:assert/strict";
import { isOver, type LogReceipt, type Referee } from "../src/index.js";
import { chiOf } from "./server.js";

const SEATS = 4;

/** What a settled round left in the players' hands. */
export interface Played {
  readonly tableId: string;
  readonly certificate: Uint8Array;
  readonly receipt: LogReceipt;
  readonly net: bigint[];
}

export async function play(referee: Referee, tableId: string): Promise<Played> {
  const terms = { tableId, rulesetId: "mau_binh.classic", seatCount: SEATS, currency: "CHIP", stakeMinor: 10n };
  const opened = await referee.shuffler.openRound({ round: { case: "terms", value: terms } });
  const clientSeeds = Array.from({ length: SEATS }, () => crypto.getRandomValues(new Uint8Array(32)));
  const dealt = await referee.shuffler.dealRound({ round: { tableId, roundNumber: 1n }, clientSeeds });
  const round = { header: opened.header!, certificates: [dealt.certificate] };
  const hand = { case: "dealt" as const, value: { round, seat: 0 } };
  const isWon = await isOver(referee.mauBinh, round); // somebody has won at once
  const { suggestions } = isWon ? { suggestions: [] } : await referee.advice.suggestArrangement({ hand });
  const arranged = dealt.hands.map(({ seat, cards }) => ({
    time: dealt.dealtTime,
    seat,
    choice: {
      case: "arrange" as const,
      value: (seat === 0 ? suggestions[0]?.arrangement : undefined) ?? chiOf(cards),
    },
  }));
  const events = isWon ? [] : arranged;
  assert.equal(suggestions.length > 0, !isWon);
  assert.ok(await isOver(referee.mauBinh, { ...round, events }));
  const settled = await referee.mauBinh.settleRound({ round: { ...round, events } });
  return {
    tableId,
    certificate: dealt.certificate,
    receipt: settled.logReceipt!,
    net: settled.outcome!.seats.map((seat) => seat.netMinor),
  };
}
