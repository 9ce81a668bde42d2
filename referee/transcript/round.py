"""A round: its terms, its open sections, and its events, judged by the law of its game and the rules of their proof.

Service, replay and audit use the same value. ``Round.begin`` starts a round, ``play`` appends events and ``transcript``
writes its settlement. A round is never changed: each method returns another value.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, NamedTuple, Self, TypeAlias

import msgspec

from referee.cards import Card
from referee.dealing.header import NO_KEY, Header
from referee.dealing.lead import Lead
from referee.evidence.canonical import encode_record
from referee.evidence.ed25519 import is_signature
from referee.games import GAMES, AnyGame, DealtRound, Event, ResultValue, UnlawfulEventError, under_ruleset
from referee.rulesets import Ruleset
from referee.transcript.chain import Course, EventReceipt
from referee.transcript.inputs import FORMAT, InputEvent, InputReceipt, Inputs, Unsealed
from referee.transcript.proof import EventLevel, EvidenceError, EvidenceFault, check_proof
from referee.verdict import Violation

_LEVELS: Final = tuple(EventLevel)
_RECEIVED: Final = {False: EventLevel.E1, True: EventLevel.E2}
"""The level of a received event, by whether its seat has a key."""

PlayedEvent: TypeAlias = tuple[Event, bool]
"""An event, and whether the referee's clock gave its time."""


class Opening(NamedTuple):
    """Sections that event ``number`` opens, in opening order, and the time of their UNSEAL, None before it."""

    number: int
    sections: tuple[int, ...]
    time: int | None = None


class Round(msgspec.Struct, frozen=True, kw_only=True, dict=True, weakref=True, eq=False):
    """A round after some events.

    ``deal`` has the open sections, ``unsealed_times`` the time at which the shuffler opened each section that opened
    after the deal, as certificates state it. ``course`` has the events, and ``state_after`` is the game's state after
    them, None while it is not computed. ``violations`` are the faults of the first unlawful event, whose number is
    ``refused_event``; that event and all after it are not played. ``receipt`` is the envelope of the newest receipt,
    ``receipt_signature`` the referee's signature in it, ``signatures`` each seat's newest by seat, empty for a seat
    without one; ``prove`` sets these three.
    """

    game: AnyGame
    header: Header
    ruleset: Ruleset
    deck_root: bytes
    deal: DealtRound
    course: Course
    signatures: tuple[bytes, ...]
    unsealed_times: Mapping[int, int]
    state_after: Any = None
    receipt: bytes = b""
    receipt_signature: bytes = b""
    openings: tuple[Opening, ...] = ()
    level: EventLevel = EventLevel.NONE
    violations: tuple[Violation, ...] = ()
    refused_event: int | None = None

    @classmethod
    def begin(  # noqa: PLR0913 - what a DEAL and its certificates say
        cls,
        header: Header,
        ruleset: Ruleset,
        *,
        sections: Sequence[tuple[Card, ...] | None],
        deck_root: bytes,
        dealt_time: int,
        lead: Lead | None,
        is_sealed: bool,
        unsealed_times: Mapping[int, int] = MappingProxyType({}),
    ) -> Self:
        """Return a round before its first event; ``sections`` are hands and board, None for a section that is closed.

        Whether a round can start from this deal, ``state`` says.
        """
        leader, leader_by = lead or (None, None)
        deal = DealtRound(
            round_id=header.round_id,
            seat_count=header.seat_count,
            stake=header.stake,
            seat_stakes=header.seat_stakes,
            bet_unit=ruleset.bet_unit,
            sections=tuple(sections),
            leader=leader,
            leader_by=leader_by,
            dealt_time=dealt_time,
            is_sealed=is_sealed,
        )
        return cls(
            game=GAMES[ruleset.game],
            header=header,
            ruleset=ruleset,
            deck_root=deck_root,
            deal=deal,
            course=Course.begin(round_id=header.round_id, deck_root=deck_root),
            signatures=(b"",) * header.seat_count,
            unsealed_times=unsealed_times,
        )

    @cached_property
    def state(self) -> Any:  # noqa: ANN401 - the game's own state
        """State of the game; raises StakesError or DealError, as the game's law does, if no round can have the deal."""
        return self.game.begin(self.ruleset.rules, self.deal) if self.state_after is None else self.state_after

    @property
    def is_pending(self) -> bool:
        """Whether the last event opened sections that the shuffler has not opened yet."""
        return bool(self.openings) and self.openings[-1].time is None

    @property
    def is_open(self) -> bool:
        """Whether all cards that a settlement needs are open."""
        return None not in self.deal.sections

    @property
    def received(self) -> tuple[int, int | None] | None:
        """Number of the newest received event, and the last section it opens, if any; None if no event was received."""
        number = self.course.received
        opened = [opening.sections[-1] for opening in self.openings if opening.number == number]
        return (number, opened[0] if opened else None) if number else None

    @property
    def due_receipt(self) -> EventReceipt | None:
        """Receipt that the newest received event must have; None if no event was received."""
        if self.received is None:
            return None
        number, section = self.received
        return self.course.receipt(number, opens_section=section)

    @property
    def unsealed(self) -> tuple[Unsealed, ...]:
        """Openings as the inputs of a transcript have them; a pending opening is left out."""
        made = [(opening, opening.time) for opening in self.openings if opening.time is not None]
        return tuple([Unsealed(opening.number, tuple(sorted(opening.sections)), time) for opening, time in made])

    @cached_property
    def outcome(self) -> Any:  # noqa: ANN401 - the game's own outcome
        """Settlement of the round, which must be over and have all its cards open."""
        with under_ruleset(self.ruleset.id, self.ruleset.version):
            return self.game.settle(self.state)

    @cached_property
    def results(self) -> msgspec.Raw:
        """Results of the round, encoded as its transcript has them."""
        with under_ruleset(self.ruleset.id, self.ruleset.version):
            results = self.game.encode_results(self.state, self.outcome)
        return encode_results({**results, "events_hash": self.course.event_hash.hex()})

    def play(
        self,
        events: Iterable[PlayedEvent],
        *,
        unsealed_time: Callable[[int], int | None] | None = None,
        before_each: Callable[[Any, Any], None] | None = None,
        texts: Sequence[bytes] | None = None,
    ) -> "Round":
        """Return the round after more events, up to the first unlawful event; no event after that is read.

        ``unsealed_time`` returns when the shuffler opened the sections of an event, by its number, None if it has not;
        without it ``unsealed_times`` says so. ``before_each`` is called before each event with the state and the event.
        ``texts`` are the canonical bytes of the events, if the caller has them. Raise EvidenceError for an event that
        is not proved.
        """
        game, keys = self.game, self.header.seat_keys
        state, openings, is_pending, levels = self.state, self.openings, self.is_pending, {self.level}
        added: list[PlayedEvent] = []
        violations: tuple[Violation, ...] = ()
        refused_event = None
        are_received = [link.received for link in self.course.links]
        for number, (event, received) in enumerate(events, len(are_received) + 1):
            if before_each is not None:
                before_each(state, event)
            if is_pending:
                detail = f"event {number - 1} opens sections that are not open yet"
                raise EvidenceError(EvidenceFault.NOT_UNSEALED, detail, number=number, seat=event.seat)
            try:
                after = game.apply(state, event)
            except UnlawfulEventError as error:
                violations, refused_event = error.violations, number
                break
            sections, has_key = game.later.opens(state, after), keys[event.seat] != NO_KEY
            check_proof(
                game,
                state,
                event,
                received=received,
                has_key=has_key,
                opens_sections=bool(sections),
                earlier=are_received,
            )
            levels.add(_RECEIVED[has_key] if received else EventLevel.E0)
            added.append((event, received))
            are_received.append(received)
            if sections:
                time = self.unsealed_times.get(sections[-1]) if unsealed_time is None else unsealed_time(number)
                openings, is_pending = (*openings, Opening(number, sections, time)), time is None
                if time is not None:
                    _check_opened(time, last=event.time, number=number)
                    after = game.later.unseal(after, time)
            state = after
        if texts is None:
            texts = game.events.encode_all([event for event, _ in added])
        rows = zip(added, texts, strict=refused_event is None)
        steps = [(text, event.time, received, event.seat, event.seen) for (event, received), text in rows]
        return msgspec.structs.replace(
            self,
            state_after=state,
            course=self.course.extend(steps),
            openings=openings,
            level=min(levels, key=_LEVELS.index),
            violations=violations,
            refused_event=refused_event,
        )

    def prove(self, *, receipt: bytes, receipt_signature: bytes, signatures: tuple[bytes, ...]) -> "Round":
        """Return the round with its proof; raise EvidenceError unless the seats' newest signatures hold.

        The caller must have verified the receipt and compared it with ``due_receipt``.
        """
        self.check_signatures(signatures)
        return msgspec.structs.replace(
            self, state_after=self.state, receipt=receipt, receipt_signature=receipt_signature, signatures=signatures
        )

    def check_signatures(self, signatures: Sequence[bytes]) -> None:
        """Verify each seat's newest signature, by seat and empty for none; raise EvidenceError unless all hold."""
        for signature, seat in zip(signatures, range(self.header.seat_count), strict=True):
            self.check_signature(signature, seat=seat)

    def check_signature(self, signature: bytes, *, seat: int) -> None:
        """Verify a seat's newest signature, empty for none; raise EvidenceError unless it holds."""
        move = self.course.moves.get(seat)
        if move is None and not signature:
            return
        if move is None:
            fault, detail = EvidenceFault.BAD_SIGNATURE, f"seat {seat} has no event to sign"
        elif not signature:
            fault, detail = EvidenceFault.SIGNATURE_MISSING, f"seat {seat} has a key and signs all its events"
        elif not is_signature(signature, move, self.header.seat_keys[seat]):
            fault, detail = EvidenceFault.BAD_SIGNATURE, f"this is not the signature of seat {seat} over its events"
        else:
            return
        raise EvidenceError(fault, detail, number=0, seat=seat)

    def closing_time(self, now: int) -> int:
        """Return the closing time of a settlement at ``now``: the later of ``now`` and the round's last time.

        It is ``now`` if only the frontend reported that last time.
        """
        links, floor = self.course.links, self.state.last_time
        is_reported = bool(links) and not links[-1].received and links[-1].time > self.deal.dealt_time
        return now if is_reported else max(now, floor)

    def inputs(self, closed_time: int) -> Inputs:
        """Return the inputs of the transcript of a settlement at this time; all cards must be open."""
        deal, links = self.deal, self.course.links
        receipt: InputReceipt | msgspec.UnsetType = msgspec.UNSET
        if self.received is not None:
            number, section = self.received
            opened = msgspec.UNSET if section is None else section
            receipt = InputReceipt(number, self.receipt_signature.hex(), opened)
        return Inputs(
            header=self.header,
            deck_root=self.deck_root.hex(),
            dealt_time=deal.dealt_time,
            closed_time=closed_time,
            sections=tuple([tuple([card.number for card in section or ()]) for section in deal.sections]),
            events=tuple([InputEvent(msgspec.Raw(link.event), 1 if link.received else 0, link.time) for link in links]),
            signatures=tuple([signature.hex() for signature in self.signatures]),
            unsealed=self.unsealed,
            receipt=receipt,
            leader=msgspec.UNSET if deal.leader is None else deal.leader,
            leader_by=msgspec.UNSET if deal.leader_by is None else deal.leader_by,
            sealed=1 if deal.is_sealed else msgspec.UNSET,
        )

    def transcript(self, closed_time: int) -> tuple[bytes, bytes]:
        """Return the payload of SETTLE for a settlement at this time, and its ``repeat_key``."""
        results, inputs = self.results, encode_inputs(self.inputs(closed_time))
        return write_transcript(self.header, inputs, results), repeat_key(inputs)


def _check_opened(time: int, *, last: int, number: int) -> None:
    """Raise EvidenceError if the sections of event ``number`` opened before its time, ``last``."""
    if time < last:
        detail = f"its sections opened at {time}, before the event at {last}: other events opened them"
        raise EvidenceError(EvidenceFault.OTHER_COURSE, detail, number=number, seat=-1, expected=last, found=time)


def encode_results(results: Mapping[str, ResultValue]) -> msgspec.Raw:
    """Encode results as they are written in a transcript."""
    return msgspec.Raw(encode_record(results))


def encode_inputs(inputs: Inputs) -> msgspec.Raw:
    """Encode inputs as they are written in a transcript."""
    return msgspec.Raw(encode_record(inputs))


def repeat_key(inputs: msgspec.Raw) -> bytes:
    """Return the SHA-256 of encoded inputs without closed_time; a repeated settlement has the same key.

    The members are sorted, so closed_time is the first.
    """
    text = bytes(inputs)
    return hashlib.sha256(b"{" + text[text.index(b",") + 1 :]).digest()


def write_transcript(
    header: Header, inputs: Inputs | msgspec.Raw, results: Mapping[str, ResultValue] | msgspec.Raw
) -> bytes:
    """Write the payload of a SETTLE leaf."""
    return b'{"format":%d,"inputs":%b,"results":%b,"round_id":"%b"}' % (
        FORMAT,
        _text_of(inputs),
        _text_of(results),
        header.round_id.hex().encode("ascii"),
    )


def _text_of(record: object) -> bytes:
    """Return the canonical text of a record; bytes that are encoded already are returned as they are."""
    return bytes(record) if isinstance(record, msgspec.Raw) else encode_record(record)
