"""Rounds that are dealt and played at random, the same ones for the same seed."""

import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from referee.cards import DECK, Seat
from referee.games import AnyGame, DealtRound, Event, refusals
from referee.rulesets import Ruleset

DEALT_TIME = 1_000_000
ROUND_ID = bytes(range(32))
Choices = Callable[[Any, int], Sequence[Event]]
"""Function from a state and a time to events that players may choose then; unlawful events are left out."""


class Step(NamedTuple):
    """An event with the states before and after it."""

    before: Any
    event: Event
    after: Any


class TrialRound(NamedTuple):
    """A round played at random; ``closed_time`` is None if it cannot be settled even after its longest time."""

    begun: Any
    steps: tuple[Step, ...]
    closed_time: int | None

    @property
    def state(self) -> Any:
        """Newest state."""
        return self.steps[-1].after if self.steps else self.begun


def random_deal(game: AnyGame, ruleset: Ruleset, luck: random.Random, *, is_sealed: bool = False) -> DealtRound:
    """Deal a round to a random number of seats, every section open and the lowest lawful stakes."""
    seats = ruleset.rules.seats
    seat_count = luck.randint(seats.minimum, seats.maximum)
    layout, cards = game.layout(seat_count), luck.sample(DECK, len(DECK))
    sections, used = [], 0
    for section in layout.shown:
        sections.append(tuple(cards[used : used + layout.sizes[section]]))
        used += layout.sizes[section]
    unit = ruleset.bet_unit
    bets = (unit, *[0] * (len(game.seat_stake_names) - 1)) if game.seat_stake_names else ()
    return DealtRound(
        seat_count=seat_count,
        stake=unit,
        seat_stakes=(bets,) * seat_count if bets else (),
        bet_unit=unit,
        sections=tuple(sections),
        leader=None if game.lead is None else Seat(luck.randrange(seat_count)),
        leader_by=None if game.lead is None else game.lead.first_leader(ruleset.rules),
        dealt_time=DEALT_TIME,
        is_sealed=is_sealed,
        round_id=ROUND_ID,
    )


def play_round(game: AnyGame, ruleset: Ruleset, deal: DealtRound, choices: Choices, luck: random.Random) -> TrialRound:
    """Play random lawful choices until there are none, or to a random stop in about one round of four.

    The round is closed at its last time or the end of its running clock, or else after its longest time.
    """
    begun = state = game.begin(ruleset.rules, deal)
    steps: list[Step] = []
    gives_up_at = luck.choice((None, None, None, luck.randrange(game.max_events)))
    while len(steps) < game.max_events and len(steps) != gives_up_at and not state.is_over:
        time = state.last_time + luck.randrange(1_000)
        lawful = [event for event in choices(state, time) if not refusals(game, game.check(state, event))]
        if not lawful:
            break
        event = luck.choice(lawful)
        after = game.apply(state, event)
        if game.later.opens(state, after):
            after = game.later.unseal(after, after.last_time + 1)
        steps.append(Step(state, event, after))
        state = after
    running = game.clock(state)
    closing = max(state.last_time, running.end if running else 0)
    latest = ruleset.rules.round.bounds.longest + DEALT_TIME
    closed = next((time for time in (closing, latest) if not game.check_closing(state, time)), None)
    return TrialRound(begun, tuple(steps), closed)
