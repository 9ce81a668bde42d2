/** The registration of Ultimate Texas Hold'em. */

import { byRank } from "../cards/card";
import type { PageGame } from "../games";
import { pickName } from "../words/names";
import { amount } from "../words/say";
import { firstBets } from "./bets";
import { decideChoice } from "./choices";
import HouseTurns from "./HouseTurns.svelte";
import ResultCards from "./ResultCards.svelte";
import ResultHead from "./ResultHead.svelte";
import TexasBets from "./TexasBets.svelte";
import TexasTable from "./TexasTable.svelte";
import { say } from "./words";

const ON_BOARD: Readonly<Record<string, number>> = { PREFLOP: 0, FLOP: 3, RIVER: 5 };

export const GAME: PageGame = {
  name: "ultimate_texas",
  title: { vi: "Ultimate Texas", en: "Ultimate Texas" },
  tileOf: (ruleset) => (ruleset === "ultimate_texas.two_plus_three" ? ["QS", "QD", "JC"] : ["AS", "AC", "KD"]),
  Board: TexasTable,
  betting: { Choice: TexasBets, first: firstBets },
  Ending: HouseTurns,
  ResultHead,
  ResultCards,
  sort: byRank,
  isAwaited: ({ ultimate_texas }) => (ultimate_texas?.legal?.length ?? 0) > 0,
  turnOf: ({ ultimate_texas }) => ultimate_texas?.street ?? "",
  noteOf: ({ ultimate_texas }, seat) => {
    const bets = ultimate_texas?.seats[seat];
    if (bets === undefined) {
      return {};
    }
    if (bets.gone) {
      return { note: say("gone") };
    }
    if (bets.folded) {
      return { note: say("folded") };
    }
    if (bets.play_multiple > 0) {
      const play = amount(bets.play_multiple * bets.ante_minor);
      return { note: say("playedBet", { times: bets.play_multiple, amount: play }), isDone: true };
    }
    return { isOnTurn: bets.is_deciding, note: bets.checked ? say("checked") : "" };
  },
  wordsOf: ({ action, decision = "" }, ruleset) => {
    const other = action === "TIMEOUT" ? "didTimeout" : "didLeave";
    return action === "DECIDE" ? pickName(ruleset, "decision", decision) : say(other);
  },
  groupsOf: () => [],
  openAt: ({ street = "" }) => ON_BOARD[street] ?? 0,
  leaveChoice: decideChoice("LEAVE"),
};
