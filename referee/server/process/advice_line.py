"""Lines to the process that advises: one that this server starts, or one at an address that others run.

A process of this server's own listens on a unix socket in a folder that only this user may open. It starts with the
first question, lives in a session of its own, so that Ctrl-C does not end it before the calls that wait for it, and
ends with this process, however that ends: it reads the end of its standard input. One that ends by itself, or is killed
because it hangs, is started again after a pause that doubles.
"""

import select
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final, cast

import grpc
import structlog
from grpc.experimental import ChannelOptions

from referee.evidence.printable import error_words
from referee.service.charter import CHARTER, INTRODUCE, UNINTRODUCED, Charter
from referee.service.interceptor import CREDENTIALS
from referee.threads import lasting
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError

HEALTHY_SECONDS: Final = 60.0
"""Lifetime after which the next restart pauses for the shortest time again."""
STARTING_SECONDS: Final = 60.0
"""Time the process has to become ready, before it is killed."""
STOPPING_SECONDS: Final = 5.0
"""Time the process has to end once its standard input has ended, before it is killed."""
INTRODUCE_SECONDS: Final = 5.0
"""Time in which a process must answer that it has the charter."""
RETRY_SECONDS: Final = 1.0
"""When a refused caller should ask again, and how often a process at an address is asked whether it is there."""
OPTIONS: Final = (
    ("grpc.max_receive_message_length", -1),
    ("grpc.max_send_message_length", -1),
    (ChannelOptions.SingleThreadedUnaryStream, 1),
)
"""Options of the channel: the server in front bounds messages, and a call needs no thread beside the one that reads its
answer. gRPC starts one otherwise, and where the system has none left the channel answers nothing from then on."""
COMMAND: Final = (sys.executable, *shlex.split("-m referee advise --child --listen"))
"""The command of the process, without its address."""

log = structlog.get_logger("referee.advice")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pauses:
    """Pauses in seconds before a process is started again."""

    first: float = 0.5
    longest: float = 30.0


def lost() -> RefusedError:
    """Return the refusal of a question whose process has ended or is away."""
    message = "the process that computes advice has ended or is away; asking again is safe"
    return RefusedError(ErrorReason.ERROR_REASON_ADVICE_LOST, message, retry_seconds=RETRY_SECONDS)


class AdviceLine:
    """Line to a process that advises; ``report(is_serving=...)`` is called when it was lost and when it is back."""

    def __init__(self, charter: Charter, *, report: Callable[..., None], token: str = "") -> None:
        self._charter, self._report = charter, report
        credentials = ((CREDENTIALS, f"Bearer {token}"),) if token else ()
        self.metadata = ((CHARTER, charter.digest), *credentials)
        """Metadata that shows the process the charter and the token."""
        self._changed = threading.Condition()
        self._channel: grpc.Channel | None = None
        self._is_lost = False
        self._stopping = threading.Event()
        self._thread = lasting(self._keep, name="advice")

    def start(self) -> None:
        """Begin; nothing needs to be started before the first question."""

    def channel(self) -> grpc.Channel:
        """Return the channel to the process, waiting until it is known; raise RefusedError if the process is lost."""
        with self._changed:
            if self._thread.ident is None and not self._stopping.is_set():
                self._thread.start()
            self._changed.wait_for(lambda: self._channel is not None or self._is_lost or self._stopping.is_set())
            if self._channel is None:
                raise lost()
            return self._channel

    def end_hung(self, channel: grpc.Channel) -> None:
        """Take note that a call over this channel was not answered long after its time was over."""
        raise NotImplementedError

    def close(self) -> None:
        """End the line, and the process if it is this one's."""
        with self._changed:
            self._stopping.set()
            self._changed.notify_all()

    def _keep(self) -> None:
        """Reach the process, again and again until the line closes."""
        raise NotImplementedError

    def _note(self, channel: grpc.Channel | None) -> bool:
        """Take note that the process answers over a channel, or with None that it is lost; return if that is new."""
        with self._changed:
            was_lost, self._channel, self._is_lost = self._is_lost, channel, channel is None
            self._changed.notify_all()
        if self._is_lost is not was_lost and not self._stopping.is_set():
            self._report(is_serving=was_lost)
        return self._is_lost is not was_lost

    def _introduce(self, channel: grpc.Channel) -> str:
        """Give the process the charter unless it has it; return why it does not answer, empty if it does."""
        method: grpc.UnaryUnaryMultiCallable[bytes, bytes] = channel.unary_unary(INTRODUCE)
        for data in (b"", self._charter.encoded):
            try:
                method(data, timeout=INTRODUCE_SECONDS, metadata=self.metadata)
            except grpc.RpcError as error:
                if error.details() != UNINTRODUCED:
                    return f"{error.code().name}: {error.details()}"
            else:
                break
        return ""


class AdviceChild(AdviceLine):
    """Line to a process that this one starts; it finds an operator's tables for advice in the folder ``tables``."""

    pauses = Pauses()
    _process: "subprocess.Popen[bytes] | None" = None

    def __init__(self, charter: Charter, *, report: Callable[..., None], tables: str = "") -> None:
        super().__init__(charter, report=report)
        self._tables = tables

    @property
    def pid(self) -> int | None:
        """Process id; None while no process runs."""
        return None if self._process is None else self._process.pid

    def end_hung(self, channel: grpc.Channel) -> None:
        """Kill the process unless another one took its place."""
        process = self._process
        if channel is self._channel and process is not None:
            log.error("advice process hangs", pid=process.pid, remedy="it is killed and started again")
            process.kill()

    def close(self) -> None:
        """End the process by the end of its standard input; kill it if it takes too long."""
        super().close()
        process = self._process
        if process is not None and process.stdin is not None:
            process.stdin.close()
        if self._thread.ident is not None:
            self._thread.join(STOPPING_SECONDS)
            if process is not None:
                process.kill()
            self._thread.join()

    def _keep(self) -> None:
        pause = self.pauses.first
        while not self._stopping.is_set():
            begun, folder = time.monotonic(), Path(tempfile.mkdtemp(prefix="referee-advice-"))
            try:
                cause = self._run(f"unix:{folder}/socket")
            except OSError as error:
                cause = f"it cannot be started: {error_words(error)}"
            finally:
                shutil.rmtree(folder, ignore_errors=True)
            self._note(None)
            if self._stopping.is_set():
                return
            pause = self.pauses.first if time.monotonic() - begun >= HEALTHY_SECONDS else pause
            log.error("advice process ended", cause=cause, again_after_seconds=pause)
            self._stopping.wait(pause)
            pause = min(2 * pause, self.pauses.longest)

    def _run(self, address: str) -> str:
        """Run one process to its end; return why it ended."""
        command = [*COMMAND, address, *(("--rulesets", self._tables) if self._tables else ())]
        process = subprocess.Popen(  # noqa: S603 - our own command
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        with process, grpc.insecure_channel(address, OPTIONS) as channel:
            self._process = process
            output = cast("IO[bytes]", process.stdout)  # a pipe
            is_ready = select.select([output], [], [], STARTING_SECONDS)[0] and output.readline()
            fault = self._introduce(channel) if is_ready else "before it was ready; its standard error says why"
            if fault or self._stopping.is_set():
                process.kill()
            else:
                log.info("advice process started", pid=process.pid)
                self._note(channel)
            code = process.wait()
            self._process = None
        return f"exit code {code} {fault}".rstrip()


class AdviceAddress(AdviceLine):
    """Line to a process at an address that others run, which is asked whether it is there and knows the token."""

    def __init__(
        self,
        charter: Charter,
        *,
        report: Callable[..., None],
        token: str,
        address: str,
        credentials: grpc.ChannelCredentials | None = None,
    ) -> None:
        super().__init__(charter, report=report, token=token)
        self._address = address
        self._to = (
            grpc.insecure_channel(address, OPTIONS)
            if credentials is None
            else grpc.secure_channel(address, credentials, OPTIONS)
        )

    def start(self) -> None:
        """Begin to ask."""
        self._thread.start()

    def end_hung(self, channel: grpc.Channel) -> None:
        """Say so: its operator must end the process."""
        del channel
        log.error("advice process hangs", address=self._address, remedy="restart the process at this address")

    def close(self) -> None:
        """Close the channel."""
        super().close()
        if self._thread.ident is not None:
            self._thread.join()
        self._to.close()

    def _keep(self) -> None:
        while not self._stopping.is_set():
            cause = self._introduce(self._to)
            if self._note(None if cause else self._to):
                if cause:
                    log.error("nothing advises at advice.address", address=self._address, cause=cause)
                else:
                    log.info("advice is back", address=self._address)
            self._stopping.wait(RETRY_SECONDS)
