"""Cards, amounts, events and untrusted text for a terminal; a suit has a sign as well as a colour."""

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from rich.markup import escape
from rich.text import Text as Line

from referee.cards import Card
from referee.evidence.outside import read_json
from referee.evidence.printable import printable, printable_lines

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_STYLES: Final = ("bold", "bold green", "bold blue", "bold red")


def card_line(cards: Iterable[Card | int]) -> Line:
    """Draw the cards in their order, each as rank and suit sign, in four colours."""
    line = Line()
    for position, item in enumerate(cards):
        card = Card(item) if isinstance(item, int) else item
        line.append(" " if position else "")
        line.append(card.glyph, style=_STYLES[card.suit])
    return line


def event_line(event: bytes) -> tuple[str, Line]:
    """Return an event's seat as text, and a line with its kind, its cards drawn, and its other members.

    If the bytes are no event, return an empty seat and the bytes, escaped.

    >>> seat, line = event_line(b'{"cards":[1,2],"kind":"PLAY","seat":3,"seen":7}')
    >>> seat, line.plain
    ('3', 'PLAY 2\u2660 2\u2663 (seen 7)')
    """
    try:
        members = read_json(event, dict[str, Any])
        seat, line = printable(str(members.pop("seat"))), Line(printable(str(members.pop("kind"))))
        hands = {name: card_line(members.pop(name)) for name in list(members) if isinstance(members[name], list)}
    except (ValueError, TypeError, KeyError, AttributeError):
        return "", Line(printable(event.decode(errors="replace")))
    for name, cards in hands.items():
        line.append(" " if name == "cards" else f" {printable(name)} ").append_text(cards)
    others = ", ".join(f"{printable(str(name))} {printable(str(value))}" for name, value in members.items())
    return seat, line.append(f" ({others})" if others else "")


def time_text(milliseconds: int) -> str:
    """Write a time in ms since 1970 UTC for people; as a number of ms if it is beyond the end of the calendar.

    >>> time_text(1_800_000_000_123)
    '2027-01-15 08:00:00.123 UTC'
    """
    try:
        moment = EPOCH + timedelta(milliseconds=milliseconds)
    except OverflowError:
        return f"{milliseconds} ms"
    return f"{moment:%Y-%m-%d %H:%M:%S}.{milliseconds % 1000:03} UTC"


def signed(value: int) -> Line:
    """Draw a gain in green or a loss in red, with its sign and thousands separated; zero is dim."""
    style = "green" if value > 0 else "red" if value < 0 else "dim"
    return Line(f"{value:+,}" if value else "0", style=style)


def short_hash(data: bytes) -> str:
    """Return the first eight hexadecimal digits of a hash, for people."""
    return f"{data.hex()[:8]}…"


def shown(text: str) -> str:
    """Escape untrusted text for a rich console: its markup, and characters that are not printable ASCII."""
    return escape(printable_lines(text))
