"""Staying at Mậu Binh: leaving, letting the clock run, fouling on purpose, leaving the showdown and not opening.

Before the showdown a seat has seen its own cards. It takes the option that promises more than the advice's own value,
both by the population of the advice. In the showdown, and on a sealed table once the hands are open, it takes the
option that wins more by all cards.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final, NamedTuple

import msgspec

from referee.advice.mau_binh.advisor import Advisor
from referee.advice.mau_binh.faults import AdvisedHand, advised_tables, fouled_chi, mean_at_fault
from referee.advice.mau_binh.populations import Populations
from referee.advice.mau_binh.suggestion import SCALE
from referee.cards import Seat
from referee.evidence.canonical import Hex
from referee.games.mau_binh import GAME, Arrange, Arrangement, Leave, MauBinhRules
from referee.games.mau_binh.arrangement import chi_values, fouls_of
from referee.games.mau_binh.bounds import Fault
from referee.games.mau_binh.event import Commit, Event, Timeout
from referee.games.mau_binh.penalties import LeavingBefore
from referee.games.mau_binh.state import State
from referee.rulesets import load_examples
from tests.builtin import rules_as
from tests.games.rounds import hands_deal
from tests.games.staying_trial import Trial

LEAVE: Final = "leave before the showdown"
CLOCK: Final = "let the clock run"
FOUL: Final = "foul on purpose"
SHOWDOWN: Final = "leave while chi {chi} is shown (all seen)"
SHUT: Final = "do not open (sealed, all seen)"
FORESEEN: Final = 300
"""Other deals from which a player knows what leaving and fouling cost."""
OPTIONS: Final = (LEAVE, CLOCK, FOUL, SHOWDOWN, SHUT)


def trials(  # noqa: PLR0913 - a table, its deals and what is tried
    ruleset: str,
    *,
    seats: int,
    deals: int,
    seed: int,
    rules: MauBinhRules | None = None,
    options: Sequence[str] = OPTIONS,
) -> Iterator[Trial]:
    """Try the options at every seat of some deals that no instant win ends; ``rules`` replace the ruleset's own."""
    rules = rules_as(MauBinhRules, load_examples().get(ruleset)) if rules is None else rules
    population = Populations.builtin().population_for(rules, digest=load_examples().get(ruleset).digest)
    advisor = Advisor.of(rules, population, seat_count=seats)
    others = list(islice(advised_tables(advisor, seats=seats, seed=seed + 1_000_000), FORESEEN))
    lost = Lost(*(mean_at_fault(rules, others, fault) for fault in (Fault.LEFT, Fault.FOUL)))
    for number, table in enumerate(islice(advised_tables(advisor, seats=seats, seed=seed), deals)):
        yield from _trials_of(number, advisor, rules, table, lost, options)


class Lost(NamedTuple):
    """What leaving and fouling win on average, in stakes; below 0."""

    leaving: float
    fouling: float


def _trials_of(  # noqa: PLR0913, PLR0917 - a deal and what is tried of it
    number: int, advisor: Advisor, rules: MauBinhRules, table: Sequence[AdvisedHand], lost: Lost, options: Sequence[str]
) -> Iterator[Trial]:
    deal = hands_deal([seated.cards for seated in table])
    dealt = GAME.begin(rules, deal)
    arranged = [Arrange(Seat(seat), *seated.chi, time=0) for seat, seated in enumerate(table)]
    played = _played(dealt, arranged)
    stayed = GAME.settle(played).net
    for place, seated in enumerate(table):
        seat = Seat(place)
        others = [*arranged[:place], *arranged[place + 1 :]]
        if LEAVE in options:
            won = GAME.settle(_played(dealt, [Leave(seat, 0), *others])).net[seat]
            yield Trial(LEAVE, number, lost.leaving > seated.expected, won - stayed[seat])
        if CLOCK in options:
            won = GAME.settle(_played(dealt, others)).net[seat]
            promised = _as_dealt(advisor, rules, seated, lost)
            yield Trial(CLOCK, number, promised > seated.expected, won - stayed[seat])
        if FOUL in options and (fouled := fouled_chi(rules, seated.chi)) is not None:
            won = GAME.settle(_played(dealt, [Arrange(seat, *fouled, time=0), *others])).net[seat]
            yield Trial(FOUL, number, lost.fouling > seated.expected, won - stayed[seat])
        for chi in (1, 2, 3) if SHOWDOWN in options else ():
            left = Leave(seat, (chi - 1) * rules.showdown_chi_ms)
            gain = GAME.settle(_played(played, [left])).net[seat] - stayed[seat]
            yield Trial(SHOWDOWN.format(chi=chi), number, gain > 0, gain, is_certain=True)
        if SHUT in options:
            gain = _kept_shut(rules, table, seat) - stayed[seat]
            yield Trial(SHUT, number, gain > 0, gain, is_certain=True)


def _played(state: State, events: Sequence[Event]) -> State:
    for event in events:
        state = GAME.apply(state, event)
    return state


def _as_dealt(advisor: Advisor, rules: MauBinhRules, seated: AdvisedHand, lost: Lost) -> float:
    """Return what the cards promise in the order dealt."""
    chi = Arrangement.as_dealt(seated.cards).chi
    values = chi_values(rules, chi)
    if fouls_of(rules, chi, values):
        return lost.fouling
    levels = advisor.levels(seated.cards)
    back, middle, front = (int(levels.of(place)[value.strength]) for place, value in enumerate(values))
    return advisor.table.value(back=back, middle=middle, front=front) / SCALE


def _kept_shut(rules: MauBinhRules, table: Sequence[AdvisedHand], shut: Seat) -> int:
    """Return what a seat wins that commits to the advice's arrangement on a sealed table and does not open it."""
    state = GAME.begin(rules, hands_deal([seated.cards for seated in table], is_sealed=True))
    for place in range(len(table)):
        state = GAME.apply(state, Commit(Seat(place), Hex(bytes([place]) * 32), time=0))
    state = GAME.later.unseal(state, 0)
    for place, seated in enumerate(table):
        if place != shut:
            event = Arrange(Seat(place), *seated.chi, time=0, nonce=Hex(bytes(32)), opens=bytes([place]) * 32)
            state = GAME.apply(state, event)
    state = GAME.apply(state, Timeout(shut, state.closing_deadline))
    return GAME.settle(state).net[shut]


def without_sweep_of_leavers(rules: MauBinhRules) -> MauBinhRules:
    """Return the rules with all three chi lost by leaving before the showdown, and no sweep."""
    leaving = msgspec.structs.replace(rules.leaving, before_showdown=LeavingBefore.LOSES_CHI)
    return msgspec.structs.replace(rules, leaving=leaving)
