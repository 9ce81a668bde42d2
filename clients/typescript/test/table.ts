/** A round of Mau Binh from deal to receipt, as the quickstart has it. */

import type { LogReceipt, Referee } from "../src/index.js";

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
  const { violations } = await referee.mauBinh.previewRound({ round });
  const arranged = dealt.hands.map(({ seat, cards }) => ({
    time: dealt.dealtTime,
    seat,
    choice: {
      case: "arrange" as const,
      value: { back: cards.slice(0, 5), middle: cards.slice(5, 10), front: cards.slice(10) },
    },
  }));
  const events = violations.length === 0 ? [] : arranged; // none where somebody has won at once
  const settled = await referee.mauBinh.settleRound({ round: { ...round, events } });
  return {
    tableId,
    certificate: dealt.certificate,
    receipt: settled.logReceipt!,
    net: settled.outcome!.seats.map((seat) => seat.netMinor),
  };
}
