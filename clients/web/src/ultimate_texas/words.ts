/** The words of Ultimate Texas Hold'em: Vietnamese first, then English. */

import { speaker } from "../words/say";

export const { say, both } = speaker({
  blindNeedsWin: ["Blind chỉ trả khi thắng Nhà Cái.", "Blind is paid only to who beats the house."],
  board: ["Bài chung", "Board"],
  checked: ["đã check", "checked"],
  folded: ["đã bỏ bài", "folded"],
  guideHouse: [
    "Bạn đấu với Nhà Cái. Bài tốt thì tố ngay 3x hoặc 4x; chưa chắc thì Check để xem thêm bài chung.",
    "You play the house. Bet 3x or 4x now on good cards, or check to see more of the board.",
  ],
  guideOnce: [
    "Mỗi ván chỉ tố một lần; càng sớm càng tố được nhiều. Bảng trả thưởng nằm bên cạnh.",
    "You may bet once a round, and earlier bets are larger. The paytable is beside the board.",
  ],
  hand: ["Tay bài", "Hand"],
  none: ["không", "none"],
  paytable: ["Bảng trả thưởng", "Paytable"],
  playedBet: ["tố {times}x: {amount}", "played {times}x: {amount}"],
  qualifies: ["đủ điều kiện", "qualifies"],
  qualifiesNot: ["không đủ điều kiện", "does not qualify"],
  timeToDecide: ["Thời gian quyết định", "Time to decide"],
  typedCommands: ["gợi ý · check · tố 4x · bỏ bài", "suggest · check · bet 4x · fold"],
  waitHouse: ["Đã tố. Chờ Nhà Cái.", "Played. Waiting for the house."],
  waitOthers: ["Chờ người khác quyết định.", "Waiting for the others."],
  worthMeans: [
    "★ là quyết định đáng giá nhất; số là trung bình thắng thua.",
    "★ is the decision worth most; numbers are what it wins on average.",
  ],
  yourBets: ["Cược của bạn", "Your bets"],
});
