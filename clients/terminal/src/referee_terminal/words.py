"""Every sentence that the terminal says, in Vietnamese and English.

>>> say("vi", "ready"), say("en", "ready")
('sẵn sàng', 'ready')
"""

from collections.abc import Mapping
from typing import Any, Final

LANGUAGES: Final = ("vi", "en")

WORDS: Final[Mapping[str, tuple[str, str]]] = {
    "lobby": ("Sảnh", "Lobby"),
    "new_table": ("mở bàn", "open a table"),
    "with_bots": ("với {count} máy", "with {count} bots"),
    "sealed": ("bài niêm phong", "sealed"),
    "join": ("vào bàn", "join"),
    "free_seats": ("còn {count} chỗ", "{count} seats free"),
    "no_rooms": ("chưa có bàn nào mở", "no table is open yet"),
    "stake": ("cược {amount}", "stake {amount}"),
    "play_money": ("điểm chơi, không phải tiền", "play points, not money"),
    "ready": ("sẵn sàng", "ready"),
    "not_ready": ("chưa sẵn sàng", "not ready"),
    "leave": ("rời bàn", "leave"),
    "bot": ("máy", "bot"),
    "you": ("bạn", "you"),
    "away": ("vắng", "away"),
    "add_bot": ("thêm máy", "add a bot"),
    "remove_bot": ("bớt máy", "remove a bot"),
    "language": ("English", "Tiếng Việt"),
    "colours": ("bốn màu", "four colours"),
    "history": ("ván trước", "history"),
    "scores": ("tính tiền", "scores"),
    "proof": ("kiểm chứng", "verify"),
    "quit": ("thoát", "quit"),
    "close": ("đóng", "close"),
    "suggest": ("gợi ý", "suggest"),
    "send": ("xếp xong", "send"),
    "pick": ("chọn", "pick"),
    "move": ("di chuyển", "move"),
    "sort": ("sắp bài", "sort"),
    "play": ("đánh", "play"),
    "pass": ("bỏ lượt", "pass"),
    "ante": ("Ante", "ante"),
    "trips": ("Trips", "trips"),
    "LOBBY": ("chờ ván mới", "between rounds"),
    "BINDING": ("khóa hạt giống", "binding seeds"),
    "SEEDING": ("chia bài", "dealing"),
    "PLAYING": ("đang chơi", "playing"),
    "OPENING": ("mở bài", "opening"),
    "SHOWDOWN": ("so bài", "showdown"),
    "connecting": ("đang kết nối…", "connecting…"),
    "connected": ("đã kết nối", "connected"),
    "lost": ("mất kết nối, thử lại sau {wait} giây", "connection lost, again in {wait} s"),
    "taken_over": (
        "bàn này đang mở ở nơi khác; nhấn Enter để lấy lại",
        "you are playing somewhere else now; press Enter to take it back",
    ),
    "referee_away": ("trọng tài chưa trả lời; ván bài chờ, không mất gì", "the referee is away; the round waits"),
    "your_turn": ("đến lượt bạn", "your turn"),
    "turn_of": ("lượt của {name}", "{name}'s turn"),
    "leads": ("ra bài trước", "leads"),
    "to_beat": ("phải chặn", "to beat"),
    "last_trick": ("vòng trước", "last trick"),
    "cards_left": ("còn {count}", "{count} left"),
    "passed": ("bỏ lượt", "passed"),
    "gone": ("đã rời", "left"),
    "timeout": ("hết giờ", "out of time"),
    "back": ("chi 1", "back"),
    "middle": ("chi 2", "middle"),
    "front": ("chi 3", "front"),
    "fouled": ("binh lủng", "fouled"),
    "lawful": ("hợp lệ", "lawful"),
    "sent": ("đã gửi; có thể xếp lại khi còn giờ", "sent; you may rearrange while there is time"),
    "waiting_for": ("chờ {count} người", "waiting for {count}"),
    "no_lawful_play": ("không có bài chặn được", "nothing beats it"),
    "not_lawful": ("bài chọn không đánh được", "these cards cannot be played"),
    "board": ("bài chung", "board"),
    "house": ("nhà cái", "house"),
    "hole": ("bài của bạn", "your cards"),
    "qualifies": ("nhà cái đủ điều kiện", "the house qualifies"),
    "not_qualified": ("nhà cái không đủ điều kiện", "the house does not qualify"),
    "CHECK": ("xem", "check"),
    "FOLD": ("úp bài", "fold"),
    "PLAY_1X": ("cược 1x", "bet 1x"),
    "PLAY_2X": ("cược 2x", "bet 2x"),
    "PLAY_3X": ("cược 3x", "bet 3x"),
    "PLAY_4X": ("cược 4x", "bet 4x"),
    "decided": ("đã quyết định", "decided"),
    "deciding": ("đang nghĩ", "deciding"),
    "pays": ("{payer} trả {payee} {amount}: {reason}", "{payer} pays {payee} {amount}: {reason}"),
    "nobody_pays": ("không ai phải trả", "nobody pays"),
    "round": ("ván {number}", "round {number}"),
    "SETTLED": ("đã tính", "settled"),
    "ABORTED": ("đã hủy, không ai trả", "aborted, nobody pays"),
    "GIVEN_UP": ("bỏ dở; trọng tài sẽ hủy ván, không ai trả", "given up; the referee aborts it, nobody pays"),
    "net": ("thắng thua", "net"),
    "verified": ("đã kiểm chứng", "verified"),
    "refuted": ("KHÔNG ĐÚNG: {check}", "REFUTED: {check}"),
    "checking": ("đang kiểm chứng…", "checking…"),
    "not_revealed": ("hạt giống của máy chủ chưa được mở; thử lại sau giây lát", "the server's seed is not shown yet"),
    "in_log": ("nằm trong sổ đã ký, đúng chỗ", "is in the signed log, at its place"),
    "signatures": ("chữ ký của trọng tài và người chia bài", "signed by shuffler and referee"),
    "replayed": ("tính lại theo luật: đúng từng điểm", "judged again by the rules: every transfer follows"),
    "redealt": ("chia lại từ hạt giống: đúng từng lá", "dealt again from the seeds: every card follows"),
    "no_history": ("chưa có ván nào xong", "no round has finished yet"),
    "no_gateway": (
        "bàn niêm phong cần cổng của trọng tài, mà máy chủ này không có",
        "a sealed table needs the referee's gateway, and this server has none",
    ),
    "watching": ("bạn đang xem", "you are watching"),
    "seconds_left": ("còn {count} giây", "{count} s left"),
}


def say(language: str, key: str, **fields: object) -> str:
    """Return a sentence; return an unknown key as it is, for codes that are newer than this terminal."""
    given = WORDS.get(key)
    sentence = key if given is None else given[LANGUAGES.index(language)]
    return sentence.format(**fields) if fields else sentence


def text_of(value: Any, language: str) -> str:  # noqa: ANN401 - JSON
    """Return a text of the protocol: ``{"vi", "en"}``, or plain.

    >>> text_of({"vi": "sảnh", "en": "straight"}, "en")
    'straight'
    """
    if isinstance(value, Mapping):
        return str(value.get(language) or next(iter(value.values()), ""))
    return "" if value is None else str(value)
