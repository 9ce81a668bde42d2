"""The tables, rounds and seats that a request names, found by the shape of its message.

Each text field ``table_id``, at any depth, names a table, and a ``round_number`` beside it the round. The fields are
found once for each message type from its descriptor, so new messages are covered. Absent parts name nothing. A request
with a field ``table_prefix`` that names no single table names all tables whose ids begin with that prefix.

>>> from referee.v1 import log_pb2, round_pb2
>>> list(rounds_named(log_pb2.GetTableRoundRequest(round=round_pb2.RoundRef(table_id="acme.1", round_number=4))))
[('acme.1', 4)]
>>> list(rounds_named(log_pb2.GetTableRoundRequest(table_id="acme.1")))
[('acme.1', 0)]
"""

from collections.abc import Iterator
from functools import cache
from typing import Any, Final, TypeAlias

from google.protobuf.descriptor import Descriptor
from google.protobuf.message import Message

TABLE_ID: Final = "table_id"
ROUND_NUMBER: Final = "round_number"
TABLE_PREFIX: Final = "table_prefix"

Plan: TypeAlias = "tuple[bool, bool, tuple[tuple[str, bool, Plan], ...]]"
"""Whether a message names a table, whether a round beside it, and its parts that may: name, is repeated, plan."""


def rounds_named(message: Message) -> Iterator[tuple[str, int]]:
    """Yield each table in the message with its round number, 0 for none."""
    return _named(message, plan_of(message.DESCRIPTOR))


def prefix_named(message: Message) -> str | None:
    """Return how the ids of all tables begin that a request names, empty for every table; None where it names each."""
    names = message.DESCRIPTOR.fields_by_name
    request: Any = message
    return None if TABLE_PREFIX not in names or request.HasField(TABLE_ID) else request.table_prefix


def values_at(message: Message, path: tuple[str, ...]) -> Iterator[Any]:
    """Yield the values at a path of fields, of every element of repeated ones; nothing where a part is absent."""
    name, *rest = path
    if not rest:
        yield getattr(message, name)
        return
    part: Any = getattr(message, name)
    if isinstance(part, Message):
        if message.HasField(name):
            yield from values_at(part, tuple(rest))
    else:
        for one in part:
            yield from values_at(one, tuple(rest))


@cache
def plan_of(descriptor: Descriptor) -> Plan:
    """Return where messages of a type name tables; raise ValueError for a recursive type, whose depth has no bound."""
    return _plan(descriptor, ())


def _named(message: Any, plan: Plan) -> Iterator[tuple[str, int]]:  # noqa: ANN401 - of any generated type
    names_table, names_round, parts = plan
    if names_table and (not message.DESCRIPTOR.fields_by_name[TABLE_ID].has_presence or message.HasField(TABLE_ID)):
        yield message.table_id, message.round_number if names_round else 0
    for name, is_repeated, below in parts:
        if is_repeated:
            for one in getattr(message, name):
                yield from _named(one, below)
        elif message.HasField(name):
            yield from _named(getattr(message, name), below)


def _plan(descriptor: Descriptor, above: tuple[str, ...]) -> Plan:
    if descriptor.full_name in above:
        raise ValueError(f"{descriptor.full_name} contains itself")
    parts = []
    for field in descriptor.fields:
        if field.message_type is not None:
            below = _plan(field.message_type, (*above, descriptor.full_name))
            if below[0] or below[2]:
                parts.append((field.name, field.is_repeated, below))
    names = descriptor.fields_by_name
    return TABLE_ID in names, ROUND_NUMBER in names, tuple(parts)
