"""One call as the server sees it: what is said of it in a log line, a metric and a span, and nothing of its content.

The law: a call has a name, an outcome, sizes, times, a caller, and the places of the leaves that it put into the log.
Requests, answers, metadata values and seeds are not kept here, so whoever watches calls cannot say them.

>>> call = Call(method="/referee.v1.LogService/GetKeys", request_id="a1", caller="ipv4:127.0.0.1:4", arrived=1.0)
>>> call.started, call.ended = 1.25, 1.5
>>> call.service, call.name, call.seconds, call.waited, call.code
('referee.v1.LogService', 'GetKeys', 0.25, 0.25, 'OK')
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeVar

T = TypeVar("T")


class Rpc(Protocol):
    """What is asked of the transport while a call is under way; a grpc.ServicerContext has it all."""

    def is_active(self) -> bool:
        """Whether the caller still waits."""

    def time_remaining(self) -> float:
        """Seconds until the caller waits no more."""

    def add_callback(self, callback: Callable[[], None]) -> bool:
        """Whether the callback will run when the call is over; False where it is over."""


class CallEndedError(Exception):
    """Nobody waits for the call any more: its deadline passed, or the caller gave it up. Nothing more is begun."""


@dataclass(eq=False, slots=True, kw_only=True)
class Call:
    """A call under way, or ended. Times are seconds of a clock that never goes back."""

    method: str
    """The full name, as ``/package.Service/Method``."""
    request_id: str
    caller: str
    """Who asks: the peer's address, or the name that it has proved."""
    arrived: float
    role: str = ""
    """What the caller is there for; empty where nobody is asked."""
    tenant: str = ""
    """Whose tables the caller may name; empty as before."""
    peer: str = ""
    """The address that it comes from."""
    proof: object = None
    """Who the caller has proved to be, in words of the gate that let it pass; nobody else reads it."""
    rpc: Rpc | None = None
    """The transport's side of it, once a thread took it up."""
    trace_parent: str = ""
    """The W3C ``traceparent`` that came with it, empty for none."""
    started: float = 0.0
    """When a thread took it up."""
    ended: float = 0.0
    code: str = "OK"
    """The status code's name."""
    reason: str = ""
    """The name of the error's reason, empty where it was answered."""
    request_bytes: int = 0
    response_bytes: int = 0
    leaves: list[int] = field(default_factory=list)
    """Indices of the leaves that it put into the log, or that were there from the same question before."""

    @property
    def service(self) -> str:
        """The service's full name."""
        return self.method[1:].partition("/")[0]

    @property
    def name(self) -> str:
        """The method's name within its service."""
        return self.method.rpartition("/")[2]

    @property
    def seconds(self) -> float:
        """How long it was worked on."""
        return self.ended - self.started

    @property
    def waited(self) -> float:
        """How long it waited for a thread."""
        return self.started - self.arrived


class Observer(Protocol):
    """Whoever watches calls. Both methods run on the call's own thread and never raise."""

    def began(self, call: Call) -> None:
        """A thread has taken the call up."""

    def ended(self, call: Call) -> None:
        """The call is answered or refused; all of it is known."""


_current: Final[ContextVar[Call | None]] = ContextVar("call", default=None)


def enter(call: Call) -> None:
    """What runs in this context from now on belongs to the call."""
    _current.set(call)


def current() -> Call | None:
    """The call that this runs for; None outside of calls."""
    return _current.get()


def note_leaf(index: int) -> None:
    """The call that this runs for, if it runs for one, has its request in the log at this place."""
    call = _current.get()
    if call is not None:
        call.leaves.append(index)


def asked(submit: Callable[[], "Future[T]"]) -> "Future[T]":
    """What the call that this runs for asks of another thread, cancelled if the call is over before that begins.

    CallEndedError where it is over already. What has begun goes on: it may come to be although nobody waits.
    """
    (future,) = asked_each(lambda: (submit(),))
    return future


def asked_each(submit: "Callable[[], Sequence[Future[T]]]") -> "Sequence[Future[T]]":
    """The same of several things that are asked at once."""
    call = _current.get()
    if call is None or call.rpc is None:
        return submit()
    if not call.rpc.is_active() or call.rpc.time_remaining() <= 0:
        raise CallEndedError
    futures = submit()

    def give_up() -> None:
        for future in futures:
            future.cancel()

    if not call.rpc.add_callback(give_up):
        give_up()
    return futures
