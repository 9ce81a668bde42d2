/** The words of Tiến Lên: Vietnamese first, then English. */

import { speaker } from "../words/say";

export const { say, both } = speaker({
  advisePass: ["Bỏ lượt", "Pass"],
  chop: ["Chặt!", "Chopped!"],
  choppedBy: ["{name} chặt {other}: {cards}, giá {amount}", "{name} chops {other}: {cards} for {amount}"],
  chopsFor: ["chặt {name}, giá {amount}", "chops {name} for {amount}"],
  didPass: ["bỏ lượt", "passes"],
  didPlay: ["đánh", "plays"],
  guideLit: [
    "Lá sáng là lá đánh được. Chạm để chọn rồi bấm Đánh, hoặc Bỏ lượt.",
    "Bright cards can be played. Tap to choose, then press Play, or Pass.",
  ],
  guideShed: [
    "Ai hết bài trước thì thắng. Đánh cùng loại và lớn hơn bộ trên bàn.",
    "The first without cards wins. Play the same kind as lies on the table, only higher.",
  ],
  guideTwo: [
    "Heo (lá 2) lớn nhất. Đôi thông và tứ quý chặt được heo. Đừng để thối heo.",
    "Twos are the highest. Pairs in a row and fours of a kind chop them. Do not be left with a two.",
  ],
  lastTrick: ["Vòng trước", "Last trick"],
  letGoAll: ["Bỏ chọn", "Clear"],
  noPlay: ["chưa thành nước đánh được", "not a play yet"],
  notPlayable: ["không đánh được", "cannot be played"],
  outOfCards: ["hết bài", "out of cards"],
  pass: ["Bỏ lượt", "Pass"],
  passed: ["đã bỏ lượt", "passed"],
  play: ["Đánh", "Play"],
  timeToPlay: ["Thời gian đánh", "Time to play"],
  toBeat: ["Phải chặn", "To beat"],
  toLead: ["Vòng mới, đánh gì cũng được.", "A new trick: anything may be led."],
  trick: ["Vòng đánh", "Trick"],
  turnOf: ["Đến lượt {name}", "{name}'s turn"],
  typedCommands: ["gợi ý · đánh 3S 3C · bỏ lượt", "suggest · play 3S 3C · pass"],
  youLead: ["Bạn đi trước", "You lead"],
});
