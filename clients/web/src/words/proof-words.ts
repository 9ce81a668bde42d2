/** What the page says of signatures, proofs and verifying: Vietnamese first, then English. */

export const PROOF_WORDS = {
  acceptKeys: ["Tin các khóa này từ nay", "Believe these keys from now on"],
  alreadySigned: ["Bạn đã ký một nước khác: nước ấy được tính.", "Another move is signed: it counts."],
  bundle: ["Gói bằng chứng", "Bundle"],
  checkingProof: ["Đang kiểm chứng…", "Verifying…"],
  clockDiffers: [
    "Giờ của ván lệch giờ máy này hơn 10 giây, lệch nhất: {dated}.",
    "Times of this round are more than 10 s off this device's clock, by most: {dated}.",
  ],
  clockDiffersMeans: [
    "Đây không phải lỗi kiểm chứng: đồng hồ bên nào cũng có thể sai. Nhân chứng cùng ký sổ là bên phân định.",
    "No check failed by this: either clock may be wrong. A witness that cosigns the log decides which.",
  ],
  datedDeal: ["chia bài", "the deal"],
  datedEvent: ["nước {number}", "event {number}"],
  datedOpen: ["mở ván", "the opening of the round"],
  datedTime: [
    "{what} ghi {time}, máy này chỉ {own} ({seconds} giây)",
    "{what} says {time}, this device {own} ({seconds} s)",
  ],
  datedUnseal: ["mở bài sau nước {number}", "the cards opened after event {number}"],
  holds: ["đúng", "holds"],
  notChecked: ["chưa kiểm", "not checked"],
  notVerified: ["KHÔNG kiểm chứng được: {checks}", "NOT verified: {checks}"],
  otherCourse: [
    "Bàn cho thấy một diễn biến khác với lúc trước. Trang này không ký lên đó.",
    "The table shows another course of the round than before. This page does not sign on it.",
  ],
  otherKeys: [
    "Đây không phải các khóa mà trình duyệt này thấy lần đầu cho sổ này.",
    "These are not the keys that this browser first saw for this log.",
  ],
  proofAborted: [
    "Ván này bị hủy, không ai phải trả; việc hủy và lý do nằm trong sổ.",
    "This round was aborted and nobody pays; the abort and its reason are in the log.",
  ],
  proofCards: [
    "Bài bạn cầm và bài mọi người lật ra đúng là những lá đã chia.",
    "The cards you held and the cards everybody showed are the cards that were dealt.",
  ],
  proofCardsOther: [
    "Bài các ghế lật ra đúng là những lá đã chia.",
    "The cards that the seats showed are the cards that were dealt.",
  ],
  proofDeck: [
    "Bộ bài được trộn công bằng: máy bạn góp một số ngẫu nhiên, và không ai biết bài trước khi chia.",
    "The deck was mixed fairly: your browser put a random number into it, and nobody knew the cards before the deal.",
  ],
  proofDeckElsewhere: [
    "Bộ bài được trộn công bằng: mỗi ghế góp một số ngẫu nhiên, và không ai biết bài trước khi chia. Trình duyệt này không giữ số của ghế bạn, nên chỉ trình duyệt bạn đã chơi nhận ra được số ấy.",
    "The deck was mixed fairly: each seat put a random number into it, and nobody knew the cards before the deal. This browser does not have your seat's number, so only the browser you played in can recognise it.",
  ],
  proofDeckOther: [
    "Bộ bài được trộn công bằng: mỗi ghế góp một số ngẫu nhiên, và không ai biết bài trước khi chia.",
    "The deck was mixed fairly: each seat put a random number into it, and nobody knew the cards before the deal.",
  ],
  proofDetails: ["Chi tiết: {count} điều đã kiểm", "Details: {count} checked"],
  proofElsewhere: [
    "Ai cũng kiểm chứng được ván này, trên máy khác:",
    "Anyone can verify this round, on another device:",
  ],
  proofMoney: [
    "Tiền thắng thua đúng như trọng tài đã ký; kết quả nằm trong sổ và không ai sửa được.",
    "The payouts are those that the referee signed; the result is in the log, where nobody can change it.",
  ],
  proofNotOver: ["Ván này chưa xong.", "This round is not over: no proof yet."],
  proofLeftOut: ["{count} điều chưa kiểm", "{count} not checked"],
  proofOf: ["Bằng chứng ván {number}", "Proof of round {number}"],
  proofSoon: ["Bằng chứng sắp có", "Proof follows"],
  proofSoonMeans: [
    "Hạt của máy chủ chưa được công bố, nên chưa thể chia lại bài để so.",
    "The server's seed is not shown yet, so the cards cannot be dealt again.",
  ],
  proofUnreached: ["Không lấy được bằng chứng", "The proof cannot be fetched"],
  qrOf: ["Mã QR: {link}", "QR code: {link}"],
  verified: ["Đã kiểm chứng", "Verified"],
  verifierMeans: [
    "Kiểm chứng chạy trong trang này, trên byte của sổ. Luật chơi thì `referee audit` chơi lại từng ván.",
    "The verifier runs in this page, over the log's own bytes. The rules are checked by `referee audit`, which plays every round again.",
  ],
  verifyMeans: [
    "Nhập mã bàn và số ván. Trình duyệt này tự kiểm trên sổ: không cần tin ai.",
    "Enter a table and a round. This browser checks the log itself: there is nobody to trust.",
  ],
  verifyNow: ["Kiểm chứng", "Verify"],
  verifyTitle: ["Kiểm chứng một ván", "Verify a round"],
} as const satisfies Record<string, readonly [string, string]>;
