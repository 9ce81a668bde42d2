"""Former names, until their callers use the game's codec."""

# ruff: noqa: D101, D103 - former names, gone with their last caller

from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from referee.cards import Card
from referee.games.game import DealError, Played, ResultValue, play
from referee.games.ultimate_texas.codec import decode_event, encode_event, encode_results
from referee.games.ultimate_texas.game import GAME as ULTIMATE_TEXAS
from referee.games.ultimate_texas.old import deal_of
from referee.games.ultimate_texas.progress import apply, opens
from referee.games.ultimate_texas.rules import UltimateTexasRules
from referee.games.ultimate_texas.settlement import Outcome, settle
from referee.games.ultimate_texas.stakes import stakes_of
from referee.games.ultimate_texas.state import Event, State
from referee.games.ultimate_texas.state import begin as begin_deal
from referee.transcript.inputs import TranscriptError

__all__ = [
    "GAME",
    "Played",
    "Settled",
    "begin",
    "decode_event",
    "encode_event",
    "found_json",
    "play_on",
    "settled",
    "step",
]

GAME: Final = "ultimate_texas"


def begin(
    rules: UltimateTexasRules, seat_stakes: Sequence[tuple[int, int]], *, bet_unit: int, dealt_time: int
) -> State:
    return begin_deal(rules, deal_of(stakes_of(seat_stakes), bet_unit=bet_unit, dealt_time=dealt_time))


def play_on(state: State, events: Sequence[Event]) -> Played:
    return play(ULTIMATE_TEXAS, state, events)


def step(state: State, event: Event) -> tuple[State, int | None]:
    after = apply(state, event)
    return after, (opens(state, after) or (None,))[-1]


class Cards(NamedTuple):
    hands: tuple[tuple[Card, ...], ...]
    house: tuple[Card, ...]
    board: tuple[Card, ...]


class Settled(NamedTuple):
    state: State
    cards: Cards
    outcome: Outcome
    house_best: tuple[Card, ...]
    seat_bests: tuple[tuple[Card, ...], ...]
    net: tuple[int, ...]


def settled(state: State, sections: Sequence[tuple[Card, ...]]) -> Settled:
    state = msgspec.structs.replace(state, deal=msgspec.structs.replace(state.deal, sections=tuple(sections)))
    try:
        outcome = settle(state)
    except DealError as error:
        raise TranscriptError(str(error)) from None
    count = state.deal.seat_count
    cards = Cards(tuple(sections[:count]), sections[count], (*sections[count + 1], *sections[count + 2]))
    bests = tuple([seat.best for seat in outcome.seats])
    return Settled(state, cards, outcome, outcome.house_best, bests, outcome.net)


def found_json(judged: Settled, *, events_hash: bytes) -> dict[str, ResultValue]:
    return {**encode_results(judged.state, judged.outcome), "events_hash": events_hash.hex()}
