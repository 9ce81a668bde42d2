"""Names as people may have them: of visible characters, none of which changes how the text around it reads."""

import unicodedata
from typing import Final

MOST_CHARACTERS: Final = 24


def clean_name(typed: str) -> str:
    r"""Return the name without control, bidi and other format characters, cut to 24; empty if nothing is left.

    >>> clean_name(" An\u202e\x1b[2J  B ")
    'An[2J B'
    """
    kept = "".join(
        " " if one.isspace() else one
        for one in unicodedata.normalize("NFC", typed)
        if one.isspace() or not unicodedata.category(one).startswith("C")
    )
    return " ".join(kept.split())[:MOST_CHARACTERS].rstrip()


def is_changed(typed: str, name: str) -> bool:
    """Return True if ``clean_name`` changed more than the spaces around what was typed."""
    return unicodedata.normalize("NFC", typed).strip() != name
