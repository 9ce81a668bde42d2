/** The words of Ultimate Texas Hold'em: Vietnamese first, then English. */

import { speaker } from "../words/say";

export const { say } = speaker({
  blindNeedsWin: ["Blind chỉ ăn khi thắng nhà cái.", "Blind is paid only to who beats the house."],
  board: ["Bài chung", "Board"],
  checked: ["đã xem", "checked"],
  folded: ["đã bỏ bài", "folded"],
  hand: ["Bộ bài", "Hand"],
  none: ["không", "none"],
  paytable: ["Bảng ăn", "Paytable"],
  playedBet: ["tố {times}x: {amount}", "played {times}x: {amount}"],
  qualifies: ["đủ bài", "qualifies"],
  qualifiesNot: ["không đủ bài", "does not qualify"],
  timeToDecide: ["Thời gian quyết định", "Time to decide"],
  waitHouse: ["Đã tố, chờ nhà cái.", "Played. Waiting for the house."],
  waitOthers: ["Chờ các nhà khác.", "Waiting for the others."],
  worthMeans: ["★ đáng nhất; số là trung bình ăn thua.", "★ is worth most; numbers are what each wins on average."],
  yourBets: ["Cược của bạn", "Your bets"],
  yourHand: ["Bạn có: {name}", "You have: {name}"],
});
