/** The words of Bài Cào that the page does not have. */

import type { Text } from "referee-web/words/say";

export const WORDS = {
  guide: {
    vi: "Ba lá bài: hàng đơn vị của tổng điểm là số nút. Bấm Lật bài; ai hơn nhà cái thì thắng.",
    en: "Three cards: the last digit of their sum counts. Press Show; who beats the dealer wins.",
  },
  show: { vi: "Lật bài", en: "Show" },
  shown: { vi: "đã lật bài", en: "has shown" },
  looking: { vi: "đang xem bài", en: "looking" },
  left: { vi: "đã rời bàn", en: "left" },
  shows: { vi: "lật bài", en: "shows" },
  leaves: { vi: "rời bàn", en: "leaves" },
  DEALER: { vi: "nhà cái", en: "dealer" },
  WON: { vi: "hơn nhà cái", en: "beat the dealer" },
  LOST: { vi: "thua nhà cái", en: "lost to the dealer" },
  TIED: { vi: "hòa nhà cái", en: "tied with the dealer" },
  dealer: { vi: "Nhà cái", en: "Dealer" },
  timeToShow: { vi: "Thời gian lật bài", en: "Time to show" },
  typed: { vi: "lật", en: "show" },
} satisfies Record<string, Text>;
