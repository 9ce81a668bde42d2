"""Rendering of pages: the template engine, its filters, and what every page is given: words, language, cards.

A page loads nothing from anywhere, and everything that is put into one is escaped.
"""

import base64
import hashlib
import math
import re
from functools import cache
from typing import Any, Final, Literal

from jinja2 import Environment, PackageLoader, StrictUndefined

from referee import __version__
from referee.audit.page.text import moment
from referee.audit.page.words import load_words
from referee.cards import DECK
from referee.evidence.printable import printable_lines, readable
from referee.finding import Severity

SCRIPT: Final = "if(!/^vi\\b/i.test(navigator.language))document.getElementById('lang-en').checked=true"
"""Script that chooses the reader's language; the page's content security policy allows no other script."""
SCRIPT_HASH: Final = "sha256-" + base64.b64encode(hashlib.sha256(SCRIPT.encode()).digest()).decode()

RANKS: Final = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
"""Ranks as written on cards, from the lowest rank index."""
SUITS: Final = "♠♣♦♥"
_ESCAPED_DASH: Final = re.compile(r"^\\u2014 ", re.MULTILINE)

Language = Literal["vi", "en", "both"]


def render(template: str, language: Language, **values: Any) -> str:  # noqa: ANN401 - whatever the template names
    """Render a template of this folder in one language or both."""
    words = load_words()
    return (
        _environment()
        .get_template(template)
        .render(
            words=words.page,
            word=words.of,
            language=language,
            script=SCRIPT,
            script_hash=SCRIPT_HASH,
            version=__version__,
            deck=DECK,
            ranks=RANKS,
            suits=SUITS,
            severity=Severity,
            **values,
        )
    )


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("referee.audit.page", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {
        "spaced": _spaced,
        "moment": moment,
        "after": _after,
        "chance": _chance,
        "probability": _probability,
        "shown": printable_lines,
        "note": _note_lines,
        "readable": readable,
    }
    return environment


def _spaced(number: float) -> str:
    """Write a number with narrow spaces between thousands, which suits both languages."""
    return f"{number:,}".replace(",", "\u202f").replace("-", "\N{MINUS SIGN}")


def _note_lines(note: str) -> str:
    """Escape a signed note for HTML, but keep the dash at the beginning of each signature line readable."""
    return _ESCAPED_DASH.sub("\N{EM DASH} ", printable_lines(note))


def _after(milliseconds: int) -> str:
    """Write a time in ms after the deal as seconds."""
    return f"+{milliseconds / 1000:,.1f} s".replace(",", "\u202f")


def _probability(log10: float) -> str:
    """Write a corrected probability, given by its decimal logarithm, with two decimal places, rounded up."""
    return f"{min(1.0, math.ceil(100 * 10**log10) / 100):.2f}"


def _chance(log10: float) -> str:
    """Write a probability's power of ten, rounded up to a whole number."""
    return f"\N{MINUS SIGN}{int(-log10)}"
