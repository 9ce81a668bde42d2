"""UltimateTexasService: checks, accepts, previews and settles rounds of Ultimate Texas Hold'em.

The hands are known from the deal on, on a sealed table with the house's; board and house are not, and no question but
settling needs any card. The receipt of the event that closes a street is what opens the next cards, so a frontend that
tells its own events asks at least for those to be accepted; a round whose house was never opened is refused at
settlement for its missing section.

Nothing is remembered, so nothing here keeps a frontend from asking for receipts of a history that it then drops, and so
from seeing cards early. It then holds two receipts with one number, and they prove it to anybody who has both.
"""

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

import grpc
import msgspec

from referee.cards import Card, Seat
from referee.dealing.header import Header, HeaderJson
from referee.dealing.layout import BOARD_SECTIONS, layout_of
from referee.games.ultimate_texas import (
    MAX_EVENTS,
    Decision,
    Event,
    StakesError,
    State,
    UltimateTexasRules,
    check_decision,
    check_settlement,
)
from referee.rulesets import Ruleset, load_texts
from referee.service.batch import batched, settle_each
from referee.service.rounds import RoundVerifier, VerifiedRound
from referee.service.settling import Chain, Received, Settler
from referee.storage import Logged
from referee.transcript.replay import write_transcript
from referee.transcript.told import Told
from referee.transcript.ultimate_texas import Played, encode_event, found_json, play, settled, step
from referee.v1 import ultimate_texas_pb2, ultimate_texas_pb2_grpc
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.receipt import fill_logged
from referee.wire.refusal import RefusedError
from referee.wire.ruleset import ultimate_texas_rules
from referee.wire.ultimate_texas import read_event, stakes_refusal, write_outcome, write_state
from referee.wire.violation import write_violations

if TYPE_CHECKING:
    from referee.service.ultimate_texas_advice import Advice

MAX_BATCH: Final = 256
_GAME: Final = "ultimate_texas"


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A round as read from a request: its terms and cards, its events played up to the first unlawful one."""

    verified: VerifiedRound
    played: Played
    chain: Chain

    @property
    def refused_event(self) -> int:
        """The number of the first unlawful event; 0 where all are lawful."""
        return _refused_event(self.played)


class UltimateTexasService(ultimate_texas_pb2_grpc.UltimateTexasServiceServicer):
    """Judges by the rulesets that the verifier knows; signs and logs through the settler."""

    def __init__(self, verifier: RoundVerifier, settler: Settler, *, tables: Path | None = None) -> None:
        self._verifier = verifier
        self._table_folder = tables
        self._settler = settler
        self._texts = load_texts(_GAME)

    def CheckDecision(
        self, request: ultimate_texas_pb2.CheckDecisionRequest, context: grpc.ServicerContext
    ) -> ultimate_texas_pb2.CheckDecisionResponse:
        """Everything wrong with a decision, and where the round stands."""
        del context
        return self._check(request)

    def CheckDecisions(
        self, request: ultimate_texas_pb2.CheckDecisionsRequest, context: grpc.ServicerContext
    ) -> ultimate_texas_pb2.CheckDecisionsResponse:
        """Many decisions; a bad question among them refuses the call, naming it."""
        del context
        return ultimate_texas_pb2.CheckDecisionsResponse(
            responses=batched(request.requests, self._check, limit=MAX_BATCH)
        )

    def Advise(
        self, request: ultimate_texas_pb2.AdviseRequest, context: grpc.ServicerContext
    ) -> ultimate_texas_pb2.AdviseResponse:
        """What each decision is worth to a seat, from its own cards and the open board alone."""
        del context
        told, seat = request.round, Seat(request.seat)
        verified = self._verifier.verify(told.header, told.certificates, field="round")
        header, ruleset = verified.header, verified.ruleset
        if seat >= header.seat_count:
            raise RefusedError(
                ErrorReason.ERROR_REASON_INVALID_SEAT,
                f"the round has {header.seat_count} seats, counted from 0",
                field="seat",
                found=seat,
            )
        _, played = _play(told, header, ruleset, dealt_time=verified.dealt_time, field="round")
        state = played.state
        response = ultimate_texas_pb2.AdviseResponse(
            violations=write_violations(played.violations, self._texts),
            refused_event_number=_refused_event(played),
            state=write_state(state),
            ruleset_digest=ruleset.digest,
        )
        if not played.violations and seat in state.may_decide:
            hole, board = _seen(verified, state, seat, field="round")
            self._advice.fill(response, ruleset, stake=state.stakes[seat], hole=hole, board=board)
        return response

    @cached_property
    def _advice(self) -> "Advice":
        from referee.service.ultimate_texas_advice import Advice  # noqa: PLC0415 - the first question waits for numpy

        return Advice(self._table_folder)

    def AcceptEvent(
        self, request: ultimate_texas_pb2.UltimateTexasServiceAcceptEventRequest, context: grpc.ServicerContext
    ) -> ultimate_texas_pb2.UltimateTexasServiceAcceptEventResponse:
        """The next event judged at the referee's clock, with its receipt, which names the section that it opens."""
        del context
        if request.event.time or request.event.receipt:
            raise RefusedError(
                ErrorReason.ERROR_REASON_INVALID_FIELD, "the referee's clock decides; leave the time 0", field="event"
            )
        reading = self._read(request.round, self._verifier.verify, field="round")
        now = self._settler.clock()
        event = read_event(request.event, time=now, field="event")
        before = reading.played.state
        violations = reading.played.violations or check_decision(before, event)
        if violations:
            return ultimate_texas_pb2.UltimateTexasServiceAcceptEventResponse(
                violations=write_violations(violations, self._texts),
                state=write_state(before),
                refused_event_number=reading.refused_event,
            )
        after, opening = step(before, event)
        receipt, _ = self._settler.accept(
            reading.verified, reading.chain, _received(event, request.event, opening), field="event"
        )
        return ultimate_texas_pb2.UltimateTexasServiceAcceptEventResponse(
            event=ultimate_texas_pb2.UltimateTexasEvent(
                time=now,
                seat=request.event.seat,
                decision=request.event.decision,
                receipt=receipt,
                signature=request.event.signature,
            ),
            event_number=after.event_count,
            state=write_state(after),
            opens_section=opening,
        )

    def PreviewRound(
        self, request: ultimate_texas_pb2.UltimateTexasServicePreviewRoundRequest, context: grpc.ServicerContext
    ) -> ultimate_texas_pb2.UltimateTexasServicePreviewRoundResponse:
        """Where the round stands, and its outcome where the cards for it are open."""
        del context
        reading = self._read(request.round, self._verifier.verify, field="round")
        played, verified = reading.played, reading.verified
        if played.violations:
            return ultimate_texas_pb2.UltimateTexasServicePreviewRoundResponse(
                violations=write_violations(played.violations, self._texts), refused_event_number=reading.refused_event
            )
        response = ultimate_texas_pb2.UltimateTexasServicePreviewRoundResponse(state=write_state(played.state))
        is_open = len(verified.sections) == verified.header.seat_count + len(BOARD_SECTIONS)
        if played.state.is_over and is_open:
            outcome = write_outcome(settled(played.state, _sections(verified, field="round")), verified.ruleset)
            response.outcome.CopyFrom(outcome)
        return response

    def SettleRound(
        self, request: ultimate_texas_pb2.UltimateTexasServiceSettleRoundRequest, context: grpc.ServicerContext
    ) -> ultimate_texas_pb2.UltimateTexasServiceSettleRoundResponse:
        """The round settled, signed and durable."""
        del context
        response = ultimate_texas_pb2.UltimateTexasServiceSettleRoundResponse()
        self._begin_settling(request, response)()
        return response

    def SettleRounds(
        self, request: ultimate_texas_pb2.UltimateTexasServiceSettleRoundsRequest, context: grpc.ServicerContext
    ) -> ultimate_texas_pb2.UltimateTexasServiceSettleRoundsResponse:
        """Many rounds settled, each on its own."""
        del context
        response = ultimate_texas_pb2.UltimateTexasServiceSettleRoundsResponse()
        settle_each(request.requests, response.rounds, self._begin_settling, limit=MAX_BATCH)
        return response

    def _check(self, request: ultimate_texas_pb2.CheckDecisionRequest) -> ultimate_texas_pb2.CheckDecisionResponse:
        told = request.round
        if told.certificates:
            verified = self._verifier.verify(told.header, told.certificates, field="round")
            header, ruleset, dealt_time = verified.header, verified.ruleset, verified.dealt_time
        else:
            header, ruleset = self._verifier.read_terms(told.header, field="round.header")
            dealt_time = 0
        _, played = _play(told, header, ruleset, dealt_time=dealt_time, field="round")
        state = played.state
        event = read_event(request.event, time=state.last_time, field="event")
        violations = played.violations or check_decision(state, event)
        return ultimate_texas_pb2.CheckDecisionResponse(
            violations=write_violations(violations, self._texts),
            state=write_state(state),
            ruleset_digest=ruleset.digest,
            refused_event_number=_refused_event(played),
        )

    def _read(
        self, message: ultimate_texas_pb2.UltimateTexasRound, verify: Callable[..., VerifiedRound], *, field: str
    ) -> Reading:
        verified = verify(message.header, message.certificates, field=field)
        events, played = _play(message, verified.header, verified.ruleset, dealt_time=verified.dealt_time, field=field)
        received = [
            _received(event, one, opening)
            for event, one, opening in zip(events, message.events, played.openings, strict=True)
        ]
        return Reading(verified=verified, played=played, chain=self._settler.chain(verified, received, field=field))

    def _begin_settling(
        self,
        request: ultimate_texas_pb2.UltimateTexasServiceSettleRoundRequest,
        response: ultimate_texas_pb2.UltimateTexasServiceSettleRoundResponse,
    ) -> Callable[[], None]:
        """Judges and queues a settlement; what is returned waits until it is durable. The empty answer is filled."""
        reading = self._read(request.round, self._verifier.verify_ended, field="round")
        verified, state = reading.verified, reading.played.state
        now = self._settler.clock()
        self._settler.check_unexpired(verified, now=now)
        violations = reading.played.violations or check_settlement(state, closed_time=now)
        if violations:
            response.violations.extend(write_violations(violations, self._texts))
            response.refused_event_number = reading.refused_event
            return lambda: None
        sections = _sections(verified, field="round")
        judged = settled(state, sections)
        told = Told(
            header=HeaderJson.of(verified.header),
            deck_root=verified.deck_root.hex(),
            dealt_time=verified.dealt_time,
            closed_time=now,
            sections=tuple([tuple([card.number for card in section]) for section in sections]),
            events=reading.chain.events,
            sealed=1 if verified.is_sealed else msgspec.UNSET,
        )
        found = found_json(judged, events_hash=reading.chain.last_hash)
        future: Future[tuple[Logged, ...]] = self._settler.submit(
            verified, told, write_transcript(verified.header, told, found), last_hash=reading.chain.last_hash
        )
        response.outcome.CopyFrom(write_outcome(judged, verified.ruleset))
        return lambda: fill_logged(response.log_receipt, self._settler.logged(future))


def _received(event: Event, message: ultimate_texas_pb2.UltimateTexasEvent, opening: int | None) -> Received:
    return Received(
        event=encode_event(event),
        time=event.time,
        seat=event.seat,
        receipt=message.receipt,
        signature=message.signature,
        opens_section=opening,
        is_imposed=event.decision is Decision.TIMEOUT,
    )


def _play(
    message: ultimate_texas_pb2.UltimateTexasRound, header: Header, ruleset: Ruleset, *, dealt_time: int, field: str
) -> tuple[list[Event], Played]:
    """The events and what they come to; refuses too many, or a header whose bets no round can start with."""
    rules: UltimateTexasRules = ultimate_texas_rules(ruleset, field=f"{field}.header.ruleset_id")
    if len(message.events) > MAX_EVENTS:
        raise RefusedError(
            ErrorReason.ERROR_REASON_TOO_MANY_EVENTS,
            f"a round has at most {MAX_EVENTS} events",
            field=f"{field}.events",
            limit=MAX_EVENTS,
            found=len(message.events),
        )
    events = [
        read_event(one, time=one.time, field=f"{field}.events[{index}]") for index, one in enumerate(message.events)
    ]
    try:
        played = play(rules, header.seat_stakes, events, bet_unit=ruleset.bet_unit, dealt_time=dealt_time)
    except StakesError as error:
        raise stakes_refusal(error.violations, field=f"{field}.header") from None
    return events, played


def _sections(verified: VerifiedRound, *, field: str) -> tuple[tuple[Card, ...], ...]:
    """All that a settlement needs, in the order of the layout; refuses a round of which something is not open."""
    layout = layout_of(_GAME, seat_count=verified.header.seat_count)
    hands = [(hand, f"the hand of seat {hand}") for hand in layout.hands]
    board = [(layout.board(name), f"the section {name}") for name in BOARD_SECTIONS]
    return tuple([verified.section(index, name, field=field) for index, name in (*hands, *board)])


def _seen(
    verified: VerifiedRound, state: State, seat: Seat, *, field: str
) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    """A seat's hole cards and the board as far as the round has opened it; refuses a round that does not show them."""
    layout = layout_of(_GAME, seat_count=verified.header.seat_count)
    (hole,) = verified.hands([seat], field=field)
    board: list[Card] = []
    for section in state.open_sections:
        name = section.lower()
        board += verified.section(layout.board(name), f"the section {name}", field=field)
    return hole, tuple(board)


def _refused_event(played: Played) -> int:
    return played.state.event_count + 1 if played.violations else 0
