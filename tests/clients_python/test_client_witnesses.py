"""With witnesses in its trust, a client shows no seed before they have cosigned OPEN; the audit then says L3."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from nacl.signing import SigningKey
from referee_client import Client, NotReadyError, RefereeError, SeatSecrets, Terms, Trust, VerificationError
from referee_client.trust import Believed

from referee.evidence.note import Note, cosign_note
from referee.evidence.vkey import Algorithm, VerifierKey
from referee.log.cosignature import Quorum
from referee.server.app import Application
from referee.server.cosigner import Witnesses
from referee.server.options import ServerOptions
from referee.server.witness_client import WitnessAddress
from referee.witness import Witness, WitnessState, read_trusted
from referee.witness.server import WitnessServer

NAME = "witness.example/w1"
STRANGER = VerifierKey("stranger.example/w", bytes(SigningKey(b"s" * 32).verify_key), Algorithm.COSIGNATURE_V1)


class Key:
    """A witness's private key."""

    def __init__(self, secret: bytes) -> None:
        self._key = SigningKey(secret)
        self.public_key = bytes(self._key.verify_key)

    def sign(self, message: bytes) -> bytes:
        """Return the signature."""
        return self._key.sign(message).signature


WITNESS = VerifierKey(NAME, Key(b"w" * 32).public_key, Algorithm.COSIGNATURE_V1)


@dataclass
class Watched:
    """A server with a witness, and what a client is to know of it."""

    data: Path
    address: str
    trust: Trust


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watched]:
    folder = tmp_path_factory.mktemp("watched")
    data = folder / "data"
    with Application(ServerOptions(data=data, listen="127.0.0.1:0")) as application:
        log, root = (application.keys.public[role].text for role in ("log", "root"))
    with ExitStack() as open_:
        state = WitnessState(folder / "witness.sqlite3")
        open_.callback(state.close)
        witness = Witness(
            state, Key(b"w" * 32), name=NAME, trusted=read_trusted(f"log {log}"), clock=lambda: int(time.time())
        )
        listener = WitnessServer(witness, host="127.0.0.1", port=0).start()
        open_.callback(listener.close)
        witnesses = Witnesses(
            addresses=(WitnessAddress(f"http://127.0.0.1:{listener.port}", WITNESS),), quorum=Quorum((WITNESS,), 1)
        )
        settings = ServerOptions(data=data, listen="127.0.0.1:0", witnesses=witnesses)
        running = open_.enter_context(Application(settings))
        trust = Trust(log_key=log, root_key=root, witnesses=[WITNESS.text])
        yield Watched(data, f"127.0.0.1:{running.port}", trust)


def binh(table: str) -> Terms:
    return Terms(table=table, ruleset="mau_binh.classic", seats=2, stake=100)


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
    with Application(ServerOptions(data=tmp_path, listen="127.0.0.1:0")) as application:
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
