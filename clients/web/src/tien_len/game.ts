/** The registration of Tiến Lên. */

import type { PageGame } from "../games";
import { amount, pick } from "../words/say";
import LastPlay from "./LastPlay.svelte";
import { byTienLen } from "./order";
import ResultCards from "./ResultCards.svelte";
import TienLenTable from "./TienLenTable.svelte";
import { say } from "./words";

const WORDS = { PLAY: "didPlay", PASS: "didPass", TIMEOUT: "didTimeout", LEAVE: "didLeave" } as const;

export const GAME: PageGame = {
  name: "tien_len",
  title: { vi: "Tiến Lên", en: "Tiến Lên" },
  tileOf: () => ["3S", "2D", "2H"],
  Board: TienLenTable,
  Ending: LastPlay,
  ResultCards,
  sort: byTienLen,
  isAwaited: ({ tien_len }, seat) => tien_len?.turn === seat,
  turnOf: ({ tien_len }) => String(tien_len?.played.length ?? ""),
  noteOf: ({ tien_len }, seat) => {
    const cards = tien_len?.cards_left[seat] ?? 0;
    if (tien_len?.gone.includes(seat) === true) {
      return { note: say("gone"), cards };
    }
    const isOnTurn = tien_len?.turn === seat;
    return { isOnTurn, cards, note: tien_len?.passed.includes(seat) === true ? say("passed") : "" };
  },
  wordsOf: ({ action, chops }) => {
    const did = say(WORDS[action as keyof typeof WORDS]);
    return chops === undefined
      ? did
      : `${did}, ${say("chopsFor", { name: pick(chops.name), amount: amount(chops.amount_minor) })}`;
  },
  groupsOf: ({ cards = [] }) => (cards.length === 0 ? [] : [cards]),
};
