"""Messages of Ultimate Texas Hold'em: events read, states and outcomes written."""

from collections.abc import Iterable
from typing import Final

from referee.cards import Seat
from referee.games.deal import open_cards
from referee.games.ultimate_texas import Decision, Event, State, legal_decisions
from referee.games.ultimate_texas.game import GAME
from referee.games.ultimate_texas.settlement import Outcome, open_values
from referee.money import house_net
from referee.rulesets import Ruleset
from referee.v1 import ultimate_texas_pb2
from referee.wire.game_messages import GameMessages
from referee.wire.values import numbers_of, read_choice, write_transfers, write_value

_NUMBERS: Final = {decision: ultimate_texas_pb2.Decision.Value(f"DECISION_{decision}") for decision in Decision}
_DECISIONS: Final[dict[int, Decision]] = {number: decision for decision, number in _NUMBERS.items()}


def read_event(message: ultimate_texas_pb2.UltimateTexasEvent, *, time: int, round_id: bytes, field: str) -> Event:
    """Read an event; refuse an event without a decision, or with a number that is no decision."""
    del round_id
    decision = read_choice(message.decision, _DECISIONS, what="decision", field=f"{field}.decision")
    return Event(Seat(message.seat), decision, time)


def write_state(state: State, ruleset: Ruleset) -> ultimate_texas_pb2.UltimateTexasState:
    """Write the state of a round."""
    return ultimate_texas_pb2.UltimateTexasState(
        street=state.street,
        turn=state.turn,
        deadline_time=state.deadline_time,
        seats=[
            ultimate_texas_pb2.UltimateTexasSeatState(
                seat=index,
                play_multiple=seat.multiple or None,
                folded=seat.has_folded,
                gone=seat.has_left,
                legal_decisions=_numbers(legal_decisions(state, Seat(index))),
                checked=seat.has_checked,
                value=write_value(value, ruleset) if value else None,
            )
            for index, (seat, value) in enumerate(zip(state.seats, open_values(state), strict=True))
        ],
    )


def write_outcome(outcome: Outcome, state: State, ruleset: Ruleset) -> bytes:
    """Return the bytes of the outcome message."""
    layout, cards = GAME.layout(state.deal.seat_count), open_cards(state.deal)
    message = ultimate_texas_pb2.UltimateTexasOutcome(
        house_hole=numbers_of(cards[layout.board("house")]),
        board=numbers_of((*cards[layout.board("flop")], *cards[layout.board("turn_river")])),
        house_best=numbers_of(outcome.house_best),
        house_value=write_value(outcome.house_value, ruleset),
        house_qualified=outcome.house_qualifies,
        ruleset_digest=ruleset.digest,
        house_net_minor=house_net(outcome.transfers),
        transfers=write_transfers(outcome.transfers),
    )
    for index, seat in enumerate(outcome.seats):
        message.seats.add(
            seat=index,
            hole=numbers_of(cards[index]),
            best=numbers_of(seat.best),
            result=seat.result,
            net_minor=outcome.net[index],
            play_multiple=state.seats[index].multiple or None,
            value=write_value(seat.value, ruleset),
        )
    return message.SerializeToString()


def number_of(decision: Decision) -> ultimate_texas_pb2.Decision:
    """Return the enum value of a decision on the wire."""
    return _NUMBERS[decision]  # type: ignore[return-value] # the enum of the wire is the number itself


def _numbers(decisions: Iterable[Decision]) -> list[ultimate_texas_pb2.Decision]:
    return [number_of(decision) for decision in decisions]


MESSAGES: Final = GameMessages(
    game=GAME,
    descriptor=ultimate_texas_pb2.DESCRIPTOR.services_by_name["UltimateTexasService"],
    read_event=read_event,
    write_outcome=write_outcome,
    write_state=write_state,
)
"""The messages of the game."""
