"""Cards as they look in a terminal: rank and suit sign, never by colour alone.

>>> [face("TH"), face("2C"), face("AS")]
['10♥', '2♣', 'A♠']
>>> row(["AS", "TH"]).plain
' A♠   10♥ '
"""

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Final

from rich.style import Style
from rich.text import Text

_CARD: Final = re.compile(r"(?<![A-Za-z0-9])[2-9TJQKA][SCDH](?![A-Za-z0-9])")
SIGNS: Final = {"S": "♠", "C": "♣", "D": "♦", "H": "♥"}
TWO_COLOURS: Final = {"S": "#101418", "C": "#101418", "D": "#b3202c", "H": "#b3202c"}
FOUR_COLOURS: Final = {"S": "#101418", "C": "#1c6b36", "D": "#1f4fa3", "H": "#b3202c"}
PAPER: Final = "#f4f1e8"
SHADED: Final = "#b9b6ad"
LIT: Final = "#ffe9a8"
RANKS: Final = "23456789TJQKA"
SUITS: Final = "SCDH"


def face(card: str) -> str:
    """Return a card's rank and suit sign."""
    rank, suit = card[0], card[1]
    return ("10" if rank == "T" else rank) + SIGNS[suit]


def with_glyphs(texts: Mapping[str, str]) -> dict[str, str]:
    """Return words of the referee, by language, with cards as they are printed on cards.

    >>> with_glyphs({"en": "Not placed: TH, 2S."})
    {'en': 'Not placed: 10♥, 2♠.'}
    """
    return {language: _CARD.sub(lambda found: face(found[0]), words) for language, words in texts.items()}


def number_of(card: str) -> int:
    """Return the card's number, 1 to 52, as the protocol counts: 4 * rank + suit + 1."""
    return 4 * RANKS.index(card[0]) + SUITS.index(card[1]) + 1


def row(
    cards: Sequence[str],
    *,
    cursor: int | None = None,
    picked: Collection[int] = (),
    lit: Collection[int] | None = None,
    four_colours: bool = False,
) -> Text:
    """Draw cards in a row: the cursor's in brackets, chosen ones marked, all but the highlighted ones shaded.

    Every card takes as many columns whatever its state, so that nothing moves when a cursor does.
    """
    colours = FOUR_COLOURS if four_colours else TWO_COLOURS
    text = Text()
    for place, card in enumerate(cards):
        paper = SHADED if lit is not None and place not in lit else LIT if place in picked else PAPER
        left, right = ("[", "]") if place == cursor else ("*", " ") if place in picked else (" ", " ")
        style = Style(color=colours[card[1]], bgcolor=paper, bold=place in picked or place == cursor)
        text.append(f"{left}{face(card)}{right}", style)
        if place < len(cards) - 1:
            text.append(" ")
    return text
