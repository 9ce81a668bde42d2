"""Messages of all registered games, and of one that registers itself elsewhere, have one shape."""

from collections.abc import Callable

import pytest
from bai_cao.v1 import bai_cao_pb2
from google.protobuf.descriptor import FileDescriptor, ServiceDescriptor
from google.protobuf.descriptor_pb2 import DescriptorProto, FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool

from referee.service.registry import GAME_SERVICES
from tests.v1.game_shapes import shape_faults

FOURTH = bai_cao_pb2.DESCRIPTOR


def registered() -> list[ServiceDescriptor]:
    return [service.descriptor for service in GAME_SERVICES.values()]


def changed(edit: Callable[[dict[str, DescriptorProto]], None]) -> ServiceDescriptor:
    """Return the fourth game's service after an edit of its messages."""
    file = FileDescriptorProto()
    FOURTH.CopyToProto(file)
    edit({message.name: message for message in file.message_type})
    pool = DescriptorPool()
    for dependency in FOURTH.dependencies:
        add(pool, dependency)
    pool.AddSerializedFile(file.SerializeToString())
    return pool.FindServiceByName("bai_cao.v1.BaiCaoService")


def add(pool: DescriptorPool, file: FileDescriptor) -> None:
    """Add a file to a pool, after the files that it imports."""
    for dependency in file.dependencies:
        add(pool, dependency)
    pool.AddSerializedFile(file.serialized_pb)


def field_of(message: DescriptorProto, name: str) -> FieldDescriptorProto:
    (field,) = [field for field in message.field if field.name == name]
    return field


def test_messages_of_all_games_have_one_shape() -> None:
    services = [*registered(), FOURTH.services_by_name["BaiCaoService"]]
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
