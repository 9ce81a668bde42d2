/** The words of Tiến Lên: Vietnamese first, then English. */

import { speaker } from "../words/say";

export const { say } = speaker({
  advisePass: ["Bỏ lượt", "Pass"],
  chop: ["Chặt!", "Chopped!"],
  choppedBy: ["{name} chặt {cards} của {other}, ăn {amount}", "{name} chops {other}: {cards} for {amount}"],
  chopsFor: ["chặt {name}, ăn {amount}", "chops {name} for {amount}"],
  didPass: ["bỏ lượt", "passes"],
  didPlay: ["đánh", "plays"],
  lastTrick: ["Vòng trước", "Last trick"],
  letGoAll: ["Bỏ chọn", "Clear"],
  noPlay: ["chưa đánh được", "not a play yet"],
  notPlayable: ["không đánh được", "cannot be played"],
  outOfCards: ["hết bài", "out of cards"],
  pass: ["Bỏ lượt", "Pass"],
  passed: ["đã bỏ lượt", "passed"],
  play: ["Đánh", "Play"],
  timeToPlay: ["Thời gian đánh", "Time to play"],
  toBeat: ["Đè: {name}", "To beat: {name}"],
  trick: ["Vòng đánh", "Trick"],
  turnOf: ["Đến lượt {name}", "{name}'s turn"],
  youLead: ["Bạn đi trước", "You lead"],
});
