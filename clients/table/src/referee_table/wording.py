"""What the table says to people, in both languages, each behind a stable code."""

import enum
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, Self

from google.protobuf.message import Message

_SIGNS: Final = {"S": "♠", "C": "♣", "D": "♦", "H": "♥"}
_SEAT: Final = re.compile(r"(?:người chơi ở )?\b(?:ghế|seat) (\d{1,3})\b", re.IGNORECASE)
_CARD: Final = re.compile(r"(?<![A-Za-z0-9])([2-9TJQKA])([SCDH])(?![A-Za-z0-9])")


class Code(enum.StrEnum):
    """Reasons for refusing a command, each with what is said of it in Vietnamese and in English."""

    vi: str
    en: str

    def __new__(cls, code: str, vi: str, en: str) -> Self:
        """Return the code, with its words beside it."""
        member = str.__new__(cls, code)
        member._value_, member.vi, member.en = code, vi, en
        return member

    BAD_COMMAND = ("BAD_COMMAND", "Lệnh không hợp lệ.", "The command is not one that can be done.")
    NO_ROOM = ("NO_ROOM", "Không có phòng này.", "There is no such room.")
    NOT_SEATED = ("NOT_SEATED", "Bạn không có ghế trong ván này.", "You have no seat in this round.")
    OTHER_ROUND = ("OTHER_ROUND", "Ván đó không còn đang chơi.", "That round is not being played.")
    WRONG_PHASE = ("WRONG_PHASE", "Chưa đến lúc làm việc này, hoặc đã qua.", "It is not the time for that.")
    UNLAWFUL = ("UNLAWFUL", "Trái luật.", "The rules do not allow that.")
    TOO_LATE = ("TOO_LATE", "Đã hết giờ.", "The time is up.")
    SEALED = ("SEALED", "Bàn kín: chỉ bạn biết bài của mình.", "The table is sealed: only you know your cards.")
    NO_SEAT_FREE = ("NO_SEAT_FREE", "Hết ghế trống.", "No seat is free.")
    REFEREE_REFUSED = ("REFEREE_REFUSED", "Trọng tài từ chối.", "The referee refused.")
    NO_ADVICE = ("NO_ADVICE", "Không có gợi ý.", "There is no advice to give.")
    TOO_MANY = ("TOO_MANY", "Quá nhiều; hãy thử lại sau.", "Too many; try again later.")
    ROOM_FULL = ("ROOM_FULL", "Phòng đã đầy, kể cả chỗ xem.", "The room is full, places to watch included.")
    UNSIGNED = (
        "UNSIGNED",
        "Ghế này có khóa: nước đi phải có chữ ký của nó.",
        "This seat has a key: what it does needs its signature.",
    )
    NO_ROUND = (
        "NO_ROUND",
        "Phòng này không còn giữ ván đó; phòng giữ 50 ván gần nhất.",
        "This room does not keep that round; it keeps its last 50.",
    )


NOTICES: Final[Mapping[str, tuple[str, str]]] = {
    "SITS_OUT": (
        "Bạn chưa kịp bấm sẵn sàng nên đang ngồi xem; bấm vào chơi khi muốn.",
        "You were not ready in time and watch now; take a seat again when you like.",
    ),
    "DEAD_INVITE": (
        "Lời mời này không còn: phòng đã đóng.",
        "This invitation is over: the room was closed.",
    ),
    "ROOM_FULL": (Code.ROOM_FULL.vi, Code.ROOM_FULL.en),
    "AUTO_READY_OFF": (
        "Bạn không chơi ván vừa rồi nên không còn tự sẵn sàng.",
        "You did nothing in the last round, so you are no longer ready by yourself.",
    ),
    "NAME_CHANGED": (
        "Tên đã được rút gọn còn 24 ký tự hiển thị được.",
        "Your name was shortened to 24 visible characters.",
    ),
    "ROOM_CLOSED": ("Phòng đã đóng.", "The room was closed."),
    "RESTARTED": (
        "Máy chủ bàn đã khởi động lại; ván chơi tiếp tục, không mất gì.",
        "The table server was started again; the table goes on and nothing is lost.",
    ),
    "ROUND_GIVEN_UP": (
        "Ván không thể tiếp tục; trọng tài sẽ hủy, không ai mất tiền.",
        "The round could not go on; the referee will abort it and nobody pays.",
    ),
    "REFEREE_AWAY": (
        "Không liên lạc được với trọng tài; mọi thứ đang chờ, không mất gì.",
        "The referee cannot be reached; everything waits and nothing is lost.",
    ),
    "REFEREE_BACK": ("Trọng tài đã trở lại.", "The referee is back."),
}
"""What happened without being asked."""

GOODBYES: Final[Mapping[str, tuple[int, str, str]]] = {
    "TAKEN_OVER": (4001, "Ghế của bạn đã mở ở một thẻ khác.", "Your seat was opened in another tab."),
    "BAD_MESSAGE": (4002, "Tin nhắn không đọc được.", "A message could not be read."),
    "OTHER_PROTOCOL": (
        4003,
        "Trang này là của phiên bản khác; hãy tải lại.",
        "This page is of another version; load it again.",
    ),
    "TOO_SLOW": (4004, "Kết nối quá chậm.", "The connection is too slow."),
    "STOPPING": (1012, "Máy chủ bàn đang khởi động lại.", "The table server is being started again."),
}
"""Why a stream ends, with the close code."""


class RefusedError(Exception):
    """Error for a command that is refused, with the code of the reason."""

    def __init__(
        self, code: Code, *, violations: Sequence[dict[str, Any]] = (), reason: str = "", detail: str = ""
    ) -> None:
        super().__init__(f"{code} {reason} {detail}".strip())
        self.code, self.violations, self.reason, self.detail = code, list(violations), reason, detail

    def message(self, command: str) -> dict[str, Any]:
        """Return the refusal as the page reads it."""
        text = {"vi": self.code.vi, "en": self.code.en}
        given: dict[str, Any] = {"type": "refused", "id": command, "code": self.code.value, "text": text}
        if self.violations:
            given["violations"] = self.violations
        for name in ("reason", "detail"):
            if getattr(self, name):
                given[name] = getattr(self, name)
        return given


def notice(code: str) -> dict[str, Any]:
    """Return a notice as the page reads it."""
    vi, en = NOTICES[code]
    return {"type": "notice", "code": code, "text": {"vi": vi, "en": en}}


def goodbye(code: str) -> dict[str, Any]:
    """Return the last message on a stream."""
    _, vi, en = GOODBYES[code]
    return {"type": "goodbye", "code": code, "text": {"vi": vi, "en": en}}


def text(message: Any, seats: Sequence[str] = ()) -> dict[str, str]:  # noqa: ANN401 - a Text of the API
    """Return words of the referee, cards in them as glyphs and seats by the names of the people who sit there."""
    return {"vi": _for_people(message.vi, seats), "en": _for_people(message.en, seats)}


def _for_people(words: str, seats: Sequence[str]) -> str:
    return with_names(with_glyphs(words), seats)


def with_names(words: str, seats: Sequence[str]) -> str:
    """Return words with people's names, by seat, in place of the numbers of their seats.

    >>> with_names("Seat 1 has left; it is seat 0's turn.", ["An", "Lan"])
    "Lan has left; it is An's turn."
    """

    def name_of(found: re.Match[str]) -> str:
        seat = int(found[1])
        return seats[seat] if seat < len(seats) else found[0]

    return _SEAT.sub(name_of, words)


def with_glyphs(words: str) -> str:
    """Return words for people with cards as they are printed on cards.

    >>> with_glyphs("Placed more than once: TH, 2S.")
    'Placed more than once: 10♥, 2♠.'
    """
    return _CARD.sub(lambda found: ("10" if found[1] == "T" else found[1]) + _SIGNS[found[2]], words)


def present(message: Message, *names: str) -> dict[str, Any]:
    """Return the named fields that are present, by name; for fields whose absence has a meaning."""
    return {name: getattr(message, name) for name in names if message.HasField(name)}
