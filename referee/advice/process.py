"""The process in which a server computes advice: it answers one question after the other until its server is gone.

Its first message, READY, says that it has started. A question is a pickled function with its arguments. The answer is
a pair, pickled too: True and the function's result, or False and the error. A NoAdviceError is sent as it was raised,
any other error as an AdviceFaultError with its traceback.

While it computes, the process sleeps for a moment every so often. Linux may let a process compute until the next tick,
four milliseconds at 250 Hz, before another that woke up gets the core, whatever their priorities: a server that shares
the core would answer some calls that much later. (Yielding instead costs a process nine tenths of its share of a core
that others want too, at every priority.)
"""

import os
import pickle
import signal
import time
import traceback
from contextlib import suppress
from multiprocessing import parent_process
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Final

from referee.advice import NoAdviceError
from referee.threads import lasting

READY: Final = b"ready"
COMPUTE_SECONDS: Final = 0.0005
SLEEP_SECONDS: Final = 0.00003
"""How long the process computes, and how long it then sleeps."""
_TIMER_SLACK: Final = Path("/proc/self/timerslack_ns")
"""How late Linux may end a sleep: 50 us, unless this says another time."""


class AdviceFaultError(RuntimeError):
    """An error in the computation of advice; its text is the traceback."""


def serve(connection: Connection) -> None:
    """Answer the questions of a connection until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all processes; the server ends this one when it stops
    signal.signal(signal.SIGALRM, lambda _number, _frame: time.sleep(SLEEP_SECONDS))  # by the timer of each question
    with suppress(OSError):
        _TIMER_SLACK.write_text("1000", encoding="ascii")
    lasting(_end_with_parent, name="parent").start()
    try:
        connection.send_bytes(READY)
        while True:
            connection.send_bytes(_answer(connection.recv_bytes()))
    except (EOFError, OSError):  # the server closed its end
        return


def _answer(question: bytes) -> bytes:
    signal.setitimer(signal.ITIMER_REAL, COMPUTE_SECONDS, COMPUTE_SECONDS)
    try:
        function, args, kwargs = pickle.loads(question)  # noqa: S301 - comes from the server that started this process
        return pickle.dumps((True, function(*args, **kwargs)))
    except NoAdviceError as error:
        return pickle.dumps((False, error))
    except Exception:  # noqa: BLE001 - each error of a function is its answer
        return pickle.dumps((False, AdviceFaultError(traceback.format_exc())))
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _end_with_parent() -> None:
    """End this process, in the middle of a computation too, when the server's process is gone."""
    server = parent_process()
    if server is not None:
        server.join()
        os._exit(1)
