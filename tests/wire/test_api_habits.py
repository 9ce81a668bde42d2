"""The API's habits, over every descriptor. Where they differ from the field's, ``protos/COMPATIBILITY.md`` says why."""

import keyword
import re
from collections.abc import Iterator
from typing import Final

from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor

from tests.driver.messages import METHODS as BY_NAME

METHODS: Final[list[MethodDescriptor]] = list(BY_NAME.values())


def reached(*messages: Descriptor, seen: set[str]) -> Iterator[FieldDescriptor]:
    """Yield the fields of our messages and of those within them, each message once."""
    for message in messages:
        if message.full_name not in seen and message.file.package == "referee.v1":
            seen.add(message.full_name)
            yield from message.fields
            yield from reached(*(field.message_type for field in message.fields if field.message_type), seen=seen)


FIELDS: Final = list(reached(*(type_ for one in METHODS for type_ in (one.input_type, one.output_type)), seen=set()))
TIME: Final = re.compile(r"(^|_)time$")


def batches() -> dict[str, tuple[MethodDescriptor, MethodDescriptor]]:
    """Return each method whose name is another's of its service with an ``s``, and that other, by its full name."""
    by_name = {method.full_name: method for method in METHODS}
    return {
        name: (method, by_name[name.removesuffix("s")])
        for name, method in by_name.items()
        if name.endswith("s") and name.removesuffix("s") in by_name
    }


def shape(message: Descriptor) -> list[tuple[str, bool, Descriptor | None]]:
    return [(field.name, field.is_repeated, field.message_type) for field in message.fields]


def test_every_time_is_a_whole_number_of_milliseconds() -> None:
    times = [field for field in FIELDS if TIME.search(field.name)]
    assert len(times) > 25
    assert [field.full_name for field in times if field.type != FieldDescriptor.TYPE_UINT64] == []
    assert {
        field.message_type.full_name
        for field in FIELDS
        if field.message_type is not None and field.message_type.file.package != "referee.v1"
    } <= {"google.rpc.Status"}


def test_batch_is_a_plural_and_answers_each_item_by_itself() -> None:
    assert len(batches()) == 13
    for batch, single in batches().values():
        assert shape(batch.input_type) == [("requests", True, single.input_type)]
        assert shape(batch.output_type) == [("responses", True, single.output_type)]
        refused = [
            field.name
            for field in single.output_type.fields
            if field.message_type is not None and field.message_type.full_name == "google.rpc.Status"
        ]
        assert len(refused) == 1, single.full_name
    plural_requests = {method.full_name for method in METHODS if "requests" in method.input_type.fields_by_name}
    assert plural_requests == batches().keys()


def test_ids_are_flat() -> None:
    asked = [field for method in METHODS for field in method.input_type.fields]
    assert {field.name for field in asked} & {"name", "parent"} == set()


def test_only_the_turn_that_is_passed_has_another_name_than_its_message() -> None:
    assert {field.name for field in FIELDS if field.message_type is not None and keyword.iskeyword(field.name)} == set()
    assert {
        (field.name, field.message_type.name)
        for field in FIELDS
        if field.message_type is not None and keyword.iskeyword(field.message_type.name.lower())
    } == {("pass_turn", "Pass")}


def test_request_is_named_after_its_service_only_where_services_share_the_method() -> None:
    services: dict[str, set[str]] = {}
    for method in METHODS:
        services.setdefault(method.name, set()).add(method.containing_service.name)
    for method in METHODS:
        service = method.containing_service.name if len(services[method.name]) > 1 else ""
        assert method.input_type.name == f"{service}{method.name}Request"
        assert method.output_type.name == f"{service}{method.name}Response"
