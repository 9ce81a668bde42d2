"""Record of the answers that callers got, to be compared with the log afterwards, and the interceptor that writes it.

An answer counts once it has arrived. A failed call may have taken effect or not, so nothing follows from it;
an acknowledged leaf must stay in the log forever, at the index in its receipt, once.
"""

import threading
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import grpc
from google.protobuf.message import Message

from referee.v1.round_pb2 import LogReceipt
from tests.driver.refusal import reason_of
from tests.randomness import random_from

HANG_SECONDS: Final = 75.0
"""A call that takes longer hangs: the longest wait inside a server is 30 s for its log, behind 15 s for a lock."""
CHANNEL: Final = [
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 1000),
    ("grpc.use_local_subchannel_pool", 1),
    ("grpc.enable_retries", 0),
]
"""Each channel has a connection of its own and looks for a server that is away every second."""
ALWAYS: Final = ("RESOURCE_EXHAUSTED/ADVICE_BUSY", "UNAVAILABLE/ADVICE_LOST", "VIOLATION/DEADLINE_PASSED")
"""Endings under any fault: advice is refused while its process starts again, and a frozen server makes a seat late."""
_AGAIN: Final = ("UNAVAILABLE", "RESOURCE_EXHAUSTED/OVERLOADED")
"""Refusals after which a call is safe to repeat."""
_FIRST_PAUSE: Final = 0.05
_LONGEST_PAUSE: Final = 1.0


class Settlement(NamedTuple):
    """A settlement that was answered: method, request and receipt."""

    method: str
    request: Message
    receipt: LogReceipt


@dataclass(slots=True)
class Ledger:
    """Written by any number of threads."""

    receipts: list[LogReceipt] = field(default_factory=list)
    settled: list[Settlement] = field(default_factory=list)
    checkpoints: set[str] = field(default_factory=set)
    statuses: Counter[str] = field(default_factory=Counter)
    """Calls that failed, by code and reason, each try counted; and rounds that ended with violations."""
    abandoned: int = 0
    retried: int = 0
    answered: int = 0
    faults: list[str] = field(default_factory=list)
    """What must never be seen, as it was seen."""
    longest: float = 0.0
    """Seconds of the longest call."""
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def ended(self, method: str, status: str, *, seconds: float) -> None:
        """Record the status of an ended call."""
        with self._lock:
            self.longest = max(self.longest, seconds)
            if seconds > HANG_SECONDS:
                self.faults.append(f"{method} took {seconds:.0f} s and ended with {status}")
            if status == "OK":
                self.answered += 1
            else:
                self.statuses[status] += 1

    def keep(self, method: str, request: Message, answer: Any) -> None:  # noqa: ANN401 - an answer of any method
        """Keep the receipt and the checkpoint of an answer."""
        fields = answer.DESCRIPTOR.fields_by_name
        with self._lock:
            if "log_receipt" in fields and answer.log_receipt.leaf:
                self.receipts.append(answer.log_receipt)
                if method.endswith("/SettleRound"):
                    self.settled.append(Settlement(method, request, answer.log_receipt))
            if "checkpoint" in fields:
                self.checkpoints.add(answer.checkpoint)

    def outside(self, allowed: Iterable[str]) -> list[str]:
        """Return a fault for each status that is not allowed; ``CODE/*`` allows each reason of a code."""
        known = {*allowed, *ALWAYS}
        return [
            f"{count} calls ended with {status}"
            for status, count in sorted(self.statuses.items())
            if status not in known and f"{status.partition('/')[0]}/*" not in known
        ]


class Remembering(grpc.UnaryUnaryClientInterceptor):
    """Puts each answer in the ledger, and repeats calls that may be for ``seconds``, unless ``stop`` is set.

    A call's deadline is far beyond every wait that a server allows itself, so that one which reaches it hung.
    """

    def __init__(self, ledger: Ledger, *, seconds: float, stop: threading.Event, seed: int = 0) -> None:
        self._ledger, self._seconds, self._stop = ledger, seconds, stop
        self._luck = random_from(seed)  # spreads callers

    def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:  # noqa: ANN401 - gRPC's own types are private
        """Return the final outcome of the call."""
        details = client_call_details._replace(timeout=HANG_SECONDS)
        end, pause = time.monotonic() + self._seconds, _FIRST_PAUSE
        while True:
            begun = time.monotonic()
            call = continuation(details, request)
            status = "OK" if call.code() is grpc.StatusCode.OK else status_of(call)
            now = time.monotonic()
            self._ledger.ended(details.method, status, seconds=now - begun)
            if status == "OK":
                self._ledger.keep(details.method, request, call.result())
            if not status.startswith(_AGAIN) or now + pause > end or self._stop.is_set():
                return call
            self._stop.wait(pause * self._luck.uniform(0.5, 1))
            pause = min(2 * pause, _LONGEST_PAUSE)
            self._ledger.retried += 1


def status_of(error: Any) -> str:  # noqa: ANN401 - an RpcError, or a call that has ended
    """Return the code of a failed call, followed by a slash and its reason if it has one."""
    reason = reason_of(error)
    return f"{error.code().name}/{reason}" if reason else str(error.code().name)
