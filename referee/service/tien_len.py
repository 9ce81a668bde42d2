"""TienLenService: checks, lists, accepts, previews and settles rounds of Tiến Lên."""

from collections.abc import Callable, Sequence
from typing import Final

import grpc

from referee.advice.tien_len import group_plays, suggest, whole_plays
from referee.cards import Card, Seat
from referee.games.tien_len import (
    MAX_EVENTS,
    Combination,
    Event,
    Play,
    TienLenRules,
    Timeout,
    UnlawfulEventError,
    apply,
    check_event,
    legal_plays,
    may_pass,
    read_combination,
    set_of,
    start,
)
from referee.rulesets import load_texts
from referee.service.batch import batched, settle_each
from referee.service.leading import Leaders
from referee.service.rounds import RoundVerifier, VerifiedRound
from referee.service.settling import Received, Settler, first_chain
from referee.service.standing import Standings
from referee.service.tien_len_reading import Deal, Reading, Standing, deal_asked
from referee.storage import Append
from referee.transcript.tien_len import encode_event
from referee.v1 import tien_len_pb2, tien_len_pb2_grpc
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError
from referee.wire.ruleset import tien_len_rules
from referee.wire.tien_len import (
    read_event,
    read_samples,
    read_suggestion_count,
    write_combination,
    write_group,
    write_state,
    write_suggestion,
)
from referee.wire.violation import write_violations

MAX_BATCH: Final = 256
_GAME: Final = "tien_len"


class TienLenService(tien_len_pb2_grpc.TienLenServiceServicer):
    """Judges by the rulesets that the verifier knows; signs and logs through the settler."""

    def __init__(self, verifier: RoundVerifier, settler: Settler, leaders: Leaders) -> None:
        self._verifier = verifier
        self._settler = settler
        self._leaders = leaders
        self._texts = load_texts(_GAME)
        self._standings: Standings[Standing] = Standings()

    def CheckPlay(
        self, request: tien_len_pb2.CheckPlayRequest, context: grpc.ServicerContext
    ) -> tien_len_pb2.CheckPlayResponse:
        """Everything wrong with a play or another event, and what its cards make."""
        del context
        return self._check(request)

    def CheckPlays(
        self, request: tien_len_pb2.CheckPlaysRequest, context: grpc.ServicerContext
    ) -> tien_len_pb2.CheckPlaysResponse:
        """Many events; a bad question among them refuses the call, naming it."""
        del context
        return tien_len_pb2.CheckPlaysResponse(responses=batched(request.requests, self._check, limit=MAX_BATCH))

    def ListPlays(
        self, request: tien_len_pb2.ListPlaysRequest, context: grpc.ServicerContext
    ) -> tien_len_pb2.ListPlaysResponse:
        """Everything that the seat on turn may play."""
        del context
        reading = self._read(request.round, self._verifier.verify, field="round")
        ruleset, standing = reading.verified.ruleset, reading.standing
        if standing.violations:
            return tien_len_pb2.ListPlaysResponse(
                violations=write_violations(standing.violations, self._texts),
                refused_event_number=standing.refused_event,
                ruleset_digest=ruleset.digest,
            )
        state, stake = standing.state, reading.verified.header.stake
        plays = legal_plays(state)
        return tien_len_pb2.ListPlaysResponse(
            turn=None if state.is_over else state.turn,
            plays=[write_combination(play, ruleset) for play in plays],
            may_pass=may_pass(state),
            ruleset_digest=ruleset.digest,
            groups=[write_group(group, ruleset, stake=stake) for group in group_plays(state, plays)]
            if request.grouped
            else (),
            whole_plays=whole_plays(state, plays) if request.grouped else (),
        )

    def SuggestPlay(
        self, request: tien_len_pb2.SuggestPlayRequest, context: grpc.ServicerContext
    ) -> tien_len_pb2.SuggestPlayResponse:
        """The best plays of the seat on turn, with the reasons for them."""
        del context
        count = read_suggestion_count(request.count, field="count")
        samples = read_samples(request.samples, field="samples")
        reading = self._read(request.round, self._verifier.verify, field="round")
        verified, standing = reading.verified, reading.standing
        if standing.violations:
            return tien_len_pb2.SuggestPlayResponse(
                violations=write_violations(standing.violations, self._texts),
                refused_event_number=standing.refused_event,
                ruleset_digest=verified.ruleset.digest,
            )
        state, stake = standing.state, verified.header.stake
        return tien_len_pb2.SuggestPlayResponse(
            turn=None if state.is_over else state.turn,
            suggestions=[
                write_suggestion(suggestion, verified.ruleset, self._texts, stake=stake)
                for suggestion in suggest(state, count=count, samples=samples)
            ],
            ruleset_digest=verified.ruleset.digest,
        )

    def AcceptEvent(
        self, request: tien_len_pb2.TienLenServiceAcceptEventRequest, context: grpc.ServicerContext
    ) -> tien_len_pb2.TienLenServiceAcceptEventResponse:
        """The next event judged at the referee's clock, with its receipt."""
        del context
        if request.event.time or request.event.receipt:
            raise RefusedError(
                ErrorReason.ERROR_REASON_INVALID_FIELD, "the referee's clock decides; leave the time 0", field="event"
            )
        reading = self._read(request.round, self._verifier.verify, field="round")
        verified, standing = reading.verified, reading.standing
        now = self._settler.clock()
        event = read_event(request.event, time=now, field="event")
        violations = standing.violations or check_event(standing.state, event)
        if violations:
            return tien_len_pb2.TienLenServiceAcceptEventResponse(
                violations=write_violations(violations, self._texts),
                state=write_state(standing.state, verified.ruleset),
                refused_event_number=standing.refused_event,
            )
        after = apply(standing.state, event)
        response = tien_len_pb2.TienLenServiceAcceptEventResponse(
            event=request.event, event_number=after.event_count, state=write_state(after, verified.ruleset)
        )
        response.event.time = now
        response.event.receipt, chain = self._settler.accept(
            verified, standing.chain, _received(event, response.event), field="event"
        )
        told = response.event.SerializeToString(deterministic=True)
        events = (*standing.events, told)
        self._standings.put(Standing(deal=standing.deal, events=events, lead=standing.lead, state=after, chain=chain))
        return response

    def PreviewRound(
        self, request: tien_len_pb2.TienLenServicePreviewRoundRequest, context: grpc.ServicerContext
    ) -> tien_len_pb2.TienLenServicePreviewRoundResponse:
        """Where the round stands, and its outcome once it is over."""
        del context
        reading = self._read(request.round, self._verifier.verify, field="round")
        verified, standing = reading.verified, reading.standing
        if standing.violations:
            return tien_len_pb2.TienLenServicePreviewRoundResponse(
                violations=write_violations(standing.violations, self._texts),
                refused_event_number=standing.refused_event,
            )
        state = standing.state
        response = tien_len_pb2.TienLenServicePreviewRoundResponse(state=write_state(state, verified.ruleset))
        if state.is_over:
            response.outcome.MergeFromString(reading.shown)
        return response

    def SettleRound(
        self, request: tien_len_pb2.TienLenServiceSettleRoundRequest, context: grpc.ServicerContext
    ) -> tien_len_pb2.TienLenServiceSettleRoundResponse:
        """The round settled, signed and durable."""
        del context
        response = tien_len_pb2.TienLenServiceSettleRoundResponse()
        reading = self._read(request.round, self._verifier.verify_ended, field="round")
        response.refused_event_number = reading.refused_event
        self._settler.answer(reading, response, self._texts)
        return response

    def SettleRounds(
        self, request: tien_len_pb2.TienLenServiceSettleRoundsRequest, context: grpc.ServicerContext
    ) -> tien_len_pb2.TienLenServiceSettleRoundsResponse:
        """Many rounds settled, each on its own."""
        del context
        response = tien_len_pb2.TienLenServiceSettleRoundsResponse()
        settle_each(request.requests, response.rounds, self._close, self._settler.log, limit=MAX_BATCH)
        return response

    def _check(self, request: tien_len_pb2.CheckPlayRequest) -> tien_len_pb2.CheckPlayResponse:
        reading = self._read(request.round, self._verifier.verify, field="round")
        ruleset, standing = reading.verified.ruleset, reading.standing
        state = standing.state
        event = read_event(request.event, time=max(self._settler.clock(), state.last_time), field="event")
        combination = _combination_of(event)
        self._settler.check_signature(reading.verified, standing.chain, _received(event, request.event), field="event")
        return tien_len_pb2.CheckPlayResponse(
            violations=write_violations(standing.violations or check_event(state, event), self._texts),
            combination=None if combination is None else write_combination(combination, ruleset),
            ruleset_digest=ruleset.digest,
            refused_event_number=standing.refused_event,
        )

    def _read(self, message: tien_len_pb2.TienLenRound, verify: Callable[..., VerifiedRound], *, field: str) -> Reading:
        verified = verify(message.header, message.certificates, field=field)
        rules = tien_len_rules(verified.ruleset, field=f"{field}.header.ruleset_id")
        count = len(message.events)
        if count > MAX_EVENTS:
            raise RefusedError(
                ErrorReason.ERROR_REASON_TOO_MANY_EVENTS,
                f"a round has at most {MAX_EVENTS} events",
                field=f"{field}.events",
                limit=MAX_EVENTS,
                found=count,
            )
        hands = verified.hands([Seat(seat) for seat in range(verified.header.seat_count)], field=field)
        deal, events = (
            deal_asked(verified, message),
            tuple([one.SerializeToString(deterministic=True) for one in message.events]),
        )
        standing = self._standings.find(deal, events)
        if standing is None or len(standing.events) < count:
            begun = standing or self._begun(verified, rules, hands, deal, message, field=field)
            standing = self._gone_on(verified, begun, events, message, field=field)
            self._standings.put(standing)
        return Reading(verified=verified, hands=hands, standing=standing)

    def _begun(  # noqa: PLR0913 - what a deal is read with
        self,
        verified: VerifiedRound,
        rules: TienLenRules,
        hands: Sequence[Sequence[Card]],
        deal: Deal,
        message: tien_len_pb2.TienLenRound,
        *,
        field: str,
    ) -> Standing:
        """The round as dealt."""
        lead = self._leaders.find(verified, message, field=field)
        return Standing(
            deal=deal,
            events=(),
            lead=lead,
            state=start(rules, hands, leader=lead.leader, dealt_time=verified.dealt_time, stake=verified.header.stake),
            chain=first_chain(verified),
        )

    def _gone_on(
        self,
        verified: VerifiedRound,
        known: Standing,
        events: tuple[bytes, ...],
        message: tien_len_pb2.TienLenRound,
        *,
        field: str,
    ) -> Standing:
        """What a standing comes to with the events after its own."""
        state, violations = known.state, known.violations
        count = len(known.events)
        received: list[Received] = []
        for index, one in enumerate(message.events[count:], start=count):
            event = read_event(one, time=one.time, field=f"{field}.events[{index}]")
            received.append(_received(event, one))
            if not violations:
                try:
                    state = apply(state, event)
                except UnlawfulEventError as error:
                    violations = error.violations
        return Standing(
            deal=known.deal,
            events=events,
            lead=known.lead,
            state=state,
            chain=self._settler.extended(verified, known.chain, received, field=field),
            violations=violations,
        )

    def _close(
        self,
        request: tien_len_pb2.TienLenServiceSettleRoundRequest,
        response: tien_len_pb2.TienLenServiceSettleRoundResponse,
    ) -> Append | None:
        """What to log of a round; the empty answer is filled but for its receipt."""
        reading = self._read(request.round, self._verifier.verify_ended, field="round")
        response.refused_event_number = reading.refused_event
        return self._settler.close(reading, response, self._texts)


def _received(event: Event, message: tien_len_pb2.TienLenEvent) -> Received:
    return Received(
        event=encode_event(event),
        time=event.time,
        seat=event.seat,
        receipt=message.receipt,
        signature=message.signature,
        is_imposed=isinstance(event, Timeout),
    )


def _combination_of(event: Event) -> Combination | None:
    """What the cards of a play make; None where they make nothing, one stands twice, or the event is no play."""
    if not isinstance(event, Play):
        return None
    card_set = set_of(event.cards)
    return read_combination(card_set) if card_set.bit_count() == len(event.cards) else None
