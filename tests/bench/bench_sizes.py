"""Bytes of rounds and signatures verified to settle them: ``python -m tests.bench.bench_sizes``.

Every event is received; seats sign, or have no keys. The settling server has seen no round before. Nothing is timed;
the figures are the same in every run.
"""

import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final
from unittest import mock

import structlog
from nacl.bindings import crypto_sign_open

from referee.evidence import ed25519
from referee.v1 import tien_len_pb2
from tests.driver.house import House
from tests.driver.playing import play_on
from tests.driver.table import Table

EVENTS: Final = 60
GAMES: Final = ("mau_binh", "tien_len", "ultimate_texas")


@contextmanager
def counted() -> Iterator[SimpleNamespace]:
    """Count the signatures that are verified meanwhile, in this process."""
    count = SimpleNamespace(signatures=0)

    def counting(signed: bytes, key: bytes) -> bytes:
        count.signatures += 1
        return crypto_sign_open(signed, key)

    with mock.patch.object(ed25519, "crypto_sign_open", counting):
        yield count


def play_tien_len(house: House, *, keyed: bool) -> Table:
    """Play two rounds of four seats at each of eight tables; return the second where both are of usual length."""
    tables = []
    for number in range(8):
        first = Table(house, "tien_len", seats=4, keyed=keyed, name=f"{keyed}-{number}").play()
        play_on(first, first.accept)
        first.settle()
        table = Table(house, "tien_len", seats=4, keyed=keyed, name=f"{keyed}-{number}").play()
        play_on(table, table.accept)
        tables.append(
            (abs(len(first.message.events) - EVENTS) + abs(len(table.message.events) - EVENTS), number, table)
        )
    return min(tables)[2]


def write(line: str) -> None:
    """Print a line."""
    sys.stdout.write(f"{line}\n")


def main() -> None:
    """Print the table."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    with tempfile.TemporaryDirectory() as name:
        house = House(Path(name))
        try:
            for keyed in (True, False):
                measure(house, keyed=keyed)
        finally:
            house.close()


def measure(house: House, *, keyed: bool) -> None:
    """Play, measure and settle a round of each game."""
    played = {
        game: play_tien_len(house, keyed=keyed) if game == "tien_len" else play_other(house, game, keyed=keyed)
        for game in GAMES
    }
    long = played["tien_len"]
    asked: Any = tien_len_pb2.CheckPlayRequest(round=long.message)
    asked.event.pass_turn.SetInParent()
    write("every event signed and received" if keyed else "every event received, no seat has a key")
    write(f"tien_len         CheckPlay      {asked.ByteSize():7,} bytes, a table's second round")
    house.restart()
    for game, table in played.items():
        table.referee = type(table.referee)(house.channel)
        with counted() as count:
            leaf = table.settle().log_receipt.leaf
        events = len(table.message.events)
        write(
            f"{game:16} SETTLE leaf    {len(leaf):7,} bytes, {count.signatures:3} signatures verified, {events} events"
        )


def play_other(house: House, game: str, *, keyed: bool) -> Table:
    """Play a round of three seats."""
    while True:
        table = Table(house, game, seats=3, keyed=keyed).play()
        if game != "mau_binh" or table.preview().violations:
            play_on(table, table.accept)
            return table


if __name__ == "__main__":
    main()
