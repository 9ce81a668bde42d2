"""A command that was asked to stop ends well, also where it is asked again while the interpreter ends."""

import signal
import subprocess
import sys
import threading

import pytest

from referee.cli.stopping import ASKING, until_asked

AT_THE_VERY_END = """
import os, signal, sys, threading
class Late:
    def __del__(self, kill=os.kill, pid=os.getpid(), again=signal.{again}):
        kill(pid, again)
sys.late = Late()
"""
"""A signal that comes when modules are taken apart, long after Python has restored what signals do."""

ASKED = """
from referee.cli.stopping import until_asked
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


def ended(script: str) -> int:
    """Return the exit code of a program."""
    return subprocess.run([sys.executable, "-c", script], timeout=120, check=False).returncode


@pytest.mark.parametrize("again", ["SIGTERM", "SIGINT"])
def test_asked_again_while_the_interpreter_ends_it_has_still_ended_well(again: str) -> None:
    assert ended(AT_THE_VERY_END.format(again=again) + ASKED) == 0


def test_a_handler_alone_does_not_survive_so_long() -> None:
    """What the module is for: the same program with a handler of its own is killed by the second signal."""
    assert ended(AT_THE_VERY_END.format(again="SIGTERM") + WITH_A_HANDLER_ALONE) == -signal.SIGTERM


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
