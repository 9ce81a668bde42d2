"""The law of Ultimate Texas Hold'em as a ``Game``."""

from collections.abc import Sequence
from typing import Final

from referee.cards import DECK
from referee.games.game import Clock, Game, LaterCards
from referee.games.groups import Shown, groups_of
from referee.games.questions import HouseQuestions
from referee.games.ultimate_texas.code import Decision, fault_kind
from referee.games.ultimate_texas.legality import check, check_closing
from referee.games.ultimate_texas.progress import apply, opens
from referee.games.ultimate_texas.rules import UltimateTexasRules
from referee.games.ultimate_texas.settlement import encode_results, hand_value, settle, trips_returns
from referee.games.ultimate_texas.stakes import check_stakes
from referee.games.ultimate_texas.state import MAX_EVENTS, Event, State, begin, layout, unseal


def _clock(state: State) -> Clock | None:
    return None if state.is_over else Clock(state.street_time, 1000 * state.rules.clocks.street.seconds, None)


def _minimum_seen(state: State, event: Event) -> int:
    return 0 if event.decision in {Decision.TIMEOUT, Decision.LEAVE} else state.street_event


def leads(rules: UltimateTexasRules, sections: Sequence[bytes], seat_count: int) -> tuple[int, ...]:
    """Compare each seat's hand with the house's; the sections are the hands, the house, the flop, turn and river."""
    hands = [[DECK[number - 1] for number in section] for section in sections[: seat_count + 3]]
    *seats, house, flop, rest = hands
    board = (*flop, *rest)
    limit = hand_value(rules, hole=house, board=board)
    values = [hand_value(rules, hole=hole, board=board) for hole in seats]
    return tuple([(value > limit) - (value < limit) for value in values])


QUESTIONS: Final = HouseQuestions(leads=leads, side_returns=trips_returns)

GAME: Final = Game(
    name="ultimate_texas",
    title="Ultimate Texas Hold'em",
    rules_type=UltimateTexasRules,
    event_type=Event,
    max_events=MAX_EVENTS,
    later=LaterCards(opens=opens, unseal=unseal, can_be_sealed=True),
    fault_kind=fault_kind,
    groups=groups_of(Shown("best", ("BEST",), names="category")),
    seat_stake_names=("ante", "trips"),
    layout=layout,
    check_stakes=check_stakes,
    begin=begin,
    check=check,
    apply=apply,
    clock=_clock,
    minimum_seen=_minimum_seen,
    check_closing=check_closing,
    settle=settle,
    encode_results=encode_results,
    questions=QUESTIONS,
)
