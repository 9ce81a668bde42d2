"""The process that advises: a gRPC server for one parent, whose main thread computes.

Its parent is the server in front, which judges access, limits and roles. On a unix socket any process that may open
the socket is the parent; on an address callers must send the parent's token.
"""

import hmac
import os
import shutil
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

import grpc
import msgspec
from google.protobuf.message import Message

from referee.adviser.desk import Desk, seconds_left
from referee.adviser.servicers import Finder, handler_of, parts_of, servicer_of
from referee.service.advising import ADVISING, AdvisingService, add_methods
from referee.service.call import Call
from referee.service.charter import CHARTER, INTRODUCE, NOW, SECONDS, UNINTRODUCED, Charter
from referee.service.interceptor import CallInterceptor
from referee.service.pool import CallPool
from referee.threads import lasting
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError

THREADS: Final = 256
"""Calls that may wait for the main thread, and more than the servers in front send together."""
CHARTERS: Final = 8
"""Charters kept: those of the servers in front, before and after a change of keys or rulesets."""
NICENESS: Final = 10
"""Steps by which the process's priority is lower: it then has a tenth of a core that a server needs too."""
_LARGEST: Final = 64 * 1024 * 1024
"""Bytes of a message; the server in front has its own bound."""

_now: Final[ContextVar[int]] = ContextVar("now")


@dataclass(frozen=True, slots=True)
class ParentGate:
    """Gate that lets the parent in, who sends this token; an empty token lets in every caller on the socket."""

    token: str

    def knock(self, call: Call, credentials: str) -> None:
        """Reject a call without the token."""
        del call
        if self.token and not hmac.compare_digest(credentials.encode(), f"Bearer {self.token}".encode()):
            raise RefusedError(
                ErrorReason.ERROR_REASON_CREDENTIALS_INVALID,
                "this process advises for a server that has its token; ask that server",
            )

    def enter(self, call: Call, credentials: str, context: grpc.ServicerContext) -> None:
        """Do nothing: the token is all."""

    def ask(self, call: Call, request: Message) -> None:
        """Do nothing: the server in front has judged the request."""


class AdviserServer:
    """The server of the process; ``desk`` computes on whichever thread runs it."""

    def __init__(
        self,
        listen: str,
        *,
        token: str = "",
        tables: Path | None = None,
        credentials: grpc.ServerCredentials | None = None,
    ) -> None:
        self.desk = Desk()
        self._tables = tables
        self._charters: OrderedDict[str, dict[str, Any]] = OrderedDict()
        self._keeping = threading.Lock()
        self._pool = CallPool(threads=THREADS, queue=THREADS)
        calls = CallInterceptor(
            message_bytes=_LARGEST,
            unread_bytes=_LARGEST,
            answer_seconds=60,
            admit=None,
            pool=self._pool,
            gate=ParentGate(token),
            gateway_pass="",
            observers=(),
        )
        self._server = grpc.server(
            cast("ThreadPoolExecutor", self._pool),  # of which gRPC only calls submit
            interceptors=[calls],
            options=[
                ("grpc.so_reuseport", 0),
                ("grpc.max_receive_message_length", _LARGEST),
                ("grpc.max_send_message_length", _LARGEST),
            ],
        )
        add_methods(self._server, lambda service, method: handler_of(method, self._finder(service)))
        service, _, name = INTRODUCE[1:].partition("/")
        control: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
            name: grpc.unary_unary_rpc_method_handler(self._introduce)
        }
        self._server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, control),))
        add = self._server.add_insecure_port if credentials is None else self._add_secure(credentials)
        self.port = add(listen)

    def start(self) -> None:
        """Take calls."""
        self._server.start()

    def close(self) -> None:
        """Take no more calls and end the desk."""
        self._server.stop(None).wait()
        self.desk.close()
        self._pool.shutdown()

    def _add_secure(self, credentials: grpc.ServerCredentials) -> Callable[[str], int]:
        return lambda listen: self._server.add_secure_port(listen, credentials)

    def _finder(self, service: AdvisingService) -> Finder:
        def find(context: grpc.ServicerContext) -> Any:
            servicers, known = self._introduced(context)
            _now.set(int(known[NOW]))
            seconds_left.set(float(known[SECONDS]))
            return servicers[service.name]

        return find

    def _introduced(self, context: grpc.ServicerContext) -> tuple[dict[str, Any], dict[str, str]]:
        """Return the servicers under the charter that a call names, and the call's metadata; else end the call."""
        known = {key: str(value) for key, value in context.invocation_metadata()}
        servicers = self._charters.get(known.get(CHARTER, ""))
        if servicers is None:
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, UNINTRODUCED)
        return servicers, known

    def _introduce(self, data: bytes, context: grpc.ServicerContext) -> bytes:
        """Keep a charter, with servicers that verify rounds against it; without one, look whether it is there."""
        if not data:
            self._introduced(context)
            return b""
        try:
            charter = Charter.read(data)
        except msgspec.DecodeError as error:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, f"the bytes are no charter: {error}")
        parts = parts_of(charter, clock=_now.get, advice=self.desk, tables=self._tables)
        servicers = {service.name: servicer_of(service, parts) for service in ADVISING.values()}
        with self._keeping:
            self._charters[charter.digest] = servicers
            while len(self._charters) > CHARTERS:
                self._charters.popitem(last=False)
        return b""


def end_with_parent(folder: Path | None) -> None:
    """End this process, in the middle of a computation too, when its standard input ends; delete ``folder`` first.

    The parent holds the other end and writes nothing; the system closes it however the parent ends.
    """

    def wait() -> None:
        while os.read(sys.stdin.fileno(), 1):
            pass
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)

    lasting(wait, name="parent").start()
