"""Servers that begin one log at the same moment: its keys are named once, and servers with other keys do not start."""

import os
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from referee.evidence.merkle import EMPTY_ROOT
from referee.log import Checkpoint, CheckpointSigner
from referee.server.keys.folder import KeyFolder
from referee.server.keys.private_key import KeyFileError
from referee.server.process.startup import name_keys
from referee.storage import Store, open_sqlite

ORIGIN: Final = "log.example/1"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """Open a store with a new, empty log."""
    with closing(open_sqlite(tmp_path / "data")) as opened:
        yield opened


def keys_in(folder: Path, store: Store) -> KeyFolder:
    """Make the keys of a folder, and their log in the store unless there is one."""
    keys = KeyFolder.open_or_make(folder, origin=ORIGIN, entropy=os.urandom)
    store.found(ORIGIN, CheckpointSigner(keys.signer("log"), key_name=ORIGIN).sign(Checkpoint(ORIGIN, 0, EMPTY_ROOT)))
    return keys


def test_second_server_with_the_same_keys_names_nothing_and_goes_on(tmp_path: Path, store: Store) -> None:
    """Three leaves, and both know the same keys."""
    keys = keys_in(tmp_path / "keys", store)
    first, second = name_keys(store, keys), name_keys(store, keys_in(tmp_path / "keys", store))
    assert store.head().size == 3
    assert first.records == second.records
    assert [one.key for one in first.records] == [keys.public[role].text for role in ("log", "shuffler", "referee")]


@pytest.mark.parametrize("is_root_shared", [False, True])
def test_second_server_with_other_keys_does_not_go_on(tmp_path: Path, store: Store, *, is_root_shared: bool) -> None:
    """Whether all of them are others or the root's is the same: it says what to do, and the log is as it was."""
    name_keys(store, keys_in(tmp_path / "keys", store))
    head = store.head()
    others = tmp_path / "others"
    keys_in(others, store)
    if is_root_shared:
        for name in ("root.key", "root.pub"):
            (tmp_path / "keys" / name).replace(others / name)
    with pytest.raises(KeyFileError, match=r"another server has just begun this log with other keys .* copy its keys"):
        name_keys(store, keys_in(others, store))
    assert store.head() == head
