"""An event that a signal sets, for commands that run until they are asked to stop or one of their threads dies.

SIGTERM and Ctrl-C set the event and do nothing else, also where the parent of this process left them ignored or
blocked, which a program that it starts inherits. If one of them came, both signals are ignored from the end of the
block until the process ends: the interpreter restores the default handlers while it ends, so a second SIGTERM would
make a command that succeeded fail. A Python handler runs only in the main thread, which does not wake up for a signal
that comes just before it begins to wait, or that another thread receives. So Python writes the number of each signal to
a socket (``signal.set_wakeup_fd``), and a thread that reads the socket sets the event.

>>> with until_asked() as stop:
...     signal.raise_signal(signal.SIGTERM)
...     stop.wait(60)
True
>>> signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
True
>>> _ = signal.signal(signal.SIGTERM, signal.SIG_DFL), signal.signal(signal.SIGINT, signal.default_int_handler)
"""

import signal
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

import structlog

from referee.threads import ending_process, lasting

_log = structlog.get_logger("referee.threads")
ASKING: Final = (signal.SIGTERM, signal.SIGINT)
"""The signals that ask a command to stop."""


@contextmanager
def until_asked() -> Iterator[threading.Event]:
    """Yield an event that SIGTERM or Ctrl-C sets; call it only in the main thread.

    After the block both signals are ignored if the event is set; otherwise their earlier handlers, and the mask of the
    main thread, are restored.
    """
    stop = threading.Event()
    reading, writing = socket.socketpair()

    def relay() -> None:
        while number := reading.recv(1):
            if ord(number) in ASKING:
                stop.set()

    relaying = lasting(relay, name="stopping")
    with reading, writing, ending_process(_report_death):
        writing.setblocking(False)  # noqa: FBT003 - the name says what
        relaying.start()
        descriptor = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
        handlers = {number: signal.signal(number, _do_nothing) for number in ASKING}
        mask = signal.pthread_sigmask(signal.SIG_UNBLOCK, ASKING)
        try:
            yield stop
        finally:
            for number in ASKING:
                signal.signal(number, signal.SIG_IGN)
            signal.set_wakeup_fd(descriptor)
            writing.shutdown(socket.SHUT_WR)
            relaying.join()
            if not stop.is_set():
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
                for number, handler in handlers.items():
                    signal.signal(number, handler)


def _report_death(thread: str, error: BaseException) -> None:
    is_short = isinstance(error, RuntimeError) and "new thread" in str(error)
    _log.error(
        "thread died",
        thread=thread,
        error=f"{type(error).__name__}: {error}",
        remedy=(
            "allow this user and service more processes (ulimit -u, TasksMax, pids.max) or more memory"
            if is_short
            else "report it with its traceback"
        )
        + "; this process ends now, so that it can be started again",
        exc_info=error,
    )


def _do_nothing(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: for a signal with a handler, Python has already written its number to the socket."""
