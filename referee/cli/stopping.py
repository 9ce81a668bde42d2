"""A stop event for commands that run until they are asked to stop.

SIGTERM and Ctrl-C set the event and do nothing else. After the first one, both signals are ignored from the end of the
block until the process is gone: the interpreter restores the default handlers while it ends, so a second SIGTERM would
turn a command that had ended well into a failure. A handler would run in the main thread alone, which does not wake up
for a signal that comes just before it begins to wait, or that another thread gets. So Python writes the number of each
signal to a socket (``signal.set_wakeup_fd``), and a thread that reads it sets the event.

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

ASKING: Final = (signal.SIGTERM, signal.SIGINT)
"""The signals that ask a command to stop."""


@contextmanager
def until_asked() -> Iterator[threading.Event]:
    """Yield an event that is set when the command is asked to stop. In the main thread only.

    After the block both signals are ignored where the command was asked, by a signal or by the event itself; otherwise
    they do what they did before.
    """
    stop = threading.Event()
    reading, writing = socket.socketpair()

    def relay() -> None:
        while number := reading.recv(1):
            if ord(number) in ASKING:
                stop.set()

    relaying = threading.Thread(target=relay, name="stopping", daemon=True)
    with reading, writing:
        writing.setblocking(False)  # noqa: FBT003 - the name says what
        relaying.start()
        descriptor = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
        handlers = {number: signal.signal(number, _do_nothing) for number in ASKING}
        try:
            yield stop
        finally:
            for number in ASKING:
                signal.signal(number, signal.SIG_IGN)
            signal.set_wakeup_fd(descriptor)
            writing.shutdown(socket.SHUT_WR)
            relaying.join()
            if not stop.is_set():
                for number, handler in handlers.items():
                    signal.signal(number, handler)


def _do_nothing(_number: int, _frame: FrameType | None) -> None:
    """Do nothing: the number of the signal is in the socket already, as it is for signals with a handler."""
