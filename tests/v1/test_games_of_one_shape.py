"""Messages of all services, and of a game that registers itself elsewhere, have one shape."""

from collections.abc import Callable

import pytest
from bai_cao.v1 import bai_cao_pb2
from google.protobuf.descriptor import FileDescriptor, ServiceDescriptor
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool

from referee.service.registry import GAME_SERVICES
from referee.v1 import log_pb2, ruleset_pb2, seating_pb2, shuffler_pb2
from tests.v1.game_shapes import shape_faults
from tests.v1.service_shapes import service_faults

FOURTH_SERVICE = bai_cao_pb2.DESCRIPTOR.services_by_name["BaiCaoService"]
SHARED = [
    service
    for module in (log_pb2, ruleset_pb2, seating_pb2, shuffler_pb2)
    for service in module.DESCRIPTOR.services_by_name.values()
]
SHUFFLER = shuffler_pb2.DESCRIPTOR.services_by_name["ShufflerService"]
LOG = log_pb2.DESCRIPTOR.services_by_name["LogService"]


def registered() -> list[ServiceDescriptor]:
    return [service.descriptor for service in GAME_SERVICES.values()]


def changed(
    edit: Callable[[dict[str, DescriptorProto]], None], original: ServiceDescriptor = FOURTH_SERVICE
) -> ServiceDescriptor:
    """Return a service, by default the fourth game's, after an edit of the messages in its file."""
    file = FileDescriptorProto()
    original.file.CopyToProto(file)
    edit({message.name: message for message in file.message_type})
    pool = DescriptorPool()
    for dependency in original.file.dependencies:
        add(pool, dependency)
    pool.AddSerializedFile(file.SerializeToString())
    return pool.FindServiceByName(original.full_name)


def add(pool: DescriptorPool, file: FileDescriptor) -> None:
    """Add a file to a pool, after the files that it imports."""
    for dependency in file.dependencies:
        add(pool, dependency)
    pool.AddSerializedFile(file.serialized_pb)


def field_of(message: DescriptorProto, name: str) -> FieldDescriptorProto:
    (field,) = [field for field in message.field if field.name == name]
    return field


def test_messages_of_all_games_have_one_shape() -> None:
    services = [*registered(), FOURTH_SERVICE]
    assert len(services) >= 4
    assert shape_faults(services) == []


def other_number(messages: dict[str, DescriptorProto]) -> None:
    field_of(messages["BaiCaoEvent"], "seen").number = 9


def other_type(messages: dict[str, DescriptorProto]) -> None:
    field_of(messages["BaiCaoEvent"], "time").type = FieldDescriptorProto.TYPE_UINT32


def other_name(messages: dict[str, DescriptorProto]) -> None:
    field_of(messages["BaiCaoEvent"], "received").name = "was_received"


def without_presence(messages: dict[str, DescriptorProto]) -> None:
    field = field_of(messages["BaiCaoState"], "deadline_time")
    field.proto3_optional = False
    field.ClearField("oneof_index")
    messages["BaiCaoState"].ClearField("oneof_decl")


def own_field_among_the_common_ones(messages: dict[str, DescriptorProto]) -> None:
    field_of(messages["BaiCaoOutcome"], "seats").number = 16


def name_of_another_game(messages: dict[str, DescriptorProto]) -> None:
    field_of(messages["BaiCaoSeatResult"], "cards").name = "arrangement"


def no_message(messages: dict[str, DescriptorProto]) -> None:
    messages["BaiCaoOutcome"].name = "BaiCaoEnd"
    for name in ("PreviewRoundResponse", "SettleRoundResponse"):
        field_of(messages[name], "outcome").type_name = ".bai_cao.v1.BaiCaoEnd"


@pytest.mark.parametrize(
    ("edit", "fault"),
    [
        (other_number, "BaiCaoEvent.seen is optional uint32 seen = 9"),
        (other_type, "BaiCaoEvent.time is optional uint32 time = 1"),
        (other_name, "BaiCaoEvent.was_received is bool was_received = 3"),
        (without_presence, "BaiCaoState.deadline_time is uint64 deadline_time = 3"),
        (own_field_among_the_common_ones, "number up to 15: BaiCaoOutcome.seats, MauBinhOutcome.seats"),
        (name_of_another_game, "number up to 15: BaiCaoSeatResult.arrangement, MauBinhSeatResult.arrangement"),
        (no_message, "BaiCao has no message BaiCaoOutcome"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_game_of_another_shape_is_named(edit: Callable[[dict[str, DescriptorProto]], None], fault: str) -> None:
    faults = shape_faults([*registered(), changed(edit)])
    assert any(fault in one for one in faults), faults


def test_all_services_name_rounds_page_lists_and_answer_batches_alike() -> None:
    services = [*SHARED, *registered(), FOURTH_SERVICE]
    assert len(services) >= 8
    assert [fault for service in services for fault in service_faults(service)] == []


def number_beside_a_table(messages: dict[str, DescriptorProto]) -> None:
    messages["RevealRoundRequest"].field.add(name="round_number", number=2, type=FieldDescriptorProto.TYPE_UINT64)


def round_in_another_field(messages: dict[str, DescriptorProto]) -> None:
    field_of(messages["RevealRoundRequest"], "round").number = 2


def list_without_a_size(messages: dict[str, DescriptorProto]) -> None:
    field_of(messages["ListEntriesRequest"], "page_size").name = "count"


def size_that_is_always_there(messages: dict[str, DescriptorProto]) -> None:
    field = field_of(messages["GetKeysRequest"], "page_size")
    field.proto3_optional = False
    field.ClearField("oneof_index")
    del messages["GetKeysRequest"].oneof_decl[0]
    field_of(messages["GetKeysRequest"], "page_token").oneof_index = 0


def no_token_of_the_next_page(messages: dict[str, DescriptorProto]) -> None:
    field_of(messages["ListCosignedCheckpointsResponse"], "next_page_token").number = 3


def answer_without_a_reserved_status(messages: dict[str, DescriptorProto]) -> None:
    messages["GetTableRoundResponse"].ClearField("reserved_range")


def batch_without_a_status(messages: dict[str, DescriptorProto]) -> None:
    answer = messages["RevealRoundResponse"]
    answer.field.remove(field_of(answer, "refused"))


def batch_of_other_answers(messages: dict[str, DescriptorProto]) -> None:
    field_of(messages["RevealRoundsResponse"], "responses").type_name = ".referee.v1.DealRoundResponse"


@pytest.mark.parametrize(
    ("service", "edit", "fault"),
    [
        (SHUFFLER, number_beside_a_table, "RevealRoundRequest.round_number is not in a RoundRef"),
        (SHUFFLER, round_in_another_field, "RevealRoundRequest.round = 2 is a RoundRef; it is called round = 1"),
        (LOG, list_without_a_size, "ListEntriesRequest.page_size is absent, not optional uint32 page_size = 1"),
        (LOG, size_that_is_always_there, "GetKeysRequest.page_size is uint32 page_size = 1, not optional"),
        (LOG, no_token_of_the_next_page, "next_page_token is optional string next_page_token = 3, not"),
        (LOG, answer_without_a_reserved_status, "GetTableRoundResponse does not reserve 15"),
        (SHUFFLER, batch_without_a_status, "RevealRoundResponse has a batch and no field 15"),
        (SHUFFLER, batch_of_other_answers, "RevealRounds has repeated referee.v1.RevealRoundRequest requests = 1 and"),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_service_of_another_shape_is_named(
    service: ServiceDescriptor, edit: Callable[[dict[str, DescriptorProto]], None], fault: str
) -> None:
    faults = service_faults(changed(edit, service))
    assert any(fault in found for found in faults), faults
