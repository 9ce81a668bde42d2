"""Refusals of calls, as a frontend reads them."""

from collections.abc import Callable
from dataclasses import dataclass

import grpc
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status


@dataclass(frozen=True, slots=True)
class Refusal:
    """How a call was refused: status code, reason, path of the field at fault (empty for none), facts."""

    code: str
    reason: str
    field: str
    facts: dict[str, str]
    message: str

    @property
    def seen(self) -> tuple[str, str, str]:
        """The status code, the reason and the field."""
        return self.code, self.reason, self.field


def refusal_of(call: Callable[[], object]) -> Refusal:
    """Return the refusal of a call; fail the test if the call is answered or refused without a reason."""
    with pytest.raises(grpc.RpcError) as caught:
        call()
    status = rpc_status.from_call(caught.value)
    assert status is not None, caught.value
    info, bad, retry = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest(), error_details_pb2.RetryInfo()
    for detail in status.details:
        assert detail.Unpack(info) or detail.Unpack(bad) or detail.Unpack(retry)
    assert info.domain == "referee.v1"
    fields = [violation.field for violation in bad.field_violations]
    assert len(fields) <= 1
    return Refusal(
        caught.value.code().name,
        info.reason,
        fields[0] if fields else "",
        dict(info.metadata),
        caught.value.details() or "",
    )
