r"""Text by others as it is shown to people: nothing in it can hide, reorder or colour the text around it.

Leaves, table ids, notes, witnesses' names and rulesets are written by somebody else. A terminal obeys escape sequences
in them, and a letter such as U+202E turns the line around; so whatever is outside printable ASCII is shown escaped.

>>> printable("table\u202e\x1b[2J")
'table\\u202e\\x1b[2J'
>>> ascii_json('{"to":"\u202e"}')
'{"to":"\\u202e"}'
"""

import re
from typing import Final

_OUTSIDE: Final = re.compile(r"[^ -~]")
_OUTSIDE_LINES: Final = re.compile(r"[^\n -~]")


def printable(text: str) -> str:
    """Escape every character outside printable ASCII, line breaks too."""
    return _OUTSIDE.sub(_escaped, text)


def printable_lines(text: str) -> str:
    """Escape every character outside printable ASCII but line breaks."""
    return _OUTSIDE_LINES.sub(_escaped, text)


def readable(text: str) -> str:
    """Escape every character that is invisible or changes how others look, for names in a language with diacritics.

    Tabs and line breaks stay.
    """
    return "".join(
        [one if one.isprintable() or one in "\n\t" else one.encode("unicode_escape").decode() for one in text]
    )


def ascii_json(text: str) -> str:
    """Escape JSON text so that it is printable ASCII and line breaks; its value stays the same."""
    return _OUTSIDE_LINES.sub(_json_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")


def _json_escaped(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
