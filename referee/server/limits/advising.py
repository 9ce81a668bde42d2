"""Processes that compute advice apart from the serving process, so that it takes neither its interpreter nor its cores.

A question goes to a process of its own pool as a pickled function with its arguments. Processes run at a lower
priority, start with the first question that needs one, and never import what serves. They are forked from a process
that has imported what this server has of ``referee.advice``: an interpreter started for each would take a core for a
tenth of a second. The thread of a call waits for its process without a turn, so that other calls run meanwhile. A call
counts against its caller, and against all, until its process is free again. A process is killed when its caller has
gone or its time is over, because nothing else stops every computation, numpy's and those of other packages' games
included; the next question starts another.
(``concurrent.futures`` cannot end one of its processes without failing all calls, and Pebble's pool can lose a call
when it cancels another.)
"""

import multiprocessing
import os
import pickle
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from inspect import cleandoc
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, SpawnContext
from multiprocessing.process import BaseProcess
from typing import Any, Final, ParamSpec, TypeVar

import structlog

from referee.advice import NoAdviceError, process
from referee.evidence.printable import error_words
from referee.server.limits.rate_limit import ConcurrencyLimit, account_of
from referee.server.settings.advice import AdviceSettings
from referee.service.call import CallEndedError, current
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError

P = ParamSpec("P")
T = TypeVar("T")

NICENESS: Final = 10
"""Steps by which the processes' priority is lower: a process then has a tenth of a core that a call needs too."""
RETRY_SECONDS: Final = 1.0
"""When a refused caller should ask again."""
_LOWEST: Final = 19
_EXIT_SECONDS: Final = 10.0
"""Time in which a process that closed its connection has its exit code."""
_LOOK_SECONDS: Final = 0.1
"""Time between looks at whether a computation is to be stopped. A shorter one ends by itself and its process lives."""
OUTCOMES: Final = ("ANSWERED", "GIVEN_UP", "LATE", "FAILED")
"""What becomes of a question that had a process: answered, caller gone, too long, or an error or a lost process."""
_ENDINGS: Final = {NoAdviceError: "ANSWERED", CallEndedError: "GIVEN_UP", RefusedError: "LATE"}

_log = structlog.get_logger("referee.advice")


class ProcessEndedError(Exception):
    """The process of a computation ended before it answered, such as when the system ran out of memory."""


class ProcessStartError(Exception):
    """An error that will end each start of a process, such as a script without a ``__main__`` guard."""


def _context() -> ForkServerContext | SpawnContext:
    """Return how processes are started: forked, or each as a new interpreter where forking is impossible or unsafe."""
    if sys.version_info < (3, 11, 1):  # CVE-2022-42919: others on the machine could have the forking process run theirs
        return multiprocessing.get_context("spawn")
    try:
        tempfile.gettempdir()  # in which the forking process has its socket
    except FileNotFoundError:
        return multiprocessing.get_context("spawn")
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload([name for name in sys.modules if f"{name}.".startswith("referee.advice.")])
    return context


class AdviceProcess:
    """A process that answers one question at a time; it is started when there is one. One thread at a time may ask."""

    def __init__(self) -> None:
        self._process: BaseProcess | None = None
        self._connection: Connection | None = None
        self._is_ready = False

    @property
    def pid(self) -> int | None:
        """Process id; None for a process that does not run."""
        running = self._process
        return None if running is None else running.pid

    def ask(self, question: bytes, *, check: Callable[[], None]) -> Any:  # noqa: ANN401 - what the function returns
        """Return a function's result or raise its error; end the process where ``check``, called now and then, raises.

        Raises ProcessEndedError if the process ends by itself, ProcessStartError if none can be started.
        """
        try:
            connection = self._start()
            connection.send_bytes(question)
            if not self._is_ready:
                _receive(connection, check)
                self._is_ready = True
            is_result, answer = pickle.loads(_receive(connection, check))  # noqa: S301 - from this server's own process
        except (EOFError, OSError) as error:
            fault = self._fault()
            self.kill()
            raise fault from error
        except BaseException:
            self.kill()
            raise
        if not is_result:
            raise answer
        return answer

    def kill(self) -> None:
        """End the process, if it runs, at once."""
        if self._process is None or self._connection is None:
            return
        self._process.kill()
        self._process.join()
        self._connection.close()
        _log.info("advice process ended", pid=self._process.pid, code=self._process.exitcode)
        self._process = self._connection = None
        self._is_ready = False

    def _fault(self) -> ProcessEndedError | ProcessStartError:
        """Return the error for a process that closed its connection or could not be started for want of something."""
        if self._process is None:
            return ProcessEndedError()
        self._process.join(_EXIT_SECONDS)
        code = self._process.exitcode
        _log.warning("advice process ended by itself", pid=self.pid, code=code)
        if self._is_ready or code is None or code <= 0:  # a signal, such as for want of memory, may not come again
            return ProcessEndedError()
        return ProcessStartError(
            f"it ended while it started, with exit code {code}; its standard error says why. A script that runs a "
            f'server does so below `if __name__ == "__main__":`, because the process imports the script'
        )

    def _start(self) -> Connection:
        """Start the process unless it runs; return the connection to it."""
        if self._connection is not None and self._connection.poll():  # one without a question sends nothing: it ended
            self.kill()
        if self._connection is None:
            context = _context()
            ours, theirs = context.Pipe()
            started = context.Process(target=process.serve, args=(theirs,), name="advice", daemon=True)
            try:
                started.start()
            except OSError:
                ours.close()
                raise
            except Exception as error:
                ours.close()
                raise ProcessStartError(cleandoc(error_words(error))) from error
            finally:
                theirs.close()
            self._process, self._connection = started, ours
            lower = min(_LOWEST, os.getpriority(os.PRIO_PROCESS, 0) + NICENESS)
            os.setpriority(os.PRIO_PROCESS, started.pid or 0, lower)  # from here, so that its imports are too
            _log.info("advice process started", pid=started.pid)
        return self._connection


def _receive(connection: Connection, check: Callable[[], None]) -> bytes:
    """Return the next message of a process; call ``check`` while there is none."""
    while not connection.poll(_LOOK_SECONDS):
        check()
    return connection.recv_bytes()


class _Question:
    """A call that asks for advice: when its time is over, and whether its caller has gone."""

    def __init__(self, changed: threading.Condition, *, seconds: float) -> None:
        self._changed = changed
        self.due = time.monotonic() + seconds
        self.is_given_up = False

    def give_up(self) -> None:
        """Note that the caller no longer waits."""
        with self._changed:
            self.is_given_up = True
            self._changed.notify_all()


class AdvicePool:
    """Pool of advice processes; see AdviceSettings for its bounds.

    ``resting()`` surrounds the time in which a call only waits. ``watch(outcome, waited=..., seconds=...)`` is called
    after each question that had a process, with one of OUTCOMES and the seconds before and during the computation.
    """

    def __init__(
        self,
        settings: AdviceSettings,
        *,
        resting: Callable[[], AbstractContextManager[None]] = nullcontext,
        watch: Callable[..., None] = lambda _outcome, **_: None,
    ) -> None:
        self._settings = settings
        self._resting = resting
        self._watch = watch
        self._callers = ConcurrencyLimit(most=settings.calls_at_once)
        self._changed = threading.Condition()
        self._processes = tuple([AdviceProcess() for _ in range(settings.count)])
        self._idle = deque(self._processes)
        """Processes without a question; those that run are last and are taken first."""
        self._queue: deque[_Question] = deque()
        self._held = 0
        self._is_closed = False

    @property
    def running(self) -> int:
        """Number of questions that have a process."""
        return len(self._processes) - len(self._idle)

    @property
    def waiting(self) -> int:
        """Number of questions that wait for a process."""
        return len(self._queue)

    @property
    def pids(self) -> list[int]:
        """Process ids of the processes that run."""
        return [one.pid for one in self._processes if one.pid is not None]

    def compute(self, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Return what a function returns in an advice process; function, arguments and result can be pickled.

        Raises the function's NoAdviceError; CallEndedError where the caller has gone; RefusedError where too many
        questions are under way, the computation takes too long or its process ends.
        """
        data = pickle.dumps((function, args, kwargs))
        call = current()
        with self._counted("" if call is None else account_of(call)), self._resting():
            question = _Question(self._changed, seconds=self._settings.seconds)
            if call is not None and call.rpc is not None and not call.rpc.add_callback(question.give_up):
                raise CallEndedError
            answer: T = self._ask(question, data)
            return answer

    def close(self) -> None:
        """Kill the processes and refuse further questions."""
        with self._changed:
            self._is_closed = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._held)
        for one in self._processes:
            one.kill()

    @contextmanager
    def _counted(self, caller: str) -> Iterator[None]:
        """Count a question of this caller for the block; refuse one beyond the limits."""
        most = self._settings.calls_at_once
        if not self._callers.begin(caller):
            raise RefusedError(
                ErrorReason.ERROR_REASON_TOO_MANY_CALLS,
                f"the caller has {most} calls for advice under way and may have no more",
                retry_seconds=RETRY_SECONDS,
                limit=most,
            )
        try:
            with self._changed:
                if self._is_closed or self._held >= len(self._processes) + self._settings.queue:
                    message = f"{self._held} calls for advice are under way, and the server takes no more"
                    raise RefusedError(ErrorReason.ERROR_REASON_ADVICE_BUSY, message, retry_seconds=RETRY_SECONDS)
                self._held += 1
            try:
                yield
            finally:
                with self._changed:
                    self._held -= 1
                    self._changed.notify_all()
        finally:
            self._callers.end(caller)

    def _ask(self, question: _Question, data: bytes) -> Any:  # noqa: ANN401 - what the function returns
        """Ask a process once one is free."""
        arrived = time.monotonic()
        one = self._take(question)
        begun, outcome = time.monotonic(), "FAILED"
        try:
            answer = one.ask(data, check=lambda: self._check(question))
            outcome = "ANSWERED"
        except (NoAdviceError, CallEndedError, RefusedError) as error:
            outcome = next(name for kind, name in _ENDINGS.items() if isinstance(error, kind))
            raise
        except ProcessEndedError:
            message = "the process that computed the advice has ended; asking again is safe"
            reason = ErrorReason.ERROR_REASON_ADVICE_LOST
            raise RefusedError(reason, message, retry_seconds=RETRY_SECONDS) from None
        except ProcessStartError as error:
            _log.error("advice process cannot be started", error=error_words(error))
            message = f"no process for advice can be started: {error}"
            raise RefusedError(ErrorReason.ERROR_REASON_INTERNAL, message) from None
        finally:
            self._put(one)
            self._watch(outcome, waited=begun - arrived, seconds=time.monotonic() - begun)
        return answer

    def _take(self, question: _Question) -> AdviceProcess:
        """Wait for a process, after the questions that came before."""

        def is_next() -> bool:
            return self._is_closed or question.is_given_up or bool(self._idle and self._queue[0] is question)

        with self._changed:
            self._queue.append(question)
            try:
                is_in_time = self._changed.wait_for(is_next, max(0.0, question.due - time.monotonic()))
                if self._is_closed or question.is_given_up:
                    raise CallEndedError
                if not is_in_time:
                    message = f"no process was free for the advice within {self._settings.seconds:g} s"
                    raise RefusedError(ErrorReason.ERROR_REASON_ADVICE_BUSY, message, retry_seconds=RETRY_SECONDS)
                return self._idle.pop()
            finally:
                self._queue.remove(question)
                self._changed.notify_all()

    def _put(self, one: AdviceProcess) -> None:
        """Make a process free for another question."""
        with self._changed:
            if one.pid is None:
                self._idle.appendleft(one)
            else:
                self._idle.append(one)
            self._changed.notify_all()

    def _check(self, question: _Question) -> None:
        """Raise if the computation is to be stopped."""
        if self._is_closed or question.is_given_up:
            raise CallEndedError
        if time.monotonic() >= question.due:
            seconds = self._settings.seconds
            raise RefusedError(
                ErrorReason.ERROR_REASON_ADVICE_TOO_LONG,
                f"the advice was not computed within {seconds:g} s, waiting included; ask for less, such as samples",
                limit=f"{seconds:g}",
            )
