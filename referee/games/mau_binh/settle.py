"""Settlement: a round as it was told, and the transfers that it comes to.

Money moves between pairs of seats only, always a whole number of stakes, each amount with its reason; so it sums to
zero. An instant win is paid by every seat that has none or a lower one, and then nobody compares chi.

>>> from referee.cards import DECK
>>> from referee.rulesets import get
>>> rules, hands = get("mau_binh.classic").rules, (DECK[0:26:2], DECK[1:52:4])
>>> outcome = settle(rules, hands, stake=100, dealt_time=0, closed_time=0, events=())
>>> outcome.net, outcome.transfers[0].reason, outcome.transfers[0].subject
((-2600, 2600), 'INSTANT_WIN', 'SUITED_DRAGON')
"""

import itertools
from collections.abc import Sequence
from typing import Final

from referee.cards import Seat
from referee.games.mau_binh.arrangement import is_acceptable
from referee.games.mau_binh.code import CHI_REASONS, Reason, Walkover
from referee.games.mau_binh.duel import FIRST, Duel, duel
from referee.games.mau_binh.event import Event
from referee.games.mau_binh.instant_win import InstantWin
from referee.games.mau_binh.limit import max_stake
from referee.games.mau_binh.outcome import Outcome
from referee.games.mau_binh.price import Sweeps, flat_foul_of, sweep_of, sweeps_of
from referee.games.mau_binh.round import Hands, Round, applied, begin, check_closing, check_deal, refusals_of
from referee.games.mau_binh.rules import MauBinhRules
from referee.games.mau_binh.standing import Standing, standing_of
from referee.hands import Category
from referee.money import Amount, AmountError, Transfer, net_amounts

_CHI_TEXTS: Final = tuple([reason.value for reason in CHI_REASONS])
_TEXTS: Final[dict[str, str]] = {code: code.value for code in (*Category, *Walkover)}


def settle(  # noqa: PLR0913 - a round is told by these seven
    rules: MauBinhRules,
    hands: Hands,
    *,
    stake: int,
    dealt_time: int,
    closed_time: int,
    events: Sequence[Event],
    is_sealed: bool = False,
) -> Outcome:
    """The outcome of a round: with violations where an event or the closing breaks a rule, otherwise settled.

    All hands are known, also of a sealed round. DealError where the hands are no deal, AmountError where the stake is
    no positive amount or too high to settle.
    """
    if not 0 < stake <= max_stake(rules, seat_count=len(hands)):
        msg = f"{stake} is no stake; stakes are 1 to {max_stake(rules, seat_count=len(hands))} for {len(hands)} seats"
        raise AmountError(msg)
    if is_sealed:
        check_deal(rules, hands, seat_count=len(hands))
    told = begin(rules, hands, dealt_time=dealt_time, is_sealed=is_sealed)
    for number, event in enumerate(events, start=1):
        refusals = refusals_of(rules, told, event)
        if not is_acceptable(refusals):
            return Outcome(violations=refusals, refused_event=number)
        told = applied(rules, told, event)
    refusals = check_closing(told, closed_time=closed_time)
    if refusals:
        return Outcome(violations=refusals)
    return settle_told(rules, told, stake=stake)


def settle_told(rules: MauBinhRules, told: Round, *, stake: int) -> Outcome:
    """The outcome of a round that may be settled (``check_closing``), at a stake that is not too high; unchecked."""
    seats = [Seat(seat) for seat in range(len(told.hands))]
    if told.is_won_at_the_deal:
        return _won_at_the_deal(told.instant_wins, seats, stake)
    standings = tuple([standing_of(rules, told, seat) for seat in seats])
    duels = [
        duel(first, standings[first], second, standings[second]) for first, second in itertools.combinations(seats, 2)
    ]
    sweeps = sweeps_of(rules, standings, duels)
    transfers = tuple([transfer for pair in duels for transfer in _paid(rules, pair, standings, sweeps, stake)])
    chi_won = _chi_won(duels, len(seats))
    lawful = [seat for seat in seats if not (standings[seat].left_before or standings[seat].fouls)]
    most = max([chi_won[seat] for seat in lawful], default=0)
    return Outcome(
        standings=standings,
        fouls=tuple([foul for standing in standings for foul in standing.fouls]),
        showdown_time=told.showdown_time,
        transfers=transfers,
        net=net_amounts(transfers, len(seats)),
        chi_won=chi_won,
        winners=tuple([seat for seat in lawful if chi_won[seat] == most]),
    )


def _won_at_the_deal(wins: tuple[InstantWin | None, ...], seats: Sequence[Seat], stake: int) -> Outcome:
    """The outcome of a round that ended at the deal: of each pair the higher in the list collects its own multiple."""
    transfers = []
    for first, second in itertools.combinations(seats, 2):
        mine, theirs = wins[first], wins[second]
        if mine is not None and (theirs is None or mine.place < theirs.place):
            transfers.append(_transfer(second, first, mine.units * stake, Reason.INSTANT_WIN, mine.pattern))
        elif theirs is not None and (mine is None or theirs.place < mine.place):
            transfers.append(_transfer(first, second, theirs.units * stake, Reason.INSTANT_WIN, theirs.pattern))
    highest = min(win.place for win in wins if win is not None)
    return Outcome(
        instant_wins=wins,
        transfers=tuple(transfers),
        net=net_amounts(transfers, len(seats)),
        chi_won=(0,) * len(seats),
        winners=tuple(
            [seat for seat, win in zip(seats, wins, strict=True) if win is not None and win.place == highest]
        ),
    )


def _paid(rules: MauBinhRules, pair: Duel, standings: Sequence[Standing], sweeps: Sweeps, stake: int) -> list[Transfer]:
    """The transfers of one duel, in the order of chi, then what a sweep or four aces add."""
    is_swept = pair.sweeper != 0
    if is_swept:
        winner, loser = pair.swept
        if standings[loser].fouls and (flat := flat_foul_of(rules, standings[winner])) is not None:
            return [_transfer(loser, winner, flat * stake, Reason.FOUL)]
    paid, chi_units = [], 0
    for chi, sign in enumerate(pair.winners):
        if sign:
            winner, loser = (pair.first, pair.second) if sign == FIRST else (pair.second, pair.first)
            category = standings[winner].values[chi].category
            units = rules.units[chi][category]
            chi_units += units
            subject = _TEXTS[pair.walkovers[chi] or category]
            paid.append(Transfer(loser, winner, Amount(units * stake), _CHI_TEXTS[chi], subject))
    if (
        is_swept
        and (added := sweep_of(rules, standings, sweeps, winner=winner, loser=loser, chi_units=chi_units)) is not None
    ):
        paid.append(_transfer(loser, winner, added.units * stake, added.reason, added.subject))
    return paid


def _transfer(payer: Seat, payee: Seat, amount: int, reason: str, subject: str = "") -> Transfer:
    return Transfer(payer, payee, Amount(amount), str(reason), str(subject))


def _chi_won(duels: Sequence[Duel], seat_count: int) -> tuple[int, ...]:
    """How many chi each seat won from all the others together."""
    won = [0] * seat_count
    for pair in duels:
        for sign in pair.winners:
            if sign:
                won[pair.first if sign == FIRST else pair.second] += 1
    return tuple(won)
