"""A call under way: the facts of it that logs, metrics and traces may show. They never include its content.

>>> call = Call(method="/referee.v1.LogService/GetKeys", request_id="a1", caller="ipv4:127.0.0.1:4", arrived=1.0)
>>> call.started, call.ended = 1.25, 1.5
>>> call.service, call.name, call.seconds, call.waited, call.code
('referee.v1.LogService', 'GetKeys', 0.25, 0.25, 'OK')
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextvars import ContextVar
from typing import Final, Protocol, TypeVar

import grpc
import msgspec
from google.protobuf.message import Message

T = TypeVar("T")


class CallEndedError(Exception):
    """The caller gave the call up or its deadline passed; no further work is begun for it."""


class Call(msgspec.Struct, eq=False, kw_only=True):
    """A call under way or ended. Times are seconds of a monotonic clock."""

    method: str
    """Full name, as ``/package.Service/Method``."""
    request_id: str
    caller: str
    """Name that the caller has proved, or its address."""
    arrived: float
    role: str = ""
    """Proved role; empty without access control."""
    tenant: str = ""
    """Proved tenant; empty without access control."""
    peer: str = ""
    """Address of the caller."""
    account: str = ""
    """Name and tenant that the caller has proved, by which limits count its calls; empty: they count by address."""
    proof: object = None
    """Proved identity in a form that only the gate reads."""
    rpc: grpc.ServicerContext | None = None
    """The transport's side of the call while a thread works on it; None before and afterwards."""
    trace_parent: str = ""
    """W3C ``traceparent`` of the request; empty for none."""
    started: float = 0.0
    """Time at which a thread began the call."""
    ended: float = 0.0
    code: str = "OK"
    """Name of the status code."""
    reason: str = ""
    """Name of the error reason; empty for an answer."""
    request_bytes: int = 0
    response_bytes: int = 0
    leave: Callable[[], None] = lambda: None
    """Called when the call's work has ended."""
    leaves: list[int] = msgspec.field(default_factory=list)
    """Indices of the leaves that answer the call; the call itself or an equal earlier call has appended them."""

    @property
    def service(self) -> str:
        """Full name of the service."""
        return self.method[1:].partition("/")[0]

    @property
    def name(self) -> str:
        """Name of the method within its service."""
        return self.method.rpartition("/")[2]

    @property
    def seconds(self) -> float:
        """Time from taking the call up to its end."""
        return self.ended - self.started

    @property
    def waited(self) -> float:
        """Time from the call's arrival to a thread taking it up."""
        return self.started - self.arrived


class Observer(Protocol):
    """Observer of calls. Both methods run on the call's own thread and must not raise."""

    def began(self, call: Call) -> None:
        """Note that a thread has taken the call up."""

    def ended(self, call: Call) -> None:
        """Note that the call is answered or refused."""


class Gate(Protocol):
    """Access control, in three steps from cheap to costly. Each raises RefusedError to refuse the call."""

    def knock(self, call: Call, credentials: str) -> None:
        """Reject a call that its headers alone rule out, before it waits for a thread."""

    def enter(self, call: Call, credentials: str, context: grpc.ServicerContext) -> None:
        """Verify the caller's credentials and its right to the method; record its identity in the call."""

    def ask(self, call: Call, request: Message) -> None:
        """Verify the caller's right to all tables and seats that the request names."""


_current: Final[ContextVar[Call | None]] = ContextVar("call", default=None)


def enter(call: Call) -> None:
    """Make this the current call of the context."""
    _current.set(call)


def current() -> Call | None:
    """Return the current call, None outside of calls."""
    return _current.get()


def note_leaf(index: int) -> None:
    """Record in the current call, if there is one, that the leaf with this index answers it."""
    call = _current.get()
    if call is not None:
        call.leaves.append(index)


def submit_for_call(submit: Callable[[], Sequence[Future[T]]]) -> Sequence[Future[T]]:
    """Submit work to the log's writer for the current call, and return its replies.

    When the call ends, work that the writer has not begun is cancelled; work that it has begun is carried through.
    Raises CallEndedError, and submits nothing, if the call has ended already. Outside of a call nothing is cancelled.
    """
    call = _current.get()
    if call is None or call.rpc is None:
        return submit()
    if not call.rpc.is_active() or call.rpc.time_remaining() <= 0:
        raise CallEndedError
    replies = submit()

    def cancel() -> None:
        for reply in replies:
            reply.cancel()

    if not call.rpc.add_callback(cancel):
        cancel()
    return replies
