"""MauBinhService: checks, accepts, previews and settles rounds of Mậu Binh."""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import grpc

from referee.cards import Seat
from referee.games.mau_binh.arrangement import check_arrangement, is_acceptable
from referee.games.mau_binh.event import MAX_EVENTS, Event, Timeout
from referee.games.mau_binh.foul import chi_values
from referee.games.mau_binh.instant_win import instant_win_of
from referee.games.mau_binh.round import applied, check_closing, check_event, refusals_of
from referee.games.mau_binh.showdown import showdown
from referee.rulesets import load_texts
from referee.service.batch import batched, settle_each
from referee.service.mau_binh_reading import Reading, check_all_open, check_hand, open_deal, read_dealt
from referee.service.rounds import RoundVerifier, VerifiedRound
from referee.service.settling import Received, Settler
from referee.service.standing import Standings
from referee.storage import Append
from referee.transcript.mau_binh import encode_event, opening_between
from referee.v1 import mau_binh_pb2, mau_binh_pb2_grpc
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.hand import write_value
from referee.wire.mau_binh import read_arrangement, read_event, write_showdown
from referee.wire.refusal import RefusedError
from referee.wire.ruleset import mau_binh_rules
from referee.wire.violation import write_violations

if TYPE_CHECKING:
    from referee.service.mau_binh_advice import Advice

MAX_BATCH: Final = 256


class MauBinhService(mau_binh_pb2_grpc.MauBinhServiceServicer):
    """Judges by the rulesets that the verifier knows; signs and logs through the settler."""

    def __init__(self, verifier: RoundVerifier, settler: Settler, *, populations: Path | None = None) -> None:
        self._verifier = verifier
        self._populations = populations
        self._settler = settler
        self._texts = load_texts("mau_binh")
        self._readings: Standings[Reading] = Standings()

    def CheckArrangement(
        self, request: mau_binh_pb2.CheckArrangementRequest, context: grpc.ServicerContext
    ) -> mau_binh_pb2.CheckArrangementResponse:
        """Everything wrong with an arrangement, and the names of its hands."""
        del context
        return self._check(request)

    def CheckArrangements(
        self, request: mau_binh_pb2.CheckArrangementsRequest, context: grpc.ServicerContext
    ) -> mau_binh_pb2.CheckArrangementsResponse:
        """Many arrangements; a bad question among them refuses the call, naming it."""
        del context
        return mau_binh_pb2.CheckArrangementsResponse(responses=batched(request.requests, self._check, limit=MAX_BATCH))

    def SuggestArrangement(
        self, request: mau_binh_pb2.SuggestArrangementRequest, context: grpc.ServicerContext
    ) -> mau_binh_pb2.SuggestArrangementResponse:
        """The arrangements worth most, from the asked-about cards alone."""
        del context
        return self._advice.suggest(request)

    @cached_property
    def _advice(self) -> "Advice":
        from referee.service.mau_binh_advice import Advice  # noqa: PLC0415 - the first question waits for numpy, no start

        return Advice(self._verifier, self._populations)

    def AcceptEvent(
        self, request: mau_binh_pb2.MauBinhServiceAcceptEventRequest, context: grpc.ServicerContext
    ) -> mau_binh_pb2.MauBinhServiceAcceptEventResponse:
        """The next event judged at the referee's clock, with its receipt."""
        del context
        if request.event.time or request.event.receipt:
            raise RefusedError(
                ErrorReason.ERROR_REASON_INVALID_FIELD, "the referee's clock decides; leave the time 0", field="event"
            )
        reading = self._read(request.round, self._verifier.verify)
        dealt, now = reading.dealt, self._settler.clock()
        event = read_event(request.event, time=now, round_id=dealt.verified.header.round_id, field="event")
        check_hand(dealt, reading.told, event)
        violations = reading.violations or check_event(dealt.rules, reading.told, event)
        response = mau_binh_pb2.MauBinhServiceAcceptEventResponse(violations=write_violations(violations, self._texts))
        if is_acceptable(violations):
            response.event.CopyFrom(request.event)
            response.event.time = now
            after = applied(dealt.rules, reading.told, event)
            opening = opening_between(reading.told, after)
            response.event.receipt, chain = self._settler.accept(
                dealt.verified, reading.chain, _received(event, response.event, opening), field="event"
            )
            response.event_number = len(chain.events)
            if opening is not None:
                response.opens_section = opening
            events = (*reading.events, response.event.SerializeToString(deterministic=True))
            self._readings.put(Reading(dealt=dealt, events=events, told=after, chain=chain))
        return response

    def PreviewRound(
        self, request: mau_binh_pb2.MauBinhServicePreviewRoundRequest, context: grpc.ServicerContext
    ) -> mau_binh_pb2.MauBinhServicePreviewRoundResponse:
        """What settling now would give."""
        del context
        reading = self._read(request.round, self._verifier.verify)
        violations = reading.violations or check_closing(reading.told, closed_time=self._settler.clock())
        if violations:
            return mau_binh_pb2.MauBinhServicePreviewRoundResponse(violations=write_violations(violations, self._texts))
        check_all_open(reading.dealt)
        verified, rules, outcome = reading.dealt.verified, reading.dealt.rules, reading.outcome
        stake = verified.header.stake
        shown = showdown(rules, outcome, stake=stake, names=verified.ruleset.names)
        start = outcome.showdown_time if outcome.showdown_time is not None else verified.dealt_time
        response = mau_binh_pb2.MauBinhServicePreviewRoundResponse(
            showdown=write_showdown(shown, start_time=start, seconds=rules.clocks.showdown_chi.seconds, stake=stake)
        )
        response.outcome.MergeFromString(reading.shown)
        return response

    def SettleRound(
        self, request: mau_binh_pb2.MauBinhServiceSettleRoundRequest, context: grpc.ServicerContext
    ) -> mau_binh_pb2.MauBinhServiceSettleRoundResponse:
        """The round settled, signed and durable."""
        del context
        response = mau_binh_pb2.MauBinhServiceSettleRoundResponse()
        self._settler.answer(self._read(request.round, self._verifier.verify_ended), response, self._texts)
        return response

    def SettleRounds(
        self, request: mau_binh_pb2.MauBinhServiceSettleRoundsRequest, context: grpc.ServicerContext
    ) -> mau_binh_pb2.MauBinhServiceSettleRoundsResponse:
        """Many rounds settled, each on its own."""
        del context
        response = mau_binh_pb2.MauBinhServiceSettleRoundsResponse()
        settle_each(request.requests, response.rounds, self._close, self._settler.log, limit=MAX_BATCH)
        return response

    def _check(self, request: mau_binh_pb2.CheckArrangementRequest) -> mau_binh_pb2.CheckArrangementResponse:
        verified = self._verifier.verify(request.round.header, request.round.certificates, field="round")
        rules = mau_binh_rules(verified.ruleset, field="round.header.ruleset_id")
        seat = request.seat
        if seat >= verified.header.seat_count:
            raise RefusedError(
                ErrorReason.ERROR_REASON_INVALID_SEAT,
                f"the round has {verified.header.seat_count} seats, counted from 0",
                field="seat",
                found=seat,
            )
        (dealt,) = verified.hands([Seat(seat)], field="round")
        arrangement = read_arrangement(request.arrangement, field="arrangement")
        violations = check_arrangement(rules, dealt, arrangement)
        acceptable = is_acceptable(violations)
        values = chi_values(rules, arrangement.chi) if acceptable else ()
        known = open_deal(verified)
        win = instant_win_of(rules, dealt) if known is None else known.told.instant_wins[seat]
        return mau_binh_pb2.CheckArrangementResponse(
            violations=write_violations(violations, self._texts),
            acceptable=acceptable,
            values=[write_value(value, verified.ruleset) for value in values],
            instant_win=win.pattern if win else "",
            ruleset_digest=verified.ruleset.digest,
        )

    def _read(self, message: mau_binh_pb2.MauBinhRound, verify: Callable[..., VerifiedRound]) -> Reading:
        """The round of a question whose field it is."""
        verified = verify(message.header, message.certificates, field="round")
        if len(message.events) > MAX_EVENTS:
            raise RefusedError(
                ErrorReason.ERROR_REASON_TOO_MANY_EVENTS,
                f"a round has at most {MAX_EVENTS} events",
                field="round.events",
                limit=MAX_EVENTS,
                found=len(message.events),
            )
        events = tuple([one.SerializeToString(deterministic=True) for one in message.events])
        reading = self._readings.find(verified, events) or read_dealt(verified)
        if len(reading.events) < len(events):
            reading = self._read_on(reading, message.events, events)
            self._readings.put(reading)
        return reading

    def _read_on(
        self, known: Reading, messages: Sequence[mau_binh_pb2.MauBinhEvent], events: tuple[bytes, ...]
    ) -> Reading:
        """The reading of all events, of which ``known`` has read the first ones."""
        rules, told, violations = known.dealt.rules, known.told, known.violations
        received: list[Received] = []
        for index in range(len(known.events), len(events)):
            message = messages[index]
            path, round_id = f"round.events[{index}]", known.dealt.verified.header.round_id
            event: Event = read_event(message, time=message.time, round_id=round_id, field=path)
            opening = None
            if not violations:
                check_hand(known.dealt, told, event)
                refusals = refusals_of(rules, told, event)
                if is_acceptable(refusals):
                    before, told = told, applied(rules, told, event)
                    opening = opening_between(before, told)
                else:
                    violations = refusals
            received.append(_received(event, message, opening))
        chain = self._settler.extended(known.dealt.verified, known.chain, received, field="round")
        return Reading(dealt=known.dealt, events=events, told=told, chain=chain, violations=violations)

    def _close(
        self,
        request: mau_binh_pb2.MauBinhServiceSettleRoundRequest,
        response: mau_binh_pb2.MauBinhServiceSettleRoundResponse,
    ) -> Append | None:
        """What to log of a round; the empty answer is filled but for its receipt."""
        reading = self._read(request.round, self._verifier.verify_ended)
        return self._settler.close(reading, response, self._texts)


def _received(event: Event, message: mau_binh_pb2.MauBinhEvent, opening: int | None) -> Received:
    return Received(
        event=encode_event(event),
        time=event.time,
        seat=event.seat,
        receipt=message.receipt,
        signature=message.signature,
        opens_section=opening,
        is_imposed=isinstance(event, Timeout),
    )
