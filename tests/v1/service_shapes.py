"""Shape of what all services share, as ``round.proto`` says: how rounds are named, lists paged, batches answered."""

from typing import Final

from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor, ServiceDescriptor
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto

from tests.v1.game_shapes import Shape

RESERVED: Final = 15
"""Number of the status of a request that a batch refuses alone."""
PAGE_REQUEST: Final = {"page_size": "optional uint32 page_size = 1", "page_token": "optional string page_token = 2"}
PAGE_ANSWER: Final = {"next_page_token": "optional string next_page_token = 2"}
STATUS: Final = "google.rpc.Status"
ROUND_REF: Final = "referee.v1.RoundRef"
UNPAGED: Final = {"referee.v1.TienLenService.ListPlays": "the plays of one hand, which has thirteen cards"}
"""Methods that answer a list which cannot grow, and why."""


def service_faults(service: ServiceDescriptor) -> list[str]:
    """Return what differs from the shape that all services share, a sentence each: rounds, pages and batches."""
    faults = [fault for message in _reached(service) for fault in _round_faults(message)]
    for name, method in service.methods_by_name.items():
        faults += _page_faults(method)
        requests = method.input_type.fields_by_name.get("requests")
        if requests is None:
            faults += _status_faults(method.output_type, needs_status=f"{name}s" in service.methods_by_name)
        else:
            faults += _batch_faults(service, method)
    return sorted(set(faults))


def _reached(service: ServiceDescriptor) -> list[Descriptor]:
    """Return the messages of a service's calls with all that are in them."""
    reached: dict[str, Descriptor] = {}
    waiting = [part for method in service.methods for part in (method.input_type, method.output_type)]
    while waiting:
        message = waiting.pop()
        if message.full_name not in reached:
            reached[message.full_name] = message
            waiting += [field.message_type for field in message.fields if field.message_type is not None]
    return list(reached.values())


def _round_faults(message: Descriptor) -> list[str]:
    """Return why a message does not name its round by a RoundRef in ``round = 1``."""
    faults = []
    if "round_number" in message.fields_by_name and message.full_name != ROUND_REF:
        faults.append(f"{message.full_name}.round_number is not in a RoundRef")
    for field in message.fields:
        is_ref = field.message_type is not None and field.message_type.full_name == ROUND_REF
        if is_ref and (field.name, field.number, field.is_repeated) != ("round", 1, False):
            faults.append(f"{message.full_name}.{field.name} = {field.number} is a RoundRef; it is called round = 1")
    return faults


def _page_faults(method: MethodDescriptor) -> list[str]:
    """Return why the request or the answer of a list is paged unlike all others."""
    faults, request, answer = [], method.input_type, method.output_type
    names = {*PAGE_REQUEST} & {*request.fields_by_name} | {*PAGE_ANSWER} & {*answer.fields_by_name}
    if not names and not method.name.startswith("List"):
        return []
    if method.full_name in UNPAGED:
        return [] if not names else [f"{method.full_name} is paged, and listed as one that is not"]
    for message, fields in ((request, PAGE_REQUEST), (answer, PAGE_ANSWER)):
        for name, expected in fields.items():
            field = message.fields_by_name.get(name)
            found = "absent" if field is None else str(_plain(field))
            if found != expected:
                faults.append(f"{message.full_name}.{name} is {found}, not {expected}")
    if 1 not in answer.fields_by_number or not answer.fields_by_number[1].is_repeated:
        faults.append(f"{answer.full_name} has no list in field 1")
    return faults


def _status_faults(answer: Descriptor, *, needs_status: bool) -> list[str]:
    """Return why field 15 of a single call's answer is not the status of a batch, or kept for it."""
    status = answer.fields_by_number.get(RESERVED)
    if status is None:
        proto = DescriptorProto()
        answer.CopyToProto(proto)
        is_kept = any(kept.start <= RESERVED < kept.end for kept in proto.reserved_range)
        if needs_status:
            return [f"{answer.full_name} has a batch and no field {RESERVED} for the status of one request"]
        return [] if is_kept else [f"{answer.full_name} does not reserve {RESERVED}"]
    if not needs_status:
        return [f"{answer.full_name}.{status.name} is set by no batch; reserve {RESERVED}"]
    shape = str(_plain(status))
    return [] if shape == f"optional {STATUS} refused = {RESERVED}" else [f"{answer.full_name}.{shape} is no status"]


def _batch_faults(service: ServiceDescriptor, method: MethodDescriptor) -> list[str]:
    """Return why a batch does not take requests and give answers of its single call."""
    single = service.methods_by_name.get(method.name.removesuffix("s"))
    if single is None or single is method:
        return [f"{method.full_name} is a batch of no call"]
    expected = [
        f"repeated {single.input_type.full_name} requests = 1",
        f"repeated {single.output_type.full_name} responses = 1",
    ]
    found = [str(_plain(message.fields_by_number[1])) for message in (method.input_type, method.output_type)]
    return [] if found == expected else [f"{method.full_name} has {' and '.join(found)}, not {' and '.join(expected)}"]


def _plain(field: FieldDescriptor) -> Shape:
    """Return the shape of a field with its type's full name."""
    named = field.message_type or field.enum_type
    kind = (
        FieldDescriptorProto.Type.keys()[field.type - 1].removeprefix("TYPE_").lower()
        if named is None
        else named.full_name
    )
    return Shape(field.name, field.number, kind, field.is_repeated, field.has_presence)
