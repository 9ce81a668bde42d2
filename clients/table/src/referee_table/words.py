"""What the table says to people, in both languages, each text behind a stable code.

``words.json`` beside this file has what games share, refusals, notices and goodbyes; each game's folder has its own.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal

Text = dict[str, str]
Words = Mapping[str, Any]
"""Tables of names by code."""

Code = Literal[
    "BAD_COMMAND", "NO_ROOM", "NOT_SEATED", "OTHER_ROUND", "WRONG_PHASE", "UNLAWFUL", "TOO_LATE", "SEALED",
    "NO_SEAT_FREE", "REFEREE_REFUSED", "NO_ADVICE", "TOO_MANY", "ROOM_FULL", "UNSIGNED", "NO_ROUND",
]  # fmt: skip
"""Reasons for refusing a command."""

_SIGNS: Final = {"S": "♠", "C": "♣", "D": "♦", "H": "♥"}
_SEAT: Final = re.compile(r"(?:người chơi ở )?\b(?:ghế|seat) (\d{1,3})\b", re.IGNORECASE)
_CARD: Final = re.compile(r"(?<![A-Za-z0-9])([2-9TJQKA])([SCDH])(?![A-Za-z0-9])")


def read_words(folder: Path) -> Words:
    """Return the words of a folder, from its ``words.json``."""
    words: Words = json.loads((folder / "words.json").read_text(encoding="utf-8"))
    return words


FOLDER: Final = Path(__file__).parent
SHARED: Final = read_words(FOLDER)


class RefusedError(Exception):
    """Error for a command that is refused, with the code of the reason; ``reason`` and ``detail`` are for authors."""

    def __init__(
        self, code: Code, *, violations: Sequence[dict[str, Any]] = (), reason: str = "", detail: str = ""
    ) -> None:
        super().__init__(f"{code} {reason} {detail}".strip())
        self.code, self.violations, self.reason, self.detail = code, list(violations), reason, detail

    def message(self, command: str) -> dict[str, Any]:
        """Return the refusal as the page reads it."""
        more = {"violations": self.violations, "reason": self.reason, "detail": self.detail}
        given = {"type": "refused", "id": command, "code": self.code, "text": SHARED["refusals"][self.code]}
        return given | {name: value for name, value in more.items() if value}


def notice(code: str) -> dict[str, Any]:
    """Return what happened without being asked, as the page reads it."""
    return {"type": "notice", "code": code, "text": SHARED["notices"][code]}


def goodbye(code: str) -> tuple[dict[str, Any], int]:
    """Return the last message on a stream, and the code that it is closed with."""
    words = SHARED["goodbyes"][code]
    return {"type": "goodbye", "code": code, "text": {"vi": words["vi"], "en": words["en"]}}, words["close"]


def for_people(text: Any, seats: Sequence[str] = ()) -> Text:  # noqa: ANN401 - a Text of the API
    """Return words of the referee, cards in them as glyphs and seats by the names of the people who sit there."""
    return {language: with_names(with_glyphs(getattr(text, language)), seats) for language in ("vi", "en")}


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
