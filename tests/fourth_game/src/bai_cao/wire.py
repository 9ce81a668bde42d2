"""Messages of Bài Cào: events read, states and outcomes written. Entry point ``referee.messages``."""

from typing import Final

from bai_cao.game import GAME
from bai_cao.round import Event, Leave, Show, State
from bai_cao.settlement import Outcome
from bai_cao.v1 import bai_cao_pb2
from referee.cards import Seat
from referee.games.deal import open_cards
from referee.rulesets import Ruleset
from referee.wire.game_messages import GameMessages
from referee.wire.values import numbers_of, read_choice, write_name, write_transfers

_ACTS: Final[dict[int, type[Event]]] = {bai_cao_pb2.ACT_SHOW: Show, bai_cao_pb2.ACT_LEAVE: Leave}


def read_event(message: bai_cao_pb2.BaiCaoEvent, *, time: int, round_id: bytes, field: str) -> Event:
    """Read an event; refuse an event without an act or with an act that does not exist."""
    del round_id
    act = read_choice(message.act, _ACTS, what="act", field=f"{field}.act")
    return act(Seat(message.seat), time)


def write_state(state: State, ruleset: Ruleset) -> bai_cao_pb2.BaiCaoState:
    """Write the state of a round."""
    del ruleset
    return bai_cao_pb2.BaiCaoState(waiting_seats=state.waiting, deadline_time=state.deadline)


def write_outcome(outcome: Outcome, state: State, ruleset: Ruleset) -> bytes:
    """Return the bytes of the outcome message."""
    seats = [
        bai_cao_pb2.BaiCaoSeatResult(
            seat=seat,
            cards=numbers_of(cards),
            hand=outcome.hands[seat],
            name=write_name(ruleset.names["hand"][outcome.hands[seat]]),
            result=outcome.seats[seat],
            net_minor=outcome.net[seat],
        )
        for seat, cards in enumerate(open_cards(state.deal))
    ]
    return bai_cao_pb2.BaiCaoOutcome(
        seats=seats, transfers=write_transfers(outcome.transfers), ruleset_digest=ruleset.digest
    ).SerializeToString()


MESSAGES: Final = GameMessages(
    game=GAME,
    descriptor=bai_cao_pb2.DESCRIPTOR.services_by_name["BaiCaoService"],
    read_event=read_event,
    write_outcome=write_outcome,
    write_state=write_state,
)
"""The messages of the game."""
