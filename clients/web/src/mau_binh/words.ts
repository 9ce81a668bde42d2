/** The words of Mậu Binh: Vietnamese first, then English. */

import { speaker } from "../words/say";

export const { say } = speaker({
  arranged: ["xếp xong", "arranged"],
  arranging: ["đang xếp", "arranging"],
  cardAt: ["{card}, {chi}, lá {number}", "{card}, {chi}, card {number}"],
  defaulted: ["hết giờ, để bài như lúc chia", "out of time: the cards stand as dealt"],
  didArrange: ["xếp bài", "arranges"],
  didCommit: ["xếp bài úp", "arranges face down"],
  draftKept: ["Đã lưu: hết giờ thì tính cách xếp này.", "Kept: this arrangement counts when time is up."],
  foulAnyway: ["Vẫn nộp", "Hand it in anyway"],
  foulAsk: ["Nộp bài binh lủng?", "Hand in a foul?"],
  foulBack: ["Xếp lại", "Arrange again"],
  foulCosts: ["Binh lủng là thua hết các nhà không lủng.", "A fouled hand pays every lawful hand."],
  fouled: ["binh lủng", "fouled"],
  handedIn: ["Đã nộp", "Handed in"],
  handIn: ["Xong", "Hand in"],
  howToArrange: [
    "Đổi chỗ: kéo, chạm hai lá, hoặc mũi tên và Enter.",
    "To swap: drag, tap two cards, or arrows and Enter.",
  ],
  lawful: ["Bài hợp lệ", "Lawful"],
  letGo: ["Đã bỏ chọn", "Let go"],
  mayChange: ["Còn giờ thì còn đổi được.", "You may change it until the time is up."],
  noToken: [
    "Ván này bạn chơi ở trình duyệt khác? Ở đây không có khóa mở bài.",
    "This browser does not hold the key to this round's hand. Did you begin the round elsewhere?",
  ],
  openingMeans: ["Ai cũng chốt bài rồi, đang lật.", "Everybody is bound; the browsers show what they are bound to."],
  othersArrange: ["Các nhà đang xếp bài", "The players are arranging"],
  picked: ["Đã chọn {card}", "{card} picked up"],
  sealedStay: [
    "Bàn kín: để mở trang này và giữ mạng, lúc so bài trang mới lật bài cho bạn.",
    "A sealed table: stay on this page and online; it opens your hand at the showdown.",
  ],
  sortByRank: ["Xếp theo số", "Sort by rank"],
  sortBySuit: ["Xếp theo chất", "Sort by suit"],
  sortedByRank: ["Đã xếp theo số", "Sorted by rank"],
  sortedBySuit: ["Đã xếp theo chất", "Sorted by suit"],
  summary: ["Tổng kết", "Summary"],
  swapped: ["Đổi {one} với {other}", "{one} and {other} swapped"],
  sweeps: ["sập, lủng", "sweeps, fouls"],
  timeToArrange: ["Thời gian xếp bài", "Time to arrange"],
  timeToOpen: ["Thời gian lật bài", "Time to open"],
  units: ["{units} chi", "{units} chi"],
  unitsInAll: ["cộng {units} chi", "{units} chi in all"],
});
