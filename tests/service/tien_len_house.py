"""A running server whose entropy repeats, and short ways to play rounds of Tiến Lên on it."""

import hashlib
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from referee.cards import DECK, Card, Seat
from referee.dealing import certificate
from referee.dealing.commitment import deck_root, section_keys, section_root, seed_statement
from referee.dealing.deal import Deal
from referee.dealing.header import NO_KEY, SUITE_COMMITMENT, Header
from referee.evidence.hkdf import Prk
from referee.games import LeaderBy
from referee.rulesets import Catalogue, load_builtin
from referee.v1 import mau_binh_pb2, round_pb2, shuffler_pb2, tien_len_pb2, tien_len_pb2_grpc
from referee.wire.round import write_header
from tests.driver.headers import header_of
from tests.service.courses import is_timeout, sign, take
from tests.service.raw_server import RawServer

RULESET: Final = "tien_len.mien_nam"


def public_key(private: bytes) -> bytes:
    """Return the public key of a private one."""
    made = Ed25519PrivateKey.from_private_bytes(private).public_key()
    return made.public_bytes(Encoding.Raw, PublicFormat.Raw)


KEYS: Final = tuple(public_key(bytes([number]) * 32) for number in range(1, 9))
"""Public keys of players."""
PRIVATE: Final = {key: bytes([number]) * 32 for number, key in enumerate(KEYS, 1)}


def make_play(seat: int, cards: Sequence[int], *, time: int = 0) -> tien_len_pb2.TienLenEvent:
    """Cards put on the table."""
    return tien_len_pb2.TienLenEvent(seat=seat, time=time, play=tien_len_pb2.Play(cards=cards))  # type: ignore[arg-type] # the enum of the wire is the number itself


def make_pass(seat: int, *, time: int = 0) -> tien_len_pb2.TienLenEvent:
    """Make a pass."""
    event = tien_len_pb2.TienLenEvent(seat=seat, time=time)
    event.pass_turn.SetInParent()
    return event


def signature_of(message: tien_len_pb2.TienLenRound, event: tien_len_pb2.TienLenEvent) -> bytes:
    """Sign an event as its seat's next, with what it had seen; empty for a seat without a key and for TIMEOUT."""
    keys = message.header.seat_keys
    if event.seat >= len(keys) or not keys[event.seat] or is_timeout(event):
        return b""
    return sign(message, event, Ed25519PrivateKey.from_private_bytes(PRIVATE[keys[event.seat]]))


def winner_of(
    settled: tien_len_pb2.TienLenServiceSettleRoundResponse | tien_len_pb2.TienLenServicePreviewRoundResponse,
) -> int:
    """Return the seat that won."""
    (winner,) = (result.seat for result in settled.outcome.seats if result.winner)
    return winner


@dataclass(frozen=True)
class Dealt:
    """A round that was dealt: what a question carries, and the answers that it is made from."""

    round: tien_len_pb2.TienLenRound
    opened: shuffler_pb2.OpenRoundResponse
    dealt: shuffler_pb2.DealRoundResponse

    @property
    def hands(self) -> list[list[int]]:
        """The hands by seat, as card numbers."""
        return [list(hand.cards) for hand in self.dealt.hands]


def seed_signature(opened: shuffler_pb2.OpenRoundResponse, seat: int, seed: bytes) -> bytes:
    """Sign a seat's seed with the key made of the same bytes."""
    statement = seed_statement(
        round_id=opened.round_id, commitment=opened.server_commitment, seat=Seat(seat), token_hash=b"", seed=seed
    )
    return Ed25519PrivateKey.from_private_bytes(seed).sign(statement)


def scripted_deal(header: Header, hands: Sequence[Sequence[Card]]) -> Deal:
    """Make a deal of these hands."""
    round_id, commitment, mixed = header.round_id, bytes(32), hashlib.sha256(b"mixed").digest()
    dealt = {card for hand in hands for card in hand}
    stock = tuple(card for card in DECK if card not in dealt)
    sections = tuple(tuple(section) for section in (*hands, stock) if section)
    keys = section_keys(Prk.of(bytes(32), salt=mixed), round_id=round_id, count=len(sections))
    numbers = tuple(bytes([card.number for card in section]) for section in sections)
    roots = tuple(
        section_root(key=key, round_id=round_id, section=section, numbers=dealt)
        for section, (key, dealt) in enumerate(zip(keys, numbers, strict=True))
    )
    whole = deck_root(round_id=round_id, commitment=commitment, mixed=mixed, layout=header.layout, roots=roots)
    return Deal(
        round_id=round_id,
        commitment=commitment,
        mixed=mixed,
        sections=sections,
        numbers=numbers,
        keys=keys,
        roots=roots,
        deck_root=whole,
        drawn=Seat(0),
    )


class TienLenHouse(RawServer):
    """A server on which rounds of Tiến Lên are played. Tests reach the words of this file through it."""

    make_play = staticmethod(make_play)
    make_pass = staticmethod(make_pass)
    winner_of = staticmethod(winner_of)
    scripted_deal = staticmethod(scripted_deal)

    def __init__(self, folder: Path, **settings: Any) -> None:  # noqa: ANN401 - what server_options takes
        luck = random.Random(7)  # noqa: S311 - the same deals in every run
        self.catalogue: Catalogue = settings.get("catalogue", load_builtin())
        super().__init__(folder, **{"entropy": luck.randbytes} | settings)

    @property
    def referee(self) -> tien_len_pb2_grpc.TienLenServiceStub:
        """The stub of the game."""
        return self.tien_len

    def deal(
        self,
        table: str = "",
        *,
        seats: int = 4,
        ruleset: str = RULESET,
        keys: Sequence[bytes] = (),
        **more: Any,  # noqa: ANN401 - members of the terms
    ) -> Dealt:
        """Open and deal the table's next round, at a new table if none is named.

        A seat's key is one of ``KEYS`` and made of the same bytes as its seed.
        """
        terms = shuffler_pb2.RoundTerms(
            table_id=table or self.new_table(),
            ruleset_id=ruleset,
            seat_count=seats,
            seat_keys=keys,
            **{"currency": "CHIP", "stake_minor": 10, **more},
        )
        opened = self.open_round(terms)
        header = opened.header
        seeds = [bytes([seat + 1]) * 32 for seat in range(seats)]
        seeds = [PRIVATE.get(key, seed) for key, seed in zip(header.seat_keys, seeds, strict=True)]
        signatures = [
            b"" if key == NO_KEY else seed_signature(opened, seat, seeds[seat]) for seat, key in enumerate(keys)
        ]
        dealt = self.deal_round(opened, seeds, signatures)
        message = tien_len_pb2.TienLenRound(header=header, certificates=[dealt.certificate])
        return Dealt(message, opened, dealt)

    def script(self, hands: Sequence[Sequence[Card]], *, leader: int, **changed: Any) -> tien_len_pb2.TienLenRound:  # noqa: ANN401 - members of Header
        """Make a round of these hands, led by this seat, that the shuffler certifies and the log does not have.

        ``changed`` are members of the header, ``dealt_time`` when it was dealt, ``leader_by`` why the seat leads.
        """
        ruleset = self.catalogue.get(changed.pop("ruleset", RULESET))
        dealt_time = changed.pop("dealt_time", 0)
        leader_by = LeaderBy(changed.pop("leader_by", LeaderBy.DRAW))
        usual: dict[str, Any] = {
            "origin": self.app.origin,
            "randomness_suite": SUITE_COMMITMENT,
            "table_id": self.new_table(),
            "stake": 100,
            "deal_deadline": 2**53 - 1,
            "round_deadline": 2**53 - 1,
        }
        header = header_of(ruleset, len(hands), **usual | changed)
        certificate_bytes = certificate.issue(
            scripted_deal(header, hands),
            header,
            sections=range(len(hands)),
            dealt_time=dealt_time,
            lead=(Seat(leader), leader_by) if ruleset.game == "tien_len" else None,
            signer=self.app.keys.signer("shuffler"),
        )
        return tien_len_pb2.TienLenRound(header=write_header(header), certificates=[certificate_bytes])

    def deal_playable(self, *, seats: int = 4, **terms: Any) -> Dealt:  # noqa: ANN401 - what ``deal`` takes
        """Deal first rounds of new tables until no hand wins at the deal."""
        while True:
            one = self.deal(seats=seats, **terms)
            if not self.preview(one.round).state.over:
                return one

    def preview(self, message: tien_len_pb2.TienLenRound) -> tien_len_pb2.TienLenServicePreviewRoundResponse:
        """Preview of the round."""
        return self.referee.PreviewRound(tien_len_pb2.TienLenServicePreviewRoundRequest(round=message))

    def plays(self, message: tien_len_pb2.TienLenRound) -> tien_len_pb2.ListPlaysResponse:
        """List the legal plays."""
        return self.referee.ListPlays(tien_len_pb2.ListPlaysRequest(round=message))

    def check(
        self, message: tien_len_pb2.TienLenRound, event: tien_len_pb2.TienLenEvent
    ) -> tien_len_pb2.CheckPlayResponse:
        """Check an event."""
        return self.referee.CheckPlay(tien_len_pb2.CheckPlayRequest(round=message, event=event))

    def accept(
        self, message: tien_len_pb2.TienLenRound, event: tien_len_pb2.TienLenEvent
    ) -> tien_len_pb2.TienLenServiceAcceptEventResponse:
        """Ask to accept the next event, signed where its seat has a key."""
        signature = signature_of(message, event)
        return self.referee.AcceptEvent(
            tien_len_pb2.TienLenServiceAcceptEventRequest(round=message, event=event, signature=signature)
        )

    def settle(self, message: tien_len_pb2.TienLenRound) -> tien_len_pb2.TienLenServiceSettleRoundResponse:
        """Settle the round."""
        return self.referee.SettleRound(tien_len_pb2.TienLenServiceSettleRoundRequest(round=message))

    def abort(self, one: Dealt) -> shuffler_pb2.AbortRoundResponse:
        """Abort the round a moment after its deadline, at which the clock stays."""
        self.clock.now = max(self.clock.now, one.opened.header.round_deadline_time + 1)
        return self.shuffler.AbortRound(
            shuffler_pb2.AbortRoundRequest(round=one.opened.header.round, reason=shuffler_pb2.ABORT_REASON_DEADLINE)
        )

    def play_on(
        self, message: tien_len_pb2.TienLenRound, *, seed: int = 1, receipts: bool = False, events: int = 1000
    ) -> None:
        """Play legal choices to the round's end or for some events, at most one event a millisecond."""
        luck = random.Random(seed)  # noqa: S311 - the same choices in every run
        for _ in range(events):
            listed = self.plays(message)
            if not listed.HasField("turn"):
                return
            event = make_pass(listed.turn)
            if listed.plays and (not listed.may_pass or luck.random() < 0.6):
                event = make_play(listed.turn, luck.choice(listed.plays).cards)
            self.clock.now += 1
            signature = signature_of(message, event)
            if receipts:
                answer = self.accept(message, event)
                take(message, answer.event, receipt=answer.receipt, signature=signature)
            else:
                event.time = self.clock.now
                take(message, event, signature=signature)

    def play_settled(
        self, one: Dealt, *, seed: int = 1, receipts: bool = False
    ) -> tien_len_pb2.TienLenServiceSettleRoundResponse:
        """Play the round to its end and settle it."""
        self.play_on(one.round, seed=seed, receipts=receipts)
        return self.settle(one.round)

    def settle_mau_binh(self, table: str, *, seats: int = 2) -> tuple[bytes, round_pb2.RoundHeader]:
        """Settle a round of Mậu Binh at the table; return its SETTLE leaf and header."""
        one = self.deal(table, seats=seats, ruleset="mau_binh.classic")
        message = mau_binh_pb2.MauBinhRound(header=one.opened.header, certificates=[one.dealt.certificate])
        self.clock.now += 100_000
        settled = self.mau_binh.SettleRound(mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=message))
        return settled.log_receipt.leaf, one.opened.header


@pytest.fixture(scope="session")
def tien_len(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TienLenHouse]:
    """One server for all tests, each at tables of its own."""
    running = TienLenHouse(tmp_path_factory.mktemp("house"))
    yield running
    running.close()


@pytest.fixture
def open_tien_len(tmp_path: Path) -> Iterator[Callable[..., TienLenHouse]]:
    """Servers of a test's own, in folders of its own; the same name is the same folder again."""
    opened: list[TienLenHouse] = []

    def start(name: str = "data", **settings: Any) -> TienLenHouse:  # noqa: ANN401 - what server_options takes
        opened.append(TienLenHouse(tmp_path / name, **settings))
        return opened[-1]

    yield start
    for one in opened:
        one.close()
