"""The server without its transport: methods are called with the bytes that gRPC would hand them, on this thread.

Deserializers, interceptor, servicers, store and keys are the real ones; what is left out is sockets and threads. A
channel of this kind plays rounds like any other.
"""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Protocol
from unittest import mock

import grpc
from google.rpc import error_details_pb2, status_pb2

from referee.adviser.servicers import advise_in_process
from referee.server.process.app import Application
from referee.server.process.options import ServerOptions

FOREVER: Final = 1e9


class EndedError(grpc.RpcError):
    """A call that was not answered: code, and reason where it has one."""

    def __init__(self, code: grpc.StatusCode, details: str, reason: str) -> None:
        super().__init__(f"{code.name}/{reason}: {details}")
        self._code, self._details, self.reason = code, details, reason

    def code(self) -> grpc.StatusCode:
        """Return the status code."""
        return self._code

    def details(self) -> str:
        """Return the details of the status."""
        return self._details

    def trailing_metadata(self) -> tuple[()]:
        """Nothing more is known."""
        return ()


_ASKED: Final[dict[str, object]] = {
    "auth_context": {},
    "cancel": None,
    "invocation_metadata": (),
    "is_active": True,
    "peer": "ipv4:127.0.0.1:1",
    "peer_identities": None,
    "set_details": None,
    "set_trailing_metadata": None,
    "time_remaining": FOREVER,
}
"""What other methods of a call's context answer: somebody without a name waits for ever, and looks at no trailers."""


class Context:
    """What a servicer sees of a call."""

    def __init__(self) -> None:
        self._code: grpc.StatusCode | None = None
        self._callbacks: list[Callable[[], None]] = []

    def __getattr__(self, name: str) -> Callable[..., object]:
        if name not in _ASKED:
            raise AttributeError(name)
        return lambda *_: _ASKED[name]

    def abort_with_status(self, status: Any) -> None:  # noqa: ANN401 - a grpc.Status
        """End the call with this status."""
        self._code = status.code
        info = error_details_pb2.ErrorInfo()
        metadata = dict(status.trailing_metadata or ())
        details = status_pb2.Status.FromString(metadata.get("grpc-status-details-bin", b"")).details
        reason = next((info.reason for detail in details if detail.Unpack(info)), "")
        raise EndedError(status.code, status.details, reason)

    def abort(self, code: grpc.StatusCode, details: str) -> None:
        """End the call with this code."""
        self._code = code
        raise EndedError(code, details, "")

    def over(self) -> None:
        """Mark the call as ended."""
        for callback in self._callbacks:
            callback()

    def add_callback(self, callback: Callable[[], None]) -> bool:
        """Whether it will run at the end."""
        self._callbacks.append(callback)
        return True

    def set_code(self, code: grpc.StatusCode) -> None:
        """Set the code of a call that is answered all the same."""
        self._code = code

    def code(self) -> grpc.StatusCode | None:
        """Return the code that was set."""
        return self._code


@dataclass(frozen=True, slots=True)
class Details:
    """Call details as an interceptor sees them."""

    method: str
    invocation_metadata: tuple[tuple[str, str], ...] = ()


class RecordedServer:
    """Replacement of ``grpc.server`` that keeps handlers and interceptors."""

    def __init__(self, _pool: object, interceptors: Iterable[grpc.ServerInterceptor] = (), **_: object) -> None:
        self.interceptors = tuple(interceptors)
        self.handlers: dict[str, grpc.RpcMethodHandler[Any, Any]] = {}

    def add_generic_rpc_handlers(self, _handlers: object) -> None:
        """Ignore the same methods registered by name."""

    def add_registered_method_handlers(
        self, service: str, handlers: "Mapping[str, grpc.RpcMethodHandler[Any, Any]]"
    ) -> None:
        """Register the methods of a service."""
        self.handlers |= {f"/{service}/{name}": handler for name, handler in handlers.items()}

    def add_insecure_port(self, _address: str) -> int:
        """No port is opened."""
        return 1

    add_secure_port = add_insecure_port

    def start(self) -> None:
        """Nothing listens."""

    def stop(self, _grace: float | None) -> Any:  # noqa: ANN401 - an event
        """Nothing listened."""
        done = mock.Mock()
        done.wait = lambda *_: True
        return done


class InProcess:
    """An application whose methods are called directly; it computes advice itself."""

    def __init__(self, settings: ServerOptions) -> None:
        made: list[RecordedServer] = []

        def make(*arguments: Any, **options: Any) -> RecordedServer:  # noqa: ANN401 - as grpc.server takes them
            made.append(RecordedServer(*arguments, **options))
            return made[-1]

        with mock.patch("grpc.server", make):
            self.app = Application(replace(settings, advise=advise_in_process)).start()
        (self._server,) = made
        self.methods = sorted(name for name in self._server.handlers if name.startswith("/referee."))

    def close(self) -> None:
        """Stop the application."""
        self.app.close()

    def call(self, method: str, data: bytes) -> bytes:
        """Return the answer's bytes; raise EndedError if the call is refused; any other exception is a fault."""
        lookup: Callable[[Any], Any] = lambda _: self._server.handlers[method]  # noqa: E731 - the innermost of several
        for interceptor in reversed(self._server.interceptors):
            lookup = _through(interceptor, lookup)
        handler = lookup(Details(method))
        context = Context()
        try:
            answer: bytes = handler.unary_unary(data, context)
        finally:
            context.over()
        return answer


def _through(interceptor: grpc.ServerInterceptor, inner: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda details: interceptor.intercept_service(inner, details)


class Called(Protocol):
    """A server whose methods are called with bytes."""

    @property
    def methods(self) -> Sequence[str]:
        """Their full names."""

    def call(self, method: str, data: bytes) -> bytes:
        """Return the answer's bytes; raise EndedError if the call is refused."""


class Channel:
    """As much of a grpc.Channel as stubs use; ``on_request`` is called with every request."""

    def __init__(self, server: Called, on_request: Callable[[str, bytes], None] = lambda *_: None) -> None:
        self._server = server
        self._on_request = on_request

    def unary_unary(
        self,
        method: str,
        request_serializer: Callable[[Any], bytes],
        response_deserializer: Callable[[bytes], Any],
        **_: object,
    ) -> Callable[..., Any]:
        """Return a method as a function of its request."""

        def call(request: Any, **_options: object) -> Any:  # noqa: ANN401 - messages of any method
            data = request_serializer(request)
            self._on_request(method, data)
            return response_deserializer(self._server.call(method, data))

        return call


@contextlib.contextmanager
def running(settings: ServerOptions) -> Iterator[InProcess]:
    """Run an application for the block."""
    server = InProcess(settings)
    try:
        yield server
    finally:
        server.close()
