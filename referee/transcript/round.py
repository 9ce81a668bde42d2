"""A round: its terms, its open sections, and its events, judged by the law of its game and the rules of their proof.

Service, replay and audit use the same value. ``Round.begin`` starts a round, ``play`` appends events and ``transcript``
writes its settlement. A round is never changed: each method returns another value.
"""

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, Final, NamedTuple, Self, TypeAlias

import msgspec

from referee.cards import Card
from referee.dealing.header import NO_KEY, Header, HeaderJson
from referee.dealing.lead import Lead
from referee.evidence.canonical import encode_record
from referee.evidence.ed25519 import is_signature
from referee.games import GAMES, AnyGame, DealtRound, Event, ResultValue, UnlawfulEventError, under_ruleset
from referee.rulesets import Ruleset
from referee.transcript.chain import Course, EventReceipt
from referee.transcript.inputs import FORMAT, InputEvent, InputReceipt, Inputs, Unsealed
from referee.transcript.proof import EventLevel, EvidenceError, EvidenceFault
from referee.verdict import Violation

_LEVELS: Final = tuple(EventLevel)
_RECEIVED: Final = {False: EventLevel.E1, True: EventLevel.E2}
"""The level of a received event, by whether its seat has a key."""

PlayedEvent: TypeAlias = tuple[Event, bool]
"""An event, and whether the referee's clock gave its time."""


class Opening(NamedTuple):
    """Sections that event ``number`` opens, in opening order; ``time`` is when the shuffler did, None until then."""

    number: int
    sections: tuple[int, ...]
    time: int | None = None


def _closed(_: Opening) -> None:
    """Return None for every opening: the shuffler has not opened its sections."""


class Round(msgspec.Struct, frozen=True, kw_only=True, dict=True, weakref=True, eq=False):
    """A round after some events.

    ``state`` is the game's, ``course`` has the events. ``violations`` are the faults of the first unlawful event, whose
    number is ``refused_event``; that event and all after it are not played. ``receipt`` is the envelope of the newest
    receipt, ``receipt_signature`` the referee's signature in it, ``signatures`` each seat's newest by seat, empty for a
    seat without one; ``prove`` sets these three.
    """

    game: AnyGame
    header: Header
    ruleset: Ruleset
    deck_root: bytes
    state: Any
    course: Course
    signatures: tuple[bytes, ...]
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
    ) -> Self:
        """Return a round before its first event; ``sections`` are hands and board, None for a section that is closed.

        Raise StakesError and DealError as the game's law does.
        """
        deal = DealtRound(
            round_id=header.round_id,
            seat_count=header.seat_count,
            stake=header.stake,
            seat_stakes=header.seat_stakes,
            bet_unit=ruleset.bet_unit,
            sections=tuple(sections),
            leader=None if lead is None else lead.seat,
            leader_by=None if lead is None else lead.by,
            dealt_time=dealt_time,
            is_sealed=is_sealed,
        )
        game = GAMES[ruleset.game]
        return cls(
            game=game,
            header=header,
            ruleset=ruleset,
            deck_root=deck_root,
            state=game.begin(ruleset.rules, deal),
            course=Course.begin(round_id=header.round_id, deck_root=deck_root),
            signatures=(b"",) * header.seat_count,
        )

    @property
    def deal(self) -> DealtRound:
        """Deal that the round started from, with its open sections."""
        deal: DealtRound = self.state.deal
        return deal

    @property
    def pending(self) -> Opening | None:
        """Last opening, if the shuffler has not opened its sections yet; otherwise None."""
        return self.openings[-1] if self.openings and self.openings[-1].time is None else None

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
        unsealed_time: Callable[[Opening], int | None] = _closed,
        before_each: Callable[[Any, Any], None] | None = None,
        texts: Sequence[bytes] | None = None,
    ) -> "Round":
        """Return the round after more events, up to the first unlawful event; no event after that is read.

        ``unsealed_time`` returns when the shuffler opened the sections of an opening, None if it has not.
        ``before_each`` is called before each event with the state and the event. ``texts`` are the canonical bytes of
        the events, if the caller has them. Raise EvidenceError for an event that is not proved.
        """
        playing = _Playing(self)
        for number, (event, received) in enumerate(events, self.course.number + 1):
            if before_each is not None:
                before_each(playing.state, event)
            try:
                playing.play(event, received=received)
            except UnlawfulEventError as error:
                return playing.played(texts, violations=error.violations, refused_event=number)
            if playing.pending is not None and (time := unsealed_time(playing.pending)) is not None:
                playing.unseal(time)
        return playing.played(texts)

    def prove(
        self,
        *,
        receipt: bytes,
        receipt_signature: bytes,
        signatures: tuple[bytes, ...],
        is_signed: Callable[[bytes, bytes, bytes], bool] = is_signature,
    ) -> "Round":
        """Return the round with its proof; raise EvidenceError unless the seats' newest signatures hold.

        The caller must have verified the receipt and compared it with ``due_receipt``.
        """
        self.check_signatures(signatures, is_signed)
        return msgspec.structs.replace(
            self, receipt=receipt, receipt_signature=receipt_signature, signatures=signatures
        )

    def check_signatures(
        self, signatures: Sequence[bytes], is_signed: Callable[[bytes, bytes, bytes], bool] = is_signature
    ) -> None:
        """Verify each seat's newest signature, by seat and empty for none; raise EvidenceError unless all hold."""
        for seat, (signature, key) in enumerate(zip(signatures, self.header.seat_keys, strict=True)):
            move = self.course.moves.get(seat)
            if move is None and not signature:
                continue
            if move is None:
                fault, detail = EvidenceFault.BAD_SIGNATURE, f"seat {seat} has no event to sign"
            elif not signature:
                fault, detail = EvidenceFault.SIGNATURE_MISSING, f"seat {seat} has a key and signs all its events"
            elif not is_signed(signature, move, key):
                fault, detail = EvidenceFault.BAD_SIGNATURE, f"this is not the signature of seat {seat} over its events"
            else:
                continue
            raise EvidenceError(fault, detail, number=0, seat=seat)

    def closing_time(self, now: int) -> int:
        """Return the closing time of a settlement at ``now``: the round's last time if the clock is behind it.

        A last time that the frontend reported does not count.
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
            header=HeaderJson.of(self.header),
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


class _Playing:
    """A round to which ``play`` appends events in place, so that many events make one new ``Round``.

    An event that raises changes nothing. ``state`` and ``pending`` are those of the round so far.
    """

    __slots__ = ("_added", "_begun", "_game", "_has_key", "_level", "_openings", "pending", "state")

    def __init__(self, begun: Round) -> None:
        self._begun, self._game, self._has_key = begun, begun.game, [key != NO_KEY for key in begun.header.seat_keys]
        self._added: list[PlayedEvent] = []
        self._openings, self._level = begun.openings, begun.level
        self.state, self.pending = begun.state, begun.pending

    def played(
        self,
        texts: Sequence[bytes] | None = None,
        *,
        violations: tuple[Violation, ...] = (),
        refused_event: int | None = None,
    ) -> Round:
        """Return the round after the events; ``texts`` are the canonical bytes of the added events, None to encode."""
        if texts is None:
            texts = self._game.events.encode_all([event for event, _ in self._added])
        added = zip(self._added, texts, strict=refused_event is None)
        steps = [(text, event.time, received, event.seat, event.seen) for (event, received), text in added]
        return msgspec.structs.replace(
            self._begun,
            state=self.state,
            course=self._begun.course.extend(steps),
            openings=self._openings,
            level=self._level,
            violations=violations,
            refused_event=refused_event,
        )

    def unseal(self, time: int) -> None:
        """Record that the pending sections opened at this time; raise EvidenceError if it is before the last event."""
        last = self._added[-1][0].time if self._added else self._begun.course.links[-1].time
        if time < last:
            detail = f"its sections opened at {time}, before the event at {last}: other events opened them"
            fault, number = EvidenceFault.OTHER_COURSE, self._number
            raise EvidenceError(fault, detail, number=number, seat=-1, expected=last, found=time)
        self.state = self._game.later.unseal(self.state, time)
        self._openings = (*self._openings[:-1], self._openings[-1]._replace(time=time))
        self.pending = None

    def play(self, event: Event, *, received: bool) -> None:
        """Append an event; raise UnlawfulEventError if it breaks the game's law, EvidenceError if it is not proved."""
        game, state, seat, seen = self._game, self.state, event.seat, event.seen
        if self.pending is not None:
            detail = f"event {self.pending.number} opens sections that are not open yet"
            raise EvidenceError(EvidenceFault.NOT_UNSEALED, detail, number=self._number + 1, seat=seat)
        after = game.apply(state, event)
        opened = game.later.opens(state, after)
        has_key, is_imposed = self._has_key[seat], event.is_imposed
        if has_key and not is_imposed:
            least = game.minimum_seen(state, event)
            if seen is None or not least <= seen <= self._number:
                raise self._unseen(event, least)
        elif seen is not None:
            raise self._unseen(event, None)
        if is_imposed or not received:
            self._check_received(event, received=received, is_opening=bool(opened))
        self._added.append((event, received))
        level = _RECEIVED[has_key] if received else EventLevel.E0
        if level is not self._level:
            self._level = min(level, self._level, key=_LEVELS.index)
        if opened:
            self.pending = Opening(self._number, opened)
            self._openings = (*self._openings, self.pending)
        self.state = after

    @property
    def _number(self) -> int:
        return len(self._begun.course.links) + len(self._added)

    def _unseen(self, event: Event, least: int | None) -> EvidenceError:
        """Return the error for a wrong ``seen``; ``least`` is the smallest allowed, None if it must be absent."""
        number, seen = self._number + 1, event.seen
        if least is None:
            detail = f"seat {event.seat} signs no such event, so it says nothing of what it had seen"
        elif seen is None:
            detail = f"seat {event.seat} has a key and must say the newest event that it had seen, {least} or later"
        else:
            detail = f"seat {event.seat} must have seen event {least} and at most {number - 1}, not {seen}"
        fault = EvidenceFault.NOT_SEEN
        return EvidenceError(fault, detail, number=number, seat=event.seat, expected=least, found=seen)

    def _check_received(self, event: Event, *, received: bool, is_opening: bool) -> None:
        seat, number = event.seat, self._number + 1
        is_report = event.is_imposed and (self.state.deal.is_sealed or self._has_key[seat])
        if not received and (is_report or is_opening or event.needs_received):
            detail = "the referee's clock must give the time of this event; ask AcceptEvent"
            raise EvidenceError(EvidenceFault.NOT_RECEIVED, detail, number=number, seat=seat)
        clock = self._game.clock(self.state) if is_report else None
        if clock is not None and clock.number and not self._is_received(clock.number):
            detail = f"the referee's clock must give the time of this event, which starts the clock of seat {seat}"
            raise EvidenceError(EvidenceFault.NOT_RECEIVED, detail, number=clock.number, seat=seat)

    def _is_received(self, number: int) -> bool:
        links = self._begun.course.links
        return links[number - 1].received if number <= len(links) else self._added[number - 1 - len(links)][1]


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
