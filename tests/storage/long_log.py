"""A long log made at once: the log of a data folder, extended by many leaves that nothing but a check reads."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

import pytest

from referee.evidence import merkle
from referee.evidence.merkle import grow, leaf_hash
from referee.log import Checkpoint, CheckpointSigner
from referee.log.proof import TILE_HEIGHT
from referee.server.keys.folder import KeyFolder
from referee.server.keys.signed_head import HeadRecord
from referee.storage import Head, Reader, Store
from referee.storage.record import Change
from referee.storage.sqlite import open_sqlite

_AT_ONCE: Final = 4096


def extend(data: Path, size: int, *, leaf_bytes: int = 64) -> None:
    """Extend the log of a stopped server to so many leaves, and record its head as that server would."""
    signer = KeyFolder.open(data / "keys", private=("log",)).signer("log")
    with closing(open_sqlite(data)) as store:
        signing = CheckpointSigner(signer, key_name=store.origin)
        while (head := store.head()).size < size:
            _append(store, head, signing, count=min(_AT_ONCE, size - head.size), leaf_bytes=leaf_bytes)
            store.compact()
        HeadRecord(data / "keys", store.key_leaves()).keep(store.head())


def _append(store: Store, head: Head, signer: CheckpointSigner, *, count: int, leaf_bytes: int) -> None:
    leaves = [(b"leaf %d " % number).ljust(leaf_bytes, b".") for number in range(head.size, head.size + count)]
    growth = grow(head.frontier, [leaf_hash(leaf) for leaf in leaves])
    note = signer.sign(Checkpoint(store.origin, growth.frontier.size, growth.root))
    nodes, level = list[tuple[int, int, bytes]](), 0
    while growth.frontier.size >> TILE_HEIGHT * level:
        first, hashes = growth.completed(TILE_HEIGHT * level)
        nodes += [(level, place, node) for place, node in enumerate(hashes, start=first)]
        level += 1
    new = Head(growth.frontier, growth.root, note, head.newest_time, head.roundless)
    with store.transaction() as transaction:
        transaction.write(
            Change(expected=head, head=new, leaves=leaves, hashes=nodes, opened=(), advanced=(), marks=())
        )


class Work:
    """What a block read and computed: rows of the store, and hashes."""

    rows = 0
    hashes = 0


@contextmanager
def counted() -> Iterator[Work]:
    """Count the rows that readers read and the hashes of trees that are computed in the block."""
    work, read, sha256 = Work(), Reader._rows, merkle._sha256  # noqa: SLF001 - counted

    def rows(reader: Reader, text: str, *parameters: object) -> Any:  # noqa: ANN401 - rows of any table
        found = read(reader, text, *parameters)
        work.rows += len(found)
        return found

    def hashed(data: bytes) -> Any:  # noqa: ANN401 - a hash
        work.hashes += 1
        return sha256(data)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(Reader, "_rows", rows)
        patched.setattr(merkle, "_sha256", hashed)
        yield work
