"""The crash journey: a frontend with a token and a journal, killed at each call of a round of each game and resumed.

``python -m tests.clients_python.crash_journey [SCENE ...]`` prints its transcript. The server is ``referee serve`` as a
process with access control on; each frontend is a process that is killed with SIGKILL, before a call is sent or
when its answer has come, once for each call that writes. The next one resumes from the journal. At the end the round is
settled and revealed, its exported bundle verifies, and the audit of the whole log finds nothing.
"""

import argparse
import json
import multiprocessing
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.clients_python.crash_frontend import MOMENTS, SCENES, Crash, Moment, Place, run

SECONDS: Final = 120
MOST: Final = 300
"""More processes than any round has calls."""
_REFEREE: Final = (sys.executable, "-m", "referee")


@dataclass(frozen=True, kw_only=True)
class Guarded:
    """A server with access control, and tokens of a frontend and an auditor; ``web`` is empty without a gateway."""

    address: str
    web: str
    data: Path
    issuer: Path
    frontend: str
    auditor: str


@dataclass(frozen=True, kw_only=True)
class Crashed:
    """A round that was played by many processes: the calls at which they were killed, in order, and the last's end."""

    table: str
    calls: list[str]
    last: int


@contextmanager
def guarded_server(folder: Path, *options: str, tenant: str = "acme") -> Iterator[Guarded]:
    """Run ``referee serve`` with an issuer of tokens and further options; it ends with the block.

    ``tenant``: whose tables the frontend may play at, ``*`` for all.
    """
    issuer = folder / "issuer.key"
    key = _referee("token", "key", str(issuer), "--name", "acme.example/tokens")
    (folder / "referee.toml").write_text(f"[[access.issuers]]\nkey = {json.dumps(key)}\ntenant = '*'\n", "utf-8")
    data = folder / "data"
    command = [*_REFEREE, "serve", "--listen", "127.0.0.1:0", "--data", str(data), "--quiet"]
    with subprocess.Popen(
        [*command, *options, "--config", str(folder / "referee.toml")], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            ready = json.loads(process.stdout.readline())
            tokens = {role: _token(issuer, role, tenant) for role, tenant in (("frontend", tenant), ("auditor", "*"))}
            yield Guarded(address=ready["address"], web=ready.get("web", ""), data=data, issuer=issuer, **tokens)
        finally:
            process.terminate()
            process.wait(SECONDS)


def crash(server: Guarded, folder: Path, scene: str, moment: Moment) -> Crashed:
    """Play a round of a scene by one process after the other, each killed one call further, until one survives."""
    name = f"{scene}-{MOMENTS.index(moment)}"
    ledger, table = folder / f"{name}.ledger", f"acme.{name}"
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.clients_python.crash_frontend"])
    made = Crash(moment=moment, ledger=ledger)
    place = Place(address=server.address, table=table, token=server.frontend, seat_tokens=tokens_for(server, table))
    code = -signal.SIGKILL
    for _ in range(MOST):
        process = context.Process(target=run, args=(place, folder / "rounds.sqlite3", scene, made))
        process.start()
        process.join(SECONDS)
        code = process.exitcode or 0
        if process.exitcode != -signal.SIGKILL:
            break
    calls = [line.partition(" ")[0].partition("/")[2] for line in ledger.read_text("utf-8").splitlines()]
    return Crashed(table=table, calls=calls, last=code)


def tokens_for(server: Guarded, table: str) -> tuple[str, ...]:
    """Return the tokens of the two seats of a table's first round."""
    seats = [("--table", table, "--round", "1", "--seat", str(seat)) for seat in range(2)]
    return tuple(_token(server.issuer, "seat", "acme", *seat) for seat in seats)


def verified(server: Guarded, table: str, folder: Path) -> str:
    """Export the table's round and verify its bundle; return the command's report, and fail if it found anything."""
    bundle = folder / f"{table}.json"
    _referee("export", table, "--data", str(server.data), "--out", str(bundle))
    keys = dict(line.split()[:2] for line in _referee("keys", "--data", str(server.data)).splitlines())
    return _referee("verify", str(bundle), "--log-key", keys["log"], "--root-key", keys["root"])


def audited(server: Guarded) -> str:
    """Audit the whole log as an auditor; return the report, and fail if it found anything."""
    return _referee("audit", server.address, REFEREE_TOKEN=server.auditor)


def _token(issuer: Path, role: str, tenant: str, *more: str) -> str:
    return _referee("token", "issue", "--key", str(issuer), "--role", role, "--name", role, "--tenant", tenant, *more)


def _referee(*arguments: str, **environment: str) -> str:
    done = subprocess.run(
        [*_REFEREE, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=SECONDS,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, f"referee {' '.join(arguments)}: {done.stdout[-3000:]}{done.stderr[-3000:]}"
    return done.stdout.strip()


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the transcript of the journey."""
    parser = argparse.ArgumentParser(prog="crash_journey", description="Kill a frontend at each call of a round.")
    parser.add_argument("scene", nargs="*", choices=[*SCENES, []], help="all of them without")
    scenes = parser.parse_args(arguments).scene or list(SCENES)
    with tempfile.TemporaryDirectory() as name, guarded_server(Path(name)) as server:
        folder = Path(name)
        print(f"referee serve at {server.address}, with access control; the frontend has a token and a journal")  # noqa: T201
        for scene in scenes:
            for moment in MOMENTS:
                crashed = crash(server, folder, scene, moment)
                print(f"\n{crashed.table}: killed {len(crashed.calls)} times, {moment}")  # noqa: T201
                for number, call in enumerate(crashed.calls, 1):
                    print(f"  process {number:3} killed: {call}")  # noqa: T201
                print(f"  process {len(crashed.calls) + 1:3} ended with {crashed.last}: settled and revealed")  # noqa: T201
                print("  " + verified(server, crashed.table, folder).replace("\n", "\n  "))  # noqa: T201
        print("\n" + audited(server))  # noqa: T201


if __name__ == "__main__":
    main()
