"""Parquet files of rows; the columns are the fields of the row types, in their order."""

import io
from collections.abc import Sequence
from types import UnionType
from typing import Any, Final, get_args, get_origin, get_type_hints

import pyarrow as pa
import pyarrow.parquet as pq

from referee.rounds.row import KEYS, TABLES, Row

_TYPES: Final = {int: pa.int64(), bool: pa.bool_(), str: pa.string()}


def schema_of(row_type: type[Row]) -> pa.Schema:
    """Return the Arrow schema of a table, with the description of each column."""
    hints = get_type_hints(row_type, include_extras=True)
    return pa.schema([_field(name, hint) for name, hint in hints.items()])


def _field(name: str, hint: Any) -> pa.Field:  # noqa: ANN401 - a type as its annotation has it
    kind, meta = get_args(hint)
    is_nullable = isinstance(kind, UnionType)
    arrow = pa.timestamp("ms") if meta.extra else _arrow(get_args(kind)[0] if is_nullable else kind)
    return pa.field(name, arrow, nullable=is_nullable, metadata={"description": meta.description})


def _arrow(kind: Any) -> pa.DataType:  # noqa: ANN401 - a type as its annotation has it
    if get_origin(kind) is tuple:
        return pa.list_(_arrow(get_args(kind)[0]))
    return _TYPES.get(kind, pa.string())  # what is left is a Literal of texts


SCHEMAS: Final = {name: schema_of(row_type) for name, row_type in TABLES.items()}
"""Arrow schemas by table."""


def encode_rows(table: str, rows: Sequence[Row]) -> bytes:
    """Return a Parquet file of these rows of a table."""
    schema = SCHEMAS[table]
    columns = [pa.array([getattr(row, name) for row in rows], type=schema.field(name).type) for name in schema.names]
    out = io.BytesIO()
    pq.write_table(pa.Table.from_arrays(columns, schema=schema), out, compression="zstd")
    return out.getvalue()


def schema_text() -> str:
    """Return one line a column: table, column, type, and whether it can be null."""
    return "".join(
        f"{table}.{field.name}: {field.type}{'' if field.nullable else ' not null'}\n"
        for table, schema in SCHEMAS.items()
        for field in schema
    )


def schema_page() -> str:
    """Return the tables of the page that documents the schema, in Markdown."""
    parts = []
    for table, schema in SCHEMAS.items():
        key = ", ".join(f"`{name}`" for name in KEYS[table])
        parts.append(
            f"### {table}\n\n{TABLES[table].__doc__} Key: {key}.\n\n| column | type | what it is |\n|---|---|---|\n"
        )
        for field in schema:
            kind = str(field.type).replace("list<item: ", "list<")
            parts.append(f"| `{field.name}` | `{kind}` | {field.metadata[b'description'].decode()} |\n")
        parts.append("\n")
    return "".join(parts).rstrip("\n") + "\n"
