"""What people at a table can say and look like: fixed lists, since a table has no free text."""

from typing import Any, Final

PHRASES: Final = {
    "HELLO": ("Xin chào!", "Hello!"),
    "GOOD_LUCK": ("Chúc may mắn!", "Good luck!"),
    "NICE_HAND": ("Bài đẹp quá!", "Nice hand!"),
    "WELL_PLAYED": ("Hay lắm!", "Well played!"),
    "THANKS": ("Cảm ơn!", "Thanks!"),
    "SORRY": ("Xin lỗi nhé!", "Sorry!"),
    "HURRY": ("Nhanh lên nào!", "Hurry up!"),
    "ONE_MOMENT": ("Chờ chút nhé!", "One moment!"),
    "ONE_MORE": ("Ván nữa đi!", "One more!"),
    "GOODBYE": ("Tạm biệt!", "Goodbye!"),
}
"""Quick phrases by code, in Vietnamese and English."""

EMOTES: Final = {
    "LAUGH": ("😄", "cười", "laughs"),
    "CRY": ("😭", "khóc", "cries"),
    "COOL": ("😎", "ngầu", "stays cool"),
    "SHOCK": ("😱", "sốc", "is shocked"),
    "CLAP": ("👏", "vỗ tay", "claps"),
    "FIRE": ("🔥", "cháy quá", "is on fire"),
}
"""Emotes by code: the symbol and what it says to who cannot see it."""

AVATARS: Final = {
    "RAT": ("🐭", "chuột", "rat"),
    "BUFFALO": ("🐃", "trâu", "buffalo"),
    "TIGER": ("🐯", "hổ", "tiger"),
    "CAT": ("🐱", "mèo", "cat"),
    "DRAGON": ("🐲", "rồng", "dragon"),
    "SNAKE": ("🐍", "rắn", "snake"),
    "HORSE": ("🐴", "ngựa", "horse"),
    "GOAT": ("🐐", "dê", "goat"),
    "MONKEY": ("🐵", "khỉ", "monkey"),
    "ROOSTER": ("🐔", "gà", "rooster"),
    "DOG": ("🐶", "chó", "dog"),
    "PIG": ("🐷", "heo", "pig"),
}
"""Avatars by code: the twelve animals of the Vietnamese calendar."""

SAYABLE: Final = PHRASES.keys() | EMOTES.keys()
MOST_SAID: Final = 4
SAID_MS: Final = 10_000
"""Nobody says more than ``MOST_SAID`` things within this time."""


def shown_phrases() -> list[dict[str, Any]]:
    """Return all that can be said, as pages read it."""
    phrases = [{"code": code, "kind": "PHRASE", "text": {"vi": vi, "en": en}} for code, (vi, en) in PHRASES.items()]
    return phrases + [{"kind": "EMOTE"} | one for one in _symbols(EMOTES)]


def shown_avatars() -> list[dict[str, Any]]:
    """Return all avatars as pages read them."""
    return _symbols(AVATARS)


def _symbols(given: dict[str, tuple[str, str, str]]) -> list[dict[str, Any]]:
    return [{"code": code, "symbol": symbol, "text": {"vi": vi, "en": en}} for code, (symbol, vi, en) in given.items()]
