"""Refusals of calls, as a frontend reads them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from referee_client import RefereeError

REFUSED: Final = (grpc.RpcError, RefereeError)
"""How a stub refuses a call, and how a client of ``client_over`` does, whose error has the stub's as its cause."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """How a call was refused: status code, reason, path of the field at fault (empty for none), facts."""

    code: str
    reason: str
    field: str
    facts: dict[str, str]
    message: str
    retry_seconds: float
    """After how many seconds to ask again; 0 where the refusal does not say."""

    @property
    def seen(self) -> tuple[str, str, str]:
        """The status code, the reason and the field."""
        return self.code, self.reason, self.field

    @property
    def reason_and_field(self) -> tuple[str, str]:
        """The reason and the field."""
        return self.reason, self.field


def refusal_of(call: Callable[..., object], *arguments: object, **named: object) -> Refusal:
    """Return the refusal of a call; fail the test if the call is answered or refused without a reason."""
    with pytest.raises(REFUSED) as caught:
        call(*arguments, **named)
    error = _call_of(caught.value)
    status = rpc_status.from_call(error)
    assert status is not None, caught.value
    info, bad, retry = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest(), error_details_pb2.RetryInfo()
    for detail in status.details:
        assert detail.Unpack(info) or detail.Unpack(bad) or detail.Unpack(retry)
    assert info.domain == "referee.v1"
    fields = [violation.field for violation in bad.field_violations]
    assert len(fields) <= 1
    return Refusal(
        error.code().name,
        info.reason,
        fields[0] if fields else "",
        dict(info.metadata),
        error.details() or "",
        retry.retry_delay.ToTimedelta().total_seconds(),
    )


def reason_of(error: grpc.RpcError) -> str:
    """Return the reason in an error's details; empty where it has none, as where the transport refused."""
    status = rpc_status.from_call(error)
    info = error_details_pb2.ErrorInfo()
    return next((info.reason for detail in (status.details if status else ()) if detail.Unpack(info)), "")


def ending_of(call: Callable[..., object], *arguments: object, **named: object) -> tuple[str, str]:
    """Return how a call ends: its status code, and its reason where it is refused with one."""
    try:
        call(*arguments, **named)
    except REFUSED as error:
        refused = _call_of(error)
        return refused.code().name, reason_of(refused)
    return "OK", ""


def code_of(error: BaseException) -> grpc.StatusCode:
    """Return the status code of a refused call."""
    code: grpc.StatusCode = _call_of(error).code()
    return code


def _call_of(error: BaseException) -> Any:  # noqa: ANN401 - grpc's own call
    return error.__cause__ if isinstance(error, RefereeError) else error
