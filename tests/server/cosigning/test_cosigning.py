"""A server and its witnesses on loopback: heads get cosigned, are waited for and kept; commits never wait."""

import base64
import socket
import threading
import time
from contextlib import ExitStack
from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from referee.evidence.merkle import verify_inclusion
from referee.evidence.note import Note
from referee.evidence.vkey import Algorithm
from referee.log import Checkpoint
from referee.server.folder_lock import LeaderLock
from referee.server.keys.private_key import KeySigner
from referee.server.process.app import Application
from referee.server.process.cosigner import Cosigner
from referee.server.process.witness_client import WitnessClient, WitnessError
from referee.server.settings.witnesses import WitnessAddress
from referee.storage.sqlite import open_sqlite
from referee.v1 import log_pb2
from tests.server.cosigning.local_witness import ORIGIN, Cosigned, Watched, quorum_of, settings
from tests.server.http_server import Answering, http_server
from tests.waiting import until


def size_of(note: Note) -> int:
    return Checkpoint.parse(note.text).size


def sizes_of(house: Cosigned) -> list[int]:
    listed = house.log.ListCosignedCheckpoints(log_pb2.ListCosignedCheckpointsRequest(), timeout=10).checkpoints
    return [size_of(Note.parse(note.encode())) for note in listed]


def test_head_gets_cosigned_and_is_waited_for(watched: Watched) -> None:
    """OPEN, cosigned by two of two before the seats show their seeds, then DEAL; the history keeps it."""
    pair = watched.open(2)
    witnesses = quorum_of(pair, 2)
    house = watched.run(witnesses)
    opened = house.open("t")
    note = house.cosigned(opened + 1)
    said = witnesses.quorum.attest(note)
    assert said.is_quorate
    assert {key.name for key, _ in said.times} == {local_witness.name for local_witness in pair}
    assert (note.signatures[0].name, size_of(note)) == (ORIGIN, opened + 1)
    house.deal("t")
    later = size_of(house.cosigned(house.size))
    assert later > opened + 1
    assert {opened + 1, later} <= set(sizes_of(house))


def test_receipts_stand_under_the_cosigned_checkpoint(watched: Watched) -> None:
    house, witnesses = watched.start()
    house.open("t")
    house.deal("t")
    house.cosigned(house.size)
    found = house.log.GetTableRound(log_pb2.GetTableRoundRequest(table_id="t"), timeout=10)
    assert len(found.leaves) == 2
    for leaf in found.leaves:
        note = Note.parse(leaf.checkpoint.encode())
        assert witnesses.quorum.attest(note).is_quorate
        head = Checkpoint.parse(note.text)
        proof = list(leaf.inclusion_proof)
        verify_inclusion(leaf.leaf_hash, index=leaf.leaf_index, size=head.size, proof=proof, root=head.root)


def test_keys_name_the_witnesses(watched: Watched) -> None:
    pair = watched.open(2)
    keys = watched.run(quorum_of(pair, 1)).log.GetKeys(log_pb2.GetKeysRequest(), timeout=10)
    assert list(keys.witness_keys) == [local_witness.signer.verifier_key for local_witness in pair]
    assert keys.witness_quorum == 1
    alone = watched.run().log.GetKeys(log_pb2.GetKeysRequest(), timeout=10)
    assert (list(alone.witness_keys), alone.witness_quorum) == ([], 0)


def test_two_of_three_suffice_while_one_is_away(watched: Watched) -> None:
    """The third comes back and catches up; commits go on all the while."""
    watched.open(3)
    watched.witnesses[2].close()
    witnesses = quorum_of(watched.witnesses, 2)
    house = watched.run(witnesses)
    for number in range(3):
        opened = house.open(f"t-{number}")
        assert witnesses.quorum.attest(house.cosigned(opened + 1)).missing == (watched.witnesses[2].name,)
    watched.witnesses[2].open()
    until(lambda: watched.witnesses[2].last() >= house.size, "the third witness was not asked again", seconds=20)


def test_without_a_quorum_waiting_ends_with_a_reason_and_commits_go_on(watched: Watched) -> None:
    pair = watched.open(2)
    witnesses = quorum_of(pair, 2)
    house = watched.run(witnesses)
    first = house.open("t-1")
    house.cosigned(first + 1)
    watched.witnesses[1].close()
    opened = house.open("t-2")
    began = time.monotonic()
    code, words = house.refused(opened + 1, timeout=1.5)
    assert (code, "no quorum" in words) == ("UNAVAILABLE", True)
    assert time.monotonic() - began < 4
    assert size_of(house.cosigned(first + 1)) >= first + 1
    watched.witnesses[1].open()
    assert witnesses.quorum.attest(house.cosigned(opened + 1, timeout=20)).is_quorate


def test_size_beyond_the_log_or_no_witnesses_is_refused_at_once(watched: Watched) -> None:
    house, _ = watched.start()
    began = time.monotonic()
    assert house.refused(house.size + 1)[0] == "OUT_OF_RANGE"
    assert time.monotonic() - began < 5


def test_log_without_witnesses_says_so(watched: Watched) -> None:
    house = watched.run()
    assert (house.refused(1)[0], sizes_of(house)) == ("FAILED_PRECONDITION", [])


def test_those_who_wait_never_take_all_threads(watched: Watched) -> None:
    """Twenty calls wait on a server of four threads whose witness is away; others are answered meanwhile."""
    watched.open()
    witnesses = quorum_of([watched.witnesses[0]], 1)
    house = watched.run(witnesses, threads=4)
    house.cosigned(house.size)
    watched.witnesses[0].close()
    opened = house.open("t")
    waiting = [threading.Thread(target=house.refused, args=(opened + 1,), kwargs={"timeout": 4}) for _ in range(20)]
    for thread in waiting:
        thread.start()
    time.sleep(0.5)
    began = time.monotonic()
    house.open("another")
    assert time.monotonic() - began < 3
    for thread in waiting:
        thread.join(20)


def test_many_appends_share_cosignatures(watched: Watched) -> None:
    """What is appended while a head is cosigned waits for the next: fewer heads are cosigned than there are commits."""
    house, _ = watched.start(2)
    for number in range(60):
        house.open(f"t-{number}")
    house.cosigned(house.size)
    sizes = sizes_of(house)
    assert sizes == sorted(set(sizes))
    assert sizes[-1] == house.size


class _Canned(Answering):
    """Answers every submission alike."""

    canned: tuple[int, str, bytes]

    def do_POST(self) -> None:  # noqa: N802 - its name in http.server
        """Send the answer."""
        self.sent()
        status, kind, body = self.canned
        self.answer(body, status=status, kind=kind)


@pytest.mark.parametrize(
    ("status", "media_type", "body", "words"),
    [
        (200, "text/plain", b"no lines", "no cosignature of its own"),
        (200, "text/plain", "— other AAAAAAAA\n".encode(), "no cosignature of its own"),
        (200, "text/plain", b"x" * 20_000, "more than"),
        (409, "text/x.tlog.size", b"many\n", "malformed answer"),
        (409, "text/x.tlog.size", b"1\n", "another size each time"),
        (409, "text/plain", b"2\n", "another history"),
        (409, "text/x.tlog.size", b"9999\n", "has cosigned 9999 leaves"),
        (422, "text/plain", b"", "another history"),
        (500, "text/plain", b"broken", "status 500"),
        (302, "text/plain", b"", "status 302"),
    ],
)
def test_answer_that_nobody_can_believe_is_no_cosignature(watched: Watched, status, media_type, body, words) -> None:
    watched.run().open("t")
    store = open_sqlite(watched.data)
    key = KeySigner("witness.example/w", b"w" * 32, Algorithm.COSIGNATURE_V1).key
    _Canned.canned = status, media_type, body
    with http_server(_Canned) as address:
        client = WitnessClient(WitnessAddress(address, key), store, timeout=5)
        with pytest.raises(WitnessError, match=words):
            client.submit(store.head())
        client.close()
    store.close()


@pytest.mark.parametrize("url", ["", "ftp://w", "http://", "w:80", "http://w/?a", "http://w/#a"])
def test_address_that_is_none_is_refused(watched: Watched, url: str) -> None:
    with pytest.raises(ValueError, match="not a witness's address"):
        WitnessAddress(url, watched.witnesses[0].signer.key)


def test_processes_on_one_folder_take_turns_to_ask(watched: Watched) -> None:
    """Three cosigners of one log: one asks, all know what comes of it, and when it ends another goes on."""
    house = watched.run(services=["shuffler", "log"])
    witnesses = quorum_of(watched.open(), 1)
    stores = [open_sqlite(watched.data) for _ in range(3)]
    cosigners = [Cosigner(store, witnesses, turn=LeaderLock(watched.data / "turn.lock")) for store in stores]
    for cosigner in cosigners:
        cosigner.start()
    for number in range(3):
        opened = house.open(f"t-{number}")
        for cosigner in cosigners[number:]:
            known = cosigner.wait(opened + 1, 10)
            assert known is not None
            assert known.size >= opened + 1
        cosigners[number].close()
        stores[number].close()


def test_servers_that_share_a_log_start_while_the_others_append(watched: Watched) -> None:
    """A witness that knows more than a starting server has just read is no loss of data."""
    house, witnesses = watched.start()
    is_over = threading.Event()

    def append() -> None:
        number = 0
        while not is_over.is_set():
            number += 1
            house.open(f"busy-{number}")

    thread = threading.Thread(target=append)
    thread.start()
    try:
        for _ in range(4):
            with Application(settings(watched.folder, witnesses, services=["log"])) as other, ExitStack() as stack:
                beside = Cosigned(other, stack)
                assert witnesses.quorum.attest(beside.cosigned(beside.size)).is_quorate
    finally:
        is_over.set()
        thread.join(20)


@pytest.mark.parametrize(("ahead", "words"), [(40, "ahead of"), (-40, "behind")])
def test_cosignature_dated_away_from_the_servers_clock_is_not_used(watched: Watched, *, ahead: int, words: str) -> None:
    """Neither one that the start asks for nor later ones; once both clocks agree, the head is cosigned again."""
    (local_witness,) = watched.open()
    local_witness.ahead = ahead
    with capture_logs() as lines:
        house = watched.run(quorum_of([local_witness], 1))
        house.open("t")
        assert house.refused(house.size, timeout=1.5)[0] == "UNAVAILABLE"
        assert sizes_of(house) == []
    said = [line for line in lines if line["event"] == "cosignature not used"]
    assert said
    assert f"{words} this server's clock, and 5 s are allowed" in said[0]["error"]
    assert {line["event"] for line in lines if "error" in line} == {"witness has not cosigned", "cosignature not used"}
    local_witness.ahead = 0
    assert house.cosigned(house.size, timeout=30)


def test_unchanged_head_is_cosigned_anew(watched: Watched) -> None:
    """Its cosignatures get a newer time, and its row in the history stays one."""
    watched.run()
    (local_witness,) = watched.open()
    store = open_sqlite(watched.data)
    witnesses = quorum_of([local_witness], 1)
    cosigner = Cosigner(store, witnesses, refresh=0.2)
    cosigner.start()
    first = cosigner.wait(1, 10)
    assert first is not None
    first_time = witnesses.quorum.attest(Note.parse(first.note)).time

    def newer() -> bool:
        newest = cosigner.wait(1, 0)
        return newest is not None and witnesses.quorum.attest(Note.parse(newest.note)).time > first_time

    until(newer, "it was not cosigned anew", seconds=20)
    cosigner.close()
    assert [one.size for one in store.cosigned(0, 10)] == [first.size]
    store.close()


def test_cosigner_closes_while_a_witness_hangs(watched: Watched) -> None:
    """A witness that takes a connection and says nothing neither holds commits nor the end."""
    watched.run()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        watched.witnesses[0].port = silent.getsockname()[1]
        store = open_sqlite(watched.data)
        cosigner = Cosigner(store, quorum_of([watched.witnesses[0]], 1), timeout=30)
        cosigner.start()
        silent.settimeout(30)
        connection, _ = silent.accept()
        began = time.monotonic()
        assert cosigner.wait(1, 0.2) is None
        cosigner.close()
        assert time.monotonic() - began < 4
        connection.close()
        store.close()


def test_witnesses_are_asked_no_more_often_than_the_interval_and_still_agree(watched: Watched) -> None:
    """Two of two, one of which came later, meet on one head although the log grows all the while."""
    first, second = watched.open(2)
    house = watched.run(replace(quorum_of([first, second], 2), interval=1.0))
    began = time.monotonic()
    for number in range(40):
        opened = house.open(f"t-{number}")
        time.sleep(0.05)
    note = house.cosigned(opened + 1, timeout=20)
    lasted = time.monotonic() - began
    assert len(quorum_of([first, second], 2).quorum.attest(note).times) == 2
    assert 2 <= len(sizes_of(house)) <= lasted + 3  # one each second, one at the start and one on each side


def test_answer_with_lines_of_unknown_types_is_read_for_the_known_one(watched: Watched, monkeypatch) -> None:
    """A witness that signs with ML-DSA-44 as well answers with a line that is too long to be a cosignature/v1."""
    other = b"".join((bytes(range(4)), (1).to_bytes(8, "big"), bytes(2420)))
    line = f"\u2014 {watched.witnesses[0].name} {base64.b64encode(other).decode()}\n".encode()
    answer = WitnessClient._exchange  # noqa: SLF001 - where an answer arrives

    def exchange(client: WitnessClient, method: str, path: str, body: bytes) -> tuple[int, str, bytes]:
        status, kind, text = answer(client, method, path, body)
        return status, kind, line + text if path == "/add-checkpoint" and status == 200 else text

    monkeypatch.setattr(WitnessClient, "_exchange", exchange)
    house, witnesses = watched.start()
    opened = house.open("t")
    assert witnesses.quorum.attest(house.cosigned(opened + 1)).is_quorate
