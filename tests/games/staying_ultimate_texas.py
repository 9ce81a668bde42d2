"""Staying at Ultimate Texas Hold'em: leaving, and letting the clock run, at each decision of one seat.

The value of going on is the advice's, exact. Leaving is worth what checking to the end and folding loses, and the clock
checks where it may and folds otherwise; both are settled on the cards of the deal.
"""

from collections.abc import Iterator
from typing import Final

from referee.advice.ultimate_texas.advice import advise
from referee.advice.ultimate_texas.option import Option, best_of
from referee.advice.ultimate_texas.preflop import PreflopTables
from referee.cards import DECK, Card, Seat
from referee.games.ultimate_texas import Decision, Stake, UltimateTexasRules
from referee.games.ultimate_texas.game import GAME
from referee.games.ultimate_texas.state import Event, State
from referee.money import Amount
from tests.builtin import rules_as
from tests.games.rounds import open_texas, texas_deal
from tests.games.staying_trial import Trial
from tests.randomness import random_from

LEAVE: Final = "leave"
CLOCK: Final = "let the clock run"
ANTE: Final = 20
TRIPS: Final = 4
SIZES: Final = (0, 3, 5)
"""Cards on the board at each street."""
SEAT: Final = Seat(0)


def trials(ruleset: str, *, seats: int, deals: int, seed: int) -> Iterator[Trial]:
    """Try the options at every decision of some deals; each seat is alone against the house, so one is enough."""
    assert seats == 1
    rules = rules_as(UltimateTexasRules, ruleset)
    luck = random_from(seed)
    for number in range(deals):
        cards = tuple(luck.sample(DECK, 9))
        state = open_texas(
            GAME.begin(rules, texas_deal([(ANTE, TRIPS)])), hands=(cards[:2],), house=cards[2:4], board=cards[4:]
        )
        advised: list[tuple[State, tuple[Option, ...], Decision]] = []
        for size in SIZES:
            options = _options(rules, cards[:2], cards[4 : 4 + size])
            advised.append((state, options, best_of(options, _STAKE).decision))
            state = _decide(state, advised[-1][2])
            if advised[-1][2] is not Decision.CHECK:
                break
        stayed = _won(state)
        for place, (before, options, _) in enumerate(advised):
            best = best_of(options, _STAKE).worth(_STAKE)
            fold = -2 * ANTE - TRIPS
            yield Trial(LEAVE, number, fold > best, (_won(_decide(before, Decision.LEAVE)) - stayed) / ANTE)
            out = next((option.worth(_STAKE) for option in options if option.decision is Decision.CHECK), fold)
            timed_out = _decide(before, Decision.TIMEOUT)
            for size in SIZES[place + 1 :]:
                options_then = _options(rules, cards[:2], cards[4 : 4 + size])
                decision = best_of(options_then, _STAKE).decision
                timed_out = _decide(timed_out, decision)
                if decision is not Decision.CHECK:
                    break
            yield Trial(CLOCK, number, out > best, (_won(timed_out) - stayed) / ANTE)


_STAKE: Final = Stake(ante=Amount(ANTE), trips=Amount(TRIPS))


def _options(rules: UltimateTexasRules, hole: tuple[Card, ...], board: tuple[Card, ...]) -> tuple[Option, ...]:
    table = None if board else PreflopTables.builtin().table_for(rules)
    return advise(rules, _STAKE, hole=hole, board=board, table=table)


def _decide(state: State, decision: Decision) -> State:
    """Return the state after a decision, a time-out when the clock has run out."""
    assert state.deadline_time is not None
    time = state.deadline_time if decision is Decision.TIMEOUT else state.last_time
    return GAME.apply(state, Event(SEAT, decision, time))


def _won(state: State) -> int:
    """Return what the seat wins, in minor units."""
    assert not GAME.check_closing(state, state.last_time)
    transfers = GAME.settle(state).transfers
    return sum(transfer.amount if transfer.payee == SEAT else -transfer.amount for transfer in transfers)
