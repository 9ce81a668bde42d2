"""The round that a request carries, with its events applied, and a memo of rounds between requests.

Every request carries its whole round, usually the one before with one event more. So rounds are remembered with the
bytes of their events, and reading continues from the longest beginning that is remembered. Bytes are compared, not only
hashed: the memo saves work and changes no answer.
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Final

import msgspec

from referee.dealing.header import HeaderJson
from referee.games import Deal, DealError, StakesError, UnlawfulEventError, refusals, under_ruleset
from referee.games.codec import with_seen
from referee.log.slot import LAST_TIME
from referee.rulesets import Ruleset
from referee.service.attesting import Attestor, Evidence, evidence_refusal
from referee.service.game_service import GameService
from referee.service.verifying import MEMO_BYTES, Memo, RoundVerifier, VerifiedRound
from referee.transcript.chain import Course
from referee.transcript.inputs import InputEvent, Inputs
from referee.transcript.played import EvidenceError, EvidenceFault, Opening, PlayedCourse, Playing
from referee.transcript.replay import encode_results, unsealed_of
from referee.v1.error_reason_pb2 import ErrorReason
from referee.verdict import Violation
from referee.wire.refusal import RefusedError
from referee.wire.round import stakes_refusal

_ROUND_BYTES: Final = 8 * 1024
_EVENT_BYTES: Final = 1024
"""Memory of a read round, and of each event, beside the bytes of its events, on the safe side."""
_CLOCK_SLACK: Final = 2_000
"""How far the referee's clock may be behind the last time of a round, in milliseconds, where that can be trusted."""


@dataclass(kw_only=True, eq=False)
class ReadRound:
    """A round as read from a request, its events played up to the first unlawful one.

    ``events`` are the bytes of all event messages, ``violations`` what is wrong with the first unlawful one. Where
    there is one, ``evidence`` is not verified.
    """

    service: GameService
    verified: VerifiedRound
    events: tuple[bytes, ...]
    played: PlayedCourse
    evidence: Evidence
    violations: tuple[Violation, ...] = ()
    refused_event: int | None = None

    @property
    def state(self) -> Any:
        """State of the round after its lawful events."""
        return self.played.state

    @property
    def is_open(self) -> bool:
        """Whether all cards that a settlement needs are open."""
        return len(self.verified.sections) >= len(self.service.game.layout(self.verified.header.seat_count).shown)

    @cached_property
    def outcome(self) -> Any:
        """Settlement of the round, which must be over; raises RefusedError if no certificate opens a needed section."""
        self.verified.require(self.service.game.layout(self.verified.header.seat_count).shown, field="round")
        with _under(self.verified):
            return self.service.game.settle(self.state)

    @cached_property
    def results(self) -> msgspec.Raw:
        """Results of the round, as its transcript has them."""
        with _under(self.verified):
            results = self.service.game.encode_results(self.state, self.outcome)
        return encode_results({**results, "events_hash": self.played.course.event_hash.hex()})

    @cached_property
    def outcome_bytes(self) -> bytes:
        """Outcome of the round, as the encoded message of its game."""
        return self.service.write_outcome(self.outcome, self.state, self.verified.ruleset)

    def require_open(self) -> None:
        """Refuse a round whose last event opened sections that no certificate says were opened, with their time."""
        opened = self.played.opened
        if opened is not None:
            section = opened.sections[-1]
            raise RefusedError(
                ErrorReason.ERROR_REASON_SECTION_MISSING,
                f"event {opened.number} opened section {section}; send the certificate that "
                "ShufflerService.OpenSection answers",
                field="round.certificates",
                section=section,
            )

    def next_time(self, now: int) -> int:
        """Return the time of an event that the referee receives now; refuse a clock behind the round's last time.

        A time that was only reported never counts, and others by two seconds at most.
        """
        time = self.closing_time(now)
        floor = self.state.last_time
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

    def closing_time(self, now: int) -> int:
        """Return the time at which the round is settled now: its last time where the clock is behind that.

        A time that was only reported never counts.
        """
        links, floor = self.played.course.links, self.state.last_time
        is_reported = bool(links) and not links[-1].received and links[-1].time > self.verified.dealt_time
        return now if is_reported else max(now, floor)

    def faults_at(self, time: int) -> tuple[Violation, ...]:
        """Return why the round cannot be settled at a time; empty if it can. Refuse one that waits for an opening."""
        if self.violations:
            return self.violations
        self.require_open()
        with _under(self.verified):
            return self.service.game.check_closing(self.state, time)

    def inputs(self, closed_time: int) -> Inputs:
        """Return the inputs of the round's transcript if it is settled at ``closed_time``."""
        verified, played, receipt = self.verified, self.played, self.evidence.attested
        return Inputs(
            header=HeaderJson.of(verified.header),
            deck_root=verified.deck_root.hex(),
            dealt_time=verified.dealt_time,
            closed_time=closed_time,
            sections=tuple([tuple([card.number for card in section]) for section in self.state.deal.sections]),
            events=tuple(
                [
                    InputEvent(msgspec.Raw(link.event), 1 if link.received else 0, link.time)
                    for link in played.course.links
                ]
            ),
            signatures=tuple([signature.hex() for signature in self.evidence.signatures]),
            unsealed=unsealed_of(played),
            receipt=msgspec.UNSET if receipt is None else receipt,
            leader=msgspec.UNSET if verified.lead is None else verified.lead.seat,
            leader_by=msgspec.UNSET if verified.lead is None else verified.lead.by,
            sealed=1 if verified.is_sealed else msgspec.UNSET,
        )


class RoundReader:
    """Reads rounds of one game and remembers the newest ones."""

    def __init__(
        self,
        service: GameService,
        *,
        verifier: RoundVerifier,
        attestor: Attestor,
        memo_bytes: int = MEMO_BYTES,
    ) -> None:
        self._service = service
        self._verifier = verifier
        self._attestor = attestor
        self._memo: Memo[tuple[VerifiedRound, bytes], ReadRound] = Memo(max_bytes=memo_bytes)

    def read(self, message: Any, *, may_have_ended: bool = False) -> ReadRound:
        """Verify the round of a request, in its field ``round``, and play its events."""
        verify = self._verifier.verify_ended if may_have_ended else self._verifier.verify
        verified = verify(message.header, message.certificates, field="round")
        self._service.rules_of(verified.ruleset, field="round.header.ruleset_id")
        with _under(verified):
            return self._read(message, verified)

    def _read(self, message: Any, verified: VerifiedRound) -> ReadRound:
        self._check_count(message.events)
        messages = message.events[:]  # a list: repeated fields are slow to step through
        events = tuple([event.SerializeToString() for event in messages])
        found = self._find(verified, events)
        known = found or self._begin(verified)
        read = self._play(known, messages, events) if len(known.events) < len(events) else known
        if read.violations or (read is found and self._is_proved(read, message)):
            return read
        evidence = self._attestor.verify(read.played, message.receipt, message.signatures, field="round")
        read = self._after(read, events=events, played=read.played, evidence=evidence)
        self._remember(read)
        return read

    def next_event(self, read: ReadRound, message: Any, *, time: int) -> Any:
        """Read the event that a request asks about as the next one; refuse it where the one before opened sections."""
        event = self._read_event(message, time=time, round_id=read.verified.header.round_id, field="event")
        if not read.violations:
            read.require_open()
        return event

    def accept(
        self, read: ReadRound, message: Any, signature: bytes, *, now: int
    ) -> tuple[tuple[Violation, ...], ReadRound | None]:
        """Check an event that comes next, which the seat has signed, and play it; fill in its time in ``message``.

        Return all violations, and the round after the event, with its receipt; None for the round if a violation
        refuses the event.
        """
        with _under(read.verified):
            return self._accept(read, message, signature, now=now)

    def _accept(
        self, read: ReadRound, message: Any, signature: bytes, *, now: int
    ) -> tuple[tuple[Violation, ...], ReadRound | None]:
        game, verified = self._service.game, read.verified
        message.received = True
        message.time = now if read.violations else read.next_time(now)
        event = self.next_event(read, message, time=message.time)
        if read.violations:
            return read.violations, None
        verified.require(game.later.needs(read.state, event), field="round")
        violations = game.check(read.state, event)
        if refusals(game, violations):
            return violations, None
        playing = Playing(read.played)
        try:
            playing.play(event, received=True)
            if playing.opened is not None:
                _unseal(playing, playing.opened, verified)
        except EvidenceError as error:
            raise evidence_refusal(error, field="event") from None
        played = playing.played()
        has_chain = event.seen is not None
        evidence = self._attestor.accept(played, read.evidence, signature, seat=event.seat, has_chain=has_chain)
        events = (*read.events, message.SerializeToString())
        after = self._after(read, events=events, played=played, evidence=evidence)
        self._remember(after)
        return violations, after

    def _remember(self, read: ReadRound) -> None:
        """Remember a round, by its deal and last event; it replaces another one that shares both."""
        size = _ROUND_BYTES + _EVENT_BYTES * len(read.events) + sum(map(len, read.events))
        self._memo.put((read.verified, read.events[-1] if read.events else b""), read, size=size)

    def _find(self, verified: VerifiedRound, events: Sequence[bytes]) -> ReadRound | None:
        """Return the longest known beginning of these events; None if none is known.

        The verifier remembers what it verified, so one round is one object, which is compared by identity.
        """
        for count in range(len(events), -1, -1):
            known = self._memo.get((verified, events[count - 1] if count else b""))
            if known is not None and known.events == events[:count]:
                return known
        return None

    def _begin(self, verified: VerifiedRound) -> ReadRound:
        """Begin a round; refuse one of an open table without the hands that its game needs."""
        game, header, lead = self._service.game, verified.header, verified.lead
        layout = game.layout(header.seat_count)
        if layout.needs_hands and not verified.is_sealed:
            verified.require(layout.hands, field="round")
        sections = tuple([verified.sections.get(section) for section in layout.shown])
        deal = Deal(
            round_id=header.round_id,
            seat_count=header.seat_count,
            stake=header.stake,
            seat_stakes=header.seat_stakes,
            bet_unit=verified.ruleset.bet_unit,
            sections=sections,
            leader=None if lead is None else lead.seat,
            leader_by=None if lead is None else lead.by,
            dealt_time=verified.dealt_time,
            is_sealed=verified.is_sealed,
        )
        return ReadRound(
            service=self._service,
            verified=verified,
            events=(),
            played=PlayedCourse(
                game=game,
                seat_keys=header.seat_keys,
                state=self._start(deal, verified.ruleset),
                course=Course.begin(round_id=header.round_id, deck_root=verified.deck_root),
            ),
            evidence=Evidence(b"", (b"",) * header.seat_count),
        )

    def _start(self, deal: Deal, ruleset: Ruleset) -> Any:
        try:
            return self._service.game.begin(ruleset.rules, deal)
        except StakesError as error:
            names = self._service.game.seat_stake_names
            raise stakes_refusal(error.violations, self._service.texts, names=names, field="round.header") from None
        except DealError as error:
            raise RefusedError(ErrorReason.ERROR_REASON_INVALID_HEADER, str(error), field="round.header") from None

    def _play(self, known: ReadRound, messages: Sequence[Any], events: tuple[bytes, ...]) -> ReadRound:
        """Play the events that ``known`` does not have, up to the first unlawful one; refuse one that is not proved."""
        game, verified, playing = self._service.game, known.verified, Playing(known.played)
        violations, refused_event = known.violations, known.refused_event
        start, round_id = len(known.events), verified.header.round_id
        for index, message in enumerate(messages[start:], start):
            time = message.time
            if time > LAST_TIME:
                raise _time_refusal(time, field=f"round.events[{index}].time")
            event = self._read_event(message, time=time, round_id=round_id, field=_field_of(index))
            if violations:
                continue
            if needed := game.later.needs(playing.state, event):
                verified.require(needed, field="round")
            try:
                playing.play(event, received=message.received)
                if playing.opened is not None:
                    _unseal(playing, playing.opened, verified)
            except UnlawfulEventError as error:
                violations, refused_event = error.violations, index + 1
            except EvidenceError as error:
                is_closed = error.fault is EvidenceFault.NOT_UNSEALED
                field = "round.certificates" if is_closed else _field_of(error.number - 1)
                raise evidence_refusal(error, field=field) from None
        return self._after(
            known,
            events=events,
            played=playing.played(),
            evidence=known.evidence,
            violations=violations,
            refused_event=refused_event,
        )

    def _is_proved(self, read: ReadRound, message: Any) -> bool:
        """Return whether a request has the very evidence that was verified for this round."""
        known = read.evidence
        signatures = tuple(message.signatures) or (b"",) * len(known.signatures)
        return (message.receipt, signatures) == (known.receipt, known.signatures)

    def _after(self, known: ReadRound, **changes: Any) -> ReadRound:
        return ReadRound(service=known.service, verified=known.verified, **changes)

    def _read_event(self, message: Any, *, time: int, round_id: bytes, field: str) -> Any:
        event = self._service.read_event(message, time=time, round_id=round_id, field=field)
        return with_seen(event, message.seen) if message.HasField("seen") else event

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


@cache
def _field_of(index: int) -> str:
    """Return the path of an event in a request; no round has more events than its game allows."""
    return f"round.events[{index}]"


def _under(verified: VerifiedRound) -> AbstractContextManager[None]:
    """Name the round's ruleset in a defect of the law that the block meets."""
    return under_ruleset(verified.ruleset.id, verified.ruleset.version)


def _unseal(playing: Playing, opened: Opening, verified: VerifiedRound) -> None:
    """Open what the last event opened, where a certificate says when that was."""
    time = verified.unsealed_times.get(opened.sections[-1])
    if time is not None:
        playing.unseal(time)


def _time_refusal(time: int, *, field: str) -> RefusedError:
    return RefusedError(
        ErrorReason.ERROR_REASON_INVALID_FIELD,
        f"{time} is no time in milliseconds since 1970 UTC; the last one is {LAST_TIME}",
        field=field,
        limit=LAST_TIME,
        found=time,
    )
