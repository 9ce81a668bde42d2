"""OpenAPI 3.1 of the gateway's methods with JSON, made from its routes and the protos' descriptors."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, TypeAlias

import reference
from connectrpc.code import Code
from connectrpc.method import IdempotencyLevel, StreamType
from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.descriptor_pool import Default

from referee import __version__
from referee.web.routes import routes

Json: TypeAlias = dict[str, Any]
Comments: TypeAlias = Mapping[str, Any]

_WHOLE: Final = {"type": ["string", "integer"], "pattern": "^-?[0-9]+$"}
_SCALARS: Final[Mapping[int, Json]] = {
    FieldDescriptor.TYPE_BOOL: {"type": "boolean"},
    FieldDescriptor.TYPE_STRING: {"type": "string"},
    FieldDescriptor.TYPE_BYTES: {"type": "string", "contentEncoding": "base64"},
    FieldDescriptor.TYPE_DOUBLE: {"type": "number", "format": "double"},
    FieldDescriptor.TYPE_FLOAT: {"type": "number", "format": "float"},
    FieldDescriptor.TYPE_INT32: {"type": "integer", "format": "int32"},
    FieldDescriptor.TYPE_SINT32: {"type": "integer", "format": "int32"},
    FieldDescriptor.TYPE_UINT32: {"type": "integer", "format": "int64", "minimum": 0, "maximum": 2**32 - 1},
    FieldDescriptor.TYPE_INT64: _WHOLE | {"format": "int64"},
    FieldDescriptor.TYPE_SINT64: _WHOLE | {"format": "int64"},
    FieldDescriptor.TYPE_UINT64: _WHOLE | {"format": "uint64"},
}
_ANY: Final = "google.protobuf.Any"
_WELL_KNOWN: Final[Mapping[str, Json]] = {
    _ANY: {"type": "object", "properties": {"@type": {"type": "string"}}, "required": ["@type"]},
}
_ABOUT: Final = """\
Every method of the services, called by POST with JSON, as Connect defines it; those that only read are asked by GET
too. A message that the gateway streams (`Health.Watch`) is not here. Integers of 64 bits are strings of digits in
answers, and may be numbers in requests; bytes are base64; an absent field has its default: zero, empty or false. A
field that this version does not know is ignored.
"""
_ERROR: Final[Json] = {
    "description": "Refused call, as Connect defines it; `details` has the server's google.rpc.ErrorInfo.",
    "type": "object",
    "required": ["code"],
    "properties": {
        "code": {"description": "Name of the gRPC status.", "enum": [code.value for code in Code]},
        "message": {"type": "string"},
        "details": {"type": "array", "items": {"$ref": "#/components/schemas/ErrorDetail"}},
    },
}
_DETAIL: Final[Json] = {
    "type": "object",
    "required": ["type", "value"],
    "properties": {
        "type": {"type": "string", "description": "Such as google.rpc.ErrorInfo."},
        "value": _SCALARS[FieldDescriptor.TYPE_BYTES],
        "debug": {"description": "The detail as JSON; an ErrorInfo has `reason`, `domain` and `metadata`."},
    },
}


def document() -> Json:
    """Return the document."""
    comments = reference.paragraphs_of()
    schemas: dict[str, Json] = {"Error": _ERROR, "ErrorDetail": _DETAIL}
    paths = {
        path: _path(_method(path), schemas, comments, is_read=endpoint.method.idempotency_level is _READS)
        for path, endpoint in sorted(routes(_NOBODY).items())
        if endpoint.method.stream_type is StreamType.UNARY and path not in _UNSERVED
    }
    return {
        "openapi": "3.1.0",
        "info": {"title": "Referee over HTTP and JSON", "version": __version__, "description": _ABOUT},
        "servers": [{"url": "http://127.0.0.1:8080", "description": "referee serve --web 127.0.0.1:8080"}],
        "security": [{}, {"token": []}],
        "tags": [
            {"name": name.rpartition(".")[2], "description": "\n\n".join(comments.get(name, ()))}
            for name in sorted({path.strip("/").partition("/")[0] for path in paths})
        ],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(schemas.items())),
            "responses": {"Refused": {"description": "The call was refused.", "content": _content("Error")}},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


_UNSERVED: Final = {"/grpc.health.v1.Health/List"}
"""Methods of the protos that the health service of gRPC for Python lacks."""
_READS: Final = IdempotencyLevel.NO_SIDE_EFFECTS
_NOBODY: Any = None
"""What the routes would forward calls to; none is made here."""


def _method(path: str) -> MethodDescriptor:
    service, _, name = path.removeprefix("/").partition("/")
    return Default().FindServiceByName(service).methods_by_name[name]


def _path(method: MethodDescriptor, schemas: dict[str, Json], comments: Comments, *, is_read: bool) -> Json:
    """Return the operations of a method, whose schemas are added to the others."""
    for message in (method.input_type, method.output_type):
        _add(message, schemas, comments)
    operation: Json = {
        "tags": [method.containing_service.name],
        "description": "\n\n".join(comments.get(method.full_name, ())),
        "responses": {
            "200": {"description": "The answer.", "content": _content(method.output_type.full_name)},
            "default": {"$ref": "#/components/responses/Refused"},
        },
    }
    name = f"{method.containing_service.name}.{method.name}"
    body = {"required": True, "content": _content(method.input_type.full_name)}
    operations: Json = {"post": {"operationId": name, **operation, "requestBody": body}}
    if is_read:
        query = {"name": "message", "in": "query", "required": True, "content": body["content"]}
        fixed = [
            {"name": field, "in": "query", "required": True, "schema": {"const": value}}
            for field, value in (("encoding", "json"), ("connect", "v1"))
        ]
        operations["get"] = {"operationId": f"{name}.get", **operation, "parameters": [*fixed, query]}
    return operations


def _content(schema: str) -> Json:
    return {"application/json": {"schema": _ref(schema)}}


def _ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def _add(kind: Descriptor | EnumDescriptor, schemas: dict[str, Json], comments: Comments) -> None:
    """Add the schema of a message or an enum, and of all that are in it."""
    if kind.full_name in schemas:
        return
    said = {"description": "\n\n".join(comments[kind.full_name])} if kind.full_name in comments else {}
    if kind.full_name in _WELL_KNOWN:
        schemas[kind.full_name] = _WELL_KNOWN[kind.full_name]
    elif isinstance(kind, EnumDescriptor):
        schemas[kind.full_name] = {"type": "string", **said, "enum": [value.name for value in kind.values]}
    else:
        properties: Json = {}
        schemas[kind.full_name] = {"type": "object", **said, "properties": properties}
        for field in kind.fields:
            properties[field.json_name] = _field(field, comments)
            for inner in _inside(field):
                _add(inner, schemas, comments)


def _inside(field: FieldDescriptor) -> Iterator[Descriptor | EnumDescriptor]:
    """Yield the message or enum of a field, or of the values of a map."""
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        yield from _inside(field.message_type.fields_by_name["value"])
    elif kind := field.message_type or field.enum_type:
        yield kind


def _field(field: FieldDescriptor, comments: Comments) -> Json:
    """Return the schema of a field, with its comment and the choice that it belongs to."""
    paragraphs = list(comments.get(field.full_name, ()))
    choice = field.containing_oneof
    if choice is not None and len(choice.fields) > 1:
        others = ", ".join(f"`{one.json_name}`" for one in choice.fields if one is not field)
        paragraphs.append(f"At most one is set of this and {others}.")
    said = {"description": "\n\n".join(paragraphs)} if paragraphs else {}
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        value = _value(field.message_type.fields_by_name["value"])
        return {"type": "object", **said, "additionalProperties": value}
    return {"type": "array", **said, "items": _value(field)} if field.is_repeated else {**_value(field), **said}


def _value(field: FieldDescriptor) -> Json:
    kind = field.message_type or field.enum_type
    return _SCALARS[field.type] if kind is None else _ref(kind.full_name)
