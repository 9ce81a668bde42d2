"""The round that a request carries, with its events applied, and memos of rounds between requests.

Every request carries its whole round; usually that is the previous request's round with one event more. So rounds are
remembered with the bytes of their events, and reading continues from the longest remembered beginning of the events.
Bytes are compared, not only hashed.

A request may name its round message instead. The name holds all that the message says, so it is answered as the whole
message is, regardless of who sent that before. A name that is not remembered is refused.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final, NamedTuple, Self, TypeAlias

from referee.games import DealError, StakesError, refusals, under_ruleset
from referee.log.slot import LAST_TIME
from referee.rulesets import Ruleset
from referee.service.attesting import Attestor, ProofVerifier, evidence_refusal
from referee.service.game_service import GameService
from referee.service.memo import MEMO_BYTES, Memo
from referee.service.verifying import RoundVerifier, require
from referee.transcript.chain import content_hash
from referee.transcript.proof import EvidenceError, EvidenceFault
from referee.transcript.round import PlayedEvent, Round
from referee.v1.error_reason_pb2 import ErrorReason
from referee.verdict import Violation
from referee.wire.refusal import RefusedError, invalid_field, invalid_header, missing_field
from referee.wire.round import stakes_refusal

_ROUND_BYTES: Final = 8 * 1024
_EVENT_BYTES: Final = 1024
"""Bytes of memory that a read round, and each of its events, take besides the events' bytes; upper estimates."""
_CLOCK_SLACK: Final = 2_000
"""Milliseconds that the referee's clock may be behind a round's last time, if that time is not only reported."""


def unknown_round(*, field: str) -> RefusedError:
    """Return the refusal of a round message that is named by its course and not remembered."""
    return RefusedError(
        ErrorReason.ERROR_REASON_ROUND_UNKNOWN,
        "this server does not remember a round message with this name; send the whole round",
        field=field,
    )


def require_open(played: Round) -> None:
    """Refuse a round whose last event opened sections, unless a certificate states the time at which they opened."""
    if played.is_pending:
        opening = played.openings[-1]
        section = opening.sections[-1]
        raise RefusedError(
            ErrorReason.ERROR_REASON_SECTION_MISSING,
            f"event {opening.number} opened section {section}; send the certificate that "
            "ShufflerService.OpenSection answers",
            field="round.certificates",
            section=section,
        )


def require_sections(played: Round) -> None:
    """Refuse a round unless every section that its settlement needs is open."""
    require(played, range(len(played.deal.sections)), field="round")


def accepting_time(played: Round, now: int) -> int:
    """Return the time of an event that the referee receives now, ``now`` being the referee's clock, in ms.

    It is the round's last time if the clock is at most two seconds behind that; but a clock that is behind a time that
    was only reported is refused, as is one further behind.
    """
    time, floor = played.closing_time(now), played.state.last_time
    if time < floor or floor - now > _CLOCK_SLACK:
        raise RefusedError(
            ErrorReason.ERROR_REASON_CLOCK_BEHIND,
            f"the referee's clock is at {now} and the round at {floor}; ask again once the clock is there",
            field="round.events",
            retry_seconds=(floor - now) / 1000,
            now=now,
            expected=floor,
        )
    return time


def faults_at(played: Round, time: int) -> tuple[Violation, ...]:
    """Return the violations that keep a round from being settled at a time; empty if it can be settled.

    Refuse a round whose last event opened sections for which no certificate is there yet.
    """
    if played.violations:
        return played.violations
    require_open(played)
    with _under(played.ruleset):
        return played.game.check_closing(played.state, time)


_Key: TypeAlias = tuple[Round, tuple[bytes, ...]]
"""A round before its first event, and the bytes of the event messages that were read since."""
_Name: TypeAlias = tuple[str, int, bytes, bytes]
"""The name of a round message: its table, round number, r_n and content."""


class _ReadRound(NamedTuple):
    """A round with its proof, and the message that it was read from: its key, certificates and name."""

    played: Round
    key: _Key
    certificates: tuple[bytes, ...]
    name: _Name

    @classmethod
    def of(cls, played: Round, key: _Key, certificates: tuple[bytes, ...]) -> Self:
        """Return the entry of a round whose receipt and signatures are verified."""
        header, history = played.header, played.course.history
        content = content_hash(certificates, receipt=played.receipt, signatures=played.signatures)
        return cls(played, key, certificates, (header.table_id, header.round_number, history, content))


class RoundReader:
    """Reader of the rounds of one game in requests; it remembers the newest rounds."""

    def __init__(
        self,
        service: GameService,
        *,
        verifier: RoundVerifier,
        prover: ProofVerifier,
        memo_bytes: int = MEMO_BYTES,
    ) -> None:
        self._service = service
        self._verifier = verifier
        self._prover = prover
        self._plays: Memo[_Key, _ReadRound] = Memo(max_bytes=memo_bytes)
        self._named: Memo[_Name, _ReadRound] = Memo(max_bytes=memo_bytes)

    def read(self, message: Any, *, may_have_ended: bool = False) -> Round:
        """Verify the round message of a request and play its events; return the round after the last lawful event.

        A message that ``course`` names is taken from the memo. Refuse a round that is past its deadline unless
        ``may_have_ended``.
        """
        if message.HasField("course"):
            return self._recall(message, may_have_ended=may_have_ended).played
        return self._read(message, may_have_ended=may_have_ended)[1]

    def read_next(self, played: Round, message: Any, *, time: int) -> Any:
        """Read the event that a request proposes as the next one of a round, without playing it.

        Refuse it while the certificate of the sections that the last event opened is missing.
        """
        event = self._service.messages.read(message, time=time, round_id=played.header.round_id, field="event")
        if not played.violations:
            require_open(played)
        return event

    def accept(
        self, message: Any, event_message: Any, signature: bytes, *, attestor: Attestor, clock: Callable[[], int]
    ) -> tuple[tuple[Violation, ...], Round, bool]:
        """Read a round and play the event of ``event_message`` as its next one.

        Return its violations, the round, and whether the event was accepted. The returned round is the one after the
        event, with the receipt that ``attestor`` signs, or the round before it if a violation refuses the event.
        ``signature`` is the seat's; it is verified. The event's time is written into ``event_message``.
        """
        if message.HasField("course"):
            read = self._recall(message)
            played, (dealt, messages), certificates = read.played, read.key, read.certificates
        else:
            (dealt, messages), played = self._read(message)
            certificates = tuple(message.certificates)
        with _under(played.ruleset):
            violations, after = self._accept(played, event_message, signature, attestor=attestor, now=clock())
        is_accepted = after is not played
        if is_accepted:
            key = dealt, (*messages, event_message.SerializeToString())
            self._remember(_ReadRound.of(after, key, certificates))
        return violations, after, is_accepted

    def _accept(
        self, played: Round, message: Any, signature: bytes, *, attestor: Attestor, now: int
    ) -> tuple[tuple[Violation, ...], Round]:
        game = self._service.game
        message.received = True
        message.time = now if played.violations else accepting_time(played, now)
        event = self.read_next(played, message, time=message.time)
        if played.violations:
            return played.violations, played
        require(played, game.later.needs(played.state, event), field="round")
        violations = game.check(played.state, event)
        if refusals(game, violations):
            return violations, played
        try:
            after = played.play([(event, True)])
        except EvidenceError as error:
            raise evidence_refusal(error, field="event") from None
        return violations, attestor.accept(after, signature, seat=event.seat, has_chain=event.seen is not None)

    def _read(self, message: Any, *, may_have_ended: bool = False) -> tuple[_Key, Round]:
        """Read a whole round message; return its key, and the round with its proof unless an event is unlawful."""
        verify = self._verifier.verify_ended if may_have_ended else self._verifier.verify
        dealt = verify(message.header, message.certificates, field="round")
        if dealt.ruleset.game != self._service.game.name:
            self._service.rules_of(dealt.ruleset, field="round.header.ruleset_id")
        self._check_count(message.events)
        messages = message.events[:]  # a list, because a repeated field is slow to iterate over
        key = dealt, tuple([event.SerializeToString() for event in messages])
        read = self._find(key)
        if read is not None and len(read.key[1]) == len(messages) and _is_proved(read.played, message):
            if self._named.get(read.name) is None:
                self._remember(read)
            return key, read.played
        before = None if read is None else read.played
        with _under(dealt.ruleset):
            if before is None:
                self._check_deal(dealt)
            played = self._play(before or dealt, messages)
            if played.violations:
                return key, played
            played = self._prover.verify(played, message.receipt, message.signatures, field="round")
        self._remember(_ReadRound.of(played, key, tuple(message.certificates)))
        return key, played

    def _recall(self, message: Any, *, may_have_ended: bool = False) -> _ReadRound:
        """Return the remembered round message that a request's ``course`` names.

        Refuse a name that no remembered message has, a request with more fields than ``course``, and a round past its
        deadline unless ``may_have_ended``. The caller's access to the table in the name is already checked.
        """
        if len(message.ListFields()) > 1:
            raise invalid_field(
                "a course replaces the whole round; leave out either the course or all other fields",
                field="round.course",
            )
        course = message.course
        if not course.content:
            raise missing_field(
                "name the round by its content too, the hash of its certificates, receipt and signatures: update the "
                "client library, or send the whole round",
                field="round.course.content",
            )
        read = self._named.get((course.round.table_id, course.round.round_number, course.history, course.content))
        if read is None:
            raise unknown_round(field="round.course")
        if not may_have_ended:
            self._verifier.check_unexpired(read.played, field="round")
        return read

    def _remember(self, read: _ReadRound) -> None:
        """Remember a round by its deal and events, and by the name of its message.

        Both memos hold the same objects, and each counts all their bytes.
        """
        _, messages = read.key
        size = _ROUND_BYTES + _EVENT_BYTES * len(messages) + sum(map(len, messages))
        self._plays.put(read.key, read, size=size)
        self._named.put(read.name, read, size=size)

    def _find(self, key: _Key) -> _ReadRound | None:
        """Return the remembered round that has the most of the key's events from the first on; None if there is none.

        Its proof is that of the newest message with these events, which the request may not have. The round before
        its first event is compared by identity: the verifier's memo returns one object for equal bytes.
        """
        dealt, messages = key
        for count in range(len(messages), -1, -1):
            read = self._plays.get((dealt, messages[:count]))
            if read is not None:
                return read
        return None

    def _check_deal(self, dealt: Round) -> None:
        """Refuse a round that cannot start from its deal, and one whose game needs hands that no certificate shows."""
        game, header = self._service.game, dealt.header
        layout = game.layout(header.seat_count)
        if layout.needs_hands and not dealt.deal.is_sealed:
            require(dealt, layout.hands, field="round")
        try:
            _ = dealt.state  # computed once and kept
        except StakesError as error:
            names = game.seat_stake_names
            raise stakes_refusal(error.violations, self._service.texts, names=names, field="round.header") from None
        except DealError as error:
            raise invalid_header(str(error), field="round.header") from None

    def _play(self, before: Round, messages: Sequence[Any]) -> Round:
        """Play the events that ``before`` does not have yet, up to the first unlawful event; return the round.

        Refuse an event without the evidence that it needs, and any message that is no event.
        """
        start = before.course.number
        if start == len(messages):
            return before

        def require_needed(state: Any, event: Any) -> None:
            if needed := self._service.game.later.needs(state, event):
                require(before, needed, field="round")

        events = self._read_events(messages, start=start, round_id=before.header.round_id)
        try:
            played = before.play(events, before_each=require_needed)
        except EvidenceError as error:
            is_closed = error.fault is EvidenceFault.NOT_UNSEALED
            field = "round.certificates" if is_closed else _field_of(error.number - 1)
            raise evidence_refusal(error, field=field) from None
        for _ in events:  # read the events after an unlawful one too, to refuse messages that are no events
            pass
        return played

    def _read_events(self, messages: Sequence[Any], *, start: int, round_id: bytes) -> Iterator[PlayedEvent]:
        """Yield the events of the messages from index ``start`` on, each with whether the referee has received it.

        Each message is read when it is iterated to.
        """
        for index, message in enumerate(messages[start:], start):
            time = message.time
            if time > LAST_TIME:
                raise _time_refusal(time, field=f"round.events[{index}].time")
            event = self._service.messages.read(message, time=time, round_id=round_id, field=_field_of(index))
            yield event, message.received

    def _check_count(self, events: Sequence[object]) -> None:
        limit = self._service.game.max_events
        if len(events) > limit:
            raise RefusedError(
                ErrorReason.ERROR_REASON_TOO_MANY_EVENTS,
                f"a round has at most {limit} events",
                field="round.events",
                limit=limit,
                found=len(events),
            )


def _field_of(index: int) -> str:
    """Return the path of an event in a request."""
    return f"round.events[{index}]"


def _under(ruleset: Ruleset) -> AbstractContextManager[None]:
    """Return a context manager that adds the ruleset's name to a LawError raised in its block."""
    return under_ruleset(ruleset.id, ruleset.version)


def _is_proved(known: Round, message: Any) -> bool:
    """Return whether a request's receipt and signatures are the bytes that were verified for the remembered round."""
    signatures = tuple(message.signatures) or (b"",) * len(known.signatures)
    return (message.receipt, signatures) == (known.receipt, known.signatures)


def _time_refusal(time: int, *, field: str) -> RefusedError:
    return invalid_field(
        f"{time} is no time in milliseconds since 1970 UTC; the last one is {LAST_TIME}",
        field=field,
        limit=LAST_TIME,
        found=time,
    )
