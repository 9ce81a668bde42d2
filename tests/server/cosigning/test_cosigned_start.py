"""A log that lost leaves, or went another way than its witnesses saw, does not start."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.evidence.note import Note
from referee.evidence.vkey import VerifierKey
from referee.log import Checkpoint
from referee.server.keys.private_key import KeySigner
from referee.server.process.witness_client import WitnessClient, WitnessError
from referee.server.settings.witnesses import Witnesses
from referee.storage import DataLossError, open_sqlite
from tests.server.cosigning.local_witness import ORIGIN, House, LocalWitness, quorum_of


def set_back(tmp_path: Path, run: Callable[..., House], witnesses: Witnesses) -> None:
    """Restore the data folder from before its last cosigned leaves, as from an old backup."""
    house = run(witnesses)
    house.cosigned(house.size())
    run()  # the witnessed server is closed, so that the copy is whole
    backup = tmp_path / "backup"
    shutil.copytree(tmp_path / "data", backup)
    house = run(witnesses)
    house.open("lost")
    house.cosigned(house.size())
    run()
    shutil.rmtree(tmp_path / "data")
    shutil.copytree(backup, tmp_path / "data")


def test_log_that_was_set_back_does_not_start(
    tmp_path: Path, run: Callable[..., House], local_witnesses: list[LocalWitness], log_key: str
) -> None:
    """A restored backup lacks leaves that a witness has cosigned: the error shows the note that proves it."""
    witnesses = quorum_of([local_witnesses[0].open(log_key)], 1)
    set_back(tmp_path, run, witnesses)
    with pytest.raises(DataLossError, match="has cosigned") as caught:
        run(witnesses)
    assert ORIGIN in str(caught.value).partition(" leaves of this log and shows this note")[2]


def test_log_that_was_set_back_and_went_another_way_does_not_start(
    tmp_path: Path, run: Callable[..., House], local_witnesses: list[LocalWitness], log_key: str
) -> None:
    witnesses = quorum_of([local_witnesses[0].open(log_key)], 1)
    set_back(tmp_path, run, witnesses)
    house = run()  # nobody asks the witness
    for number in range(5):
        house.open(f"other-{number}")
    with pytest.raises(DataLossError, match="another history"):
        run(witnesses)


def test_log_that_was_lost_whole_does_not_begin_anew_under_its_keys(
    tmp_path: Path, run: Callable[..., House], local_witnesses: list[LocalWitness], log_key: str
) -> None:
    witnesses = quorum_of([local_witnesses[0].open(log_key)], 1)
    house = run(witnesses)
    house.cosigned(house.size())
    run()
    for path in (*(tmp_path / "data").glob("log.sqlite3*"), tmp_path / "data" / "keys" / "log.head"):
        path.unlink()
    with pytest.raises(DataLossError, match="the log has 0 leaves"):
        run(witnesses)


def test_stored_cosignature_of_more_than_the_log_has_stops_it(
    tmp_path: Path, run: Callable[..., House], local_witnesses: list[LocalWitness], log_key: str
) -> None:
    """The store's own memory is enough, with every witness away."""
    witnesses = quorum_of([local_witnesses[0].open(log_key)], 1)
    house = run(witnesses)
    house.open("t")
    house.cosigned(house.size())
    newer = open_sqlite(tmp_path / "data")
    kept = newer.newest_cosigned()
    newer.close()
    run()
    assert kept is not None
    set_back(tmp_path, run, witnesses)
    store = open_sqlite(tmp_path / "data")
    beyond = Note.parse(kept.note)
    head = Checkpoint.parse(beyond.text)
    larger = Checkpoint(ORIGIN, head.size + 50, head.root)
    moved = Note(larger.body, beyond.signatures).format()
    store.keep_cosigned(larger.size, lambda _: type(kept)(size=larger.size, note=moved, is_quorate=True))
    store.close()
    local_witnesses[0].close()
    with pytest.raises(DataLossError, match="but a known checkpoint has"):
        run(witnesses)


def test_witness_that_cannot_be_asked_is_passed_over_unless_required(
    run: Callable[..., House], local_witnesses: list[LocalWitness], log_key: str
) -> None:
    local_witnesses[0].open(log_key)
    local_witnesses[0].close()
    house = run(quorum_of([local_witnesses[0]], 1))
    assert house.size() == 4
    with pytest.raises(WitnessError, match="cannot be reached"):
        run(quorum_of([local_witnesses[0]], 1, is_required=True))


def test_witness_that_does_not_know_the_log_is_no_reason_to_stop(
    run: Callable[..., House], local_witnesses: list[LocalWitness], log_key: str
) -> None:
    del log_key
    stranger = KeySigner("other.example/log", b"x" * 32).verifier_key
    house = run(quorum_of([local_witnesses[0].open(stranger)], 1))
    assert house.refused(1, timeout=1)[0] == "UNAVAILABLE"


def test_two_witnesses_that_saw_different_logs_convict_the_signer_of_both(
    tmp_path: Path, run: Callable[..., House], local_witnesses: list[LocalWitness], log_key: str
) -> None:
    """A split view: each witness cosigned its own tree of one size, and their two notes are the proof."""
    first, second = (local_witness.open(log_key) for local_witness in local_witnesses[:2])
    house = run(quorum_of([first], 1))
    house.open("shown-to-one")
    house.cosigned(house.size())
    run()
    shutil.copytree(tmp_path / "data", tmp_path / "one")
    for path in (*(tmp_path / "data").glob("log.sqlite3*"), tmp_path / "data" / "keys" / "log.head"):
        path.unlink()
    house = run(quorum_of([second], 1))
    house.open("shown-to-the-other")
    house.cosigned(house.size())
    assert first.last() == second.last() == 5
    with pytest.raises(DataLossError, match="another history"):
        run(quorum_of([first, second], 2))
    store = open_sqlite(tmp_path / "one")
    shown = [WitnessClient(local_witness.address, store, timeout=5) for local_witness in (first, second)]
    notes = [one.last(ORIGIN) for one in shown]
    for one in shown:
        one.close()
    store.close()
    keys = [VerifierKey.parse(log_key)]
    roots = set()
    for found in notes:
        assert found is not None
        assert [key.text for key in found[0].verify(keys)] == [log_key]
        roots.add((found[1].size, found[1].root))
    assert len(roots) == 2
    assert len({size for size, _ in roots}) == 1
