"""A server whose log a witness cosigns, and what a client is to know of both."""

import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from nacl.signing import SigningKey
from referee_client import Trust

from referee.evidence.vkey import Algorithm, VerifierKey
from referee.server.process.app import Application
from referee.server.settings.witnesses import WitnessSettings
from referee.witness import Witness, WitnessState
from referee.witness.server import WitnessServer
from referee.witness.trust import read_trusted
from tests.server.options import server_options

NAME: Final = "witness.example/w1"
STRANGER: Final = VerifierKey("stranger.example/w", bytes(SigningKey(b"s" * 32).verify_key), Algorithm.COSIGNATURE_V1)


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


@contextmanager
def watched_server(folder: Path) -> Iterator[Watched]:
    """Run a server and its witness, with their data in the folder."""
    data = folder / "data"
    with Application(server_options(data=data)) as application:
        log, root = (application.keys.public[role].text for role in ("log", "root"))
    with ExitStack() as open_:
        state = WitnessState(folder / "witness.sqlite3")
        open_.callback(state.close)
        witness = Witness(
            state, Key(b"w" * 32), name=NAME, trusted=read_trusted(f"log {log}"), clock=lambda: int(time.time())
        )
        listener = WitnessServer(witness, host="127.0.0.1", port=0).start()
        open_.callback(listener.close)
        witnesses = WitnessSettings(urls=(f"http://127.0.0.1:{listener.port}",), keys=(WITNESS.text,))
        settings = server_options(data=data, witnesses=witnesses)
        running = open_.enter_context(Application(settings))
        trust = Trust(log_key=log, root_key=root, witnesses=[WITNESS.text])
        yield Watched(data, f"127.0.0.1:{running.port}", trust)
