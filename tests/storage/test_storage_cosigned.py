"""Checkpoints with cosignatures stand beside the log: by size, added to, and none of the log's own bytes."""

import pytest

from referee.storage import Append, Cosigned, Reader, Store, Writer, check_store
from tests.storage.log_bench import Place


def keep(store: Store, size: int, note: bytes, *, quorate: bool) -> Cosigned:
    return store.keep_cosigned(size, lambda _: Cosigned(size=size, note=note, is_quorate=quorate))


def test_cosigned_checkpoints_are_listed_by_size(store: Store, writer: Writer):
    del writer
    for size in (7, 2, 2**40, 5):
        keep(store, size, f"note {size}".encode(), quorate=size != 5)
    assert [one.size for one in store.cosigned(0, 10)] == [2, 7, 2**40]
    assert [one.size for one in store.cosigned(0, 10, quorate=False)] == [2, 5, 7, 2**40]
    assert [one.size for one in store.cosigned(3, 1)] == [7]
    assert [one.size for one in store.cosigned(7, 1)] == [7]
    assert store.cosigned(2**40 + 1, 10) == []
    assert store.newest_cosigned() == Cosigned(size=2**40, note=f"note {2**40}".encode(), is_quorate=True)


def test_newest_is_returned_with_and_without_a_quorum(store: Store, writer: Writer):
    del writer
    assert store.newest_cosigned() is None
    keep(store, 9, b"one witness", quorate=False)
    assert store.newest_cosigned() is None
    assert store.newest_cosigned(quorate=False) == Cosigned(size=9, note=b"one witness", is_quorate=False)


def test_merge_gets_the_note_that_was_kept(store: Store, writer: Writer):
    del writer
    seen: list[bytes | None] = []

    def add(kept: bytes | None) -> Cosigned:
        seen.append(kept)
        return Cosigned(size=4, note=(kept or b"") + b"+", is_quorate=len(seen) > 1)

    for _ in range(3):
        store.keep_cosigned(4, add)
    assert seen == [None, b"+", b"++"]
    assert store.cosigned(0, 10) == [Cosigned(size=4, note=b"+++", is_quorate=True)]


def test_addition_that_fails_keeps_what_there_was(store: Store, writer: Writer):
    del writer
    keep(store, 4, b"kept", quorate=True)

    class BrokenError(Exception):
        """Fail while adding."""

    def fail(_: bytes | None) -> Cosigned:
        raise BrokenError

    with pytest.raises(BrokenError):
        store.keep_cosigned(4, fail)
    assert store.cosigned(0, 10) == [Cosigned(size=4, note=b"kept", is_quorate=True)]


def test_log_is_the_same_with_and_without_them(store: Store, writer: Writer, place: Place):
    for number in range(5):
        writer.append(Append(leaf=f"leaf {number}".encode()))
    head = store.head()
    keep(store, 5, b"note", quorate=True)
    assert check_store(store) == head
    writer.append(Append(leaf=b"one more"))
    reader: Reader = place.open_reader()
    assert [one.note for one in reader.cosigned(0, 10)] == [b"note"]
    reader.close()
