"""What a user would take instead, beside us, as ratios of one run: ``python -m tests.bench.peers``.

It makes environments of its own in a temporary folder, or in ``--folder``, where the next run finds them again. A peer
that cannot be installed is named with the reason. ``peer / ours`` above 1 means that ours is faster. Figures are
processor time, of this process in turns or of the server that is asked, but where a line says *time passed*.
"""

import argparse
import importlib
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec

from tests.bench.bench_serving import machine
from tests.bench.measuring import CORES, leave_first_core
from tests.bench.peers import environment, servers
from tests.bench.peers.rows import Missing, Row

PARTS: Final = {
    "eval7": ("tests.bench.peers.cards", "hands"),
    "pokerkit": ("tests.bench.peers.cards", "beside_pokerkit"),
    "open_spiel": ("tests.bench.peers.cards", "beside_open_spiel"),
    "rlcard": ("tests.bench.peers.cards", "tien_len"),
    "pymerkle": ("tests.bench.peers.log", "beside_pymerkle"),
    "plain SQLite": ("tests.bench.peers.log", "beside_sqlite"),
    "Stake's way": ("tests.bench.peers.cards", "deck"),
}
"""Function that measures each peer; the last two need no package."""
FILES: Final = "files"
SERVERS: Final = {
    "boardgame": {
        "boardgame.io, in memory": ("memory", "sends and receives over socket.io"),
        "boardgame.io, its files": (FILES, "sends and receives over socket.io; writes a file a move, not forced"),
    },
    "colyseus": {"Colyseus": ("", "sends changes of the state every 50 ms, not with each move")},
}


def main() -> None:
    """Print progress and the rows; or, with ``--part``, the rows of one part as JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, help="keep the environments in this folder")
    parser.add_argument("--only", nargs="*", default=[], help="measure these peers alone")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.part is not None:
        sys.stdout.write(msgspec.json.encode(rows_of(given.part)).decode())
        return
    _say(machine())
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        sys.stdout.write(HEADING)
        for row in compare(folder, given.only):
            sys.stdout.write(lines_of(row))
            sys.stdout.flush()


def rows_of(part: str) -> list[Row]:
    """Measure one part in this process."""
    module, function = PARTS[part]
    measure: Callable[[], list[Row]] = getattr(importlib.import_module(module), function)
    return measure()


def compare(folder: Path, only: Sequence[str] = ()) -> Iterator[Row | Missing]:
    """Install and measure the peers, or these alone; yield the rows and what could not be measured."""
    python = folder / "python" / "bin" / "python"
    if not python.exists():
        _say("making a virtual environment")
        environment.make_python(folder / "python")
    for peer in PARTS:
        if only and peer not in only:
            continue
        reason = ""
        if peer in environment.PIP:
            _say(f"installing {environment.PIP[peer]}")
            reason = environment.install_python(python, peer)
        if reason:
            yield Missing(peer=peer, reason=reason)
            continue
        _say(f"measuring beside {peer}")
        yield from _measured(python, peer)
    yield from _servers(folder, [peer for peer in SERVERS if not only or peer in only])


def _measured(python: Path, part: str) -> list[Row | Missing]:
    """Measure a part in a process of the peers' environment."""
    command = ["taskset", "-c", str(CORES[-1]), str(python), "-W", "ignore", "-m", "tests.bench.peers", "--part", part]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=environment.SECONDS)
    if done.returncode:
        return [Missing(peer=part, reason=done.stderr.strip().splitlines()[-1])]
    return list(msgspec.json.decode(done.stdout, type=list[Row]))


def _servers(folder: Path, peers: Sequence[str]) -> Iterator[Row | Missing]:
    """Measure servers of card games, and ours before each of them and at the end."""
    ready = []
    for peer in peers:
        if not (folder / peer).exists():
            _say(f"installing {environment.NPM[peer][0]}")
            if reason := environment.install_node(folder / peer, peer):
                yield Missing(peer=peer, reason=reason)
                continue
        ready.append(peer)
    if not ready:
        return
    costs, measured = servers.Costs(), {}
    leave_first_core()
    with servers.our_server() as server:
        for peer in ready:
            for label, (store, more) in SERVERS[peer].items():
                _say("measuring our server at 64 tables")
                costs.measure(server)
                _say(f"measuring {label} at 64 tables")
                arguments = [str(folder / peer / "store") if store == FILES else store] if store else []
                measured[label] = (more, servers.peer_us(folder / peer, peer, *arguments))
        costs.measure(server)
    yield from servers.rows_of(costs, measured)


HEADING: Final = f"\n{'processor time':<56}{'beside':<26}{'peer us':>10}{'ours us':>10}{'peer / ours':>13}\n"


def lines_of(row: Row | Missing) -> str:
    """Return the line of a row and what each side does more, or that a peer could not be measured and why."""
    if isinstance(row, Missing):
        return f"not measured: {row.peer}: {row.reason}\n"
    lines = [f"{row.what:<56}{row.peer:<26}{row.peer_us:>10.2f}{row.our_us:>10.2f}{row.ratio:>13.2f}"]
    lines += [f"    they do more: {row.theirs}"] if row.theirs else []
    lines += [f"    we do more: {row.ours}"] if row.ours else []
    return "\n".join([*lines, ""])


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")
    sys.stderr.flush()


if __name__ == "__main__":
    main()
