"""Processes of commands: what they load, how they end when they are asked to, and log lines that cannot be written."""

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any, Final

import pytest

from referee.cli.main import COMMANDS, load_command, summary_of
from referee.server.process.stopping import ASKING, until_asked

AT_THE_VERY_END = """
import os, signal, sys, threading
class Late:
    def __del__(self, kill=os.kill, pid=os.getpid(), again=signal.{again}):
        kill(pid, again)
sys.late = Late()
"""
"""A signal that comes when modules are taken apart, long after Python has restored what signals do."""

ASKED = """
from referee.server.process.stopping import until_asked
with until_asked() as stop:
    signal.raise_signal(signal.SIGTERM)
    assert stop.wait(30)
"""
WITH_A_HANDLER_ALONE = """
stop = threading.Event()
signal.signal(signal.SIGTERM, lambda *_: stop.set())
signal.raise_signal(signal.SIGTERM)
assert stop.wait(30)
"""


def ran(script: str, **options: Any) -> "subprocess.CompletedProcess[bytes]":  # noqa: ANN401 - options of subprocess
    """Run a program to its end."""
    return subprocess.run([sys.executable, "-c", script], timeout=120, check=False, **options)


@pytest.mark.parametrize("again", ["SIGTERM", "SIGINT"])
def test_asked_again_while_the_interpreter_ends_it_has_still_ended_well(again: str) -> None:
    assert ran(AT_THE_VERY_END.format(again=again) + ASKED).returncode == 0


def test_a_handler_alone_does_not_survive_so_long() -> None:
    """What the module is for: the same program with a handler of its own is killed by the second signal."""
    assert ran(AT_THE_VERY_END.format(again="SIGTERM") + WITH_A_HANDLER_ALONE).returncode == -signal.SIGTERM


def test_signal_that_another_thread_gets_sets_the_event() -> None:
    """The main thread waits meanwhile, and no signal wakes it."""
    handlers = {number: signal.getsignal(number) for number in ASKING}
    try:
        with until_asked() as stop:
            threading.Timer(0.2, lambda: signal.pthread_kill(threading.get_ident(), signal.SIGTERM)).start()
            assert stop.wait(30)
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def test_block_that_nobody_asked_to_stop_leaves_signals_as_they_were() -> None:
    before = [signal.getsignal(number) for number in ASKING]
    with until_asked() as stop:
        assert before != [signal.getsignal(number) for number in ASKING]
    assert not stop.is_set()
    assert before == [signal.getsignal(number) for number in ASKING]


def test_block_that_ends_by_an_error_is_left_in_the_same_way() -> None:
    before = [signal.getsignal(number) for number in ASKING]
    with pytest.raises(OSError, match="no room"), until_asked():
        raise OSError("no room")
    assert before == [signal.getsignal(number) for number in ASKING]


def test_event_that_is_set_counts_as_a_signal() -> None:
    """A supervisor that is gone asks by the event; a signal that follows is ignored as well."""
    before = [signal.getsignal(number) for number in ASKING]
    try:
        with until_asked() as stop:
            threading.Thread(target=stop.set).start()
            assert stop.wait(30)
        assert [signal.getsignal(number) for number in ASKING] == [signal.SIG_IGN] * 2
    finally:
        for number, handler in zip(ASKING, before, strict=True):
            signal.signal(number, handler)


SAY = (
    "from referee.server.process import log_lines; log_lines.configure(quiet=False); "
    "import structlog; log = structlog.get_logger(); "
)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_line_that_finds_no_room_is_lost_and_the_program_goes_on() -> None:
    """On a full disk a server that could not say that it answered would otherwise not answer."""
    with Path("/dev/full").open("wb") as full:
        say = SAY + "[log.info('line') for _ in range(1000)]; print('answered')"
        done = ran(say, stdout=subprocess.PIPE, stderr=full)
    assert (done.stdout, done.returncode) == (b"answered\n", 0)


def test_line_that_nobody_reads_any_more_is_lost_and_the_program_goes_on() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = ran(SAY + "log.info('line'); print('answered')", stdout=subprocess.PIPE, stderr=writer)
    finally:
        os.close(writer)
    assert (done.stdout, done.returncode) == (b"answered\n", 0)


def test_line_that_can_be_written_is_written_whole() -> None:
    done = ran(SAY + "log.info('line', words='x' * 100_000)", stderr=subprocess.PIPE)
    assert (done.returncode, done.stderr[:1], done.stderr[-2:]) == (0, b"{", b"}\n")
    assert len(done.stderr) > 100_000


def test_warning_of_a_library_is_a_line_like_all_others() -> None:
    """Such as those of the gateway's web server."""
    say = "import logging; logs = logging.getLogger('uvicorn.error'); logs.info('no'); logs.error('%s is bad', 'it')"
    done = ran(SAY + say, stderr=subprocess.PIPE)
    assert json.loads(done.stderr) | {"timestamp": ""} == {
        "event": "library reports",
        "level": "error",
        "logger": "uvicorn.error",
        "message": "it is bad",
        "timestamp": "",
    }


HEAVY: Final = {"numpy", "scipy", "fsspec", "jinja2", "aiohttp", "psycopg", "opentelemetry"}


def test_help_loads_nothing_that_only_some_commands_need() -> None:
    """The names of all modules that the interpreter loads, as it reports them itself."""
    command = [sys.executable, "-X", "importtime", "-m", "referee", "--help"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    loaded = {line.rpartition("|")[2].strip().partition(".")[0] for line in done.stderr.splitlines()}
    assert "typer" in loaded
    assert loaded & HEAVY == set()


LOADED_BY: Final = """
import sys
from referee.cli import main
sys.argv = ["referee", "rulesets", "list"]
try:
    main()
finally:
    print(*sorted(sys.modules), file=sys.stderr)
"""


def test_a_command_loads_only_its_own_module() -> None:
    loaded = set(ran(LOADED_BY, capture_output=True).stderr.decode().split())
    assert "referee.cli.rulesets" in loaded
    assert loaded & {"referee.cli.serve", "referee.cli.audit", "grpc", "sqlalchemy", "numpy"} == set()


@pytest.mark.parametrize("name", COMMANDS)
def test_help_lists_each_command_with_its_own_first_line(name: str) -> None:
    assert summary_of(name) == load_command(name).get_short_help_str()
