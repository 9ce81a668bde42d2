"""Reason and field of a gRPC status, as a refused call or a batch's answer has it."""

from google.rpc import error_details_pb2
from google.rpc.status_pb2 import Status


def reason_and_field(status: Status) -> tuple[str, str]:
    """Return the reason and the path of the field at fault; each is empty if the status has none."""
    info, bad = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
    for detail in status.details:
        detail.Unpack(info)
        detail.Unpack(bad)
    return info.reason, bad.field_violations[0].field if bad.field_violations else ""
