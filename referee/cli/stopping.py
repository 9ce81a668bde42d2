"""A stop event for commands that run until they are asked to stop.

SIGTERM and Ctrl-C set the event and do nothing else. After the first one, both signals are ignored from the end of the
block until the process is gone: the interpreter restores the default handlers while it ends, so a second SIGTERM would
turn a command that had ended well into a failure. A handler runs between any two steps of the main thread, which may
hold the event's own lock just then, so another thread sets the event.

>>> with until_asked() as stop:
...     signal.raise_signal(signal.SIGTERM)
...     stop.wait(60)
True
>>> signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
True
>>> _ = signal.signal(signal.SIGTERM, signal.SIG_DFL), signal.signal(signal.SIGINT, signal.default_int_handler)
"""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue
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
    asked: SimpleQueue[bool] = SimpleQueue()  # the one queue whose put may interrupt itself

    def relay() -> None:
        if asked.get():
            stop.set()

    def handle(_number: int, _frame: FrameType | None) -> None:
        asked.put(True)  # noqa: FBT003 - that it was

    relaying = threading.Thread(target=relay, name="stopping", daemon=True)
    relaying.start()
    before = {number: signal.signal(number, handle) for number in ASKING}
    try:
        yield stop
    finally:
        asked.put(False)  # noqa: FBT003 - nobody asks any more
        relaying.join()
        for number, handler in before.items():
            signal.signal(number, signal.SIG_IGN if stop.is_set() else handler)
