/** The verifier's checks in Vietnamese, and this page's own in both languages. English is the verifier's own wording. */

import type { Dated } from "referee-client/signer";
import type { CheckCode } from "referee-verifier";

import type { Key } from "../words/words";
import type { OwnCheck } from "./own";

export const PROMISES_VI: Record<CheckCode, string> = {
  CHECKPOINT: "khóa nhật ký đã ký mốc kiểm, đúng nhật ký này",
  TREE: "mọi dòng đều nằm trong cây của mốc kiểm",
  CONTINUITY: "nhật ký nối tiếp mọi mốc kiểm đã giữ",
  KEYS: "khóa gốc đã nêu tên mọi khóa ký",
  SPELLING: "mỗi dòng chỉ viết được một cách",
  SIGNATURES: "mỗi dòng do đúng khóa phải ký ký tên",
  ORDER: "OPEN, DEAL, SETTLE hoặc ABORT, và REVEAL đứng theo thứ tự, mỗi thứ một lần",
  PREVIOUS_LEAF: "OPEN nêu dòng kết thúc ván trước của bàn",
  ROUND_ID: "mã ván tính từ đầu ván và thuộc nhật ký này",
  RULESET: "đầu ván nêu một bộ luật có sẵn",
  DEADLINES: "các hạn chót nằm trong giới hạn của giao thức và bộ luật",
  SEAT_KEYS: "không khóa nào ngồi hai ghế, khóa của nhật ký không ngồi ghế nào",
  LAYOUT: "bộ bài được cắt như luật chơi",
  CLIENT_SEEDS: "số ngẫu nhiên của mỗi ghế khớp với cam kết",
  SEED_SIGNATURES: "ghế có khóa đã ký số của mình, sau cam kết của trọng tài",
  MIX: "phép trộn gồm ván, cam kết của trọng tài và mọi số ngẫu nhiên",
  LEADER: "ai đi trước: người thắng ván trước theo nhật ký, hoặc ghế mà bài chia cho biết",
  SERVER_SEED: "số ngẫu nhiên của trọng tài khớp với cam kết trong OPEN",
  DECK: "đầu ván và các số ngẫu nhiên cho ra đúng bộ bài của DEAL",
  CARDS: "các lá bài được kể là các lá đã chia",
  SETTLED_HEADER: "biên bản có đúng đầu ván, tiền cược và sự kiện chia bài",
  EVENT_CHAIN: "kết quả tính từ đúng các sự kiện này",
  SEAL: "ghế ở bàn niêm phong mở đúng cam kết của mình",
  ATTESTATIONS: "biên nhận mới nhất và chữ ký mới nhất của mỗi ghế đứng trên các sự kiện này",
  HELD_CARDS: "mọi lá bài đánh ra đều có trong tay ghế đó và chỉ dùng một lần",
  MONEY: "số thắng thua khớp với các khoản trả và cộng lại bằng không",
  TIMES: "mọi dòng đến đúng hạn",
  ABORT: "việc hủy ván nói đúng điều đã xảy ra",
  CERTIFICATES: "chứng thư khớp với lần chia bài trong nhật ký",
  EVENT_RECEIPTS: "các biên nhận đang giữ khớp nhau và khớp biên bản",
  OPENINGS: "bài chỉ lật sau khi nhật ký đã ghi vì sao lật, và tính tiền đúng theo đó",
  SECRECY: "không gì phát ra chứa bí mật, và mỗi phần có khóa riêng",
  LOG_RECEIPTS: "nhật ký có đúng những gì đã hứa",
  WITNESSES: "gần đây đủ nhân chứng cùng ký nhật ký",
  SEED_QUALITY: "mọi số trông ngẫu nhiên và chỉ dùng một lần",
};

export const OWN_PROMISES: Record<OwnCheck, readonly [string, string]> = {
  OWN_SEED: [
    "số ngẫu nhiên trình duyệt này góp có trong nhật ký",
    "the seed that this browser put into the shuffle is in the log",
  ],
  OWN_CARDS: [
    "bài trình duyệt này cho bạn xem đúng là bài ghế bạn trong nhật ký",
    "the cards that this browser showed as your seat's are in the log as that seat's",
  ],
  SHOWN_RESULT: [
    "ai trả ai ở đây đúng như trọng tài đã ký",
    "the payouts shown here are those that the referee signed",
  ],
};

/** What has a time that is compared with this device's clock. */
export const DATED: Record<Dated, Key> = {
  OPEN: "datedOpen",
  DEAL: "datedDeal",
  UNSEAL: "datedUnseal",
  EVENT: "datedEvent",
};
