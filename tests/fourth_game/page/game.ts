/** The registration of Bài Cào in the page. */

import { byRank } from "referee-web/cards/card";
import type { PageGame } from "referee-web/games";
import { capital, pick } from "referee-web/words/say";

import BaiCaoTable from "./BaiCaoTable.svelte";
import type {} from "./messages";
import ResultCards from "./ResultCards.svelte";
import ResultMarks from "./ResultMarks.svelte";
import { textSide } from "./text";
import title from "./title.json";
import { WORDS } from "./words";

export const GAME: PageGame = {
  name: "bai_cao",
  title,
  tileOf: () => ["JS", "QH", "KD"],
  guide: { PLAYING: [WORDS.guide] },
  Board: BaiCaoTable,
  ResultMarks,
  ResultCards,
  picture: ({ cards = [], value }) => ({ groups: [{ cards, name: capital(pick(value?.name)) }] }),
  sort: byRank,
  isAwaited: ({ bai_cao }, seat) => bai_cao?.hands[seat] == null,
  turnOf: () => "",
  noteOf: ({ bai_cao }, seat) => {
    if (bai_cao?.gone.includes(seat) === true) {
      return { note: pick(WORDS.left) };
    }
    const isDone = bai_cao?.hands[seat] != null;
    return { note: pick(isDone ? WORDS.shown : WORDS.looking), isDone };
  },
  wordsOf: ({ action }) => pick(action === "SHOW" ? WORDS.shows : WORDS.leaves),
  groupsOf: ({ cards = [] }) => [cards],
  linesOf: (_view, { bai_cao, seats }) =>
    (bai_cao?.hands ?? []).flatMap((hand, seat) =>
      hand === null ? [] : [`${seats[seat]?.name ?? ""}: ${hand.join(" ")}`],
    ),
  textSide,
};
