"""A round whose leaves, certificates and deal are verified and compared with earlier answers."""

from collections.abc import Sequence
from typing import Any, Literal, TypeVar

from google.protobuf.message import Message

from referee.cards import Seat
from referee.dealing import certificate
from referee.dealing.certificate import Certificate, CertificateError
from referee.dealing.commitment import client_commitment, mix
from referee.dealing.deal import has_leader
from referee.dealing.header import Header
from referee.dealing.lead import read_lead
from referee.dealing.leaf import DealLeaf
from referee.rulesets import Ruleset
from referee.v1 import round_pb2, shuffler_pb2
from referee_client import clock
from referee_client.abridging import SHARED, WHOLE_ONLY, abridged, content_of
from referee_client.cards import cards_of
from referee_client.checks import same
from referee_client.clock import ClockDifference
from referee_client.errors import NotReadyError, VerificationError
from referee_client.record import encode_record
from referee_client.seat_chain import SeatChain
from referee_client.session import Session
from referee_client.state import RoundMessage, RoundState, RoundView
from referee_client.terms import messages_of
from referee_client.trust import Believed, Proved

Answered = TypeVar("Answered", bound=Message)


class VerifiedRound(RoundView[RoundMessage]):
    """A round that verifies every answer of the server before it uses it."""

    def __init__(self, session: Session, state: RoundState[RoundMessage]) -> None:
        super().__init__(state)
        self._messages = messages_of(state.terms.ruleset.partition(".")[0])
        self._session = session
        self._turn = session.line.lock()
        self._sent: round_pb2.RoundCourse | None = None
        """The name of the round message that the server read or answered last."""

    @property
    def _opened(self) -> shuffler_pb2.OpenRoundResponse:
        if self.state.opened is None:
            raise ValueError("the round was not opened")
        return self.state.opened

    @property
    def _open_index(self) -> int:
        """Index of the OPEN leaf, 0 before it; keys that were revoked after this leaf are valid for the round."""
        return 0 if self.state.open_leaf is None else self.state.open_leaf.index

    async def _save(self) -> None:
        """Record the round in the journal, if there is one, so that another process can continue it."""
        journal, table, number = self._session.journal, self.table, self.number
        if journal is not None:
            record = encode_record(self.state)
            await self._session.line.run(lambda: journal.save(table, number, record))

    async def _compare(
        self, what: Literal["OPEN", "DEAL", "UNSEAL", "EVENT"], written: int, *, since: int = 0, number: int = 0
    ) -> None:
        """Compare a time in an answer with this machine's clock; record the difference if it is more than is allowed.

        ``since`` is the earliest time at which it can have been written, 0 if unknown.
        """
        found = ClockDifference(what=what, number=number, time=written, earliest=since, latest=clock.now())
        kept = self.state.clock_differences
        if found.is_large and all((one.what, one.number, one.time) != (what, number, written) for one in kept):
            kept.append(found)
            await self._save()

    def event(self, **fields: Any) -> Any:  # noqa: ANN401 - the fields and the message are the game's own
        """Make an event message of the game: ``seat``, and what else the game's proto has; an enum's value by name."""
        return self._messages.event(**fields)

    async def ask(self, method: str, **fields: Any) -> Any:  # noqa: ANN401 - the fields and the answer are the game's own
        """Call a method of the game's service about this round, with these fields of its request besides ``round``."""
        messages = self._messages
        if method not in messages.requests:
            raise ValueError(f"{messages.full_name} has no method {method!r}; it has {', '.join(messages.requests)}")
        request, answer = messages.requests[method](**{"round": self.message, **fields}), messages.responses[method]
        if method in SHARED:
            return await self._ask(method, request, answer)
        return await self._session.line.ask(f"{messages.full_name}/{method}", request, answer)

    async def _ask(self, method: str, request: Message, kind: type[Answered]) -> Answered:
        """Call a method about a round. If the server has read this message before, send only its name."""
        line, name, abridging = self._session.line, f"{self._messages.full_name}/{method}", self._session.abridging
        if method in WHOLE_ONLY:
            return await line.ask(name, request, kind)
        course = self._name_of(request.round)  # type: ignore[attr-defined] # of every other method
        if course == self._sent and abridging.is_on():
            short = abridged(request, course)
            try:
                answer = await line.ask(name, short, kind)
            except NotReadyError as error:
                if error.reason != "ROUND_UNKNOWN":
                    raise
                abridging.note(is_known=False)
            else:
                abridging.note(is_known=True)
                return answer
        answer = await line.ask(name, request, kind)
        self._sent = course
        return answer

    async def _advise(self, method: str, request: Message, kind: type[Answered]) -> Answered:
        """Call a method of AdviceService, which takes whole rounds only."""
        return await self._session.line.ask(f"referee.v1.AdviceService/{method}", request, kind)

    def _name_of(self, message: Any) -> round_pb2.RoundCourse:  # noqa: ANN401 - the game's own message
        """Return the name of a round message: its table, round number, history hash and content."""
        history = self._course_of(message.events).history
        content = content_of(message, seats=self.header.seat_count)
        return round_pb2.RoundCourse(round=self.ref, history=history, content=content)

    async def _proved(self, receipt: round_pb2.LogReceipt, payload_type: str, *, role: str) -> Proved:
        return await self._session.check(lambda believed: believed.prove(receipt, payload_type, role=role))

    async def _certified(self, data: bytes) -> Certificate:
        """Verify a certificate and that it is of this deal; return it."""

        def read(believed: Believed) -> Certificate:
            try:
                return certificate.read(
                    data, keys=believed.keys("shuffler", since=self._open_index), header=self.header
                )
            except CertificateError as error:
                raise VerificationError(f"a certificate does not hold: {error}") from None

        found = await self._session.check(read)
        state = self.state
        same("the certificate's commitment", found.server_commitment, self._opened.server_commitment.hex())
        same("the certificate's deal", (found.mix, found.deck_root), (state.mixed.hex(), state.deck_root.hex()))
        same("the certificate's time", found.dealt_time, state.dealt_time)
        same("the certificate's leader", found.lead, state.lead)
        same("whether the table is sealed", found.is_sealed, self.is_sealed)
        return found

    async def _ruleset(self) -> Ruleset | None:
        header = self.header
        return await self._session.ruleset(
            ruleset_id=header.ruleset_id, version=header.ruleset_version, digest=header.ruleset_digest
        )

    def _take_header(self, header: Header, message: round_pb2.RoundHeader) -> None:
        self.state.header, self.state.header_message = header, message
        self._given.header.CopyFrom(message)

    async def _take_certificate(self, data: bytes) -> None:
        """Add the cards that a certificate opens; it replaces the earlier one if it opens all of that one's cards."""
        state, found = self.state, await self._certified(data)
        for section in state.sections.keys() & found.cards.keys():
            same(f"section {section}, opened before", found.cards[section], state.sections[section])
            opened = (found.unsealed_times.get(section), state.unsealed.get(section))
            same(f"the time of section {section}, opened before", *opened)
        if found.cards.keys() >= state.sections.keys():
            self._given.certificates[:] = [data]
        state.sections.update(found.cards)
        state.unsealed.update(found.unsealed_times)

    def _take_deal(self, leaf: DealLeaf, *, asked: Sequence[bytes]) -> None:
        state, header = self.state, self.header
        seeds = tuple([bytes.fromhex(seed) for seed in leaf.client_seeds])
        same("the dealt round", leaf.round_id, self.round_id.hex())
        same("the number of seeds", len(seeds), header.seat_count)
        for seat, seed in enumerate(seeds):
            inputs = asked[seat] if seat < len(asked) else b""
            same(f"the seed of seat {seat}", seed, inputs or seed)
            if state.commitments and state.commitments[seat]:
                made = client_commitment(round_id=self.round_id, seat=Seat(seat), seed=seed)
                same(f"what the seed of seat {seat} commits to", made, state.commitments[seat])
        committed = self._opened.server_commitment
        mixed = mix(round_id=self.round_id, commitment=committed, client_seeds=seeds)
        same("the mix", leaf.mix, mixed.hex())
        lead = read_lead(leaf.leader, leaf.leader_by)
        same("whether DEAL names a leader", lead is not None, has_leader(header))
        state.client_seeds, state.mixed, state.deck_root = seeds, mixed, bytes.fromhex(leaf.deck_root)
        state.dealt_time, state.lead = leaf.dealt_time, lead
        for seat, own in state.secrets.items():
            if own.private_key and seat not in state.chains:
                state.chains[seat] = SeatChain(own, round_id=self.round_id, deck_root=state.deck_root)

    def _check_hands(self, hands: Sequence[shuffler_pb2.Hand]) -> None:
        for hand in hands:
            same(f"the hand of seat {hand.seat}", cards_of(hand.cards), self.state.sections.get(hand.seat))
