"""The process that advises, as the server in front of it starts it, and the line to it.

The process listens on a unix socket in a folder of its own that only this user may open. It starts with the first
question, lives in a session of its own, so that Ctrl-C does not end it before the calls that wait for it, and ends with
this process, however that ends: it reads the end of its standard input. One that ends by itself, or is killed because
it hangs, is started again after a pause that doubles.
"""

import select
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, Protocol, cast

import grpc
import structlog

from referee.evidence.printable import error_words
from referee.service.charter import STOP
from referee.service.interceptor import CREDENTIALS
from referee.threads import lasting
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError

HEALTHY_SECONDS: Final = 60.0
"""Lifetime after which the next restart pauses for the shortest time again."""
STOPPING_SECONDS: Final = 5.0
"""Time the process has to end once its standard input has ended, before it is killed."""
PROBE_SECONDS: Final = 5.0
"""Time in which a process at an address must say that it is there."""
RETRY_SECONDS: Final = 1.0
"""When a refused caller should ask again."""
OPTIONS: Final = (("grpc.max_receive_message_length", -1), ("grpc.max_send_message_length", -1))
"""Options of the channel: the server in front bounds messages."""
COMMAND: Final = (sys.executable, *shlex.split("-m referee advise --child --listen"))
"""The command of the process, without its address."""

_log = structlog.get_logger("referee.advice")


def bearing(token: str) -> tuple[tuple[str, str], ...]:
    """Return the metadata that shows the process a token; empty for none."""
    return ((CREDENTIALS, f"Bearer {token}"),) if token else ()


class AdviceLine(Protocol):
    """Line to a process that advises."""

    def channel(self) -> grpc.Channel:
        """Return the channel to the process; raise RefusedError while there is no process."""

    def end_hung(self, channel: grpc.Channel) -> None:
        """Take note that a call over this channel was not answered long after its time was over."""

    def start(self) -> None:
        """Begin; nothing may be started before the first question."""

    def close(self) -> None:
        """End the line, and the process if it is this one's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Pauses:
    """Pauses in seconds before a process is started again."""

    first: float = 0.5
    longest: float = 30.0


def lost() -> RefusedError:
    """Return the refusal of a question whose process has ended or is away."""
    message = "the process that computes advice has ended or is away; asking again is safe"
    return RefusedError(ErrorReason.ERROR_REASON_ADVICE_LOST, message, retry_seconds=RETRY_SECONDS)


class AdviceChild:
    """The process, and the channel to it; ``on_change(is_serving, why)`` is called when it was lost and is back."""

    def __init__(
        self,
        *,
        on_change: Callable[[bool, str], None],
        command: Sequence[str] = COMMAND,
        tables: str = "",
        pauses: Pauses | None = None,
        starting: float = 60.0,
    ) -> None:
        """Take the command; ``starting`` is the time in seconds in which the process must be ready."""
        self._on_change = on_change
        self._command, self._tables = tuple(command), tables
        self.pauses = pauses or Pauses()
        self._starting = starting
        self._changed = threading.Condition()
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: grpc.Channel | None = None
        self._is_lost = False
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None

    @property
    def pid(self) -> int | None:
        """Process id; None while no process runs."""
        process = self._process
        return None if process is None else process.pid

    def start(self) -> None:
        """Do nothing: the first question starts the process."""

    def channel(self) -> grpc.Channel:
        """Return the channel to the process, which the first call starts and waits for; raise RefusedError without."""
        with self._changed:
            if self._thread is None and not self._stopping.is_set():
                self._thread = lasting(self._keep, name="advice")
                self._thread.start()
            self._changed.wait_for(lambda: self._channel is not None or self._is_lost or self._stopping.is_set())
            if self._channel is None:
                raise lost()
            return self._channel

    def end_hung(self, channel: grpc.Channel) -> None:
        """Kill the process unless another one took its place."""
        with self._changed:
            process = self._process
            if channel is not self._channel or process is None:
                return
            _log.error("advice process hangs", pid=process.pid, remedy="it is killed and started again")
            process.kill()

    def close(self) -> None:
        """End the process."""
        with self._changed:
            self._stopping.set()
            self._changed.notify_all()
            process = self._process
        if process is not None:
            _end(process)
        if self._thread is not None:
            self._thread.join()

    def _keep(self) -> None:
        """Start the process and wait for its end, again and again."""
        pause = self.pauses.first
        while not self._stopping.is_set():
            begun = time.monotonic()
            folder = Path(tempfile.mkdtemp(prefix="referee-advice-"))  # which only this user may open
            try:
                why = self._run(folder)
            except OSError as error:
                why = f"it cannot be started: {error_words(error)}"
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            if self._stopping.is_set():
                return
            with self._changed:
                self._is_lost = True
                self._changed.notify_all()
            self._on_change(False, why)  # noqa: FBT003 - a callback's own argument
            pause = self.pauses.first if time.monotonic() - begun >= HEALTHY_SECONDS else pause
            _log.error("advice process ended", cause=why, again_after_seconds=pause)
            self._stopping.wait(pause)
            pause = min(2 * pause, self.pauses.longest)

    def _run(self, folder: Path) -> str:
        """Run one process to its end; return why it ended."""
        address = f"unix:{folder}/socket"
        command = [*self._command, address, *(("--rulesets", self._tables) if self._tables else ())]
        process = subprocess.Popen(  # noqa: S603 - our own command
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        with self._changed:
            self._process = process
        if self._stopping.is_set():
            _end(process)
        try:
            return self._serve(process, address)
        finally:
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()

    def _serve(self, process: "subprocess.Popen[bytes]", address: str) -> str:
        output = cast("IO[bytes]", process.stdout)  # a pipe, as the process was started with one
        in_time, _, _ = select.select([output], [], [], self._starting)
        is_ready = bool(in_time and output.readline())
        if not in_time:
            process.kill()
        if is_ready:
            channel = grpc.insecure_channel(address, OPTIONS)
            with self._changed:
                was_lost, self._is_lost, self._channel = self._is_lost, False, channel
                self._changed.notify_all()
            _log.info("advice process started", pid=process.pid)
            if was_lost:
                self._on_change(True, "")  # noqa: FBT003 - a callback's own argument
        code = process.wait()
        with self._changed:
            channel_then, self._channel, self._process = self._channel, None, None
            self._is_lost = not self._stopping.is_set()
            self._changed.notify_all()
        if channel_then is not None:
            channel_then.close()
        return f"exit code {code}" + ("" if is_ready else " before it was ready; its standard error says why")


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a process by the end of its standard input; kill it if it takes too long."""
    with suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()
    try:
        process.wait(STOPPING_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()


class AdviceAddress:
    """Line to a process at an address that others run; ``on_change`` is called when it was lost and is back.

    It is asked every ``every`` seconds whether it is there and knows the token.
    """

    def __init__(
        self,
        address: str,
        *,
        on_change: Callable[[bool, str], None],
        credentials: grpc.ChannelCredentials | None = None,
        token: str = "",
        every: float = 1.0,
    ) -> None:
        self._address, self._on_change, self._every = address, on_change, every
        self._channel = (
            grpc.insecure_channel(address, OPTIONS)
            if credentials is None
            else grpc.secure_channel(address, credentials, OPTIONS)
        )
        self._metadata = bearing(token)
        self._stopping = threading.Event()
        self._thread = lasting(self._watch, name="advice")

    def start(self) -> None:
        """Begin to ask."""
        self._thread.start()

    def channel(self) -> grpc.Channel:
        """Return the channel."""
        return self._channel

    def end_hung(self, channel: grpc.Channel) -> None:
        """Say so: its operator must end the process."""
        del channel
        _log.error("advice process hangs", address=self._address, remedy="restart the process at this address")

    def close(self) -> None:
        """Close the channel."""
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join()
        self._channel.close()

    def _watch(self) -> None:
        is_serving = True
        while not self._stopping.is_set():
            cause = self._fault()
            if bool(cause) is is_serving:
                is_serving = not cause
                self._on_change(is_serving, cause)
                if cause:
                    _log.error("nothing advises at advice.address", address=self._address, cause=cause)
                else:
                    _log.info("advice is back", address=self._address)
            self._stopping.wait(self._every)

    def _fault(self) -> str:
        """Return why the process gives no answer; empty if it does."""
        method: Any = self._channel.unary_unary(STOP)
        try:
            method(b"", timeout=PROBE_SECONDS, metadata=self._metadata)
        except grpc.RpcError as error:
            return _words_of(error)
        return ""


def _words_of(status: Any) -> str:  # noqa: ANN401 - a call's error
    return f"{status.code().name}: {status.details()}"
