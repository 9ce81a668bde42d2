/** The words of Mậu Binh: Vietnamese first, then English. */

import { speaker } from "../words/say";

export const { say, both } = speaker({
  arranged: ["đã xếp", "arranged"],
  arranging: ["đang xếp", "arranging"],
  cardAt: ["{card}, {chi}, lá {number}", "{card}, {chi}, card {number}"],
  defaulted: ["hết giờ, bài để như đã chia", "out of time: the cards stand as dealt"],
  didArrange: ["xếp bài", "arranges"],
  didCommit: ["xếp bài úp", "arranges face down"],
  draftKept: [
    "Bàn đã giữ cách xếp này: hết giờ thì nó được tính.",
    "The table keeps this arrangement: it counts when time is up.",
  ],
  foulAnyway: ["Vẫn nộp", "Hand it in anyway"],
  foulAsk: ["Nộp bài binh lủng?", "Hand in a foul?"],
  foulBack: ["Xếp lại", "Arrange again"],
  foulCosts: ["Binh lủng là thua mọi nhà đúng luật.", "A fouled hand pays every lawful hand."],
  fouled: ["binh lủng", "fouled"],
  foulTyped: ["Gõ “xong” lần nữa để vẫn nộp.", "Type “done” again to hand it in anyway."],
  foulWarning: ["Binh lủng!", "Foul!"],
  guideArrange: [
    "Chia 13 lá thành ba chi: chi đầu ở dưới phải mạnh nhất, chi cuối ở trên yếu nhất. Xếp ngược là binh lủng.",
    "Make three hands of your 13 cards: the back (below) must be the strongest, the front (above) the weakest. Otherwise it is a foul.",
  ],
  guideHandIn: [
    "Ưng ý thì bấm Xong. Hết giờ thì cách xếp đang thấy được tính.",
    "Press Hand in when you like it. When time is up, what you see counts.",
  ],
  guideShowdown: [
    "Từng chi được so với từng nhà: chi nào thắng thì ăn cược của nhà đó. Thua cả ba chi là sập.",
    "Each row is compared with each player's: a row won earns stakes. Losing all three is a sweep.",
  ],
  guideSwap: [
    "Kéo một lá lên lá khác để đổi chỗ, hoặc bấm Gợi ý. Tên tay bài hiện cạnh mỗi chi.",
    "Drag a card onto another to swap them, or press Suggest. Each row says what it is called.",
  ],
  handedIn: ["Đã nộp bài", "Handed in"],
  handIn: ["Xong", "Hand in"],
  howToArrange: [
    "Đổi chỗ: kéo, chạm hai lá, hoặc mũi tên và Enter.",
    "To swap: drag, tap two cards, or arrows and Enter.",
  ],
  instantEnds: ["Thắng trắng: không so chi.", "An instant win: no chi are compared."],
  lawful: ["Đúng luật", "Lawful"],
  letGo: ["Đã bỏ chọn", "Let go"],
  mayChange: ["Bạn còn đổi được cho tới khi hết giờ.", "You may change it until the time is up."],
  noToken: [
    "Trình duyệt này không giữ khóa mở bài của ván này. Bạn chơi ván này ở nơi khác?",
    "This browser does not hold the key to this round's hand. Did you begin the round elsewhere?",
  ],
  openingMeans: [
    "Mọi người đã chốt bài; trình duyệt đang mở bài úp.",
    "Everybody is bound; the browsers show what they are bound to.",
  ],
  othersArrange: ["Người chơi đang xếp bài", "The players are arranging"],
  picked: ["Đã chọn {card}", "{card} picked up"],
  sealedStay: [
    "Bàn niêm phong: để trang này mở và có mạng; lúc so bài trang tự mở bài của bạn.",
    "A sealed table: stay on this page and online; it opens your hand at the showdown.",
  ],
  sortByRank: ["Xếp theo số", "Sort by rank"],
  sortBySuit: ["Xếp theo chất", "Sort by suit"],
  sortedByRank: ["Đã xếp theo số", "Sorted by rank"],
  sortedBySuit: ["Đã xếp theo chất", "Sorted by suit"],
  summary: ["Tổng kết", "Summary"],
  swapped: ["Đổi {one} với {other}", "{one} and {other} swapped"],
  sweeps: ["Sập, lủng", "Sweeps, fouls"],
  timeToArrange: ["Thời gian xếp bài", "Time to arrange"],
  typedCommands: [
    "gợi ý · đổi 3S KH · xếp số · xếp chất · xong",
    "suggest · swap 3S KH · sort rank · sort suit · done",
  ],
  unitsInAll: ["tổng {units} cược", "{units} {units:stake|stakes} in all"],
});
