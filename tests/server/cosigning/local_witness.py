"""Witnesses in this process, and a server that asks them, with short ways to speak to both."""

import os
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import grpc
import pytest

from referee.evidence.note import Note
from referee.evidence.vkey import Algorithm
from referee.log.cosignature import Quorum
from referee.server.keys.folder import KeyFolder
from referee.server.keys.private_key import KeySigner
from referee.server.process.app import Application
from referee.server.process.options import ServerOptions
from referee.server.settings.witnesses import WitnessAddress, Witnesses, WitnessSettings
from referee.v1 import log_pb2
from referee.witness import Witness, WitnessServer, WitnessState
from referee.witness.trust import read_trusted
from tests.driver.driver import AnyRound
from tests.server.options import server_options
from tests.server.processes import Caller

ORIGIN = "log.example/1"


class LocalWitness:
    """A witness in this process that listens on loopback; it can be closed and opened again on the same port."""

    def __init__(self, folder: Path, name: str) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.name = f"witness.example/{name}"
        self.signer = KeySigner(self.name, name.encode().ljust(32, b"."), Algorithm.COSIGNATURE_V1)
        self.port = 0
        self.listener: WitnessServer | None = None
        self.log_keys: tuple[str, ...] = ()
        self.ahead = 0

    @property
    def now(self) -> int:
        """Time of its clock in seconds since 1970 UTC."""
        return int(time.time()) + self.ahead

    @property
    def address(self) -> WitnessAddress:
        """Where it listens, and its key."""
        return WitnessAddress(f"http://127.0.0.1:{self.port}", self.signer.key)

    def open(self, *log_keys: str) -> "LocalWitness":
        """Listen, trusting these keys."""
        self.log_keys = log_keys or self.log_keys
        self.state = WitnessState(self.folder / "witness.sqlite3")
        witness = Witness(
            self.state,
            self.signer,
            name=self.name,
            trusted=read_trusted("\n".join(f"log {key}" for key in self.log_keys)),
            clock=lambda: self.now,
        )
        self.listener = WitnessServer(witness, host="127.0.0.1", port=self.port).start()
        self.port = self.listener.port
        return self

    def close(self) -> None:
        """Stop listening."""
        if self.listener is not None:
            self.listener.close()
            self.state.close()
            self.listener = None

    def last(self) -> int:
        """Return the size that it cosigned last."""
        seen = self.state.last(ORIGIN)
        return 0 if seen is None else seen.size


def settings(tmp_path: Path, witnesses: Witnesses | None = None, **more: Any) -> ServerOptions:  # noqa: ANN401
    named = WitnessSettings()
    if witnesses is not None:
        named = WitnessSettings(
            urls=tuple(one.url for one in witnesses.addresses),
            keys=tuple(one.key.text for one in witnesses.addresses),
            quorum=witnesses.quorum.needed,
            required=witnesses.is_required,
            interval_seconds=witnesses.interval,
        )
    return server_options(data=tmp_path / "data", origin=ORIGIN, witnesses=named, **more)


def quorum_of(local_witnesses: list[LocalWitness], needed: int, *, is_required: bool = False) -> Witnesses:
    addresses = tuple(local_witness.address for local_witness in local_witnesses)
    return Witnesses(
        addresses=addresses, quorum=Quorum(tuple(one.key for one in addresses), needed), is_required=is_required
    )


class Cosigned(Caller):
    """A caller of a server that witnesses cosign."""

    def __init__(self, application: Application, stack: ExitStack) -> None:
        super().__init__(stack.enter_context(grpc.insecure_channel(f"127.0.0.1:{application.port}")))
        self._opened: dict[str, AnyRound] = {}

    def open(self, table: str) -> int:
        """Return the index of the OPEN leaf of a new table's first round."""
        self._opened[table] = self.driver.open(table)
        receipt = self._opened[table].open_receipt
        assert receipt is not None
        return receipt.index

    def deal(self, table: str) -> None:
        """Deal the round."""
        self._opened[table].deal()

    def cosigned(self, size: int, *, timeout: float = 10) -> Note:
        """Return the cosigned checkpoint of at least this size."""
        request = log_pb2.GetCheckpointRequest(cosigned_size=size)
        return Note.parse(self.log.GetCheckpoint(request, timeout=timeout).checkpoint.encode())

    def refused(self, size: int, *, timeout: float = 10) -> tuple[str, str]:
        """Return the status and message of a refused cosigned checkpoint."""
        with pytest.raises(grpc.RpcError) as caught:
            self.cosigned(size, timeout=timeout)
        return caught.value.code().name, caught.value.details() or ""


class Watched:
    """Three witnesses that do not listen yet, the key of a log to begin, and its servers, one at a time."""

    def __init__(self, folder: Path, stack: ExitStack) -> None:
        self.folder, self._stack = folder, stack
        self.data = folder / "data"
        self.witnesses = [LocalWitness(folder / name, name) for name in ("w1", "w2", "w3")]
        keys = KeyFolder.open_or_make(self.data / "keys", origin=ORIGIN, entropy=os.urandom)
        self.log_key = keys.public["log"].text

    def open(self, count: int = 1) -> list[LocalWitness]:
        """Let this many witnesses listen, which trust the log; return them."""
        return [witness.open(self.log_key) for witness in self.witnesses[:count]]

    def run(self, witnesses: Witnesses | None = None, **more: Any) -> Cosigned:  # noqa: ANN401 - settings
        """Stop the server that runs, and start one."""
        self._stack.close()
        application = self._stack.enter_context(Application(settings(self.folder, witnesses, **more)))
        return Cosigned(application, self._stack)

    def start(self, count: int = 1, *, needed: int | None = None, **more: Any) -> tuple[Cosigned, Witnesses]:  # noqa: ANN401
        """Start a server that this many witnesses cosign, of which so many are needed, or all."""
        witnesses = quorum_of(self.open(count), count if needed is None else needed)
        return self.run(witnesses, **more), witnesses


@pytest.fixture
def watched(tmp_path: Path) -> Iterator[Watched]:
    """Return witnesses and a log on this test's folder."""
    with ExitStack() as stack:
        made = Watched(tmp_path, stack)
        yield made
    for witness in made.witnesses:
        witness.close()
