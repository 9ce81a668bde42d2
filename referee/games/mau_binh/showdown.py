"""The showdown as data: chi after chi what each seat shows, wins and loses, then the summary.

Every chi is shown for the same time, in the order back, middle, front; the summary follows the last. The addition of a
sweep or four aces and the flat price of a foul belong to no chi and are in the summary. After an instant win nobody
compares chi: the summary alone is shown, at once. The cards of a seat that left before the showdown are not shown.

Amounts are units, which are multiples of the stake; a commission is in minor units.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeAlias

import msgspec

from referee.cards import Card, Seat
from referee.games.mau_binh.code import CHI, CHI_REASONS, Chi, Pattern, Reason
from referee.games.mau_binh.duel import Showing
from referee.games.mau_binh.rules import MauBinhRules
from referee.games.mau_binh.settlement import Outcome
from referee.hands import Category
from referee.money import Transfer


class CodeName(Protocol):
    """Name of a code for people, in Vietnamese and in English."""

    @property
    def vi(self) -> str:
        """Vietnamese name."""

    @property
    def en(self) -> str:
        """English name."""


_Names: TypeAlias = Mapping[str, Mapping[str, CodeName]]
"""Names by table and code."""


class SeatShown(msgspec.Struct, frozen=True):
    """The hand that one seat shows in one chi.

    ``cards`` are empty, and category and name None, for a seat that left before the showdown. ``is_gone`` marks a seat
    that loses this chi because it left. ``units_won`` and ``units_lost`` are sums over the other seats.
    """

    seat: Seat
    cards: tuple[Card, ...]
    category: Category | None
    name: CodeName | None
    is_fouled: bool
    is_gone: bool
    units_won: int
    units_lost: int


class ChiShown(msgspec.Struct, frozen=True):
    """One chi, all seats in order; ``start_seconds`` counts from the beginning of the showdown."""

    chi: Chi
    name: CodeName
    start_seconds: int
    seats: tuple[SeatShown, ...]


class SeatSummary(msgspec.Struct, frozen=True):
    """Units of one seat: net from the chi, from sweeps and fouls, from instant wins, and in all before a commission.

    ``commission`` is what the seat pays the house, in minor units, and ``net`` what it won or lost after that.
    ``pattern`` and its name are those of the seat's own instant win.
    """

    seat: Seat
    chi_units: int
    added_units: int
    instant_win_units: int
    net_units: int
    commission: int
    net: int
    pattern: Pattern | None
    name: CodeName | None
    is_fouled: bool
    is_winner: bool


class Showdown(msgspec.Struct, frozen=True):
    """The three chi (none after an instant win), then the summary of all seats, shown from ``summary_seconds`` on."""

    chi: tuple[ChiShown, ...]
    summary_seconds: int
    summary: tuple[SeatSummary, ...]


def showdown(rules: MauBinhRules, outcome: Outcome, *, stake: int, names: _Names) -> Showdown:
    """Return the showdown of a settled round; ``names`` are the ruleset's."""
    shown: tuple[ChiShown, ...] = ()
    seconds = rules.clocks.showdown_chi.seconds
    if outcome.showings:
        shown = tuple(_chi_shown(outcome, index, stake, names, start_seconds=index * seconds) for index in range(3))
    return Showdown(shown, len(shown) * seconds, _summary(outcome, stake, names))


def _chi_shown(outcome: Outcome, index: int, stake: int, names: _Names, *, start_seconds: int) -> ChiShown:
    paid = [transfer for transfer in outcome.transfers if transfer.reason == CHI_REASONS[index]]
    seats = tuple(
        _seat_shown(Seat(seat), showing, index, paid, stake, names) for seat, showing in enumerate(outcome.showings)
    )
    return ChiShown(CHI[index], names["chi"][CHI[index]], start_seconds, seats)


def _seat_shown(  # noqa: PLR0913, PLR0917 - one seat of one chi
    seat: Seat, showing: Showing, index: int, paid: Sequence[Transfer], stake: int, names: _Names
) -> SeatShown:
    won = sum(transfer.amount for transfer in paid if transfer.payee == seat) // stake
    lost = sum(transfer.amount for transfer in paid if transfer.payer == seat) // stake
    category = None if showing.left_before else showing.values[index].category
    return SeatShown(
        seat,
        () if category is None else showing.arrangement.chi[index],
        category,
        None if category is None else names["category"][category],
        is_fouled=bool(showing.fouls),
        is_gone=index >= showing.chi_stayed,
        units_won=won,
        units_lost=lost,
    )


def _summary(outcome: Outcome, stake: int, names: _Names) -> tuple[SeatSummary, ...]:
    rows = []
    for index, net in enumerate(outcome.net):
        seat = Seat(index)
        win = outcome.instant_wins[index] if outcome.instant_wins else None
        chi = sum(_net(outcome, seat, reason) for reason in CHI_REASONS)
        instant = _net(outcome, seat, Reason.INSTANT_WIN)
        commission = -_net(outcome, seat, Reason.COMMISSION)
        rows.append(
            SeatSummary(
                seat,
                chi_units=chi // stake,
                added_units=(net + commission - chi - instant) // stake,
                instant_win_units=instant // stake,
                net_units=(net + commission) // stake,
                commission=commission,
                net=net,
                pattern=None if win is None else win.pattern,
                name=None if win is None else names["pattern"][win.pattern],
                is_fouled=bool(outcome.showings) and bool(outcome.showings[index].fouls),
                is_winner=seat in outcome.winners,
            )
        )
    return tuple(rows)


def _net(outcome: Outcome, seat: Seat, reason: Reason) -> int:
    """Return the amount that a seat won or lost for one reason."""
    return sum(
        transfer.amount if transfer.payee == seat else -transfer.amount
        for transfer in outcome.transfers
        if transfer.reason == reason and seat in {transfer.payer, transfer.payee}
    )
