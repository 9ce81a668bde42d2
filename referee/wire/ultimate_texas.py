"""Ultimate Texas Hold'em on the wire: events read, stakes refused, states and outcomes written."""

from collections.abc import Iterable, Sequence
from typing import Final

from referee.cards import Seat
from referee.games.ultimate_texas import Code, Decision, Event, State, legal_decisions
from referee.money import house_net
from referee.rulesets import Ruleset
from referee.transcript.ultimate_texas import Settled
from referee.v1 import ultimate_texas_pb2
from referee.v1.error_reason_pb2 import ErrorReason
from referee.verdict import Violation
from referee.wire.card import numbers_of
from referee.wire.hand import write_value
from referee.wire.moment import check_time
from referee.wire.money import write_transfers
from referee.wire.refusal import RefusedError

_NUMBERS: Final = {decision: ultimate_texas_pb2.Decision.Value(f"DECISION_{decision}") for decision in Decision}
_DECISIONS: Final[dict[int, Decision]] = {number: decision for decision, number in _NUMBERS.items()}


def read_event(message: ultimate_texas_pb2.UltimateTexasEvent, *, time: int, field: str) -> Event:
    """The event at a time; refuses one that says nothing, or a decision that there is none of."""
    check_time(time, field=field)
    decision = _DECISIONS.get(message.decision)
    if decision is None:
        missing = message.decision == ultimate_texas_pb2.DECISION_UNSPECIFIED
        raise RefusedError(
            ErrorReason.ERROR_REASON_MISSING_FIELD if missing else ErrorReason.ERROR_REASON_INVALID_FIELD,
            "say what the seat decided" if missing else f"{message.decision} is no decision",
            field=f"{field}.decision",
        )
    return Event(Seat(message.seat), decision, time)


_STAKE_FIELDS: Final[dict[str, str]] = {
    Code.ANTE_TOO_LOW: "ante_minor",
    Code.ANTE_NOT_A_MULTIPLE: "ante_minor",
    Code.TRIPS_TOO_LOW: "trips_minor",
}
_STAKE_WORDS: Final[dict[str, str]] = {
    Code.TOO_FEW_SEATS: "{found} seats have bets; {expected} at least are needed",
    Code.TOO_MANY_SEATS: "{found} seats have bets; there are {expected} at most",
    Code.ANTE_TOO_LOW: "an Ante of {found} is less than the bet unit {expected}",
    Code.ANTE_NOT_A_MULTIPLE: "an Ante of {found} is no multiple of the bet unit {expected}",
    Code.TRIPS_TOO_LOW: "Trips of {found} is less than {expected}",
    Code.STAKES_TOO_HIGH: "the seats together could win or lose more than {expected}",
}


def stakes_refusal(faults: Sequence[Violation], *, field: str) -> RefusedError:
    """The refusal that the first of some faults in a header's stakes comes to, ``field`` being the header's path."""
    fault = faults[0]
    name = _STAKE_FIELDS.get(fault.code)
    facts = {"expected": fault.expected, "found": fault.found}
    return RefusedError(
        ErrorReason.ERROR_REASON_INVALID_STAKE,
        _STAKE_WORDS[fault.code].format(**facts),
        field=f"{field}.seat_stakes" if name is None else f"{field}.seat_stakes[{fault.seat}].{name}",
        code=fault.code,
        **{fact: value for fact, value in facts.items() if value is not None},
    )


def write_state(state: State) -> ultimate_texas_pb2.UltimateTexasState:
    """Where a round stands."""
    return ultimate_texas_pb2.UltimateTexasState(
        street=state.street,
        turn=state.turn,
        seats=[
            ultimate_texas_pb2.UltimateTexasSeatState(
                seat=index,
                play_multiple=seat.multiple,
                folded=seat.has_folded,
                gone=seat.has_left,
                legal_decisions=_numbers(legal_decisions(state, Seat(index))),
                checked=seat.has_checked,
            )
            for index, seat in enumerate(state.seats)
        ],
    )


def write_outcome(settled: Settled, ruleset: Ruleset) -> ultimate_texas_pb2.UltimateTexasOutcome:
    """What a settled round comes to."""
    outcome, cards = settled.outcome, settled.cards
    seats = [
        ultimate_texas_pb2.UltimateTexasSeatResult(
            seat=index,
            hole=numbers_of(cards.hands[index]),
            best=numbers_of(settled.seat_bests[index]),
            value=write_value(seat.value, ruleset),
            result=seat.result,
            net_minor=settled.net[index],
            play_multiple=settled.state.seats[index].multiple,
        )
        for index, seat in enumerate(outcome.seats)
    ]
    return ultimate_texas_pb2.UltimateTexasOutcome(
        seats=seats,
        house_hole=numbers_of(cards.house),
        board=numbers_of(cards.board),
        house_best=numbers_of(settled.house_best),
        house_value=write_value(outcome.house_value, ruleset),
        house_qualified=outcome.house_qualifies,
        transfers=write_transfers(outcome.transfers),
        ruleset_digest=ruleset.digest,
        house_net_minor=house_net(outcome.transfers),
    )


def number_of(decision: Decision) -> ultimate_texas_pb2.Decision:
    """The wire's number of a decision."""
    return _NUMBERS[decision]  # type: ignore[return-value] # the enum of the wire is the number itself


def _numbers(decisions: Iterable[Decision]) -> list[ultimate_texas_pb2.Decision]:
    return [number_of(decision) for decision in decisions]
