"""Shape of a ruleset's data: every fault at once, and which fields a schema has.

A field that a later schema adds is marked by ``since`` of ``referee.games.tables`` and has a default, which files of
earlier schemas mean.

>>> from referee.games.tables import since
>>> class Turn(msgspec.Struct, frozen=True):
...     seconds: Annotated[int, msgspec.Meta(ge=1)]
...     warning: Annotated[int, since(2)] = 10
>>> faults_of({"seconds": 0, "bell": True}, Turn, schema=1)
[FileFault(path=('bell',), reason='unknown field `bell`; fields here are seconds'), FileFault(path=('seconds',), \
reason='Expected `int` >= 1, found 0')]
"""

import enum
import types
import typing
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Annotated, Any, Final, Literal, NamedTuple

import msgspec

from referee.games.tables import SINCE

FIRST_SCHEMA: Final = 1
"""Schema of every field that is not marked as added later."""


class FileFault(NamedTuple):
    """One fault of a file: the path of keys to it, indexes into arrays included, and what is wrong there."""

    path: tuple[str, ...]
    reason: str


class Member(NamedTuple):
    """One field of a table: its name, its type with constraints, the schema that added it, and its default.

    ``default`` is the value that files of earlier schemas mean; NODEFAULT for a field of the first schema.
    """

    name: str
    hint: Any
    since: int
    default: Any = msgspec.NODEFAULT


def faults_of(data: object, shape: Any, *, schema: int) -> list[FileFault]:  # noqa: ANN401 - any type that msgspec reads
    """Return every fault of some data against a type, in a schema: unknown and missing fields, values, contradictions.

    Contradictions in a table (``ValueError`` of its ``__post_init__``) are only found if its fields have no fault.
    """
    return list(_faults(data, shape, (), schema))


def newest_schema(shape: Any) -> int:  # noqa: ANN401 - as above
    """Return the newest schema that any field of a type, at any depth, belongs to; 1 where nothing was added."""
    return max([FIRST_SCHEMA, *(member.since for table in tables_of(shape) for member in members_of(table))])


def spelled_out(made: object, *, schema: int) -> object:
    """Convert a ruleset's value to plain data, as a file of this schema has it: without fields of later schemas."""
    if isinstance(made, msgspec.Struct):
        kind = type(made)
        config = kind.__struct_config__
        plain: dict[str, object] = {} if config.tag_field is None else {config.tag_field: config.tag}
        for member in members_of(kind):
            if member.since <= schema:
                plain[member.name] = spelled_out(getattr(made, member.name), schema=schema)
        return plain
    if isinstance(made, tuple | list):
        return [spelled_out(item, schema=schema) for item in made]
    if isinstance(made, Mapping):
        return {key: spelled_out(value, schema=schema) for key, value in made.items()}
    return msgspec.to_builtins(made)


@cache
def members_of(table: type[msgspec.Struct]) -> tuple[Member, ...]:
    """Return the fields of a table in the order of its type; TypeError if a field of a later schema has no default."""
    hints = typing.get_type_hints(table, include_extras=True)
    members = []
    for field in msgspec.structs.fields(table):
        schema = notes_of(hints[field.name]).get(SINCE, FIRST_SCHEMA)
        default = field.default if field.default_factory is msgspec.NODEFAULT else field.default_factory()
        if schema > FIRST_SCHEMA and default is msgspec.NODEFAULT:
            msg = f"{table.__name__}.{field.name} is since({schema}) and needs the default that earlier files mean"
            raise TypeError(msg)
        members.append(Member(field.name, hints[field.name], schema, default))
    return tuple(members)


def tables_of(hint: Any) -> Iterator[type[msgspec.Struct]]:  # noqa: ANN401 - as above
    """Yield the tables that a type is made of, itself first."""
    if isinstance(hint, type) and issubclass(hint, msgspec.Struct):
        yield hint
        for member in members_of(hint):
            yield from tables_of(member.hint)
    else:
        for part in typing.get_args(hint):
            yield from tables_of(part)


def _faults(data: object, hint: Any, path: tuple[str, ...], schema: int) -> Iterator[FileFault]:  # noqa: ANN401 - as above
    bare = bare_type(hint)
    origin = typing.get_origin(bare)
    if isinstance(bare, type) and issubclass(bare, msgspec.Struct):
        yield from _faults_of_table(data, bare, path, schema)
    elif origin in (typing.Union, types.UnionType):
        yield from _faults_of_variants(data, typing.get_args(bare), path, schema)
    elif origin is tuple and isinstance(data, list):
        for index, item in enumerate(data):
            yield from _faults(item, typing.get_args(bare)[0], (*path, str(index)), schema)
    elif origin is dict and isinstance(data, dict):
        for key, value in data.items():
            yield from _faults(value, typing.get_args(bare)[1], (*path, key), schema)
    elif legal := legal_values(bare):
        if data not in legal:
            yield FileFault(path, f"{data!r} is not allowed; write one of {', '.join(map(str, legal))}")
    else:
        try:
            msgspec.convert(data, hint)
        except msgspec.ValidationError as error:
            yield FileFault(path, f"{error}, found {data!r}")


def _faults_of_table(
    data: object, table: type[msgspec.Struct], path: tuple[str, ...], schema: int
) -> Iterator[FileFault]:
    if not isinstance(data, dict):
        yield FileFault(path, f"expected a table, found {data!r}")
        return
    faults = [*_surplus_faults(data, table, path, schema), *_member_faults(data, table, path, schema)]
    yield from faults
    if not faults:
        try:
            msgspec.convert(data, table)
        except msgspec.ValidationError as error:
            yield FileFault(path, str(error).partition(" - at `")[0])


def _surplus_faults(
    data: dict[str, object], table: type[msgspec.Struct], path: tuple[str, ...], schema: int
) -> Iterator[FileFault]:
    """Yield a fault for each key that is no field of the table in this schema."""
    members = {member.name: member for member in members_of(table)}
    allowed = [name for name, member in members.items() if member.since <= schema]
    for key in data:
        if key in allowed or key == table.__struct_config__.tag_field:
            continue
        reason = f"unknown field `{key}`; fields here are {', '.join(allowed)}"
        if key in members:
            reason = f"field `{key}` belongs to schema {members[key].since}; this file says schema = {schema}"
        yield FileFault((*path, key), reason)


def _member_faults(
    data: dict[str, object], table: type[msgspec.Struct], path: tuple[str, ...], schema: int
) -> Iterator[FileFault]:
    """Yield the faults of the fields that the table has in this schema, missing ones among them."""
    for member in members_of(table):
        if member.since > schema:
            continue
        if member.name in data:
            yield from _faults(data[member.name], member.hint, (*path, member.name), schema)
        else:
            yield FileFault((*path, member.name), f"missing required field `{member.name}`")


def _faults_of_variants(
    data: object, variants: tuple[Any, ...], path: tuple[str, ...], schema: int
) -> Iterator[FileFault]:
    """Yield the faults of data that may be one of several tables, identified by their tag."""
    if not isinstance(data, dict):
        yield FileFault(path, f"expected a table, found {data!r}")
        return
    configs = {variant.__struct_config__.tag: variant for variant in variants}
    tag_field = variants[0].__struct_config__.tag_field
    variant = configs.get(data.get(tag_field))
    if variant is not None:
        yield from _faults_of_table(data, variant, path, schema)
    elif tag_field in data:
        yield FileFault((*path, tag_field), f"{data[tag_field]!r} is not allowed; write one of {', '.join(configs)}")
    else:
        yield FileFault((*path, tag_field), f"missing required field `{tag_field}`: one of {', '.join(configs)}")


def bare_type(hint: Any) -> Any:  # noqa: ANN401 - as above
    """Return a type without its constraints, and without the None that only files of earlier schemas mean."""
    bare = typing.get_args(hint)[0] if typing.get_origin(hint) is Annotated else hint
    parts = typing.get_args(bare)
    if typing.get_origin(bare) in (typing.Union, types.UnionType) and types.NoneType in parts:
        return next(part for part in parts if part is not types.NoneType)
    return bare


def notes_of(hint: Any) -> dict[str, Any]:  # noqa: ANN401 - as above
    """Return the constraints and notes of a type by name, such as ``ge``, ``pattern`` and ``since``."""
    notes = typing.get_args(hint)[1:] if typing.get_origin(hint) is Annotated else ()
    named = {name: value for note in notes for name, value in note.__rich_repr__() if value is not None}
    return {**named, **named.get("extra", {})}


def legal_values(bare: Any) -> tuple[object, ...]:  # noqa: ANN401 - as above
    """Return the values of a closed set; empty for any other type."""
    if typing.get_origin(bare) is Literal:
        return typing.get_args(bare)
    if isinstance(bare, type) and issubclass(bare, enum.Enum):
        return tuple([member.value for member in bare])
    return ()
