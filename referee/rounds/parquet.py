"""Parquet files of rows; the columns are the fields of the row types, in their order."""

import io
from collections.abc import Sequence
from types import UnionType
from typing import Any, Final, get_args, get_origin, get_type_hints

import pyarrow as pa
import pyarrow.parquet as pq

from referee.rounds.row import TABLES, Row

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
