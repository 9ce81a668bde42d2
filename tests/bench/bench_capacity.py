"""What a round costs from its opening to its reveal, with a receipt for every event; ``--keep`` writes it to a file.

A number on the command line is that of rounds of each game, 1,600 otherwise.

Eight tables of bots play at once against a server that is pinned to one core: each round is prepared, opened, dealt,
its events accepted, settled and revealed. What the bots ask for their own sake, advice and previews, another process
answers and is not counted. Then the log that they left is measured, published, and audited: once whole, and once with
nobody to examine its rounds, which is what the process costs that hands them out to a cluster. ``capacity_note`` makes
a note of the file.
"""

import os
import platform
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from io import StringIO
from pathlib import Path
from typing import Any, Final, cast

import grpc
from rich.console import Console

from referee.audit import audit_log
from referee.audit.round_leaves import RoundLeaves
from referee.cli.demo import DEMOS
from referee.cli.demo_table import DemoTable
from referee.cli.stored_log import StoredLog
from referee.rulesets import load_builtin
from referee.server.keys.folder import read_public_keys
from referee.storage import Reader
from referee.storage.sqlite import open_sqlite_reader
from referee.tiles import FolderPlace, publish
from tests.bench.bench_workers import append_rates
from tests.bench.measuring import CORES, Measured, keep, leave_first_core, lines_of, measured_server
from tests.driver.client_over import client_over

FILE: Final = Path(__file__).parent / "capacity.json"
TABLES: Final = 8
SEATS: Final = {"mau_binh.chi_2020": 4, "tien_len.mien_nam": 4, "ultimate_texas.casino": 6}
"""A ruleset of each game, at a full table."""
LATER: Final = 4_102_444_800_000
"""2100."""
SETTLING_SECONDS: Final = 60
WRITERS: Final = 2
_PREFIX: Final = 5


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbered(DemoTable):
    """One of several tables of one ruleset."""

    number: int

    @property
    def table_id(self) -> str:
        """The table's name in the log."""
        return f"{self.ruleset.id}-{self.number}"


@dataclass(slots=True)
class Traffic:
    """Sizes of the messages that were sent and received, each with the five bytes that gRPC puts before it."""

    sent: list[int] = field(default_factory=list)
    received: list[int] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Split:
    """A channel that sends what signs or shuffles to the measured server, and all other calls to the adviser."""

    counted: grpc.Channel
    free: grpc.Channel
    traffic: Traffic

    def unary_unary(
        self,
        path: str,
        request_serializer: Callable[[Any], bytes],
        response_deserializer: Callable[[bytes], Any],
        **options: Any,  # noqa: ANN401 - grpc's own
    ) -> Any:  # noqa: ANN401 - grpc's own
        """Return the method of the channel that it is for."""

        def serialize(message: Any) -> bytes:  # noqa: ANN401 - a message of any type
            data = request_serializer(message)
            self.traffic.sent.append(len(data) + _PREFIX)
            return data

        def deserialize(data: bytes) -> Any:  # noqa: ANN401 - a message of any type
            self.traffic.received.append(len(data) + _PREFIX)
            return response_deserializer(data)

        if path.endswith(("/AcceptEvent", "/SettleRound")) or "ShufflerService/" in path:
            return self.counted.unary_unary(path, serialize, deserialize, **options)
        return self.free.unary_unary(path, request_serializer, response_deserializer, **options)


class Nobody:
    """A team that examines nothing."""

    chunk: Final = 64
    ahead: Final = 0

    def send(self, rounds: Sequence[RoundLeaves]) -> Callable[[], list[Any]]:  # noqa: ARG002 - it examines nothing
        """Forget the rounds."""
        return list

    def close(self, *, is_abandoned: bool) -> None:
        """Nothing is left to do."""


def main(rounds: int, *, is_kept: bool) -> None:
    """Print what was measured, and keep it where that is asked for."""
    leave_first_core()
    result: dict[str, Any] = {
        "machine": f"{platform.platform()}, {len(CORES)} cores, Python {platform.python_version()}, "
        f"load {os.getloadavg()[0]:.0f}",
        "rounds": rounds,
        "games": {},
    }
    for ruleset_id, seats in SEATS.items():
        with tempfile.TemporaryDirectory() as name:
            result["games"][ruleset_id] = measured(Path(name), ruleset_id, seats, rounds)
    with tempfile.TemporaryDirectory() as name:
        rates = append_rates(Path(name), WRITERS)
    result["leaves_per_second"] = {store: round(rate) for store, (rate, _) in rates.items()}
    sys.stdout.write(lines_of(result))
    if is_kept:
        keep(FILE, result)


def measured(folder: Path, ruleset_id: str, seats: int, rounds: int) -> Mapping[str, float]:
    """Measure one ruleset's rounds."""
    data = folder / "data"
    with measured_server(data, "shuffler,referee,log") as server, measured_server(data, "rulesets,referee") as adviser:
        _play(server, adviser, ruleset_id, seats, TABLES)  # what is made once is made
        before, begun = server.cpu_ns(), time.monotonic()
        traffic = _play(server, adviser, ruleset_id, seats, rounds)
        _await_reveals(data)
        cpu = (server.cpu_ns() - before) / rounds / 1000
        seconds = time.monotonic() - begun
        memory = server.process.memory_info().rss / 2**20
    with closing(open_sqlite_reader(data)) as reader:
        leaves = list(reader.iterate())
        whole, handing = _audits(reader, data)
        publish(reader, reader.head().checkpoint, FolderPlace(folder / "tiles"))
    count = rounds + TABLES
    stored = sum(file.stat().st_size for file in data.glob("log.sqlite3*"))
    tiles = sum(file.stat().st_size for file in (folder / "tiles").rglob("*") if file.is_file())
    return {
        "seats": seats,
        "server_cpu_us": round(cpu),
        "rounds_per_second_here": round(rounds / seconds, 1),
        "calls": round(len(traffic.sent) / rounds, 1),
        "request_bytes": round(sum(traffic.sent) / rounds),
        "answer_bytes": round(sum(traffic.received) / rounds),
        "leaves": round(len(leaves) / count, 2),
        "leaf_bytes": round(sum(map(len, leaves)) / count),
        "stored_bytes": round(stored / count),
        "tile_bytes": round(tiles / count),
        "audit_cpu_us": round(whole / count * 1e6),
        "handing_out_cpu_us": round(handing / count * 1e6),
        "server_megabytes": round(memory),
    }


def _play(server: Measured, adviser: Measured, ruleset_id: str, seats: int, rounds: int) -> Traffic:
    traffic = Traffic()
    ruleset = load_builtin().get(ruleset_id)
    channel = cast("grpc.Channel", Split(server.channel, adviser.channel, traffic))

    def play(number: int) -> None:
        table = Numbered(
            client=client_over(channel),
            ruleset=ruleset,
            seat_count=seats,
            console=Console(file=StringIO()),
            number=number,
        )
        for _ in range(rounds // TABLES):
            DEMOS[ruleset.game].play(table, stronger=True)

    with ThreadPoolExecutor(TABLES) as tables:
        list(tables.map(play, range(TABLES)))
    return traffic


def _await_reveals(folder: Path) -> None:
    """Every round that has ended shows its seed."""
    deadline = time.monotonic() + SETTLING_SECONDS
    size = -1
    while time.monotonic() < deadline:
        time.sleep(1)
        with closing(open_sqlite_reader(folder)) as reader:
            if reader.head().size == size:
                return
            size = reader.head().size


def _audits(reader: Reader, folder: Path) -> tuple[float, float]:
    """CPU seconds of an audit, and of one that examines no round."""
    keys = read_public_keys(folder / "keys")
    spent = []
    for make_pool in (None, lambda _terms: Nobody()):
        begun = time.process_time()
        audit_log(
            StoredLog(reader, reader.head().checkpoint),
            origin=reader.origin,
            log_key=keys["log"],
            root_key=keys["root"],
            catalogue=load_builtin(),
            now=LATER,
            make_pool=make_pool,
        )
        spent.append(time.process_time() - begun)
    return spent[0], spent[1]


if __name__ == "__main__":
    counts = [int(word) for word in sys.argv[1:] if word.isdecimal()]
    main(counts[0] if counts else 1_600, is_kept="--keep" in sys.argv)
