"""The services that advise, in front of the process that computes: calls are judged here and forwarded as bytes.

A call that its caller gives up is cancelled there too. A call that is not answered ``GRACE_SECONDS`` after its time
hangs, and with it the process.
"""

import threading
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, cast

import grpc
from google.protobuf.descriptor import MethodDescriptor
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass
from google.rpc import error_details_pb2
from grpc_status import rpc_status

from referee.server.process.advice_line import (
    RETRY_SECONDS,
    AdviceAddress,
    AdviceChild,
    AdviceLine,
    log,
    lost,
)
from referee.server.process.opened_log import OpenedLog
from referee.server.process.options import ServerOptions
from referee.server.settings.advice import OFF, AdviceSettings
from referee.service.advising import AdvisingService, add_methods
from referee.service.call import CallEndedError, current
from referee.service.charter import GRACE_SECONDS, NOW, SECONDS, Charter, file_of
from referee.service.interceptor import REQUEST_ID
from referee.service.lost_ruleset import check_named_rulesets
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError

OUTCOMES: Final = ("ANSWERED", "REFUSED", "GIVEN_UP", "LATE", "LOST")
"""What becomes of a question: answered, refused by the process, caller gone, too long, or the process lost."""
_DETAILS: Final = "grpc-status-details-bin"


class AdviceFront:
    """The services that advise of one server process, as the settings say: forwarded, or refused.

    At most a quarter of the threads wait for the process. ``watch(outcome, seconds=...)`` is called after each question
    that was forwarded, with one of OUTCOMES.
    """

    def __init__(
        self,
        options: ServerOptions,
        opened: OpenedLog,
        *,
        report: Callable[..., None],
        watch: Callable[..., None] | None,
    ) -> None:
        settings = options.configuration
        self._options, self._slot_of = options, opened.store.round
        self._charter = Charter(
            origin=opened.origin,
            suite=options.suite,
            shuffler_keys=tuple(opened.counted("shuffler")),
            referee_keys=tuple(opened.counted("referee")),
            rulesets=tuple([file_of(ruleset) for ruleset in options.catalogue]),
        )
        self.line = _line_of(settings.advice, self._charter, report=report, tables=settings.serve.rulesets)
        self._most = max(1, settings.serve.threads // 4)
        self.seconds, self.grace = settings.advice.seconds, GRACE_SECONDS
        self.watch = watch or (lambda _outcome, **_: None)
        self._counting = threading.Lock()
        self.under_way = 0
        """Number of questions that wait for the process."""

    @property
    def pid(self) -> int | None:
        """Id of the process that this one started; None while there is none."""
        return self.line.pid if isinstance(self.line, AdviceChild) else None

    def add_to_server(self, server: grpc.Server) -> None:
        """Add the methods of all services that advise: requests are read, so that access is judged; answers are bytes.

        Options that advise in this process add their own instead.
        """
        if self._options.advise is not None:
            folder = self._options.configuration.serve.rulesets
            self._options.advise(server, self._charter, self._options.clock, Path(folder) if folder else None)
            return

        def handler_of(service: AdvisingService, method: MethodDescriptor) -> "grpc.RpcMethodHandler[Any, Any]":
            path = f"/{service.full_name}/{method.name}"
            return grpc.unary_unary_rpc_method_handler(
                partial(self._answer, self.line, path) if self.line else _refuse,
                request_deserializer=GetMessageClass(method.input_type).FromString,
            )

        add_methods(server, handler_of)

    def start(self) -> None:
        """Begin to watch a process that others run."""
        if self.line is not None:
            self.line.start()

    def close(self) -> None:
        """End the line, and the process if this one started it."""
        if self.line is not None:
            self.line.close()

    def _answer(self, line: AdviceLine, path: str, request: Message, context: grpc.ServicerContext) -> bytes:
        """Forward a call and return the encoded answer, or end it with the status of the process."""
        check_named_rulesets(request, self._options.catalogue, self._slot_of)
        with self._counting:
            if self.under_way >= self._most:
                message = f"{self.under_way} calls for advice are under way, and the server takes no more"
                raise RefusedError(ErrorReason.ERROR_REASON_ADVICE_BUSY, message, retry_seconds=RETRY_SECONDS)
            self.under_way += 1
        begun = time.perf_counter()
        try:
            seconds = min(self.seconds, context.time_remaining())
            channel = line.channel()
            forwarded = self._forward(line, channel, path, request.SerializeToString(), seconds)
            if not context.add_callback(forwarded.cancel):
                forwarded.cancel()
            answers = _answers_of(forwarded)
            code, reason = forwarded.code(), _reason_of(forwarded)
        finally:
            with self._counting:
                self.under_way -= 1
        is_late = code is grpc.StatusCode.DEADLINE_EXCEEDED
        if is_late and not reason:
            line.end_hung(channel)
        refused = "GIVEN_UP" if not context.is_active() else "LATE" if is_late else "REFUSED" if reason else "LOST"
        outcome = "ANSWERED" if code is grpc.StatusCode.OK else refused
        self.watch(outcome, seconds=time.perf_counter() - begun)
        if code is grpc.StatusCode.OK:
            return answers[0]
        if outcome == "GIVEN_UP":
            raise CallEndedError
        if is_late and not reason:
            message = f"the advice was not computed within {self.seconds:g} s, waiting included; ask for less"
            raise RefusedError(ErrorReason.ERROR_REASON_ADVICE_TOO_LONG, message, limit=f"{self.seconds:g}")
        if code is grpc.StatusCode.UNAUTHENTICATED:
            log.error("the process of advice knows another token", remedy="give both the same file at advice.token")
        if not reason or code is grpc.StatusCode.UNAUTHENTICATED:
            raise lost()
        trailers = [(key, value) for key, value in forwarded.trailing_metadata() or () if key == _DETAILS]
        call = current()
        if call is not None:
            call.reason = reason
            trailers.append((REQUEST_ID, call.request_id))
        context.set_trailing_metadata(tuple(trailers))
        return cast("bytes", context.abort(code, forwarded.details()))  # raises gRPC's own exception

    def _forward(self, line: AdviceLine, channel: grpc.Channel, path: str, data: bytes, seconds: float) -> Any:  # noqa: ANN401 - gRPC's call
        """Begin a call as one of a stream of answers, which this thread alone reads; see ``advice_line.OPTIONS``."""
        call = current()
        own = [(NOW, str(self._options.clock())), (SECONDS, f"{seconds:.6f}")]
        own += [(REQUEST_ID, call.request_id)] if call is not None else []
        try:
            method: Any = channel.unary_stream(path)
            return method(data, timeout=seconds + self.grace, metadata=[*line.metadata, *own])
        except ValueError:  # the channel was closed meanwhile, because the process ended
            raise lost() from None


def _line_of(
    settings: AdviceSettings, charter: Charter, *, report: Callable[..., None], tables: str
) -> AdviceLine | None:
    """Return the line to the process that the settings name; None for no advice."""
    if settings.address == OFF:
        return None
    if not settings.address:
        return AdviceChild(charter, report=report, tables=tables)
    root, key, chain, token = (
        Path(name).read_bytes() if name else None
        for name in (settings.ca, settings.key, settings.certificate, settings.token)
    )
    return AdviceAddress(
        charter,
        report=report,
        token=(token or b"").decode().strip(),
        address=settings.address,
        credentials=grpc.ssl_channel_credentials(root, key, chain) if root else None,
    )


def _refuse(_request: Message, context: grpc.ServicerContext) -> bytes:
    context.abort(grpc.StatusCode.UNIMPLEMENTED, 'this server gives no advice: its advice.address is "off"')


def _answers_of(forwarded: Any) -> list[bytes]:  # noqa: ANN401 - gRPC's call
    """Wait for the end of a call; return its answer, none if it failed."""
    try:
        return list(forwarded)
    except grpc.RpcError:  # the call itself, which has the status
        return []


def _reason_of(forwarded: Any) -> str:  # noqa: ANN401 - gRPC's call
    """Return the reason that a status of the process gives; empty for a status of the transport."""
    has_status = forwarded.code() is not grpc.StatusCode.OK and not forwarded.cancelled()
    status = rpc_status.from_call(forwarded) if has_status else None
    info = error_details_pb2.ErrorInfo()
    for detail in () if status is None else status.details:
        if detail.Unpack(info):
            return str(info.reason)
    return ""
