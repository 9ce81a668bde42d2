r"""Names as people may have them: of visible characters, none of which changes how the text around it reads.

A character is what a reader sees as one: an emoji of several code points is kept or left out whole.

>>> characters("né👩‍👧🇻🇳") == ["n", "é", "👩‍👧", "🇻🇳"]
True
"""

import unicodedata
from typing import Final

MOST_CHARACTERS: Final = 24
MOST_MARKS: Final = 4
"""Combining marks, joiners and selectors that one character can have; Vietnamese needs two, families of emoji more."""
_JOINER: Final = "\u200d"
_KEYCAPS: Final = "\ufe0e\ufe0f\u20e3"


def clean_name(typed: str) -> str:
    r"""Return the name without control, bidi and other format characters, cut to 24; empty if nothing is left.

    >>> clean_name(" An\u202e\x1b[2J  B ")
    'An[2J B'
    """
    text = unicodedata.normalize("NFC", typed)
    kept = "".join(" " if one.isspace() else one for at, one in enumerate(text) if _is_kept(text, at))
    found = [one for one in characters(" ".join(kept.split())) if not _is_mark(one[0])]
    return "".join([_trimmed(one) for one in found[:MOST_CHARACTERS]]).rstrip()


def is_changed(typed: str, name: str) -> bool:
    """Return True if ``clean_name`` changed more than the spaces around what was typed."""
    return unicodedata.normalize("NFC", typed).strip() != name


def characters(text: str) -> list[str]:
    """Split a text into what a reader sees as characters."""
    found: list[str] = []
    for one in text:
        if found and (_is_mark(one) or found[-1].endswith(_JOINER) or _is_second_flag_letter(found[-1], one)):
            found[-1] += one
        else:
            found.append(one)
    return found


def _is_kept(text: str, at: int) -> bool:
    """Return whether a character of a name is kept: visible, a space, or the joiner between two emoji."""
    one = text[at]
    if one == _JOINER:
        return 0 < at < len(text) - 1 and _is_emoji(text[at - 1]) and _is_emoji(text[at + 1])
    return one.isspace() or not unicodedata.category(one).startswith("C")


def _is_emoji(one: str) -> bool:
    return unicodedata.category(one) in {"So", "Sk"} or one == "\ufe0f"


def _is_mark(one: str) -> bool:
    """Return whether a code point belongs to the one before it: a combining mark, a joiner, a skin tone or a keycap."""
    return unicodedata.combining(one) > 0 or one == _JOINER or one in _KEYCAPS or "\U0001f3fb" <= one <= "\U0001f3ff"


def _is_second_flag_letter(before: str, one: str) -> bool:
    return len(before) == 1 and all("\U0001f1e6" <= letter <= "\U0001f1ff" for letter in before + one)


def _trimmed(character: str) -> str:
    """Return a character with no more marks than one can have; emoji in a family do not count as marks."""
    kept, marks = "", 0
    for one in character:
        marks += _is_mark(one) and one != _JOINER and one not in _KEYCAPS
        kept += one if not _is_mark(one) or marks <= MOST_MARKS else ""
    return kept
