"""Playing a round: events are signed and accepted and open cards, or a course is taken over from elsewhere.

The newest receipt covers all events up to its own, and each seat's newest signature covers all of that seat's events.
The hash chains that they sign are computed here, never taken from the server. If a seat keeps its secrets elsewhere,
the caller gets its signature and passes it to ``accept_event``.
"""

from collections.abc import Sequence
from typing import Any, Final

from referee.dealing.leaf import UNSEAL_TYPE, UnsealLeaf
from referee.evidence.canonical import CanonicalError
from referee.evidence.dsse import Envelope
from referee.evidence.ed25519 import is_signature
from referee.evidence.outside import read_json
from referee.transcript.chain import FORM, RECEIPT_TYPE, Course, EventReceipt
from referee.transcript.receipted import receipted_event
from referee.v1 import shuffler_pb2
from referee_client import clock
from referee_client.cards import cards_of
from referee_client.checks import fail, read_course, read_leaf, same
from referee_client.errors import (
    BadRequestError,
    ConflictError,
    DeniedError,
    NotFoundError,
    NotReadyError,
    RefereeError,
    RoundLapsesError,
)
from referee_client.event import Event, appended, event_bytes, is_timeout
from referee_client.lapse import can_be_accepted
from referee_client.record import read_recorded
from referee_client.repeating import may_pass, until_answered
from referee_client.state import RoundMessage, Unanswered
from referee_client.verified import VerifiedRound

_REFUSED: Final = (BadRequestError, ConflictError, DeniedError, NotFoundError, NotReadyError)
"""Errors after which the event was certainly not accepted; after any other error it may have been."""


class PlayedRound(VerifiedRound[RoundMessage]):
    """A round from its deal to its settlement."""

    _unopened: tuple[bytes, Any] | None = None
    """Choice of an accepted event whose cards did not open yet, and the answer to it; None if there is none."""

    async def preview(self) -> Any:  # noqa: ANN401 - the game's own answer
        """Return the round's state and the payments of a settlement now; the server signs and writes nothing."""
        return await self.ask("PreviewRound")

    async def is_over(self) -> bool:
        """Return whether the round is over, so that it can be settled; the server writes nothing."""
        return bool((await self.preview()).HasField("outcome"))

    async def sign(self, event: Event) -> bytes:
        """Sign an event with the key of its seat: set ``event.seen`` and return the signature.

        The signature is empty for a seat without a key in this client, and for a TIMEOUT. Raise AlreadySignedError if
        the seat has signed another event that can still be accepted.
        """
        chain = self.state.chains.get(event.seat)
        if chain is None or is_timeout(event):
            return b""
        course = self.course
        chain.show(course, signature=self._signature_of(event.seat))
        ruleset = None if chain.pending is None else await self._ruleset()
        event.ClearField("seen")
        move = chain.sign(
            event_bytes(event),
            is_unlawful=lambda former: ruleset is not None and not can_be_accepted(self.state, ruleset, course, former),
        )
        event.seen = move.seen
        return move.signature

    async def accept_event(self, event: Any, *, signature: bytes = b"") -> Any:  # noqa: ANN401 - the game's own answer
        """Submit an event, signed by its seat if the seat has a key; append it to the course if it is accepted.

        ``signature`` is for a seat that keeps its key elsewhere and has set ``event.seen`` too. If the answer has
        ``violations``, the event breaks a rule and was not accepted. Cards that its receipt opens are in ``hands`` and
        ``board`` afterwards.

        An event that is not answered is sent again for the client's ``timeout``, such as while a server restarts: an
        equal event is harmless, since only the receipt that is answered counts. Then the error is raised. The event may
        have a receipt by then, so it is sent again before any other event. If it is too late for it, it is reported
        with the time at which it was first sent, and the answer has no receipt; if the rules do not allow that, the
        round lapses.

        Only one event of a round is submitted at a time; other callers wait. An event with a receipt is saved in
        ``receipted_events``, and in the journal, before this returns.
        """
        async with self._turn():
            return await self._accept_event(event, signature)

    async def _accept_event(self, event: Event, signature: bytes) -> Any:  # noqa: ANN401 - the game's own answer
        self._require_going(event)
        unopened = self._unopened
        await self._open_left()
        if unopened is not None and unopened[0] == _choice_of(event):
            return unopened[1]
        sent = self._sent_event()
        if sent is not None and _choice_of(sent) == _choice_of(event):
            return await self._send_until_answered(sent)
        if sent is not None and sent.seat == event.seat and event.seat in self.state.chains and not is_timeout(event):
            signature = await self.sign(event)  # raises if the former event can still be accepted
        elif sent is not None:
            await self._send_until_answered(sent)
            self._require_going(event)
        signature = signature or await self.sign(event)
        self.state.unanswered = Unanswered(event=event.SerializeToString(), signature=signature, sent_time=clock.now())
        await self._save()
        try:
            answer = await self._send(event, signature)
        except _REFUSED:
            await self._forget_sent()
            raise
        except RefereeError as error:
            if not may_pass(error):
                raise
            return await self._send_until_answered(event)
        if not answer.event_number:
            await self._forget_sent()
        await self._open_left()
        return answer

    async def _send(self, event: Event, signature: bytes) -> Any:  # noqa: ANN401 - the game's own answer
        """Submit an event; if it is accepted, append it to the course and note whether it opens cards."""
        asked = clock.now()
        answer = await self.ask("AcceptEvent", event=event, signature=signature)
        if not answer.event_number:
            return answer
        same("the accepted event", _answered(answer.event), event_bytes(event))
        same("the event's number", answer.event_number, len(self._given.events) + 1)
        opens, course = _opened_by(answer), appended(self.course, answer.event)
        receipt = await self._receipted(answer.receipt, course)
        expected = (answer.event_number, opens)
        same("the event's receipt", (receipt.number, _section_of(receipt)), expected)
        self._given.receipt = answer.receipt
        self._keep_receipted(course, receipt.number, signature)
        self.state.event_sent_time = asked
        await self._take(answer.event, signature)
        self._sent = self._name_of(self._given)
        await self._compare("EVENT", answer.event.time, since=asked, number=receipt.number)
        if opens is not None:
            self._unopened = _choice_of(event), answer
        return answer

    async def _open_left(self) -> None:
        """Open the cards of an accepted event that are not open yet; ask again until it is answered or for the timeout.

        The event itself has its answer, so it is not sent again.
        """
        if self._unopened is not None:
            await until_answered(self._session, self.open_section)

    def _keep_receipted(self, course: Course, number: int, signature: bytes) -> None:
        """Save the newest receipt together with the events up to its own and the signature of that event's seat."""
        kept = receipted_event(course, number, self._given.receipt, signature=signature)
        if kept not in self.state.receipted_events:
            self.state.receipted_events.append(kept)

    async def _take(self, event: Event, signature: bytes) -> None:
        """Append an event to the course, show it to the seats' chains, and record the round."""
        given = self._given
        given.events.append(event)
        if signature:
            given.signatures.extend([b""] * (self.header.seat_count - len(given.signatures)))
            given.signatures[event.seat] = signature
        if event.seat in self.state.chains:
            self.state.chains[event.seat].show(self.course, signature=signature)
        await self._forget_sent()

    async def _send_until_answered(self, sent: Event) -> Any:  # noqa: ANN401 - the game's own answer
        """Submit the unanswered event again until it is answered; raise the last error at the client's timeout."""
        answer = await until_answered(self._session, lambda: self._send_again(sent))
        await self._open_left()
        return answer

    async def _send_again(self, sent: Event) -> Any:  # noqa: ANN401 - the game's own answer
        """Submit the unanswered event again; if it is refused now and may have been accepted before, report it."""
        unanswered, repeating = self.state.unanswered, self._session.repeating
        signature = b"" if unanswered is None else unanswered.signature
        if repeating is None:
            answer = await self._send(sent, signature)
        else:
            answer = await repeating.until_answered(lambda: self._send(sent, signature))
        if answer.event_number:
            return answer
        ruleset = await self._ruleset()
        if unanswered is not None and (
            ruleset is None or can_be_accepted(self.state, ruleset, self.course, event_bytes(sent))
        ):
            answer = await self._report(sent, unanswered) or answer
        await self._forget_sent()
        return answer

    async def _report(self, sent: Event, unanswered: Unanswered) -> Any:  # noqa: ANN401 - the game's own answer
        """Append an event to the course with the time at which it was first sent, if the rules allow that.

        Otherwise the round lapses; return None.
        """
        sent.received, sent.time = False, max(unanswered.sent_time, self._newest_time)
        trial = type(self._given)()
        trial.CopyFrom(self._given)
        trial.events.append(sent)
        if unanswered.signature:
            trial.signatures.extend([b""] * (self.header.seat_count - len(trial.signatures)))
            trial.signatures[sent.seat] = unanswered.signature
        try:
            preview = await self.ask("PreviewRound", round=trial)
            is_allowed = not preview.violations
        except BadRequestError:  # the referee's own clock must time this event
            is_allowed = False
        if not is_allowed:
            self._lapse(
                f"a move of seat {sent.seat} was sent, its answer was lost, and it is too late to send it again"
            )
            return None
        await self._take(sent, unanswered.signature)
        return self._messages.responses["AcceptEvent"](event=sent, event_number=len(self._given.events))

    @property
    def _newest_time(self) -> int:
        links = self.course.links
        return max([self.dealt_time, *self.state.unsealed.values(), *(link.time for link in links[-1:])])

    def _sent_event(self) -> Any:  # noqa: ANN401 - the game's own event
        """Return the event that was sent and not answered; None if there is none."""
        if self.state.unanswered is None:
            return None
        return read_recorded(self._messages.event, self.state.unanswered.event, "the event that was not answered")

    async def _forget_sent(self) -> None:
        self.state.unanswered = None
        await self._save()

    def _lapse(self, why: str) -> None:
        self.state.lapses = f"{why}; the round lapses at its deadline, {self.header.round_deadline}"

    def _require_going(self, event: Event = None) -> None:
        """Raise RoundLapsesError if continuing, or this TIMEOUT, could contradict a receipt that the referee gave."""
        if self.state.lapses:
            raise RoundLapsesError(self.state.lapses)
        if event is not None and is_timeout(event) and self.state.is_partial:
            raise RoundLapsesError(
                f"the round was resumed without a journal, so seat {event.seat} may have a receipt for its move; "
                f"without its move the round lapses at its deadline, {self.header.round_deadline}"
            )

    async def open_section(self) -> None:
        """Open the cards that the newest receipt opens; verify the UNSEAL leaf and that the cards are the deal's.

        ``accept_event`` calls it, and again if its answer was lost.
        """
        given = self._given
        course = self.course
        receipt = await self._receipted(given.receipt, course)
        links = course.links[: receipt.number]
        request = shuffler_pb2.OpenSectionRequest(
            round=self.ref,
            steps=[
                shuffler_pb2.Step(event_hash=link.event_hash, time=link.time, received=link.received) for link in links
            ],
            receipt=given.receipt,
        )
        kind = shuffler_pb2.OpenSectionResponse
        answer = await self._session.line.ask("referee.v1.ShufflerService/OpenSection", request, kind)
        proved = await self._proved(answer.log_receipt, UNSEAL_TYPE, role="shuffler")
        leaf = read_leaf(proved, UnsealLeaf)
        expected = UnsealLeaf(
            event_hash=receipt.event_hash,
            history=receipt.history,
            number=receipt.number,
            opens_section=_section_of(receipt) or 0,
            receipt_signature=(Envelope.parse(given.receipt).signature or b"").hex(),
            received_time=receipt.received_time,
            round_id=receipt.round_id,
            sections=leaf.sections,
            unsealed_time=answer.unsealed_time,
        )
        same("the logged opening", leaf, expected)
        if answer.unsealed_time < receipt.received_time:
            fail(f"cards opened at {answer.unsealed_time}, before the event of {receipt.received_time} that opens them")
        since = self.state.event_sent_time if receipt.number == course.number else 0
        await self._compare("UNSEAL", answer.unsealed_time, since=since, number=receipt.number)
        before = set(self.state.sections)
        await self._take_certificate(answer.certificate)
        times = {section: self.state.unsealed.get(section) for section in leaf.sections}
        same("the times of the opened sections", times, dict.fromkeys(leaf.sections, answer.unsealed_time))
        if more := set(self.state.sections) - before - set(leaf.sections):
            fail(f"sections {sorted(more)} opened, and the logged opening names {list(leaf.sections)}")
        self._check_hands(answer.hands)
        for one in answer.opened:
            same(f"section {one.section}", self.state.sections.get(one.section), cards_of(one.cards))
        self._unopened = None

    async def adopt(self, saved: bytes) -> None:
        """Take over the course of a round from a ``message`` that this frontend saved or another one sent.

        Its certificates, its receipt and the seats' signatures are verified, and the course is shown to the chain of
        each seat of this client. Use ``sign`` for events that the other frontend then submits. The event of the newest
        receipt is saved in ``receipted_events``.
        """
        await self._adopt(saved)
        await self._save()

    async def _adopt(self, saved: bytes) -> None:
        given = read_course(type(self._given), saved)
        same("the header", given.header, self.state.header_message)
        course = self._course_of(given.events)
        if course.received:
            receipt = await self._receipted(given.receipt, course)
            same("the number of the newest receipt", receipt.number, course.received)
        signatures: Sequence[bytes] = list(given.signatures) or [b""] * self.header.seat_count
        for seat, key in enumerate(self.header.seat_keys):
            if seat in course.moves and not is_signature(signatures[seat], course.moves[seat], key):
                fail(f"the events of seat {seat} are not signed by its key")
        opened = dict(self.state.unsealed)
        for certificate in given.certificates:
            await self._take_certificate(certificate)
        for number, link in enumerate(course.links, 1):
            await self._compare("EVENT", link.time, number=number)
        for opening in sorted(set(self.state.unsealed.values()) - set(opened.values())):
            await self._compare("UNSEAL", opening)
        self._unopened = None
        given.certificates[:] = self._given.certificates
        for seat, chain in self.state.chains.items():
            chain.show(course, signature=signatures[seat])
        self._given.CopyFrom(given)
        if course.received and not _is_followed(course, course.received):
            seat, signs = _signer_of(course, course.received)
            self._keep_receipted(course, course.received, signatures[seat] if signs else b"")

    def _signature_of(self, seat: int) -> bytes:
        given = self._given
        return given.signatures[seat] if seat < len(given.signatures) else b""

    async def _receipted(self, envelope: bytes, course: Course) -> EventReceipt:
        """Read an event receipt; raise VerificationError if the referee did not sign it or it is not of this course."""
        since = self._open_index
        payload = await self._session.check(
            lambda believed: believed.open(envelope, RECEIPT_TYPE, role="referee", since=since)
        )
        try:
            receipt = FORM.read(payload)
        except CanonicalError as error:
            fail(f"the event's receipt is none: {error}")
        if not 1 <= receipt.number <= course.number:
            fail(f"the event's receipt is of event {receipt.number}, and the course has {course.number}")
        same("the event's receipt", receipt, course.receipt(receipt.number, opens_section=_section_of(receipt)))
        return receipt


def _signer_of(course: Course, number: int) -> tuple[int, bool]:
    """Return the seat of an event, and whether the seat signs it."""
    members = read_json(course.links[number - 1].event, dict[str, Any])
    return members["seat"], "seen" in members


def _is_followed(course: Course, number: int) -> bool:
    """Return whether the seat of an event signed a later one, so that its newest signature is not of that event."""
    signer = _signer_of(course, number)
    return signer[1] and any(_signer_of(course, later) == signer for later in range(number + 1, course.number + 1))


def _section_of(receipt: EventReceipt) -> int | None:
    return receipt.opens_section if isinstance(receipt.opens_section, int) else None


def _opened_by(answer: Any) -> int | None:  # noqa: ANN401 - the game's own answer
    fields = type(answer).DESCRIPTOR.fields_by_name
    is_present = "opens_section" in fields and answer.HasField("opens_section")
    return answer.opens_section if is_present else None


def _answered(event: Event) -> bytes:
    """Encode an event that the server answered; raise VerificationError if it is no event."""
    try:
        return event_bytes(event)
    except BadRequestError as error:
        fail(f"the accepted event is none: {error}")


def _choice_of(event: Event) -> bytes:
    """Return the bytes of an event without its ``seen``."""
    choice = type(event)()
    choice.CopyFrom(event)
    choice.ClearField("seen")
    return event_bytes(choice)
