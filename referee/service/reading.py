"""The round that a request carries, with its events applied, and a memo of rounds between requests.

Every request carries its whole round, usually the one before with one event more. So rounds are remembered with the
bytes of their events, and reading continues from the longest beginning that is remembered. Bytes are compared, not only
hashed: the memo saves work and changes no answer.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, NamedTuple

import msgspec

from referee.dealing.header import Header, HeaderJson
from referee.evidence.encoding import u64
from referee.games import Deal, DealError, Sections, StakesError, UnlawfulEventError, refusals
from referee.log.slot import LAST_TIME
from referee.rulesets import Ruleset
from referee.service.attesting import Attestor, Chain, ReportedEvent, first_chain
from referee.service.leading import NO_LEAD, Lead, LeaderFinder
from referee.service.served import ServedGame
from referee.service.verifying import MEMO_BYTES, Memo, RoundVerifier, VerifiedRound
from referee.transcript.inputs import Inputs, fitted
from referee.transcript.replay import encode_results
from referee.v1.error_reason_pb2 import ErrorReason
from referee.verdict import Violation
from referee.wire.refusal import RefusedError
from referee.wire.round import stakes_refusal

_MEMO_SIZE: Final = 4096
_ROUND_BYTES: Final = 8 * 1024
_EVENT_BYTES: Final = 512
"""Memory of a read round, and of each event, beside the bytes of its events, on the safe side."""


class RoundKey(NamedTuple):
    """Key of a round without its events: its deal, the open sections and what was sent to prove the leader."""

    deal: bytes
    is_sealed: bool
    open_sections: frozenset[int]
    lead: tuple[bytes, ...]


class PlayedRound(NamedTuple):
    """A round played up to its first unlawful event; ``refused_event`` is that one's number, 0 for none."""

    state: Any
    violations: tuple[Violation, ...]
    refused_event: int


@dataclass(kw_only=True, eq=False)
class ReadRound:
    """A round as read from a request, its events applied up to the first unlawful one.

    ``events`` are the bytes of all event messages, ``violations`` what is wrong with the first unlawful one.
    """

    served: ServedGame
    verified: VerifiedRound
    key: RoundKey
    lead: Lead
    events: tuple[bytes, ...]
    state: Any
    chain: Chain
    violations: tuple[Violation, ...] = ()
    refused_event: int = 0

    @property
    def is_open(self) -> bool:
        """Whether all cards that a settlement needs are open."""
        return len(self.verified.sections) >= len(self.served.game.layout(self.verified.header.seat_count).shown)

    @cached_property
    def outcome(self) -> Any:
        """Settlement of the round, which must be over; raises RefusedError if no certificate opens a needed section."""
        self.verified.require(self.served.game.layout(self.verified.header.seat_count).shown, field="round")
        return self.served.game.settle(self.state)

    @cached_property
    def results(self) -> msgspec.Raw:
        """Results of the round, as its transcript has them."""
        results = self.served.game.encode_results(self.state, self.outcome)
        return encode_results({**results, "events_hash": self.chain.last_hash.hex()})

    @cached_property
    def outcome_bytes(self) -> bytes:
        """Outcome of the round, as the encoded message of its game."""
        return self.served.write_outcome(self.outcome, self.state, self.verified.ruleset)

    def faults_at(self, time: int) -> tuple[Violation, ...]:
        """Return why the round cannot be settled at a time; empty if it can."""
        return self.violations or self.served.game.check_closing(self.state, time)

    def inputs(self, closed_time: int) -> Inputs:
        """Return the inputs of the round's transcript if it is settled at ``closed_time``."""
        verified = self.verified
        return Inputs(
            header=HeaderJson.of(verified.header),
            deck_root=verified.deck_root.hex(),
            dealt_time=verified.dealt_time,
            closed_time=closed_time,
            sections=tuple([tuple([card.number for card in section]) for section in self.state.deal.sections]),
            events=fitted(self.chain.events),
            leader=msgspec.UNSET if self.lead.leader is None else self.lead.leader,
            previous_winner_seat=msgspec.UNSET if self.lead.winner_seat is None else self.lead.winner_seat,
            sealed=1 if verified.is_sealed else msgspec.UNSET,
        )


class RoundReader:
    """Reads rounds of one game and remembers the newest ones."""

    def __init__(
        self,
        served: ServedGame,
        *,
        verifier: RoundVerifier,
        attestor: Attestor,
        leaders: LeaderFinder,
        memo_bytes: int = MEMO_BYTES,
    ) -> None:
        self._served = served
        self._verifier = verifier
        self._attestor = attestor
        self._leaders = leaders
        self._memo: Memo[tuple[RoundKey, bytes], ReadRound] = Memo(_MEMO_SIZE, max_bytes=memo_bytes)

    def read(self, message: Any, *, may_have_ended: bool = False) -> ReadRound:
        """Verify the round of a request, in its field ``round``, and apply its events."""
        verify = self._verifier.verify_ended if may_have_ended else self._verifier.verify
        verified = verify(message.header, message.certificates, field="round")
        self._served.rules_of(verified.ruleset, field="round.header.ruleset_id")
        self._check_count(message.events)
        key = self._key(verified, message)
        events = tuple([event.SerializeToString(deterministic=True) for event in message.events])
        known = self._find(key, events)
        read = known or self._begin(verified, key, message)
        if len(read.events) < len(events):
            read = self._apply_events(read, message.events, events)
        if read is not known:
            self._remember(read)
        return read

    def accept(
        self,
        read: ReadRound,
        message: Any,
        *,
        time: int,
    ) -> tuple[tuple[Violation, ...], ReadRound | None]:
        """Check an event that comes next, and apply it with a signed receipt in ``message``.

        Return all violations, and the round after the event; None for the round if a violation refuses the event.
        """
        game, verified = self._served.game, read.verified
        event = self._served.read_event(message, time=time, round_id=verified.header.round_id, field="event")
        if read.violations:
            return read.violations, None
        verified.require(game.needs(read.state, event), field="round")
        violations = game.check(read.state, event)
        if refusals(game, violations):
            return violations, None
        state = game.apply(read.state, event)
        opened = game.opens(read.state, state)
        reported = self._reported(event, message, opens_section=opened[-1] if opened else None)
        message.time = time
        message.receipt, chain = self._attestor.accept(verified, read.chain, reported, field="event")
        events = (*read.events, message.SerializeToString(deterministic=True))
        after = self._after(read, events=events, state=state, chain=chain)
        self._remember(after)
        return violations, after

    def play(
        self,
        message: Any,
        header: Header,
        ruleset: Ruleset,
        *,
        dealt_time: int = 0,
    ) -> PlayedRound:
        """Apply a round's events without its cards and without verifying receipts and signatures."""
        self._served.rules_of(ruleset, field="round.header.ruleset_id")
        self._check_count(message.events)
        game = self._served.game
        sections = (None,) * len(game.layout(header.seat_count).shown)
        state = self._start(_deal_of(header, ruleset, sections=sections, dealt_time=dealt_time), ruleset)
        for index, one in enumerate(message.events):
            event = self._read_event(one, index, round_id=header.round_id)
            try:
                state = game.apply(state, event)
            except UnlawfulEventError as error:
                return PlayedRound(state, error.violations, index + 1)
        return PlayedRound(state, (), 0)

    def check_signature(self, read: ReadRound, message: Any, event: Any) -> None:
        """Verify the signature of an event that would come next, in the request's field ``event``."""
        self._attestor.check_signature(read.verified, read.chain, self._reported(event, message), field="event")

    def _remember(self, read: ReadRound) -> None:
        """Remember a round, by its deal and last event; it replaces another one that shares both."""
        size = _ROUND_BYTES + _EVENT_BYTES * len(read.events) + sum(map(len, read.events))
        self._memo.put((read.key, read.events[-1] if read.events else b""), read, size=size)

    def _find(self, key: RoundKey, events: Sequence[bytes]) -> ReadRound | None:
        """Return the longest known beginning of these events; None if none is known."""
        for count in range(len(events), -1, -1):
            known = self._memo.get((key, events[count - 1] if count else b""))
            if known is not None and known.events == events[:count]:
                return known
        return None

    def _key(self, verified: VerifiedRound, message: Any) -> RoundKey:
        deal = verified.header.round_id + verified.deck_root + u64(verified.dealt_time)
        lead = self._leaders.key_of(message) if self._served.game.has_leader else ()
        return RoundKey(deal, verified.is_sealed, frozenset(verified.sections), lead)

    def _begin(self, verified: VerifiedRound, key: RoundKey, message: Any) -> ReadRound:
        """Begin a round; refuse one of an open table without the hands that its game needs."""
        game, header = self._served.game, verified.header
        layout = game.layout(header.seat_count)
        if game.needs_hands and not verified.is_sealed:
            verified.require(layout.hands, field="round")
        lead = self._leaders.find(verified, message, game=game.name) if game.has_leader else NO_LEAD
        sections = tuple([verified.sections.get(section) for section in layout.shown])
        deal = _deal_of(
            header,
            verified.ruleset,
            sections=sections,
            dealt_time=verified.dealt_time,
            lead=lead,
            is_sealed=verified.is_sealed,
        )
        return ReadRound(
            served=self._served,
            verified=verified,
            key=key,
            lead=lead,
            events=(),
            state=self._start(deal, verified.ruleset),
            chain=first_chain(verified),
        )

    def _start(self, deal: Deal, ruleset: Ruleset) -> Any:
        try:
            return self._served.game.begin(ruleset.rules, deal)
        except StakesError as error:
            names = self._served.game.seat_stake_names
            raise stakes_refusal(error.violations, self._served.texts, names=names, field="round.header") from None
        except DealError as error:
            raise RefusedError(ErrorReason.ERROR_REASON_INVALID_HEADER, str(error), field="round.header") from None

    def _apply_events(self, known: ReadRound, messages: Sequence[Any], events: tuple[bytes, ...]) -> ReadRound:
        """Apply the events that ``known`` does not have; verify their receipts and signatures."""
        game, verified, state = self._served.game, known.verified, known.state
        violations, refused_event = known.violations, known.refused_event
        reported: list[ReportedEvent] = []
        for index in range(len(known.events), len(events)):
            event = self._read_event(messages[index], index, round_id=verified.header.round_id)
            opening = None
            if not violations:
                verified.require(game.needs(state, event), field="round")
                try:
                    before, state = state, game.apply(state, event)
                except UnlawfulEventError as error:
                    violations, refused_event = error.violations, index + 1
                else:
                    opened = game.opens(before, state)
                    opening = opened[-1] if opened else None
            reported.append(self._reported(event, messages[index], opens_section=opening))
        chain = self._attestor.extend(verified, known.chain, reported, field="round")
        return self._after(
            known, events=events, state=state, chain=chain, violations=violations, refused_event=refused_event
        )

    def _after(self, known: ReadRound, **changes: Any) -> ReadRound:
        return ReadRound(served=known.served, verified=known.verified, key=known.key, lead=known.lead, **changes)

    def _read_event(self, message: Any, index: int, *, round_id: bytes) -> Any:
        field = f"round.events[{index}]"
        if message.time > LAST_TIME:
            raise RefusedError(
                ErrorReason.ERROR_REASON_INVALID_FIELD,
                f"{message.time} is no time in milliseconds since 1970 UTC; the last one is {LAST_TIME}",
                field=f"{field}.time",
                limit=LAST_TIME,
                found=message.time,
            )
        return self._served.read_event(message, time=message.time, round_id=round_id, field=field)

    def _reported(self, event: Any, message: Any, *, opens_section: int | None = None) -> ReportedEvent:
        return ReportedEvent(
            event=self._served.game.encode_event(event),
            time=event.time,
            seat=event.seat,
            receipt=message.receipt,
            signature=message.signature,
            opens_section=opens_section,
            is_imposed=self._served.game.is_imposed(event),
        )

    def _check_count(self, events: Sequence[object]) -> None:
        limit = self._served.game.max_events
        if len(events) > limit:
            raise RefusedError(
                ErrorReason.ERROR_REASON_TOO_MANY_EVENTS,
                f"a round has at most {limit} events",
                field="round.events",
                limit=limit,
                found=len(events),
            )


def _deal_of(  # noqa: PLR0913 - what a round starts from
    header: Header,
    ruleset: Ruleset,
    *,
    sections: Sections,
    dealt_time: int,
    lead: Lead = NO_LEAD,
    is_sealed: bool = False,
) -> Deal:
    return Deal(
        round_id=header.round_id,
        seat_count=header.seat_count,
        stake=header.stake,
        seat_stakes=header.seat_stakes,
        bet_unit=ruleset.bet_unit,
        sections=sections,
        leader=lead.leader,
        dealt_time=dealt_time,
        is_sealed=is_sealed,
    )
