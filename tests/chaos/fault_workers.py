"""Workers that are killed and frozen at random under load, and whole servers that are killed or stopped and come back.

Allowed: UNAVAILABLE, from the way to a worker that is gone and from a log that another one holds.
"""

import random
import signal
import time
from contextlib import suppress
from pathlib import Path
from typing import Final

import psutil

from referee.threads import DEAD
from tests.chaos.frontend import Load
from tests.chaos.outcome import Outcome
from tests.chaos.process import Server
from tests.chaos.verdict import ask_again

ALLOWED: Final = ("UNAVAILABLE", "UNAVAILABLE/LOG_BUSY", "CANCELLED")
"""CANCELLED is how a call ends that a stopping server cuts off after its grace."""


def kill_workers(folder: Path, *, seconds: float, luck: random.Random) -> Outcome:
    """Two workers on one file; every second or so something befalls one of them, or all."""
    outcome = Outcome("Workers killed and frozen")
    server = Server(folder / "data", "--workers", "2")
    with Load(outcome.ledger, [server.address], each=8) as load:
        load.more(4)
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            what = luck.choices(("kill", "freeze", "kill all", "stop all"), (6, 3, 1, 1))[0]
            _befall(server, what, luck)
            outcome.done(_WORDS[what])
            time.sleep(luck.uniform(0.2, 1.5))
        load.more(4)
    outcome.hold(ask_again(outcome.ledger, server.address))
    if server.stop():
        outcome.notes.append("the last server did not stop by itself")
    outcome.judge(server, allowed=ALLOWED)
    return outcome


def kill_servers(folder: Path, *, database: str | None, kills: int, luck: random.Random) -> Outcome:
    """Two servers on one log, of which one is killed at a time and started again."""
    outcome = Outcome("Servers killed")
    servers = [Server(folder / "data", database=database) for _ in range(2)]
    with Load(outcome.ledger, [server.address for server in servers], each=3) as load:
        for number in range(kills):
            time.sleep(luck.uniform(0.05, 0.5))
            servers[number % 2].kill()
            servers[number % 2].start()  # its start-up check passes, or it would not listen
            outcome.done("a server killed (SIGKILL)")
        load.more(4)
    outcome.conclude(*servers, allowed=ALLOWED)
    return outcome


def start_no_threads(folder: Path, *, luck: random.Random) -> Outcome:
    """Let a server start no thread: at first, so that it ends, and once it has threads enough, so that it goes on."""
    del luck  # nothing is left to chance
    outcome, flag = Outcome("No thread can be started"), folder / "no-threads"
    server = Server(folder / "data", "--set", "serve.threads=1", broken=[f"no-threads={flag}"])
    flag.touch()
    with Load(outcome.ledger, [server.address], each=8) as load:
        code = server.wait()
        outcome.done(f"a server without threads ended with exit code {code}")
        if code != DEAD:
            outcome.hold([f"it ended with {code} instead of {DEAD}"])
        flag.unlink()
        server.start()
        load.more(4)
        flag.touch()
        load.more(4)
        outcome.done("a server with threads enough went on without more")
        flag.unlink()
        load.more(4)
    outcome.conclude(server, allowed=ALLOWED)
    return outcome


_WORDS: Final = {
    "kill": "a worker killed (SIGKILL)",
    "freeze": "a worker stopped for a while (SIGSTOP, SIGCONT)",
    "kill all": "the server killed with its workers, and started again",
    "stop all": "the server stopped (SIGTERM) and started again",
}


def _befall(server: Server, what: str, luck: random.Random) -> None:
    if what == "stop all":
        server.stop()
        server.start()
        return
    with suppress(psutil.NoSuchProcess):
        workers = server.workers
        if what == "kill all":
            for worker in workers:
                worker.kill()
            server.kill()
            server.start()
        elif what == "kill":
            luck.choice(workers).kill()
        else:
            frozen = luck.choice(workers)
            frozen.send_signal(signal.SIGSTOP)
            time.sleep(luck.uniform(0.2, 3))
            frozen.send_signal(signal.SIGCONT)
