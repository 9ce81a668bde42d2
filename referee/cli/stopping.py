"""How a command that runs until it is asked to stop hears that, and ends well all the same when it is asked again.

The law: SIGTERM and Ctrl-C set an event and do nothing else. Whoever was asked once is ignored from the end of the
block on, until the process is gone: the interpreter gives signals with a handler of Python's their default back while
it ends, so a second SIGTERM would make a failure of a command that had already ended well. A handler runs between any
two steps of the main thread, which may hold the event's own lock just then, so another thread sets the event.

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

    def hear() -> None:
        if asked.get():
            stop.set()

    def handle(_number: int, _frame: FrameType | None) -> None:
        asked.put(True)  # noqa: FBT003 - that it was

    hearing = threading.Thread(target=hear, name="stopping", daemon=True)
    hearing.start()
    before = {number: signal.signal(number, handle) for number in ASKING}
    try:
        yield stop
    finally:
        asked.put(False)  # noqa: FBT003 - nobody asks any more
        hearing.join()
        for number, handler in before.items():
            signal.signal(number, signal.SIG_IGN if stop.is_set() else handler)
