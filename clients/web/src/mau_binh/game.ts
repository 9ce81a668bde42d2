/** The registration of Mậu Binh. */

import { byRank, type Card } from "../cards/card";
import type { PageGame } from "../games";
import { open } from "./choices";
import MauBinhTable from "./MauBinhTable.svelte";
import ResultCards from "./ResultCards.svelte";
import ResultMarks from "./ResultMarks.svelte";
import { comparedChi } from "./replay";
import { say } from "./words";

const DRAFTS: ReadonlySet<string> = new Set(["arrange", "commit"]);

const WORDS = { ARRANGE: "didArrange", COMMIT: "didCommit", TIMEOUT: "didTimeout", LEAVE: "didLeave" } as const;

const TILES: Readonly<Record<string, readonly Card[]>> = {
  "mau_binh.chi_2020": ["AS", "2S", "3S"],
  "mau_binh.maubinh_com": ["KC", "KD", "KH"],
};

export const GAME: PageGame = {
  name: "mau_binh",
  title: { vi: "Mậu Binh", en: "Mậu Binh" },
  tileOf: (ruleset) => TILES[ruleset] ?? ["TH", "JH", "QH"],
  Board: MauBinhTable,
  ResultMarks,
  ResultCards,
  sort: byRank,
  isAwaited: ({ mau_binh }, seat) => mau_binh?.submitted[seat] !== true && mau_binh?.gone[seat] !== true,
  turnOf: () => "",
  noteOf: ({ mau_binh }, seat, phase) => {
    if (mau_binh?.gone[seat] === true) {
      return { note: say("gone") };
    }
    const isDone = mau_binh?.submitted[seat] === true;
    return phase === "PLAYING" ? { note: say(isDone ? "arranged" : "arranging"), isDone } : {};
  },
  wordsOf: ({ action }) => say(WORDS[action as keyof typeof WORDS]),
  groupsOf: ({ arrangement }) =>
    arrangement === undefined ? [] : [arrangement.back, arrangement.middle, arrangement.front],
  compared: (replay) => (replay.chi ?? []).map((chi) => comparedChi(chi, replay)),
  endOf: ({ fouled }) => (fouled === true ? say("fouled") : ""),
  takes: ({ mau_binh }, command) => !DRAFTS.has(command) || mau_binh?.takes_signed !== false,
  wantsSigned: ({ mau_binh }) => mau_binh?.sign_now === true,
  open,
};
