/** The verifier's checks in Vietnamese, and this page's own in both languages. English is the verifier's own wording. */

import type { Dated } from "referee-client/clock";
import type { CheckCode } from "referee-verifier";

import type { Key } from "../words/words";
import type { OwnCheck } from "./own";

export const PROMISES_VI: Record<CheckCode, string> = {
  CHECKPOINT: "khóa của sổ đã ký mốc kiểm, đúng cho sổ này",
  TREE: "mọi lá nằm trong cây mà mốc kiểm nói tới",
  CONTINUITY: "sổ nối tiếp mọi mốc kiểm đã được giữ lại",
  KEYS: "khóa gốc đã nêu tên mọi khóa ký",
  SPELLING: "mỗi lá là một phong bì và một nội dung, chỉ có một cách viết",
  SIGNATURES: "mỗi lá do đúng vai trò phải ký ký tên",
  ORDER: "OPEN, DEAL, SETTLE hoặc ABORT, và REVEAL đứng theo thứ tự, mỗi thứ một lần",
  PREVIOUS_LEAF: "OPEN nêu lá đã kết thúc ván trước của bàn",
  ROUND_ID: "mã ván là băm của đầu ván và thuộc sổ này",
  RULESET: "đầu ván nêu một bộ luật có sẵn",
  DEADLINES: "các hạn chót nằm trong giới hạn của giao thức và bộ luật",
  SEAT_KEYS: "không khóa nào ngồi hai ghế, và không khóa nào của chính sổ ngồi ghế",
  LAYOUT: "bộ bài được cắt như luật chơi",
  CLIENT_SEEDS: "hạt của các ghế mở đúng cam kết của họ",
  SEED_SIGNATURES: "ghế có khóa đã ký hạt của mình, dưới cam kết của máy chủ",
  MIX: "phép trộn gồm ván, cam kết của máy chủ và mọi hạt",
  LEADER: "người đi đầu là người thắng ván trước theo nhật ký, hoặc là ghế mà lần chia bài cho biết",
  SERVER_SEED: "hạt của máy chủ mở đúng cam kết trong OPEN",
  DECK: "đầu ván và các hạt cho ra đúng bộ bài mà DEAL cam kết",
  CARDS: "các lá bài được kể là các lá đã chia",
  SETTLED_HEADER: "biên bản có đúng đầu ván, tiền cược và sự kiện chia bài",
  EVENT_CHAIN: "kết quả tính từ đúng các sự kiện này",
  SEAL: "ghế ở bàn niêm phong mở đúng cam kết của mình",
  ATTESTATIONS: "biên nhận mới nhất và chữ ký mới nhất của mỗi ghế đứng trên các sự kiện này",
  HELD_CARDS: "mọi lá bài đánh ra đều có trong tay ghế đó và chỉ dùng một lần",
  MONEY: "số thắng thua khớp với các khoản trả và cộng lại bằng không",
  TIMES: "mọi lá đến đúng hạn",
  ABORT: "việc hủy ván nói đúng điều đã xảy ra",
  CERTIFICATES: "chứng thư cho thấy đúng lần chia bài trong sổ",
  EVENT_RECEIPTS: "các biên nhận đang giữ khớp nhau và khớp biên bản",
  OPENINGS: "bài chỉ mở sau khi sổ đã ghi điều mở nó, và ván được kết toán theo đúng điều đó",
  SECRECY: "không gì phát ra chứa bí mật, và mỗi phần có khóa riêng",
  LOG_RECEIPTS: "sổ có đúng những gì nó đã hứa",
  WITNESSES: "đủ nhân chứng đã cùng ký sổ gần đây",
  SEED_QUALITY: "mọi hạt trông ngẫu nhiên và chỉ dùng một lần",
};

export const OWN_PROMISES: Record<OwnCheck, readonly [string, string]> = {
  OWN_SEED: [
    "hạt mà trình duyệt này bỏ vào phép trộn có trong sổ",
    "the seed that this browser put into the shuffle is in the log",
  ],
  OWN_CARDS: [
    "các lá trình duyệt này cho thấy là của ghế bạn có trong sổ ở đúng ghế ấy",
    "the cards that this browser showed as your seat's are in the log as that seat's",
  ],
  SHOWN_RESULT: [
    "các khoản trả hiện ở đây là các khoản trọng tài đã ký",
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
