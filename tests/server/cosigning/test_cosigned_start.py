"""A log that lost leaves, or went another way than its witnesses saw, does not start."""

import shutil

import pytest

from referee.evidence.note import Note
from referee.evidence.vkey import VerifierKey
from referee.log import Checkpoint
from referee.server.keys.private_key import KeySigner
from referee.server.process.witness_client import WitnessClient, WitnessError
from referee.server.settings.witnesses import Witnesses
from referee.storage import DataLossError
from referee.storage.sqlite import open_sqlite
from tests.server.cosigning.local_witness import ORIGIN, Watched, quorum_of


def set_back(watched: Watched, witnesses: Witnesses) -> None:
    """Restore the data folder from before its last cosigned leaves, as from an old backup."""
    house = watched.run(witnesses)
    house.cosigned(house.size)
    watched.run()  # the witnessed server is closed, so that the copy is whole
    backup = watched.folder / "backup"
    shutil.copytree(watched.data, backup)
    house = watched.run(witnesses)
    house.open("lost")
    house.cosigned(house.size)
    watched.run()
    shutil.rmtree(watched.data)
    shutil.copytree(backup, watched.data)


def lose_whole(watched: Watched) -> None:
    """Close the witnessed server and delete its log, without the record of it that lies beside its keys."""
    watched.run()
    for path in (*watched.data.glob("log.sqlite3*"), watched.data / "keys" / "log.head"):
        path.unlink()


def test_log_that_was_set_back_does_not_start(watched: Watched) -> None:
    """A restored backup lacks leaves that a witness has cosigned: the error shows the note that proves it."""
    witnesses = quorum_of(watched.open(), 1)
    set_back(watched, witnesses)
    with pytest.raises(DataLossError, match="has cosigned") as caught:
        watched.run(witnesses)
    assert ORIGIN in str(caught.value).partition(" leaves of this log and shows this note")[2]


def test_log_that_was_set_back_and_went_another_way_does_not_start(watched: Watched) -> None:
    witnesses = quorum_of(watched.open(), 1)
    set_back(watched, witnesses)
    house = watched.run()  # nobody asks the witness
    for number in range(5):
        house.open(f"other-{number}")
    with pytest.raises(DataLossError, match="another history"):
        watched.run(witnesses)


def test_log_that_was_lost_whole_does_not_begin_anew_under_its_keys(watched: Watched) -> None:
    house, witnesses = watched.start()
    house.cosigned(house.size)
    lose_whole(watched)
    with pytest.raises(DataLossError, match="the log has 0 leaves"):
        watched.run(witnesses)


def test_stored_cosignature_of_more_than_the_log_has_stops_it(watched: Watched) -> None:
    """The store's own memory is enough, with every witness away."""
    house, witnesses = watched.start()
    house.open("t")
    house.cosigned(house.size)
    newer = open_sqlite(watched.data)
    kept = newer.newest_cosigned()
    newer.close()
    watched.run()
    assert kept is not None
    set_back(watched, witnesses)
    store = open_sqlite(watched.data)
    beyond = Note.parse(kept.note)
    head = Checkpoint.parse(beyond.text)
    larger = Checkpoint(ORIGIN, head.size + 50, head.root)
    moved = Note(larger.body, beyond.signatures).format()
    store.keep_cosigned(larger.size, lambda _: type(kept)(size=larger.size, note=moved, is_quorate=True))
    store.close()
    watched.witnesses[0].close()
    with pytest.raises(DataLossError, match="but a known checkpoint has"):
        watched.run(witnesses)


def test_witness_that_cannot_be_asked_is_passed_over_unless_required(watched: Watched) -> None:
    watched.open()
    watched.witnesses[0].close()
    house = watched.run(quorum_of([watched.witnesses[0]], 1))
    assert house.size == 4
    with pytest.raises(WitnessError, match="cannot be reached"):
        watched.run(quorum_of([watched.witnesses[0]], 1, is_required=True))


def test_witness_that_does_not_know_the_log_is_no_reason_to_stop(watched: Watched) -> None:
    stranger = KeySigner("other.example/log", b"x" * 32).verifier_key
    house = watched.run(quorum_of([watched.witnesses[0].open(stranger)], 1))
    assert house.refused(1, timeout=1)[0] == "UNAVAILABLE"


def test_two_witnesses_that_saw_different_logs_convict_the_signer_of_both(watched: Watched) -> None:
    """A split view: each witness cosigned its own tree of one size, and their two notes are the proof."""
    first, second = watched.open(2)
    house = watched.run(quorum_of([first], 1))
    house.open("shown-to-one")
    house.cosigned(house.size)
    watched.run()
    shutil.copytree(watched.data, watched.folder / "one")
    lose_whole(watched)
    house = watched.run(quorum_of([second], 1))
    house.open("shown-to-the-other")
    house.cosigned(house.size)
    assert first.last() == second.last() == 5
    with pytest.raises(DataLossError, match="another history"):
        watched.run(quorum_of([first, second], 2))
    store = open_sqlite(watched.folder / "one")
    shown = [WitnessClient(local_witness.address, store, timeout=5) for local_witness in (first, second)]
    heads = []
    for one in shown:
        found = one.last(ORIGIN)
        one.close()
        assert found is not None
        assert [key.text for key in found[0].verify([VerifierKey.parse(watched.log_key)])] == [watched.log_key]
        heads.append(found[1])
    store.close()
    assert heads[0].size == heads[1].size
    assert heads[0].root != heads[1].root
