"""The course of a round: events accepted and signed, cards opened by them, and a course taken over from elsewhere.

One receipt, the newest, speaks for all events up to its own, and each seat's newest signature for all of that seat's.
The chains of hashes that they sign are computed here, never believed. A seat whose secrets are elsewhere is asked by
the caller: ``accept_event`` takes its signature.
"""

from collections.abc import Sequence
from typing import Any

from referee.dealing.leaf import UNSEAL_TYPE, UnsealLeaf
from referee.evidence.canonical import CanonicalError
from referee.evidence.dsse import Envelope
from referee.evidence.ed25519 import is_signature
from referee.transcript.chain import FORM, RECEIPT_TYPE, Course, EventReceipt
from referee.v1 import shuffler_pb2
from referee_client.cards import cards_of
from referee_client.checks import fail, read_leaf, same
from referee_client.event import Event, appended, event_bytes, is_timeout
from referee_client.lapse import can_be_accepted
from referee_client.state import RoundMessage
from referee_client.verified import VerifiedRound


class PlayedRound(VerifiedRound[RoundMessage]):
    """A round as it is played."""

    async def preview(self) -> Any:  # noqa: ANN401 - the game's own answer
        """Return the round's state and what settling now would pay; nothing is signed or written."""
        return await self._ask(
            "PreviewRound", self.messages.preview_request(round=self.message), self.messages.preview_answer
        )

    async def is_over(self) -> bool:
        """Return whether the round is over, so that ``settle`` settles it; where it is not, nothing is written."""
        return bool((await self.preview()).HasField("outcome"))

    async def sign(self, event: Event) -> bytes:
        """Let an event's own seat sign it: set its ``seen`` and return the signature.

        Empty for a seat without a key in this client, and for a TIMEOUT. Raise AlreadySignedError where the seat has
        signed another event that can still be accepted.
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

    async def accept_event(self, event: Event, *, signature: bytes = b"") -> Any:  # noqa: ANN401 - the game's own answer
        """Submit an event, signed by its seat if that has a key; keep it if the referee accepts it.

        ``signature`` is for a seat that keeps its key elsewhere, which has set ``event.seen`` too. Where ``violations``
        say that the event breaks a rule, nothing has happened. Otherwise ``keep`` is called; then, where its receipt
        opens cards, they are opened, and lie open in ``hands`` and ``board``.
        """
        signature = signature or await self.sign(event)
        answer = await self._ask(
            "AcceptEvent",
            self.messages.accept_request(round=self.message, event=event, signature=signature),
            self.messages.accept_answer,
        )
        if not answer.event_number:
            return answer
        inputs = self._given
        same("the accepted event", event_bytes(answer.event), event_bytes(event))
        same("the event's number", answer.event_number, len(inputs.events) + 1)
        opens, course = _opened_by(answer), appended(self.course, answer.event)
        receipt = await self._receipted(answer.receipt, course)
        expected = (answer.event_number, opens)
        same("the event's receipt", (receipt.number, _section_of(receipt)), expected)
        inputs.events.append(answer.event)
        inputs.receipt = answer.receipt
        if signature:
            inputs.signatures.extend([b""] * (self.header.seat_count - len(inputs.signatures)))
            inputs.signatures[event.seat] = signature
        if event.seat in self.state.chains:
            self.state.chains[event.seat].show(course, signature=signature)
        self.keep(inputs.SerializeToString())
        if opens is not None:
            await self.open_section()
        return answer

    async def open_section(self) -> None:
        """Open the cards that the newest receipt opens; verify the logged opening and that the cards are the deal's.

        ``accept_event`` does it by itself; ask again where its answer was lost.
        """
        given = self._given
        course = self.course
        receipt = await self._receipted(given.receipt, course)
        links = course.links[: receipt.number]
        request = shuffler_pb2.OpenSectionRequest(
            table_id=self.table,
            round_number=self.number,
            steps=[
                shuffler_pb2.Step(event_hash=link.event_hash, time=link.time, received=link.received) for link in links
            ],
            receipt=given.receipt,
        )
        kind = shuffler_pb2.OpenSectionResponse
        answer = await self._session.line.ask("ShufflerService/OpenSection", request, kind)
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
        before = set(self.state.sections)
        await self._take_certificate(answer.certificate)
        times = {section: self.state.unsealed.get(section) for section in leaf.sections}
        same("the times of the opened sections", times, dict.fromkeys(leaf.sections, answer.unsealed_time))
        if more := set(self.state.sections) - before - set(leaf.sections):
            fail(f"sections {sorted(more)} opened, and the logged opening names {list(leaf.sections)}")
        self._check_hands(answer.hands)
        for one in answer.opened:
            same(f"section {one.section}", self.state.sections.get(one.section), cards_of(one.cards))

    async def adopt(self, saved: bytes) -> None:
        """Take over a round so far: ``message`` as this frontend saved it, or as another one sends it.

        Its certificates, its receipt and the seats' signatures are verified, and each seat of this client is shown the
        course. Sign with ``sign`` what the other frontend then submits.
        """
        given = type(self._given).FromString(saved)
        same("the header", given.header, self.state.header_message)
        course = self._course_of(given.events)
        if course.received:
            receipt = await self._receipted(given.receipt, course)
            same("the number of the newest receipt", receipt.number, course.received)
        signatures: Sequence[bytes] = list(given.signatures) or [b""] * self.header.seat_count
        for seat, key in enumerate(self.header.seat_keys):
            if seat in course.moves and not is_signature(signatures[seat], course.moves[seat], key):
                fail(f"the events of seat {seat} are not signed by its key")
        for certificate in given.certificates:
            await self._take_certificate(certificate)
        given.certificates[:] = self._given.certificates
        for seat, chain in self.state.chains.items():
            chain.show(course, signature=signatures[seat])
        self._given.CopyFrom(given)

    def _signature_of(self, seat: int) -> bytes:
        given = self._given
        return given.signatures[seat] if seat < len(given.signatures) else b""

    async def _receipted(self, envelope: bytes, course: Course) -> EventReceipt:
        """Read an event receipt; raise VerificationError unless the referee signed it and it is of this course."""
        payload = await self._session.check(lambda believed: believed.open(envelope, RECEIPT_TYPE, role="referee"))
        try:
            receipt = FORM.read(payload)
        except CanonicalError as error:
            fail(f"the event's receipt is none: {error}")
        if not 1 <= receipt.number <= course.number:
            fail(f"the event's receipt is of event {receipt.number}, and the course has {course.number}")
        same("the event's receipt", receipt, course.receipt(receipt.number, opens_section=_section_of(receipt)))
        return receipt


def _section_of(receipt: EventReceipt) -> int | None:
    return receipt.opens_section if isinstance(receipt.opens_section, int) else None


def _opened_by(answer: Any) -> int | None:  # noqa: ANN401 - the game's own answer
    fields = type(answer).DESCRIPTOR.fields_by_name
    is_present = "opens_section" in fields and answer.HasField("opens_section")
    return answer.opens_section if is_present else None
