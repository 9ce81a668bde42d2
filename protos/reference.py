r"""The API's manual as pages of Markdown, one a service, made from the comments of the protos and nothing else.

Every service, method, message, field and enum value of ``referee.v1`` is on one page once, in the order of the files,
with its comment; a type's name is a link to its description. What belongs to no service alone is on a page of its own.
Run it with ``make protos``; a test fails when a page is stale.

>>> _sentence(" One line,\n broken.\n\n And another.\n")
'One line, broken.<br>And another.'
"""

# ruff: noqa: INP001 - a script beside what it reads

import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from google.protobuf import descriptor_pb2
from grpc_tools import protoc

PROTOS: Final = Path(__file__).parent
WELL_KNOWN: Final = Path(protoc.__file__).parent / "_proto"
"""Folder of google/protobuf/*.proto, which comes with protoc."""
INDEX: Final = "README.md"
SHARED: Final = "shared"
FOLDER: Final = "api"
"""The folder of the pages, beside the index."""

_HEAD: Final = """\
# The API of Referee

Every service, message and value of package `referee.v1`, a page for each service. The pages are made from the
comments in [`referee/v1`](referee/v1) by `make protos`; change them there. [COMPATIBILITY.md](COMPATIBILITY.md) says
what may change when.

Amounts are whole minor units, times are milliseconds since 1970 UTC, seats count from 0, cards are the closed enum
[`Card`](api/shared.md#card). A refused call carries `google.rpc.ErrorInfo` with a reason of
[`ErrorReason`](api/shared.md#errorreason), and `BadRequest` with the path of the field at fault.

| service | methods | |
|---|---|---|
"""

_SHARED_HEAD: Final = """\
# Shared messages and values

What more than one [service](../README.md) uses.

## Messages and values
"""

_FILE: Final = descriptor_pb2.FileDescriptorProto
_MESSAGE: Final = descriptor_pb2.DescriptorProto
_FIELD: Final = descriptor_pb2.FieldDescriptorProto
_ENUM: Final = descriptor_pb2.EnumDescriptorProto
_SERVICE: Final = descriptor_pb2.ServiceDescriptorProto
_SCALARS: Final = {
    number: name.removeprefix("TYPE_").lower()
    for name, number in _FIELD.Type.items()
    if name not in {"TYPE_MESSAGE", "TYPE_ENUM", "TYPE_GROUP"}
}


class _Comments(NamedTuple):
    """The comments of one file, by the path of what they stand above."""

    by_path: Mapping[tuple[int, ...], str]

    def at(self, *path: int) -> str:
        return self.by_path.get(path, "")


def pages() -> dict[str, str]:
    """Return every page by its path from the index."""
    files = tuple(_files())
    homes = _homes(files)
    made = {INDEX: _index(files)}
    for name in sorted(set(homes.values())):
        links = _Links(name, homes)
        own = [file for file in files if _home(file) == name]
        lines = [_SHARED_HEAD] if name == SHARED else [line for file in own for line in _services(file, links)]
        lines += [line for file in own for line in _types(file, links)]
        made[f"{FOLDER}/{name}.md"] = "\n".join(lines).rstrip() + "\n"
    return made


def _home(file: descriptor_pb2.FileDescriptorProto) -> str:
    """Return the name of the page of a file's types."""
    return Path(file.name).stem if file.service else SHARED


def _homes(files: Iterable[descriptor_pb2.FileDescriptorProto]) -> dict[str, str]:
    """Return the page of each type, by its full name, of the outermost types."""
    return {
        f".{file.package}.{one.name}": _home(file) for file in files for one in (*file.message_type, *file.enum_type)
    }


def _index(files: Iterable[descriptor_pb2.FileDescriptorProto]) -> str:
    lines = []
    for file in files:
        for index, service in enumerate(file.service):
            words = next(iter(_split(_comments(file).at(_FILE.SERVICE_FIELD_NUMBER, index))), "")
            methods = ", ".join(f"`{method.name}`" for method in service.method)
            lines.append(f"| [`{service.name}`]({FOLDER}/{_home(file)}.md) | {methods} | {words} |")
    shared = [one.name for file in files if not file.service for one in (*file.enum_type, *file.message_type)]
    links = ", ".join(f"[`{name}`]({FOLDER}/{SHARED}.md#{_anchor(name)})" for name in shared)
    return _HEAD + "\n".join([*lines, "", f"Shared by all: {links}.", ""])


class _Links(NamedTuple):
    """Links from one page to the types of all."""

    page: str
    homes: Mapping[str, str]

    def to(self, full_name: str) -> str:
        """Return a type's name as a link to its description; the bare name of a type of another package."""
        if not full_name.startswith(".referee.v1."):
            return f"`{full_name.removeprefix('.')}`"
        name = full_name.removeprefix(".referee.v1.")
        home = self.homes[".".join(full_name.split(".")[:4])]
        place = "" if home == self.page else f"{home}.md"
        return f"[`{name}`]({place}#{_anchor(name)})"


def _files() -> Iterator[descriptor_pb2.FileDescriptorProto]:
    names = sorted(str(path.relative_to(PROTOS)) for path in PROTOS.glob("referee/v1/*.proto"))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "set"
        arguments = [
            "protoc",
            f"-I{PROTOS}",
            f"-I{WELL_KNOWN}",
            "--include_source_info",
            f"--descriptor_set_out={out}",
            *names,
        ]
        if protoc.main(arguments):
            raise SystemExit("protoc refused the protos; it says why above")
        yield from descriptor_pb2.FileDescriptorSet.FromString(out.read_bytes()).file


def _comments(file: descriptor_pb2.FileDescriptorProto) -> _Comments:
    return _Comments({tuple(place.path): place.leading_comments for place in file.source_code_info.location})


def paragraphs_of() -> dict[str, Sequence[str]]:
    """Return the paragraphs of the comment of each service, method, message, field, enum and value by its full name."""
    found: dict[str, Sequence[str]] = {}
    for file in _files():
        for place in file.source_code_info.location:
            if place.leading_comments and (name := _name_at(file, place.path)):
                found[f"{file.package}.{name}"] = _split(place.leading_comments)
    return found


def _name_at(file: descriptor_pb2.FileDescriptorProto, path: Sequence[int]) -> str:
    """Return the name of what a path leads to, with the names around it; empty for what has none, such as a package.

    A path is pairs of a field's number in a descriptor and an index in that field. A value of an enum is named in it.
    """
    names, here = [], cast("Any", file)
    for number, index in zip(path[::2], path[1::2], strict=False):
        here = getattr(here, here.DESCRIPTOR.fields_by_number[number].name)[index]
        names.append(getattr(here, "name", ""))
    return ".".join(names) if len(path) % 2 == 0 and all(names) else ""


def _services(file: descriptor_pb2.FileDescriptorProto, links: _Links) -> Iterator[str]:
    for index in range(len(file.service)):
        yield from _service(file, index, links)
    yield "## Messages and values"
    yield ""
    yield "All services are [here](../README.md)."
    yield ""


def _service(file: descriptor_pb2.FileDescriptorProto, index: int, links: _Links) -> Iterator[str]:
    service, comments = file.service[index], _comments(file)
    yield f"# {service.name}"
    yield ""
    yield from _paragraphs(comments.at(_FILE.SERVICE_FIELD_NUMBER, index))
    yield "| method | takes, answers | |"
    yield "|---|---|---|"
    for number, method in enumerate(service.method):
        path = (_FILE.SERVICE_FIELD_NUMBER, index, _SERVICE.METHOD_FIELD_NUMBER, number)
        stream = "stream of " if method.server_streaming else ""
        took, gave = links.to(method.input_type), links.to(method.output_type)
        level = descriptor_pb2.MethodOptions.IdempotencyLevel.Name(method.options.idempotency_level)
        note = {"NO_SIDE_EFFECTS": " *Writes nothing.*", "IDEMPOTENT": " *Idempotent.*"}.get(level, "")
        yield f"| `{method.name}` | {took}, {stream}{gave} | {_sentence(comments.at(*path))}{note} |"
    yield ""


def _types(file: descriptor_pb2.FileDescriptorProto, links: _Links) -> Iterator[str]:
    comments = _comments(file)
    for index, enum in enumerate(file.enum_type):
        yield from _enum(enum, comments, (_FILE.ENUM_TYPE_FIELD_NUMBER, index))
    for index, message in enumerate(file.message_type):
        yield from _message(message, comments, (_FILE.MESSAGE_TYPE_FIELD_NUMBER, index), links)


def _message(
    message: descriptor_pb2.DescriptorProto, comments: _Comments, path: tuple[int, ...], links: _Links, outer: str = ""
) -> Iterator[str]:
    name = f"{outer}{message.name}"
    yield f"### {name}"
    yield ""
    yield from _paragraphs(comments.at(*path))
    if message.field:
        yield "| field | type | |"
        yield "|---|---|---|"
        for number, field in enumerate(message.field):
            words = _sentence(comments.at(*path, _MESSAGE.FIELD_FIELD_NUMBER, number))
            yield f"| `{field.name}` | {_type(field, message.oneof_decl, links)} | {words} |"
        yield ""
    for number, enum in enumerate(message.enum_type):
        yield from _enum(enum, comments, (*path, _MESSAGE.ENUM_TYPE_FIELD_NUMBER, number), f"{name}.")
    for number, inner in enumerate(message.nested_type):
        yield from _message(inner, comments, (*path, _MESSAGE.NESTED_TYPE_FIELD_NUMBER, number), links, f"{name}.")


def _enum(
    enum: descriptor_pb2.EnumDescriptorProto, comments: _Comments, path: tuple[int, ...], outer: str = ""
) -> Iterator[str]:
    yield f"### {outer}{enum.name}"
    yield ""
    yield from _paragraphs(comments.at(*path))
    yield "| value | number | |"
    yield "|---|---|---|"
    for number, value in enumerate(enum.value):
        words = _sentence(comments.at(*path, _ENUM.VALUE_FIELD_NUMBER, number))
        yield f"| `{value.name}` | {value.number} | {words} |"
    yield ""


def _type(
    field: descriptor_pb2.FieldDescriptorProto,
    choices: Sequence[descriptor_pb2.OneofDescriptorProto],
    links: _Links,
) -> str:
    name = links.to(field.type_name) if field.type_name else f"`{_SCALARS[field.type]}`"
    if field.label == _FIELD.LABEL_REPEATED:
        return f"repeated {name}"
    if field.proto3_optional:
        return f"optional {name}"
    if field.HasField("oneof_index"):
        return f"{name}, one of `{choices[field.oneof_index].name}`"
    return name


def _anchor(title: str) -> str:
    return title.lower().replace(".", "")


def _paragraphs(comment: str) -> Iterator[str]:
    for paragraph in _split(comment):
        yield paragraph
        yield ""


def _sentence(comment: str) -> str:
    return "<br>".join(_split(comment)).replace("|", "\\|")


def _split(comment: str) -> Sequence[str]:
    return [" ".join(part.split()) for part in comment.strip().split("\n\n") if part.strip()]


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else PROTOS
    for place, text in pages().items():
        (folder / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / place).write_text(text, encoding="utf-8")
