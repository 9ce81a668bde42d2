# ruff: noqa: ANN401 - states are those of any game
"""The kit finds a law that breaks one of the properties; each defect here is found by the test that is named."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import msgspec
import pytest

from referee.cards import Seat
from referee.games import GAMES, AnyGame, Event, UnlawfulEventError, tien_len
from referee.games.fault import FaultKind
from referee.money import Amount, Transfer
from referee.testing import LawTests

GAME = GAMES["tien_len"]
COUNTS = iter(range(10**9))


def paying_twice(state: Any) -> Any:
    """Settle, and add a transfer that the net amounts do not have."""
    outcome = GAME.settle(state)
    more = Transfer(Seat(0), Seat(1), Amount(1), "LEFTOVER")
    return msgspec.structs.replace(outcome, transfers=(*outcome.transfers, more))


def counting(state: Any, event: Event) -> Any:
    """Apply the event, with a time that depends on how often this was called."""
    return msgspec.structs.replace(GAME.apply(state, event), turn_time=next(COUNTS))


def of_the_past(state: Any, event: Any) -> tuple[Any, ...]:
    """Check an event, wherever it is in time."""
    time = max(event.time, state.last_time)
    return GAME.check(state, msgspec.structs.replace(event, time=time))


DEFECTS: dict[str, tuple[AnyGame, str]] = {
    "money is made": (replace(GAME, settle=paying_twice), "test_rounds_settle_and_conserve_money"),
    "the law is not deterministic": (replace(GAME, apply=counting), "test_same_inputs_give_the_same_results"),
    "check and apply disagree": (replace(GAME, check=of_the_past), "test_check_and_apply_agree"),
    "an event comes before another": (
        replace(GAME, check=of_the_past),
        "test_event_of_no_seat_or_of_the_past_is_refused",
    ),
    "every fault is a warning": (replace(GAME, fault_kind=lambda _: FaultKind.WARNING), "test_check_and_apply_agree"),
    "the future must be seen": (
        replace(GAME, minimum_seen=lambda *_: 500),
        "test_nobody_must_have_seen_what_is_not_there",
    ),
    "no clock is within bounds": (
        replace(GAME, clock=lambda state: GAME.clock(state) and GAME.clock(state)._replace(limit=0)),  # type: ignore[union-attr] # it runs
        "test_clock_runs_until_the_round_is_over",
    ),
    "a round closes at any time": (
        replace(GAME, check_closing=lambda *_: ()),
        "test_round_is_not_settled_before_its_last_event",
    ),
    "results are another round's": (
        replace(GAME, encode_results=lambda state, outcome: {**GAME.encode_results(state, outcome), "transfers": ()}),
        "test_results_are_canonical_and_agree_with_the_outcome",
    ),
    "more events than there may be": (replace(GAME, max_events=3), "test_round_has_at_most_its_number_of_events"),
}


def played_by(game: AnyGame) -> LawTests:
    """Return the tests of a game that is like Tiến Lên."""

    class Tests(LawTests):
        ruleset_id = "tien_len.mien_nam"
        round_count = 8

        def choices(self, state: Any, time: int) -> Sequence[Event]:
            """Return the legal plays of the seat on turn, and a pass."""
            plays = [tien_len.Play(state.turn, play.cards, time) for play in tien_len.legal_plays(state)]
            return [*plays, tien_len.Pass(state.turn, time)]

    Tests.game = game
    return Tests()


@pytest.mark.parametrize("defect", DEFECTS)
def test_defect_is_found(defect: str) -> None:
    game, name = DEFECTS[defect]
    sound: Callable[[], None] = getattr(played_by(GAME), name)
    sound()
    with pytest.raises((AssertionError, UnlawfulEventError)):
        getattr(played_by(game), name)()
