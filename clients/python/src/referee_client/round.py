"""What every game's round has in common: prepared, opened, dealt, played, settled, revealed, each step checked.

A step is idempotent, so one whose answer was lost is repeated. Each answer is compared with the request, with earlier
answers and with the log; VerificationError is raised where they differ: the header must have the terms, OPEN bind
header, commitments and tokens, DEAL mix the seats' own seeds, certificates open cards of that deal, receipts be of the
very event, SETTLE contain what was played and follow from it by the rules, and the revealed seed deal every card again.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, NoReturn, TypeVar

import msgspec
from google.protobuf.message import Message

from referee.cards import Card, Seat
from referee.dealing import certificate
from referee.dealing.certificate import Certificate, CertificateError
from referee.dealing.commitment import client_commitment, mix, server_commitment
from referee.dealing.deal import Deal, leader_of
from referee.dealing.deck import StreamUsedUpError
from referee.dealing.header import Header, HeaderJson
from referee.dealing.leaf import (
    ABORT_TYPE,
    DEAL_TYPE,
    OPEN_TYPE,
    REVEAL_TYPE,
    AbortLeaf,
    DealLeaf,
    OpenLeaf,
    RevealLeaf,
    parse,
)
from referee.evidence.canonical import CanonicalError
from referee.evidence.dsse import Envelope
from referee.transcript.chain import FORM, RECEIPT_TYPE
from referee.transcript.inputs import MEDIA_TYPE, Inputs, TranscriptError
from referee.transcript.inputs import parse as parse_transcript
from referee.transcript.replay import replay
from referee.v1 import log_pb2, round_pb2, shuffler_pb2
from referee_client.cards import cards_of
from referee_client.errors import VerificationError
from referee_client.event import Event, event_bytes
from referee_client.session import Session
from referee_client.state import Outcome, Revealed, RoundMessage, RoundState, RoundView, Settled
from referee_client.terms import read_header
from referee_client.trust import Believed, Proved

Answered = TypeVar("Answered", bound=Message)
AnyLeaf = TypeVar("AnyLeaf", OpenLeaf, DealLeaf, AbortLeaf, RevealLeaf)

_SHOWN: Final = 200
"""How much of two things that differ an error shows."""

OPERATOR: Final = shuffler_pb2.ABORT_REASON_OPERATOR


@dataclass(frozen=True, slots=True, kw_only=True)
class Messages:
    """The messages of a game: its service, and what it asks and answers."""

    service: str
    round: type[Any]
    accept_request: type[Any]
    accept_answer: type[Any]
    preview_request: type[Any]
    preview_answer: type[Any]
    settle_request: type[Any]
    settle_answer: type[Any]


class AsyncRound(RoundView[RoundMessage], Generic[RoundMessage, Outcome]):
    """A round, for asyncio. ``open``, ``deal``, play, ``settle``, ``reveal``, in this order; each may be repeated."""

    messages: Messages

    def __init__(self, session: Session, state: RoundState[RoundMessage]) -> None:
        super().__init__(state)
        self._session = session

    async def prepare(self) -> bytes:
        """Fetch the round id, under which seats commit to their seeds; nothing is written yet."""
        state = self.state
        asked = shuffler_pb2.PrepareRoundRequest(terms=state.terms.write(seat_keys=state.seat_keys))
        answer = await self._session.line.ask("ShufflerService/PrepareRound", asked, shuffler_pb2.PrepareRoundResponse)
        header = read_header(answer.header)
        believed = await self._session.believed()
        state.terms.check(header, seat_keys=state.seat_keys, origin=believed.origin)
        if answer.round_id != header.round_id:
            _fail("the round id is not the hash of the header")
        self._take_header(header, answer.header)
        return header.round_id

    async def open(
        self, *, sealed: bool = False, commitments: Sequence[bytes] = (), seat_tokens: Sequence[bytes] = ()
    ) -> Proved:
        """Open the round and return its OPEN leaf: the terms, the server's commitment and the seats' commitments.

        Seats that play through this client are committed by their secrets; ``commitments`` and ``seat_tokens`` are
        those of all seats, by seat, where players keep their secrets elsewhere. ``sealed`` hides the hands from this
        frontend.
        """
        state = self.state
        if state.header is None:
            await self.prepare()
        if state.opened is None:
            own = [state.secrets[seat] for seat in sorted(state.secrets)]
            is_whole = len(own) == state.terms.seats
            state.commitments = list(commitments) or (
                [one.seed_commitment(self.round_id) for one in own] if is_whole else []
            )
            state.tokens = list(seat_tokens) or ([one.token_hash(self.round_id) for one in own] if sealed else [])
        request = shuffler_pb2.OpenRoundRequest(
            header=state.header_message, client_commitments=state.commitments, seat_tokens=state.tokens
        )
        answer = await self._session.line.ask("ShufflerService/OpenRound", request, shuffler_pb2.OpenRoundResponse)
        proved = await self._proved(answer.log_receipt, OPEN_TYPE, role="shuffler")
        leaf = _read(proved, OpenLeaf)
        expected = [one.hex() for one in state.commitments] or [""] * state.terms.seats
        _same("the opened header", leaf.header, HeaderJson.of(self.header))
        _same("the header answered", answer.header, state.header_message)
        _same("the seats' commitments in OPEN", list(leaf.client_commitments), expected)
        _same("the seat tokens in OPEN", list(leaf.seat_tokens or ()), [one.hex() for one in state.tokens])
        _same("the server's commitment", answer.server_commitment.hex(), leaf.server_commitment)
        state.opened, state.open_leaf = answer, proved
        return proved

    async def join(self, number: int = 0) -> Proved:
        """Join a round that was opened elsewhere, 0 for the latest, with its deal if any; return its OPEN leaf.

        For a player whose frontend is somebody else's, and for a frontend that lost its memory. Where this client has
        secrets of a seat, OPEN must bind these. Events are in no log before the settlement: keep ``message``.
        """
        state = self.state
        asked = log_pb2.GetTableRoundRequest(table_id=self.table, round_number=number)
        answer = await self._session.line.ask("LogService/GetTableRound", asked, log_pb2.GetTableRoundResponse)
        header = read_header(answer.header)
        believed = await self._session.believed()
        state.terms.check(header, seat_keys=state.seat_keys, origin=believed.origin)
        proved = await self._proved(answer.leaves[0], OPEN_TYPE, role="shuffler")
        leaf = _read(proved, OpenLeaf)
        _same("the opened header", leaf.header, HeaderJson.of(header))
        state.commitments = (
            [bytes.fromhex(one) for one in leaf.client_commitments] if any(leaf.client_commitments) else []
        )
        state.tokens = [bytes.fromhex(one) for one in leaf.seat_tokens or ()]
        for seat, own in state.secrets.items():
            if state.commitments:
                _same(f"the commitment of seat {seat}", state.commitments[seat], own.seed_commitment(header.round_id))
            if state.tokens:
                _same(f"the token of seat {seat}", state.tokens[seat], own.token_hash(header.round_id))
        self._take_header(header, answer.header)
        state.opened = shuffler_pb2.OpenRoundResponse(
            header=answer.header,
            round_id=header.round_id,
            server_commitment=bytes.fromhex(leaf.server_commitment),
            log_receipt=answer.leaves[0],
        )
        state.open_leaf = proved
        if len(answer.leaves) > 1 and Envelope.parse(answer.leaves[1].leaf).payload_type == DEAL_TYPE:
            dealt = await self._proved(answer.leaves[1], DEAL_TYPE, role="shuffler")
            self._take_deal(_read(dealt, DealLeaf), asked=())
            state.deal_leaf = dealt
        return proved

    async def contribute(self, seat: int) -> list[int]:
        """Give a seat's seed to the shuffler alone; return the seats whose seeds are still missing."""
        secrets = self.secrets[seat]
        request = shuffler_pb2.ContributeSeedRequest(
            table_id=self.table,
            round_number=self.number,
            seat=seat,
            seed=secrets.seed,
            signature=secrets.sign_seed(self.round_id, server_commitment=self._opened.server_commitment),
        )
        kind = shuffler_pb2.ContributeSeedResponse
        return list((await self._session.line.ask("ShufflerService/ContributeSeed", request, kind)).missing_seats)

    async def deal(
        self, *, seeds: Sequence[bytes] = (), signatures: Sequence[bytes] = ()
    ) -> dict[int, tuple[Card, ...]]:
        """Deal; return the hands that this frontend may see, by seat, once the deal is logged; none on a sealed table.

        Seeds and their signatures are those of this client's own seats; give those of all seats, by seat, where
        players keep theirs elsewhere, or none of either where all contributed. With witnesses in the trust, no seed is
        shown before a quorum of them has cosigned OPEN.
        """
        state, opened = self.state, self._opened
        believed = await self._session.believed()
        if believed.quorum is not None and state.open_leaf is not None:
            await self._session.wait_cosigned(state.open_leaf.index + 1)
        own = [state.secrets[seat] for seat in sorted(state.secrets)]
        if not seeds and len(own) == state.terms.seats:
            seeds = [one.seed for one in own]
            signed = [one.sign_seed(self.round_id, server_commitment=opened.server_commitment) for one in own]
            signatures = signed if any(signed) else []
        request = shuffler_pb2.DealRoundRequest(
            table_id=self.table, round_number=self.number, client_seeds=seeds, seed_signatures=signatures
        )
        answer = await self._session.line.ask("ShufflerService/DealRound", request, shuffler_pb2.DealRoundResponse)
        proved = await self._proved(answer.log_receipt, DEAL_TYPE, role="shuffler")
        self._take_deal(_read(proved, DealLeaf), asked=seeds)
        state.deal_leaf = proved
        _same("the leader", answer.leader if answer.HasField("leader") else None, state.leader)
        _same("the time of the deal", answer.dealt_time, state.dealt_time)
        await self._take_certificate(answer.certificate)
        self._check_hands(answer.hands)
        return self.hands

    async def open_hand(self, seat: int) -> tuple[Card, ...]:
        """Open a seat's own hand on a sealed table by its token; the frontend sees no other hand."""
        request = shuffler_pb2.OpenHandRequest(
            table_id=self.table, round_number=self.number, seat=seat, token=self.secrets[seat].token
        )
        answer = await self._session.line.ask("ShufflerService/OpenHand", request, shuffler_pb2.OpenHandResponse)
        opened = await self._certified(answer.certificate)
        hand = opened.hand(Seat(seat))
        if hand is None or hand != cards_of(answer.hand.cards):
            _fail(f"the certificate does not open the hand of seat {seat} that was dealt")
        self.state.private[seat] = answer.certificate, hand
        return hand

    async def preview(self) -> Any:  # noqa: ANN401 - the game's own answer
        """Return the round's state and what settling now would pay; nothing is signed or written."""
        return await self._ask(
            "PreviewRound", self.messages.preview_request(round=self.message), self.messages.preview_answer
        )

    async def settle(self) -> Settled[Outcome]:
        """Settle the round; verify that its transcript is logged, has the events sent here and follows from the rules.

        Where the rules do not let it be settled yet, ``violations`` say why.
        """
        answer = await self._ask(
            "SettleRound", self.messages.settle_request(round=self.message), self.messages.settle_answer
        )
        if answer.violations:
            return Settled(violations=tuple(answer.violations))
        proved = await self._proved(answer.log_receipt, MEDIA_TYPE, role="referee")
        try:
            transcript = parse_transcript(proved.payload)
        except TranscriptError as error:
            _fail(str(error))
        _same("the settled round", transcript.round_id, self.round_id.hex())
        self._check_inputs(transcript.inputs)
        is_replayed = await self._is_replayed(transcript.inputs, proved.payload)
        found = msgspec.json.decode(transcript.results, type=_Found)
        paid = [(one.payer, one.payee, one.amount_minor, one.reason) for one in answer.outcome.transfers]
        _same("the transfers", paid, [(one.payer, one.payee, one.amount, one.reason) for one in found.transfers])
        return Settled(outcome=answer.outcome, receipt=proved, is_replayed=is_replayed)

    async def abort(self, *, reason: shuffler_pb2.AbortReason = OPERATOR) -> Proved:
        """Abort the round and return its ABORT leaf.

        The operator may give it up until a seat's seed was received; after that it ends by a deadline alone.
        """
        request = shuffler_pb2.AbortRoundRequest(table_id=self.table, round_number=self.number, reason=reason)
        answer = await self._session.line.ask("ShufflerService/AbortRound", request, shuffler_pb2.AbortRoundResponse)
        proved = await self._proved(answer.log_receipt, ABORT_TYPE, role="shuffler")
        _same("the aborted round", _read(proved, AbortLeaf).round_id, self.round_id.hex())
        return proved

    async def reveal(self) -> Revealed:
        """Reveal the server's seed of an ended round; verify its commitment and every known card."""
        request = shuffler_pb2.RevealRoundRequest(table_id=self.table, round_number=self.number)
        answer = await self._session.line.ask("ShufflerService/RevealRound", request, shuffler_pb2.RevealRoundResponse)
        proved = await self._proved(answer.log_receipt, REVEAL_TYPE, role="")
        seed = bytes.fromhex(_read(proved, RevealLeaf).server_seed)
        _same("the revealed seed", answer.server_seed, seed)
        committed = server_commitment(round_id=self.round_id, seed=seed)
        _same("what the revealed seed commits to", committed, self._opened.server_commitment)
        if not self.state.client_seeds:
            return Revealed(seed, (), proved)
        try:
            deal = Deal.derive(self.header, server_seed=seed, client_seeds=self.state.client_seeds)
        except StreamUsedUpError as error:
            _fail(f"a round that was dealt is void: {error}")
        _same("the deck root dealt again", deal.deck_root, self.state.deck_root)
        for section, cards in self.state.sections.items():
            _same(f"section {section} dealt again", deal.sections[section], cards)
        return Revealed(seed, deal.sections, proved)

    async def accept_event(self, event: Event) -> Any:  # noqa: ANN401 - the game's own answer
        """Submit an event, signed by its seat if that has a key; keep it if the referee accepts it.

        Where ``violations`` say that it breaks a rule, nothing has happened. Where its receipt opens cards, they lie
        open in ``hands`` and ``board`` afterwards.
        """
        secrets = self.secrets.get(event.seat)
        if secrets is not None and secrets.private_key and not event.signature:
            event.signature = secrets.sign_event(self.event_hash(event))
        hashed = self.event_hash(event)
        answer = await self._ask(
            "AcceptEvent", self.messages.accept_request(round=self.message, event=event), self.messages.accept_answer
        )
        if not answer.event_number:
            return answer
        inputs: Any = self.message
        _same("the accepted event", event_bytes(answer.event), event_bytes(event))
        _same("the event's number", answer.event_number, len(inputs.events) + 1)
        opens = self._opened_by(answer)
        await self._check_receipt(answer.event, hashed, number=answer.event_number, opens=opens)
        inputs.events.append(answer.event)
        if opens is not None:
            await self.open_section(answer.event.receipt)
        return answer

    async def open_section(self, event_receipt: bytes) -> None:
        """Open the cards that an event's receipt opens; verify that they are the deal's and replace the certificate."""
        request = shuffler_pb2.OpenSectionRequest(
            table_id=self.table, round_number=self.number, event_receipt=event_receipt
        )
        kind = shuffler_pb2.OpenSectionResponse
        answer = await self._session.line.ask("ShufflerService/OpenSection", request, kind)
        await self._take_certificate(answer.certificate)
        self._check_hands(answer.hands)
        for one in answer.opened:
            _same(f"section {one.section}", self.state.sections.get(one.section), cards_of(one.cards))

    @property
    def _opened(self) -> shuffler_pb2.OpenRoundResponse:
        if self.state.opened is None:
            msg = "the round was not opened"
            raise ValueError(msg)
        return self.state.opened

    @staticmethod
    def _opened_by(answer: Any) -> int | None:  # noqa: ANN401 - the game's own answer
        fields = type(answer).DESCRIPTOR.fields_by_name
        is_present = "opens_section" in fields and answer.HasField("opens_section")
        return answer.opens_section if is_present else None

    async def _ask(self, method: str, request: Message, kind: type[Answered]) -> Answered:
        return await self._session.line.ask(f"{self.messages.service}/{method}", request, kind)

    async def _proved(self, receipt: round_pb2.LogReceipt, payload_type: str, *, role: str) -> Proved:
        return await self._session.check(lambda believed: believed.prove(receipt, payload_type, role=role))

    async def _certified(self, data: bytes) -> Certificate:
        """Verify a certificate and return the cards of this deal that it opens."""

        def read(believed: Believed) -> Certificate:
            try:
                return certificate.read(data, keys=believed.keys("shuffler"), header=self.header)
            except CertificateError as error:
                msg = f"a certificate does not hold: {error}"
                raise VerificationError(msg) from None

        found = await self._session.check(read)
        state = self.state
        _same("the certificate's commitment", found.commitment, self._opened.server_commitment)
        _same("the certificate's deal", (found.mixed, found.deck_root), (state.mixed, state.deck_root))
        _same("the certificate's time", found.dealt_time, state.dealt_time)
        _same("whether the table is sealed", found.is_sealed, self.is_sealed)
        return found

    def _take_header(self, header: Header, message: round_pb2.RoundHeader) -> None:
        self.state.header, self.state.header_message = header, message
        inputs: Any = self.state.message
        inputs.header.CopyFrom(message)

    async def _take_certificate(self, data: bytes) -> None:
        found = await self._certified(data)
        for section, cards in self.state.sections.items():
            _same(f"section {section}, opened before", found.sections.get(section), cards)
        self.state.sections.update(found.sections)
        inputs: Any = self.message
        inputs.certificates[:] = [data]

    def _take_deal(self, leaf: DealLeaf, *, asked: Sequence[bytes]) -> None:
        state, header = self.state, self.header
        seeds = tuple([bytes.fromhex(seed) for seed in leaf.client_seeds])
        _same("the dealt round", leaf.round_id, self.round_id.hex())
        _same("the number of seeds", len(seeds), header.seat_count)
        for seat, seed in enumerate(seeds):
            inputs = asked[seat] if seat < len(asked) else b""
            _same(f"the seed of seat {seat}", seed, inputs or seed)
            if state.commitments and state.commitments[seat]:
                made = client_commitment(round_id=self.round_id, seat=Seat(seat), seed=seed)
                _same(f"what the seed of seat {seat} commits to", made, state.commitments[seat])
        committed = self._opened.server_commitment
        mixed = mix(round_id=self.round_id, commitment=committed, client_seeds=seeds)
        _same("the mix", leaf.mix, mixed.hex())
        drawn = leader_of(header, round_id=self.round_id, commitment=committed, mixed=mixed)
        _same("the leader in DEAL", None if leaf.leader is msgspec.UNSET else leaf.leader, drawn)
        state.client_seeds, state.mixed, state.deck_root = seeds, mixed, bytes.fromhex(leaf.deck_root)
        state.dealt_time, state.leader = leaf.dealt_time, drawn

    def _check_hands(self, hands: Sequence[shuffler_pb2.Hand]) -> None:
        for hand in hands:
            _same(f"the hand of seat {hand.seat}", cards_of(hand.cards), self.state.sections.get(hand.seat))

    async def _check_receipt(self, event: Event, hashed: bytes, *, number: int, opens: int | None) -> None:
        payload = await self._session.check(lambda believed: believed.open(event.receipt, RECEIPT_TYPE, role="referee"))
        try:
            receipt = FORM.read(payload)
        except CanonicalError as error:
            _fail(f"the event's receipt is none: {error}")
        found = (receipt.round_id, receipt.number, receipt.event_hash, receipt.received_time, receipt.opens_section)
        expected = (self.round_id.hex(), number, hashed.hex(), event.time, msgspec.UNSET if opens is None else opens)
        _same("the event's receipt", found, expected)

    def _check_inputs(self, inputs: Inputs) -> None:
        state, events = self.state, list(_events_of(self.message))
        _same("the settled header", inputs.header, HeaderJson.of(self.header))
        _same("the settled deal", (inputs.deck_root, inputs.dealt_time), (state.deck_root.hex(), state.dealt_time))
        for section, cards in enumerate(inputs.cards()):
            _same(f"the settled section {section}", cards, state.sections.get(section, cards))
        _same("the events settled", [bytes(one.event) for one in inputs.events], [event_bytes(one) for one in events])
        _same("the times of the events", [one.time for one in inputs.events], [one.time for one in events])

    async def _is_replayed(self, inputs: Inputs, payload: bytes) -> bool:
        header = self.header
        ruleset = await self._session.ruleset(
            ruleset_id=header.ruleset_id, version=header.ruleset_version, digest=header.ruleset_digest
        )
        if ruleset is None:
            return False
        try:
            again = replay(inputs, ruleset)
        except TranscriptError as error:
            _fail(f"the settlement does not follow from its inputs: {error}")
        _same("the transcript made again", again.payload, payload)
        return True


class _Transfer(msgspec.Struct):
    payer: int = msgspec.field(name="from")
    payee: int = msgspec.field(name="to")
    amount: int
    reason: str


class _Found(msgspec.Struct):
    transfers: tuple[_Transfer, ...]


def _events_of(inputs: Any) -> Sequence[Event]:  # noqa: ANN401 - the game's own message
    events: Sequence[Event] = inputs.events
    return events


def _read(proved: Proved, kind: type[AnyLeaf]) -> AnyLeaf:
    try:
        return parse(proved.payload, kind)
    except CanonicalError as error:
        msg = f"leaf {proved.index} is none of its type: {error}"
        raise VerificationError(msg) from None


def _same(what: str, found: object, expected: object) -> None:
    """Verify that two things are equal; raise VerificationError naming them otherwise."""
    if found != expected:
        _fail(f"{what}: {repr(found)[:_SHOWN]} was answered, and {repr(expected)[:_SHOWN]} is right")


def _fail(message: str) -> NoReturn:
    raise VerificationError(message) from None
