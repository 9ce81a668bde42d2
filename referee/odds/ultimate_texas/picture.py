"""The best bet before the flop as a square of 169 kinds: suited above the diagonal of pairs, unsuited below it.

>>> from referee.odds.ultimate_texas.picture import RANKS, kind_at
>>> kind_at(0, 1), kind_at(1, 0), kind_at(0, 0)
('AKs', 'AKo', 'AA')
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import Final
from xml.sax.saxutils import escape

from referee.advice.ultimate_texas.preflop import WAYS, PreflopTable, best_bet
from referee.advice.ultimate_texas.price import Prices

RANKS: Final = "AKQJT98765432"
_CELL: Final = 56
_TOP: Final = 48
_COLOURS: Final = ("#e9ecef", "#ffe08a", "#ffd166", "#8ecae6", "#52b788")
"""By the bet in Antes."""


def kind_at(row: int, column: int) -> str:
    """Return the kind at a place of the square."""
    if row == column:
        return RANKS[row] * 2
    return RANKS[row] + RANKS[column] + "s" if row < column else RANKS[column] + RANKS[row] + "o"


def bets_of(table: PreflopTable, prices: Prices) -> dict[str, int]:
    """Return, by kind, the best play bet before the flop in Antes, 0 for a check."""
    bets = {}
    for kind, sums in table.kinds.items():
        multiple, value = best_bet(sums, prices)
        bets[kind] = multiple if value > sums.check else 0
    return bets


def values_of(table: PreflopTable, prices: Prices) -> dict[str, Fraction]:
    """Return, by kind, its value under best play, in Antes, without Trips."""
    ways = WAYS * table.unit
    return {kind: Fraction(max(best_bet(sums, prices)[1], sums.check), ways) for kind, sums in table.kinds.items()}


def draw_text(bets: Mapping[str, int]) -> str:
    """Draw the square in letters, one line a rank: the bet in Antes, a dot for a check."""
    lines = ["    " + "  ".join(RANKS)]
    for row, rank in enumerate(RANKS):
        cells = [str(bets[kind_at(row, column)] or "·") for column in range(len(RANKS))]
        lines.append(f"{rank}   " + "  ".join(cells))
    return "\n".join(lines)


def draw_svg(bets: Mapping[str, int], values: Mapping[str, Fraction], *, title: str) -> str:
    """Draw the square as SVG: each kind with its bet as a colour and its value in Antes."""
    side = _CELL * len(RANKS)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side + _TOP}" font-family="sans-serif">',
        f"<title>{escape(title)}</title>",
        f'<rect width="{side}" height="{side + _TOP}" fill="#ffffff"/>',
        f'<text x="8" y="20" font-size="16" fill="#212529">{escape(title)}</text>',
        *_legend(sorted(set(bets.values()))),
    ]
    for row in range(len(RANKS)):
        for column in range(len(RANKS)):
            kind = kind_at(row, column)
            parts.append(_cell(kind, column * _CELL, row * _CELL + _TOP, bets[kind], values[kind]))
    return "\n".join([*parts, "</svg>", ""])


def _legend(bets: list[int]) -> list[str]:
    return [
        f'<rect x="{8 + 96 * place}" y="28" width="12" height="12" fill="{_COLOURS[bet]}" stroke="#adb5bd"/>'
        f'<text x="{26 + 96 * place}" y="39" font-size="12" fill="#212529">{f"bet {bet}x" if bet else "check"}</text>'
        for place, bet in enumerate(bets)
    ]


def _cell(kind: str, left: int, top: int, bet: int, value: Fraction) -> str:
    middle, shown = left + _CELL // 2, f"{float(value):+.3f}"
    return (
        f'<rect x="{left}" y="{top}" width="{_CELL}" height="{_CELL}" fill="{_COLOURS[bet]}" stroke="#ffffff"/>'
        f'<text x="{middle}" y="{top + 24}" font-size="15" text-anchor="middle" fill="#212529">{kind}</text>'
        f'<text x="{middle}" y="{top + 42}" font-size="10" text-anchor="middle" fill="#495057">{shown}</text>'
    )
