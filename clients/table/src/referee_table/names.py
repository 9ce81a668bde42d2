r"""Names as people may have them: of visible characters, none of which changes how the text around it reads.

>>> clean_name(" An\u202e\x1b[2J  B "), clean_name("👩\u200d👧")
('An[2J B', '👩\u200d👧')
"""

import unicodedata
from typing import Final

MOST_CHARACTERS: Final = 24
MOST_MARKS: Final = 4
"""Combining marks in a row; Vietnamese needs two."""
_JOINER: Final = "\u200d"


def clean_name(typed: str) -> str:
    """Return the name without control, bidi and other format characters, cut to 24; empty if nothing is left."""
    kept = ""
    for one in unicodedata.normalize("NFC", typed):
        is_mark = unicodedata.combining(one) > 0
        is_piled = is_mark and all(unicodedata.combining(mark) for mark in kept[-MOST_MARKS:])
        is_joiner = one == _JOINER and unicodedata.category(kept[-1:] or " ") in {"So", "Sk", "Mn"}
        if one.isspace():
            kept += " "
        elif is_joiner or not (unicodedata.category(one).startswith("C") or is_piled):
            kept += one
    return " ".join(kept.split())[:MOST_CHARACTERS].strip(_JOINER + " ")
