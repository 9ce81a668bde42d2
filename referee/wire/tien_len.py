"""Messages of Tiến Lên: events read; combinations, states and outcomes written."""

from typing import Final

from referee.cards import Seat
from referee.games.commission import house_part
from referee.games.tien_len import Combination, Event, Leave, Pass, Play, State, Timeout
from referee.games.tien_len.game import GAME
from referee.games.tien_len.grouping import PlayGroup
from referee.games.tien_len.legality import turn_deadline
from referee.games.tien_len.settlement import Outcome
from referee.rulesets import Ruleset
from referee.v1 import tien_len_pb2
from referee.wire.game_messages import GameMessages
from referee.wire.refusal import missing_choice
from referee.wire.values import numbers_of, read_cards, write_name, write_transfers


def read_event(message: tien_len_pb2.TienLenEvent, *, time: int, round_id: bytes, field: str) -> Event:
    """Read an event; refuse one without a choice or with numbers that name no card."""
    del round_id
    seat = Seat(message.seat)
    match message.WhichOneof("choice"):
        case "play":
            return Play(seat, read_cards(message.play.cards, field=f"{field}.play.cards"), time)
        case "pass_turn":
            return Pass(seat, time)
        case "leave":
            return Leave(seat, time)
        case "timeout":
            return Timeout(seat, time)
        case _:
            raise missing_choice("say what the seat did", message, "choice", field=field)


def write_combination(combination: Combination, ruleset: Ruleset) -> tien_len_pb2.Combination:
    """Write a combination with its name."""
    kind = combination.kind
    return tien_len_pb2.Combination(
        kind=kind, name=write_name(ruleset.names["kind"][kind]), cards=numbers_of(combination.cards)
    )


def write_group(group: PlayGroup, ruleset: Ruleset, *, stake: int) -> tien_len_pb2.PlayGroup:
    """Write a group of plays with its name, and the name and price of the cards that it chops, if any."""
    return tien_len_pb2.PlayGroup(
        kind=group.kind,
        name=write_name(ruleset.names["kind"][group.kind]),
        length=group.length,
        plays=group.plays,
        chops=group.chops,
        chops_name=None if group.chops is None else write_name(ruleset.names["price"][group.chops]),
        chop_minor=None if group.chops is None else group.units * stake,
    )


def write_state(state: State, ruleset: Ruleset) -> tien_len_pb2.TienLenState:
    """Write the state of a round."""
    return tien_len_pb2.TienLenState(
        over=state.is_over,
        turn=None if state.is_over else state.turn,
        to_beat=None if state.to_beat is None else write_combination(state.to_beat, ruleset),
        to_beat_seat=state.to_beat_seat,
        cards_left=[hand.bit_count() for hand in state.held],
        passed=_seats(state.passed),
        gone=_seats(state.gone),
        leader=state.leader,
        deadline_time=turn_deadline(state),
    )


def write_outcome(outcome: Outcome, state: State, ruleset: Ruleset) -> bytes:
    """Return the bytes of the outcome message; raise ValueError if the round is not over."""
    ending = state.ending
    if ending is None:
        raise ValueError("a round that is not over has no outcome")
    win = ending.instant_win
    seats = [
        tien_len_pb2.TienLenSeatResult(
            seat=seat,
            left=numbers_of(state.cards_of(Seat(seat))),
            gone=state.has_left(Seat(seat)),
            net_minor=net,
            winner=seat == ending.winner,
        )
        for seat, net in enumerate(outcome.net)
    ]
    if win is not None:
        seats[win.seat].instant_win = win.pattern
        seats[win.seat].instant_win_name.CopyFrom(write_name(ruleset.names["pattern"][win.pattern]))
    return tien_len_pb2.TienLenOutcome(
        seats=seats,
        transfers=write_transfers(outcome.transfers),
        ending=ending.kind,
        ruleset_digest=ruleset.digest,
        ending_name=write_name(ruleset.names["ending"][ending.kind]),
        house_net_minor=house_part(state.rules.commission, outcome.transfers),
    ).SerializeToString()


def _seats(bits: int) -> list[int]:
    return [seat for seat in range(bits.bit_length()) if bits >> seat & 1]


MESSAGES: Final = GameMessages(
    game=GAME,
    descriptor=tien_len_pb2.DESCRIPTOR.services_by_name["TienLenService"],
    read_event=read_event,
    write_outcome=write_outcome,
    write_state=write_state,
)
"""The messages of the game."""
