"""Stores to hold to the contract, and short ways to speak to them."""

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from referee.log import (
    NO_LEAF,
    Abort,
    Checkpoint,
    CheckpointSigner,
    Deal,
    LogReceipt,
    Open,
    Reveal,
    Settle,
    SlotKey,
    Step,
)
from referee.storage import Append, Reader, Store, Writer, open_sqlite, open_sqlite_reader

ORIGIN = "log.example/1"


class FixedSigner:
    """One key, held by a second implementation of Ed25519."""

    def __init__(self) -> None:
        self._key = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
        self.public_key = self._key.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)

    def sign(self, message: bytes) -> bytes:
        """The signature."""
        return self._key.sign(message)


def digest(*parts: object) -> bytes:
    """32 bytes that stand for these parts."""
    return hashlib.sha256(repr(parts).encode()).digest()


@dataclass(frozen=True)
class Place:
    """A place where one log is kept, and how it is opened."""

    folder: Path
    open: Callable[[], Store]
    open_reader: Callable[[], Reader]


class Bench:
    """A signer, and appends made from few words: round n of a table has ids and decks that follow from both."""

    origin = ORIGIN

    def __init__(self) -> None:
        self.signer = CheckpointSigner(FixedSigner(), key_name=ORIGIN)

    def verify(self, leaf: bytes, receipt: LogReceipt) -> Checkpoint:
        """The checkpoint that the receipt shows the leaf under."""
        return receipt.verify(leaf, origin=ORIGIN, keys=[self.signer.key])

    def step(self, kind: str, table: str, number: int, *, previous: bytes = NO_LEAF, **facts: int) -> Step:
        """A step of this kind; ABORT is that of a round that was dealt, ABANDON of one that was not."""
        key, round_id, deck_root = SlotKey(table, number), digest("id", table, number), digest("deck", table, number)
        deadlines = {"deal_deadline": 1_000, "round_deadline": 2_000} | facts
        steps: dict[str, Callable[[], Step]] = {
            "OPEN": lambda: Open(key, round_id=round_id, previous_leaf=previous, **deadlines),
            "DEAL": lambda: Deal(key, round_id=round_id, deck_root=deck_root),
            "SETTLE": lambda: Settle(key, round_id=round_id, deck_root=deck_root),
            "ABORT": lambda: Abort(key, round_id=round_id, deck_root=deck_root),
            "ABANDON": lambda: Abort(key, round_id=round_id, deck_root=None),
            "REVEAL": lambda: Reveal(key, round_id=round_id),
        }
        return steps[kind]()

    def append(
        self, kind: str, table: str = "t", number: int = 1, *, told: str = "", previous: bytes = NO_LEAF, **facts: int
    ) -> Append:
        """An append whose leaf and told digest follow from its words; another ``told`` makes another request."""
        words = f"{kind} {number} of {table} {told}"
        return Append(
            leaf=words.encode(),
            step=self.step(kind, table, number, previous=previous, **facts),
            told_digest=digest(words),
            memo=f"memo of {words}".encode(),
        )


@pytest.fixture(scope="session")
def bench() -> Bench:
    """The signer and the short ways."""
    return Bench()


@pytest.fixture(params=["sqlite"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    """An empty place of each kind of store. A new kind is one more parameter."""
    folder = tmp_path / "data"
    kinds = {"sqlite": Place(folder, lambda: open_sqlite(folder), lambda: open_sqlite_reader(folder))}
    return kinds[request.param]


@pytest.fixture
def store(place: Place) -> Iterator[Store]:
    """A store in an empty place."""
    opened = place.open()
    yield opened
    opened.close()


@pytest.fixture
def writer(store: Store, bench: Bench) -> Iterator[Writer]:
    """A writer on the store, so that the store holds a log."""
    with Writer(store, bench.signer, origin=ORIGIN) as running:
        yield running
