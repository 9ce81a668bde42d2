"""With witnesses in its trust, a client shows no seed before they have cosigned OPEN; the audit then says L3."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from referee_client import Client, NotReadyError, RefereeError, SeatSecrets, Trust, VerificationError
from referee_client.trust import Believed

from referee.evidence.note import Note, cosign_note
from referee.server.process.app import Application
from tests.clients_python.playing import binh
from tests.clients_python.watched_server import NAME, STRANGER, WITNESS, Key, Watched, watched_server
from tests.server.options import server_options


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    with watched_server(tmp_path_factory.mktemp("watched")) as running:
        yield running


def test_a_round_that_waited_for_the_witness_is_on_level_three(watched: Watched):
    with Client(watched.address, trust=watched.trust, timeout=60) as client:
        game = client.mau_binh(binh("waits"), secrets=[SeatSecrets.make(seat, keyed=True) for seat in range(2)])
        opened = game.open()
        assert len(game.deal()) == 2
        assert game.deal_receipt is not None
        assert game.deal_receipt.index > opened.index
    audited = subprocess.run(
        [sys.executable, "-m", "referee", "audit", "--data", str(watched.data), "--json", "--witness", WITNESS.text],
        capture_output=True,
        text=True,
        check=False,
    )
    assert audited.returncode == 0, audited.stdout + audited.stderr
    assert json.loads(audited.stdout)["dealing_levels"]["L3"] == 1


def test_no_seed_is_shown_where_another_witness_is_believed(watched: Watched):
    """The server waits for its own witness, whose word this client does not take."""
    trust = Trust(log_key=watched.trust.log_key, root_key=watched.trust.root_key, witnesses=[STRANGER.text])
    with Client(watched.address, trust=trust, timeout=60) as client:
        game = client.mau_binh(binh("stranger"))
        game.open()
        with pytest.raises(VerificationError, match="0 witnesses of 1 cosigned"):
            game.deal()
        assert game.dealt_time == 0


def test_no_seed_is_shown_where_nobody_cosigns(tmp_path: Path):
    """A server without witnesses says so, and nothing is dealt."""
    with Application(server_options(data=tmp_path)) as application:
        public = application.keys.public
        trust = Trust(log_key=public["log"].text, root_key=public["root"].text, witnesses=[WITNESS.text])
        with Client(f"127.0.0.1:{application.port}", trust=trust, timeout=60) as client:
            game = client.mau_binh(binh("alone"))
            game.open()
            with pytest.raises(RefereeError) as caught:
                game.deal()
    assert isinstance(caught.value, NotReadyError)
    assert caught.value.reason == "NO_WITNESSES"


def test_a_quorum_counts_the_witnesses_that_are_believed(watched: Watched):
    with Client(watched.address, trust=watched.trust, timeout=60) as client:
        game = client.mau_binh(binh("counted"))
        plain = game.open().note
    once = cosign_note(Note.parse(plain.encode()), name=NAME, signer=Key(b"w" * 32), time=1_800_000_000)
    forged = cosign_note(Note.parse(plain.encode()), name=NAME, signer=Key(b"x" * 32), time=1_800_000_000)
    both = [WITNESS.text, STRANGER.text]

    def believed(needed: int) -> Believed:
        keys = {"log_key": watched.trust.log_key, "root_key": watched.trust.root_key}
        return Believed(Trust(**keys, witnesses=both, quorum=needed))

    assert believed(1).check_cosigned(once.format().decode()).size > 0
    for needed, note in ((0, once), (2, once), (1, forged)):
        with pytest.raises(VerificationError, match="cosigned"):
            believed(needed).check_cosigned(note.format().decode())
