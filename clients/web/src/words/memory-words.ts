/** What the page says of rounds that are kept and shown: Vietnamese first, then English. */

export const MEMORY_WORDS = {
  bestChoice: ["Tốt nhất", "Best"],
  chopsFor: ["chặt {name}, giá {amount}", "chops {name} for {amount}"],
  costInAll: ["Cộng lại, trung bình mất {amount}.", "In all, {amount} on average."],
  costOf: ["Trung bình mất {amount}", "Costs {amount} on average"],
  costStakes: ["{stakes} cược", "{stakes} {stakes:stake|stakes}"],
  nothingLost: [
    "Trong {count} lựa chọn có giá của lời khuyên, không có lựa chọn nào kém lựa chọn tốt nhất quá sai số.",
    "Of {count} choices that the advice has a value for, none was worse than the best by more than its error.",
  ],
  nothingValued: [
    "Lời khuyên không có giá cho các lựa chọn của bạn trong ván này.",
    "The advice has no value for your choices in this round.",
  ],
  reviewFailed: [
    "Không có lời khuyên cho ván này nữa.",
    "There is no advice for this round any more.",
  ],
  reviewMeans: [
    "Theo lời khuyên của trọng tài, tính trên các lá bạn không thấy: đúng có khi vẫn thua.",
    "By the referee's advice, over the cards that you could not see: the right choice may still lose.",
  ],
  reviewing: ["Trọng tài đang xem lại…", "The referee is looking again…"],
  roundOver: ["Hết ván", "The round is over"],
  whereLost: ["Mình thua ở đâu?", "Where did I lose?"],
  yourChoice: ["Bạn", "You"],
  makeLink: ["Tạo liên kết và hình", "Make the link and the picture"],
  makingLink: ["Đang tạo…", "Making it…"],
  pictureOf: ["Hình ván {number}: {seats}", "Picture of round {number}: {seats}"],
  proofAtLink: ["Bằng chứng ở liên kết", "Proof at the link"],
  savePicture: ["Lưu hình", "Save the picture"],
  shareFailed: [
    "Không tới được máy chủ bàn; hãy tải lại trang này.",
    "The table server cannot be reached; load this page again.",
  ],
  shareKept: [
    "Giữ đến {date}. Ai có liên kết đều xem được bài mọi nhà, diễn biến và bằng chứng.",
    "Kept until {date}. Everyone with the link sees all cards, the course and the proof.",
  ],
  shareRound: ["Khoe ván này", "Show this round"],
  shareRoundMeans: [
    "Một liên kết mở lại ván này cùng bằng chứng, và một hình. Giữ 30 ngày.",
    "A link that opens this round again with its proof, and a picture. Kept for 30 days.",
  ],
  shareTitle: ["Một ván bài để xem", "A round to see"],
  shareUntil: ["Giữ đến {date}.", "Kept until {date}."],
  withNames: ["Ghi tên mọi người", "With everybody's names"],
  withNamesMeans: [
    "Không chọn thì chỉ ghi số ghế.",
    "Otherwise seats are named by their numbers only.",
  ],
} as const satisfies Record<string, readonly [string, string]>;
