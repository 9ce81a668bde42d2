"""Frontends that play real rounds of the built-in games by the SDK while things break; a ledger keeps every answer.

Each plays at tables of its own, one or two rounds a table, with keys or sealed or neither. A settlement that was
answered is asked for again now and then and must be the same.
"""

import random
import threading
import time
from collections.abc import Sequence
from typing import Any, Final, Self

import grpc
from referee_client import Client, RefereeError
from referee_client.abridging import MISSES

from referee.v1 import log_pb2
from tests.chaos.ledger import CHANNEL, HANG_SECONDS, Ledger, Remembering
from tests.driver.client_over import client_over
from tests.driver.driver import Driver
from tests.driver.log_reader import LogReader
from tests.driver.messages import GAMES
from tests.driver.scripts import SCRIPTS
from tests.randomness import random_from

_ASK_AGAIN: Final = 0.25


def in_whole(client: Client) -> Client:
    """Let a client send whole rounds, never their names alone, so that any server can be asked again; return it."""
    client.abridging._misses, client.abridging._whole = MISSES, -(10**6)  # noqa: SLF001 - a client names rounds by itself
    return client


class Frontend(LogReader):
    """One caller on one channel."""

    def __init__(self, channel: grpc.Channel, ledger: Ledger, *, name: str, luck: random.Random) -> None:
        super().__init__(channel)
        self._ledger, self._luck, self._name, self._tables = ledger, luck, name, 0
        self._driver = Driver(in_whole(client_over(channel, seconds=HANG_SECONDS)))

    def play(self) -> None:
        """Play one or two rounds at a new table, or give up one whose event the referee did not take."""
        self._tables += 1
        table, game = f"{self._name}-{self._tables}", self._luck.choice(GAMES)
        for _ in range(self._luck.choice((1, 1, 2))):
            keyed, sealed = self._luck.random() < 0.5, game != "tien_len" and self._luck.random() < 0.3
            played = self._driver.deal(
                table, game, seats=self._luck.choice((2, 3)), keyed=keyed or sealed, sealed=sealed
            )
            while (event := SCRIPTS[game].event(played)) is not None:
                answer = played.accept_event(event)
                if not answer.event_number:
                    return self._give_up(answer.violations)
            settled = played.settle()
            if settled.receipt is None:
                return self._give_up(settled.violations)
            again = played.settle() if self._luck.random() < _ASK_AGAIN else settled
            if again.receipt is None or again.receipt.leaf != settled.receipt.leaf:
                self._ledger.faults.append(f"a round of {table} was settled twice")
        self.checkpoint()
        self.log.GetTableRound(log_pb2.GetTableRoundRequest(table_id=table))
        return None

    def _give_up(self, violations: Sequence[Any]) -> None:
        codes = sorted({one.code for one in violations})
        self._ledger.ended("", f"VIOLATION/{', '.join(codes)}", seconds=0)
        self._ledger.abandoned += 1


class Load:
    """Frontends at work until the block ends, ``each`` so many an address."""

    def __init__(
        self, ledger: Ledger, addresses: Sequence[str], *, each: int = 4, retry_seconds: float = 90.0, name: str = "t"
    ) -> None:
        self._ledger = ledger
        self._stop, self._hurry = threading.Event(), threading.Event()
        self._channels: list[grpc.Channel] = []
        self._threads: list[threading.Thread] = []
        for number, address in enumerate([one for one in addresses for _ in range(each)]):
            raw = grpc.insecure_channel(address, CHANNEL)
            remembering = Remembering(ledger, seconds=retry_seconds, stop=self._hurry, seed=number)
            channel, luck = grpc.intercept_channel(raw, remembering), random_from(f"{name} {number}")
            frontend = Frontend(channel, ledger, name=f"{name}{number}", luck=luck)
            self._channels.append(raw)
            self._threads.append(threading.Thread(target=self._play, args=(frontend,), daemon=True))

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """Finish the running rounds, or abandon them if no server answers."""
        self._stop.set()
        self._join(30)
        self._hurry.set()
        self._join(90)
        if any(thread.is_alive() for thread in self._threads):
            self._ledger.faults.append("a caller never came back")
        for channel in self._channels:
            channel.close()

    def _join(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        for thread in self._threads:
            thread.join(max(0.0, end - time.monotonic()))

    def more(self, rounds: int, *, within: float = 120.0) -> None:
        """Wait until so many more rounds were settled; not in this time is a fault."""
        end, before = time.monotonic() + within, len(self._ledger.settled)
        while len(self._ledger.settled) < before + rounds:
            if time.monotonic() > end:
                self._ledger.faults.append(f"only {len(self._ledger.settled) - before} rounds in {within:.0f} s")
                return
            time.sleep(0.05)

    def _play(self, frontend: Frontend) -> None:
        while not self._stop.is_set():
            try:
                frontend.play()
            except (RefereeError, grpc.RpcError):  # its status is in the ledger
                self._ledger.abandoned += 1
                self._stop.wait(0.05)
            except Exception as error:  # noqa: BLE001 - a frontend that fails got an unexpected answer
                self._ledger.faults.append(f"a frontend failed: {error!r}")
                return
