"""The best bet before the flop as a square of 169 kinds of hole cards: suited above the diagonal, unsuited below it.

>>> from referee.lab.odds.ultimate_texas.picture import RANKS, kind_at
>>> kind_at(0, 1), kind_at(1, 0), kind_at(0, 0)
('AKs', 'AKo', 'AA')
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from fractions import Fraction
from typing import Final
from xml.sax.saxutils import escape

from referee.advice.ultimate_texas.preflop import WAYS, PreflopTable, best_bet
from referee.advice.ultimate_texas.price import Prices

RANKS: Final = "AKQJT98765432"
_CELL: Final = 56
_LEFT: Final = 40
_TOP: Final = 112
_COLOURS: Final = ("#e9ecef", "#ffe08a", "#ffd166", "#8ecae6", "#52b788")
"""Colours by the bet in Antes, 0 to 4."""


def kind_at(row: int, column: int) -> str:
    """Return the kind at a row and a column of the square."""
    if row == column:
        return RANKS[row] * 2
    return RANKS[row] + RANKS[column] + "s" if row < column else RANKS[column] + RANKS[row] + "o"


def bets_of(table: PreflopTable, prices: Prices) -> dict[str, int]:
    """Return by kind the best play bet before the flop in Antes, 0 for a check."""
    bets = {}
    for kind, sums in table.kinds.items():
        multiple, value = best_bet(sums, prices)
        bets[kind] = multiple if value > sums.check else 0
    return bets


def values_of(table: PreflopTable, prices: Prices) -> dict[str, Fraction]:
    """Return by kind the seat's average net win under best play, in Antes, without Trips."""
    ways = WAYS * table.unit
    return {kind: Fraction(max(best_bet(sums, prices)[1], sums.check), ways) for kind, sums in table.kinds.items()}


def draw_text(bets: Mapping[str, int]) -> str:
    """Draw the square as text, a line for each rank: the bet in Antes, a dot for a check."""
    lines = ["    " + "  ".join(RANKS)]
    for row, rank in enumerate(RANKS):
        cells = [str(bets[kind_at(row, column)] or "·") for column in range(len(RANKS))]
        lines.append(f"{rank}   " + "  ".join(cells))
    return "\n".join(lines)


def draw_svg(
    bets: Mapping[str, int], values: Mapping[str, Fraction], *, title: str, allowed: Iterable[int] = ()
) -> str:
    """Draw the square as SVG: each kind with its bet as a colour and its value in Antes.

    The legend has a check, every bet that is best for a kind, and the bets in ``allowed``.
    """
    side = _CELL * len(RANKS)
    width, height = side + _LEFT, side + _TOP
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" font-family="sans-serif">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>',
        f'<text x="8" y="22" font-size="18" fill="#212529">{escape(title)}</text>',
        *_legend(Counter(bets.values()), sorted({0, *bets.values(), *allowed})),
        *_axes(side),
    ]
    for row in range(len(RANKS)):
        for column in range(len(RANKS)):
            kind = kind_at(row, column)
            left, top = column * _CELL + _LEFT, row * _CELL + _TOP
            parts.append(_cell(kind, left, top, bets[kind], values[kind]))
    return "\n".join([*parts, "</svg>", ""])


def _legend(kinds: Mapping[int, int], bets: list[int]) -> list[str]:
    """Return SVG for the colour of each bet, with the number of kinds for which it is best."""
    lines = []
    for place, bet in enumerate(bets):
        words = f"bet {bet}x" if bet else "check"
        often = f"best for {kinds[bet]} of {sum(kinds.values())} kinds" if kinds.get(bet) else "never best"
        lines.append(
            f'<rect x="{8 + 250 * place}" y="34" width="14" height="14" fill="{_COLOURS[bet]}" stroke="#adb5bd"/>'
            f'<text x="{28 + 250 * place}" y="46" font-size="14" fill="#212529">{words}: {often}</text>'
        )
    return lines


def _axes(side: int) -> list[str]:
    """Return the SVG of the labels: the ranks along the top and the left, and the legend above the square.

    ``side`` is the width of the square in pixels.
    """
    middle = _LEFT + side // 2
    lines = [
        (
            f'<text x="8" y="70" font-size="13" fill="#495057">Number: value in Antes under best play.</text>'
            f'<text x="{middle}" y="70" font-size="13" fill="#495057">Above the diagonal: one suit (s). Below: two (o).'
            "</text>"
        )
    ]
    for place, rank in enumerate(RANKS):
        at = place * _CELL + _CELL // 2
        label = "10" if rank == "T" else rank
        for x, y in ((_LEFT + at, _TOP - 12), (_LEFT // 2, _TOP + at + 6)):
            lines.append(
                f'<text x="{x}" y="{y}" font-size="18" font-weight="bold" text-anchor="middle" fill="#212529">{label}'
                "</text>"
            )
    return lines


def _cell(kind: str, left: int, top: int, bet: int, value: Fraction) -> str:
    middle, shown = left + _CELL // 2, f"{float(value):+.3f}"
    return (
        f'<rect x="{left}" y="{top}" width="{_CELL}" height="{_CELL}" fill="{_COLOURS[bet]}" stroke="#ffffff"/>'
        f'<text x="{middle}" y="{top + 24}" font-size="17" text-anchor="middle" fill="#212529">{kind}</text>'
        f'<text x="{middle}" y="{top + 44}" font-size="13" text-anchor="middle" fill="#212529">{shown}</text>'
    )
