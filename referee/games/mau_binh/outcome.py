"""The outcome of a round: what was found in what was told."""

import msgspec

from referee.cards import Seat
from referee.games.mau_binh.instant_win import InstantWin
from referee.games.mau_binh.standing import Standing
from referee.money import Transfer
from referee.verdict import Violation


class Outcome(msgspec.Struct, frozen=True):
    """What a round comes to; every tuple that goes by seat is empty where there is nothing of its kind.

    Where ``violations`` are, the round is not settled and nothing else is filled in: ``refused_event`` is the number
    (from 1) of the first event that breaks a rule, 0 where none does but the round may not be settled yet.

    ``instant_wins`` by seat, None for a seat without one; empty where no seat has one. ``standings`` by seat, empty
    where an instant win ended the round. ``fouls`` of all seats, in the order of seats. ``showdown_time`` is when the
    showdown began, None after an instant win. ``transfers`` go by pairs of seats, lower seats first, then by chi; then
    what a sweep adds. ``net`` by seat, sums to zero. ``chi_won`` by seat counts the chi won from all opponents.
    ``winners`` are the seats with the most chi won among those that neither fouled nor left before the showdown, all of
    them on a tie; after an instant win the seats with the highest one.
    """

    violations: tuple[Violation, ...] = ()
    refused_event: int = 0
    instant_wins: tuple[InstantWin | None, ...] = ()
    standings: tuple[Standing, ...] = ()
    fouls: tuple[Violation, ...] = ()
    showdown_time: int | None = None
    transfers: tuple[Transfer, ...] = ()
    net: tuple[int, ...] = ()
    chi_won: tuple[int, ...] = ()
    winners: tuple[Seat, ...] = ()
