"""SuggestDecision: the values of a seat's decisions in Ultimate Texas Hold'em, from its cards and the open board."""

from fractions import Fraction
from pathlib import Path

from referee.advice import NoAdviceError
from referee.advice.ultimate_texas.option import Option, best_of
from referee.advice.ultimate_texas.question import DecisionAnswer, DecisionQuestion, value_options
from referee.adviser.parts import AdviserParts
from referee.cards import Card, Seat
from referee.games.ultimate_texas import Stake
from referee.games.ultimate_texas.game import GAME
from referee.service.ultimate_texas import SERVICE
from referee.service.verifying import hand_of, require, seat_refusal
from referee.transcript.round import Round
from referee.v1 import advice_pb2
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError
from referee.wire.ultimate_texas import number_of, write_state
from referee.wire.values import write_violations


class DecisionAdvice:
    """Adviser of decisions, which are valued exactly."""

    def __init__(self, parts: AdviserParts) -> None:
        self._reader = parts.reader_of(SERVICE)
        self._advice = parts.advice
        self._folder: Path | None = parts.tables

    def suggest(self, request: advice_pb2.SuggestDecisionRequest) -> advice_pb2.SuggestDecisionResponse:
        """Return the value of each decision of a seat; no values if the seat has nothing to decide now."""
        seat = Seat(request.seat)
        played = self._reader.read(request.round)
        state, ruleset = played.state, played.ruleset
        if seat >= played.header.seat_count:
            raise seat_refusal(played.header, seat, field="seat")
        response = advice_pb2.SuggestDecisionResponse(
            violations=write_violations(played.violations, SERVICE.texts, ruleset),
            refused_event_number=played.refused_event,
            state=write_state(state, ruleset),
            ruleset_digest=ruleset.digest,
        )
        if not played.violations and seat in state.may_decide:
            stake, hole = state.stakes[seat], hand_of(played, seat, seat_field="seat", field="round")
            question = DecisionQuestion(state.rules, stake, hole, _open_board(played), self._folder)
            try:
                answer = self._advice.compute(value_options, question)
            except NoAdviceError as error:
                message = f"{ruleset.id}: {error}"
                raise RefusedError(ErrorReason.ERROR_REASON_NO_ADVICE, message, ruleset_id=ruleset.id) from None
            _fill_options(response, answer, stake=stake)
        return response


def _open_board(played: Round) -> tuple[Card, ...]:
    """Return the board cards that the round has opened so far, in order; refuse if the certificates lack some."""
    layout = GAME.layout(played.header.seat_count)
    sections = [layout.board(section.lower()) for section in played.state.open_sections]
    require(played, sections, field="round")
    return tuple([card for section in sections for card in played.deal.sections[section] or ()])


def _fill_options(response: advice_pb2.SuggestDecisionResponse, answer: DecisionAnswer, *, stake: Stake) -> None:
    """Fill in the options, the best option at this stake, and how many ways the cards may fall were counted."""
    response.options.extend([_write_option(option, stake) for option in answer.options])
    response.best = number_of(best_of(answer.options, stake).decision)
    response.ways = answer.ways


def _write_option(option: Option, stake: Stake) -> advice_pb2.DecisionValue:
    return advice_pb2.DecisionValue(
        decision=number_of(option.decision),
        value_minor=round(option.worth(stake)),
        antes=_write_ratio(option.antes),
        trips=_write_ratio(option.trips) if stake.trips else None,
        is_lower_bound=option.is_lower_bound,
    )


def _write_ratio(value: Fraction) -> advice_pb2.Ratio:
    return advice_pb2.Ratio(numerator=value.numerator, denominator=value.denominator)
