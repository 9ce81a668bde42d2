"""Cards, money and hands in a terminal; a suit has a sign and a colour, so that no meaning rests on colour alone."""

from collections.abc import Iterable
from typing import Final

from rich.text import Text as Line

from referee.cards import Card

_STYLES: Final = ("bold", "bold green", "bold blue", "bold red")


def card_line(cards: Iterable[Card | int]) -> Line:
    """Draw the cards in their order, each as rank and suit sign, in four colours."""
    line = Line()
    for position, item in enumerate(cards):
        card = Card(item) if isinstance(item, int) else item
        line.append(" " if position else "")
        line.append(card.glyph, style=_STYLES[card.suit])
    return line


def signed(value: int, *, unit: str = "") -> Line:
    """Draw a gain or loss with its sign, thousands separated, green or red."""
    style = "green" if value > 0 else "red" if value < 0 else "dim"
    return Line(f"{value:+,}{unit}" if value else f"0{unit}", style=style)


def short_hash(data: bytes) -> str:
    """Return the first eight hexadecimal digits of a hash, for people."""
    return f"{data.hex()[:8]}…"
