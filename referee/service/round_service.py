"""The methods that the services of all games share: accept an event, preview a round, settle one or many.

A settlement belongs to its deal: the log takes it only if the table's slot holds a DEAL with the same round id and deck
root, and the round has not ended. A repeated settlement is answered from the log, however late it is requested.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import grpc
from google.rpc.status_pb2 import Status

from referee.dealing.header import Header, is_past
from referee.dealing.lead import Winner, encode_winner
from referee.evidence.dsse import Envelope
from referee.evidence.ed25519 import Signer
from referee.games.questions import HouseQuestions
from referee.log import SettleStep, SlotKey, Stage, Unseal
from referee.rulesets import Ruleset
from referee.service.appending import Appending, fill_receipt, run, run_each
from referee.service.attesting import Attestor
from referee.service.batching import answer_each, check_batch
from referee.service.game_service import GameService
from referee.service.memo import MEMO_BYTES
from referee.service.reading import RoundReader, faults_at, require_sections
from referee.service.verifying import RoundVerifier, check_unexpired
from referee.storage import Append, Reader, Writer
from referee.transcript.inputs import MEDIA_TYPE
from referee.transcript.round import Round
from referee.verdict import Violation
from referee.wire.refusal import invalid_field
from referee.wire.values import write_violations


@dataclass(frozen=True, slots=True, kw_only=True)
class SettlementJudge:
    """Judge of settlements at the referee's clock, which signs their transcripts and appends them."""

    signer: Signer
    writer: Writer
    reader: Reader
    clock: Callable[[], int]
    on_settled: Callable[[], None]
    on_returns: Callable[[Ruleset, Sequence[int]], None]

    def judge(self, played: Round) -> Append | tuple[Violation, ...]:
        """Return the signed settlement of a round to append, or the violations that keep it from being settled now.

        Refuse a round whose deadline passed before it was settled, and a round with a section that is not open.
        """
        header, now = played.header, self.clock()
        if is_past(header.round_deadline, time=now) and not self._is_settled(header):
            check_unexpired(header, now=now, field="round")
        closed = played.closing_time(now)
        violations = faults_at(played, closed)
        if violations and self._is_settled(header):
            closed = header.round_deadline  # the clock was set back after the settlement; judge as at a later time
            violations = faults_at(played, closed)
        if violations:
            return violations
        require_sections(played)
        payload, request_digest = played.transcript(closed)
        links = played.course.links
        step = SettleStep(
            SlotKey(header.table_id, header.round_number),
            round_id=header.round_id,
            deck_root=played.deck_root,
            unseals=tuple([Unseal(opening.number, links[opening.number - 1].history) for opening in played.openings]),
            winner=_winner_record(played),
        )
        leaf = Envelope.signed(MEDIA_TYPE, payload, self.signer).to_bytes()
        return Append(leaf=leaf, step=step, request_digest=request_digest, time=closed)

    def count(self, played: Round) -> None:
        """Report to the metrics what the side bets of a newly settled round returned; do nothing without side bets."""
        questions = played.game.questions
        if isinstance(questions, HouseQuestions) and (returns := questions.side_returns(played.state, played.outcome)):
            self.on_returns(played.ruleset, returns)

    def _is_settled(self, header: Header) -> bool:
        state = self.reader.round(SlotKey(header.table_id, header.round_number))
        return state is not None and state.stage is Stage.SETTLED


@dataclass(frozen=True, kw_only=True)
class RefereeParts:
    """Shared parts of the servicers of all games."""

    verifier: RoundVerifier
    attestor: Attestor
    settlements: SettlementJudge
    memo_bytes: int = MEMO_BYTES


class RoundService:
    """Servicer of a game with the methods of all games; a subclass adds the game's own methods.

    Nothing is remembered that could change an answer, so a frontend can get receipts for two contradicting courses of
    events of one round. The log stops that once cards have been opened for one of the courses.
    """

    def __init__(self, service: GameService, parts: RefereeParts) -> None:
        self._service = service
        self._verifier = parts.verifier
        self._attestor = parts.attestor
        self._settlements = parts.settlements
        self._texts = service.texts
        self._reader = RoundReader(
            service,
            verifier=parts.verifier,
            prover=parts.attestor,
            memo_bytes=parts.memo_bytes,
        )
        self._messages = service.messages

    def AcceptEvent(self, request: Any, context: grpc.ServicerContext) -> Any:
        """Judge a round's next event at the referee's clock; answer its receipt, or the violations that refuse it."""
        del context
        response = self._messages.responses["AcceptEvent"]()
        self._accept(request, response)
        return response

    def AcceptEvents(self, request: Any, context: grpc.ServicerContext) -> Any:
        """Judge the next events of many rounds, each independently. Return the response encoded, as SettleRounds."""
        del context
        parts = self._parts_of("AcceptEvents", request)
        pairs = [(one, part.responses[0]) for one, part in zip(request.requests, parts, strict=True)]
        return _joined(parts, answer_each(pairs, lambda pair: self._accept(*pair), refused=lambda status: status))

    def _accept(self, request: Any, response: Any) -> None:
        """Judge the event of a request; fill the response with its receipt, or with the violations that refuse it."""
        for name in ("time", "received"):
            if getattr(request.event, name):
                raise invalid_field(
                    f"the referee's clock decides; leave {name} out, the answer's event has it", field=f"event.{name}"
                )
        event = type(request.event).FromString(request.event.SerializeToString())
        violations, played, is_accepted = self._reader.accept(
            request.round, event, request.signature, attestor=self._attestor, clock=self._settlements.clock
        )
        response.violations.extend(write_violations(violations, self._texts, played.ruleset))
        self._fill_state(response, played)
        if not is_accepted:
            _fill_refused_event(response, played.refused_event)
            return
        response.event.CopyFrom(event)
        response.receipt = played.receipt
        response.event_number = played.course.number
        receipt = played.due_receipt
        if receipt is not None and isinstance(receipt.opens_section, int):
            response.opens_section = receipt.opens_section

    def PreviewRound(self, request: Any, context: grpc.ServicerContext) -> Any:
        """Return the state of a round, and its outcome if no event and no card can change it any more."""
        del context
        played = self._reader.read(request.round)
        response = self._messages.responses["PreviewRound"]()
        if played.violations:
            response.violations.extend(write_violations(played.violations, self._texts, played.ruleset))
            _fill_refused_event(response, played.refused_event)
            return response
        self._fill_state(response, played)
        self._fill_preview(response, played)
        return response

    def SettleRound(self, request: Any, context: grpc.ServicerContext) -> Any:
        """Settle a round and answer once the settlement is durable; or answer the violations that prevent it."""
        del context
        response = self._messages.responses["SettleRound"]()
        run(self._settlements.writer, self._settle(request, response))
        return response

    def SettleRounds(self, request: Any, context: grpc.ServicerContext) -> Any:
        """Settle many rounds, each independently; all are judged before the first is appended.

        Return the response encoded: encoding and joining its rounds is cheaper than making one large message of them.
        """
        del context
        parts = self._parts_of("SettleRounds", request)
        works = [self._settle(one, part.responses[0]) for one, part in zip(request.requests, parts, strict=True)]
        return _joined(parts, run_each(self._settlements.writer, works, refused=lambda status: status))

    def _settle(self, request: Any, answer: Any) -> Appending[Status | None]:
        """Settle the round of a request, whose deadline may have passed.

        Fill the answer with the outcome and the log receipt, or with the violations that prevent a settlement now.
        """
        played = self._reader.read(request.round, may_have_ended=True)
        judged = self._settlements.judge(played)
        if not isinstance(judged, Append):
            _fill_refused_event(answer, played.refused_event)
            answer.violations.extend(write_violations(judged, self._texts, played.ruleset))
            return None
        answer.outcome.MergeFromString(self._write_outcome(played))  # before the append: a thread that waited is slower
        logged = yield judged
        self._settlements.on_settled()
        fill_receipt(answer.log_receipt, logged)
        if not logged.is_repeat:
            self._settlements.count(played)
        return None

    def _parts_of(self, method: str, request: Any) -> list[Any]:
        """Return the response to each request of a batch, with its one answer still empty; refuse a batch too large."""
        check_batch(request.requests)
        parts = [self._messages.responses[method]() for _ in request.requests]
        for part in parts:
            part.responses.add()
        return parts

    def _fill_preview(self, response: Any, played: Round) -> None:
        """Fill in the preview of a lawful round: its outcome if it is over and all its cards are open, else nothing.

        A game may override this.
        """
        if played.state.is_over and played.is_open:
            response.outcome.MergeFromString(self._write_outcome(played))

    def _write_outcome(self, played: Round) -> bytes:
        """Return the encoded outcome message of a round; refuse a round with a section that is not open."""
        require_sections(played)
        return self._messages.write_outcome(played.outcome, played.state, played.ruleset)

    def _fill_state(self, response: Any, played: Round) -> None:
        if self._messages.write_state is not None:
            response.state.CopyFrom(self._messages.write_state(played.state, played.ruleset))


def _joined(parts: Sequence[Any], refusals: Sequence[Status | None]) -> bytes:
    """Return the encoded response to a batch; a request with a status is refused, whatever its answer has by then."""
    for part, refused in zip(parts, refusals, strict=True):
        if refused is not None:
            part.responses[0].Clear()
            part.responses[0].refused.CopyFrom(refused)
    return b"".join([part.SerializeToString() for part in parts])


def _fill_refused_event(response: Any, number: int | None) -> None:
    """Fill in the number of the unlawful event; leave it absent if ``number`` is None."""
    if number is not None:
        response.refused_event_number = number


def _winner_record(played: Round) -> bytes:
    """Return the record of a round's winner, by which the next round finds its leader.

    It is empty in a game without a leader, and for a round without a winner.
    """
    winners = played.outcome.winners if played.game.lead is not None else ()
    if not winners:
        return b""
    header = played.header
    return encode_winner(Winner(header.ruleset_digest, header.currency, header.stake, header.seat_keys, winners[0]))
