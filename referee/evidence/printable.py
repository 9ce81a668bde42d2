r"""Escaping of untrusted text before it is shown: it cannot hide, reorder or colour the text around it.

Leaves, table ids, notes, witnesses' names and rulesets are written by somebody else. A terminal obeys escape sequences
in them, and a character such as U+202E reverses the line; so every character outside printable ASCII is shown escaped.

>>> printable("table\u202e\x1b[2J")
'table\\u202e\\x1b[2J'
>>> ascii_json('{"to":"\u202e"}')
'{"to":"\\u202e"}'
"""

import errno
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_OUTSIDE: Final = re.compile(r"[^ -~]")
_OUTSIDE_LINES: Final = re.compile(r"[^\n -~]")


def printable(text: str) -> str:
    """Escape every character outside printable ASCII, line breaks too."""
    return _OUTSIDE.sub(_escaped, text)


def printable_lines(text: str) -> str:
    """Escape every character outside printable ASCII; line breaks stay."""
    return _OUTSIDE_LINES.sub(_escaped, text)


def readable(text: str) -> str:
    """Escape every character that ``str.isprintable`` rejects; tabs and line breaks stay.

    Letters beyond ASCII stay too: it is for names in a language with diacritics.
    """
    return "".join(
        [char if char.isprintable() or char in "\n\t" else char.encode("unicode_escape").decode() for char in text]
    )


def ascii_json(text: str) -> str:
    """Write every character of a JSON text outside printable ASCII as a JSON escape; line breaks stay.

    The JSON value stays the same if such characters stand in strings only.
    """
    return _OUTSIDE_LINES.sub(_json_escaped, text)


def counted(count: int, noun: str) -> str:
    """Return a number with its noun, which is in the singular for one.

    >>> counted(1, "round"), counted(2000, "round")
    ('1 round', '2,000 rounds')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


_REMEDIES: Final[Mapping[int, str]] = MappingProxyType(
    {
        errno.EROFS: "mount it for writing, or give another folder",
        errno.EACCES: "give this user the right to it, or give another path",
        errno.EPERM: "give this user the right to it, or give another path",
        errno.ENOSPC: "free space, or give another folder",
        errno.EDQUOT: "free space, or raise this user's quota",
        errno.EMFILE: "raise how many files the process may open (ulimit -n, LimitNOFILE)",
        errno.ENFILE: "raise how many files the machine may open (fs.file-max)",
    }
)


def error_words(error: BaseException) -> str:
    """Describe an error for people; never empty, and an error of the system without its number but with a remedy.

    >>> error_words(OSError(errno.EROFS, "Read-only file system", "/srv/referee"))
    '/srv/referee: Read-only file system; mount it for writing, or give another folder'
    >>> error_words(TimeoutError())
    'TimeoutError'
    """
    if not isinstance(error, OSError) or not error.strerror:
        return str(error) or type(error).__name__
    place = "" if error.filename is None else f"{error.filename}: "
    remedy = _REMEDIES.get(error.errno or 0, "")
    return f"{place}{error.strerror}{'; ' if remedy else ''}{remedy}"


def _escaped(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")


def _json_escaped(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at : at + 2].hex()}" for at in range(0, len(units), 2))
