"""Faults on request: calls that are late, refused, or lose their connection, before they are carried out or after.

A fault strikes the next calls of its method, ``times`` of them, in the order the faults were asked for, and no
others. ``AFTER`` carries the call out and loses the answer, which is what a client's repeated call has to survive.
Streams, health and reflection are never struck.
"""

import difflib
import enum
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Self, TypeVar

import grpc
from google.protobuf import descriptor_pool

from referee_harness.refusal import HarnessError

MAX_DELAY_MS: Final = 60_000
_SPARED: Final = "/grpc."
Choice = TypeVar("Choice", bound=enum.StrEnum)
_MEMBERS: Final = frozenset({"method", "kind", "when", "times", "delay_ms", "down_ms", "status"})


class Kind(enum.StrEnum):
    """What happens to a call."""

    DELAY = "DELAY"
    """It waits ``delay_ms`` and is answered."""
    REFUSE = "REFUSE"
    """It ends with a bare status, as from a balancer: no reason, no details."""
    DROP = "DROP"
    """Every connection breaks, and for ``down_ms`` none is taken."""


class When(enum.StrEnum):
    """Moment of a fault: before the server handles the call, or after it."""

    BEFORE = "BEFORE"
    AFTER = "AFTER"


@dataclass(frozen=True, slots=True, kw_only=True)
class Fault:
    """One fault. ``method`` is ``SettleRound``, ``MauBinhService/SettleRound``, or empty for every method."""

    kind: Kind
    method: str = ""
    when: When = When.BEFORE
    times: int = 1
    delay_ms: int = 0
    down_ms: int = 0
    status: str = "UNAVAILABLE"

    @classmethod
    def read(cls, value: Mapping[str, Any]) -> Self:
        """Read a fault from JSON; raise HarnessError if it is not valid."""
        for name in set(value) - _MEMBERS:
            raise HarnessError(field=name, message=f"a fault has no {name!r}; it has {', '.join(sorted(_MEMBERS))}")
        if "kind" not in value:
            raise HarnessError(field="kind", message=f"say what happens: {', '.join(Kind)}")
        fault = cls(
            kind=_one_of(Kind, value["kind"], "kind"),
            method=str(value.get("method", "")).removeprefix("/").removeprefix("referee.v1."),
            when=_one_of(When, value.get("when", When.BEFORE), "when"),
            times=_number(value.get("times", 1), "times", least=1, most=1_000_000),
            delay_ms=_number(value.get("delay_ms", 0), "delay_ms", most=MAX_DELAY_MS),
            down_ms=_number(value.get("down_ms", 0), "down_ms", most=MAX_DELAY_MS),
            status=str(value.get("status", "UNAVAILABLE")),
        )
        if fault.status not in grpc.StatusCode.__members__ or fault.status == "OK":
            raise HarnessError(field="status", message=f"gRPC has no refusing status {fault.status!r}")
        return fault

    def strikes(self, method: str) -> bool:
        """Whether a method, as ``/referee.v1.LogService/GetKeys``, is the one that it waits for."""
        service, _, name = method.removeprefix("/").removeprefix("referee.v1.").partition("/")
        return self.method in ("", name, f"{service}/{name}")


def require_method(fault: Fault, services: Iterable[str]) -> None:
    """Raise HarnessError if the fault's method is none of these services' that it can strike."""
    pool = descriptor_pool.Default()
    methods = [
        f"{service.removeprefix('referee.v1.')}/{method.name}"
        for service in services
        for method in pool.FindServiceByName(service).methods
        if not (method.client_streaming or method.server_streaming)
    ]
    if fault.method and not any(map(fault.strikes, methods)):
        names = [name for method in methods for name in (method.partition("/")[2], method)]
        close = dict.fromkeys(difflib.get_close_matches(fault.method, names))
        message = f"no service has a unary method {fault.method!r}; there is {', '.join(close or methods)}"
        raise HarnessError(field="method", message=message)


class FaultBook:
    """The faults that wait, in the order they were asked for. ``cut`` breaks all connections for some milliseconds."""

    def __init__(self, cut: Callable[[int], None]) -> None:
        self.cut = cut
        self._lock = threading.Lock()
        self._waiting: list[Fault] = []

    def add(self, fault: Fault) -> None:
        """One more waits."""
        with self._lock:
            self._waiting.append(fault)

    def forget(self) -> None:
        """None waits."""
        with self._lock:
            self._waiting.clear()

    @property
    def waiting(self) -> tuple[Fault, ...]:
        """Those that wait, with how often each will still strike."""
        with self._lock:
            return tuple(self._waiting)

    def take(self, method: str) -> Fault | None:
        """Take the next fault for a call of this method and count it; return None if there is none."""
        with self._lock:
            for index, fault in enumerate(self._waiting):
                if fault.strikes(method):
                    left = replace(fault, times=fault.times - 1)
                    self._waiting[index : index + 1] = [left] if left.times else []
                    return fault
        return None


class FaultInterceptor(grpc.ServerInterceptor):
    """Lets the faults of a book strike, outside everything else that a server does for a call."""

    def __init__(self, book: FaultBook) -> None:
        self._book = book

    def intercept_service(
        self,
        continuation: "Callable[[grpc.HandlerCallDetails], grpc.RpcMethodHandler[Any, Any] | None]",
        handler_call_details: grpc.HandlerCallDetails,
    ) -> "grpc.RpcMethodHandler[Any, Any] | None":
        """Return the method's handler with its pending fault applied."""
        handler = continuation(handler_call_details)
        method = handler_call_details.method
        if handler is None or handler.unary_unary is None or method.startswith(_SPARED):
            return handler
        fault = self._book.take(method)
        if fault is None:
            return handler
        answer = handler.unary_unary

        def struck(request: Any, context: grpc.ServicerContext) -> Any:  # noqa: ANN401 - bytes, as they come
            if fault.when is When.BEFORE:
                self._strike(fault, context)
                return answer(request, context)
            answered = answer(request, context)
            self._strike(fault, context)
            return answered

        return grpc.unary_unary_rpc_method_handler(struck)

    def _strike(self, fault: Fault, context: grpc.ServicerContext) -> None:
        time.sleep(fault.delay_ms / 1000)
        if fault.kind is Kind.DELAY:
            return
        if fault.kind is Kind.DROP:
            self._book.cut(fault.down_ms)
        context.abort(grpc.StatusCode[fault.status], "a fault that the test asked for")


def _one_of(kind: type[Choice], value: object, member: str) -> Choice:
    try:
        return kind(str(value).upper())
    except ValueError:
        raise HarnessError(field=member, message=f"{member} is one of {', '.join(kind)}, not {value!r}") from None


def _number(value: object, member: str, *, least: int = 0, most: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= most:
        raise HarnessError(field=member, message=f"{member} is {least} to {most}, not {value!r}")
    return value
