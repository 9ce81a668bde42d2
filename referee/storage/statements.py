"""Every statement that a store runs, as text for one dialect, compiled once.

Parameters are positional, in the order of the names beside each statement; an insert takes all columns in the order of
the schema. The text goes to the driver as it is, since building a statement for each call costs more than running it.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from sqlalchemy import (
    Column,
    ColumnElement,
    Dialect,
    Select,
    String,
    Table,
    Update,
    bindparam,
    case,
    func,
    literal_column,
    select,
    tuple_,
    update,
)
from sqlalchemy.sql import ClauseElement

from referee.storage.schema import CONTRIBUTION, COSIGNED, HEAD, LEAF, LISTED, MARK, NODE, NOTED, ROUND, SCHEMA_VERSION

HEAD_ID: Final = 1
_STATE: Final = ("stage", "deck_root", "terminal_leaf", "newest_time", "unseals", "winner")
_NONE: Final[ColumnElement[int]] = literal_column("0")
"""Number of rows to skip. It is stated because SQLite's dialect would otherwise add a parameter without a name."""
_ONE: Final[ColumnElement[int]] = literal_column("1")
_HEAD: Final = ("size", "root", "peaks", "checkpoint", "newest_time", "roundless")
_COUNTS: Final = ("commits", "durable")
_CERTAIN: Final = {"postgresql": "current_setting('synchronous_standby_names') = ''"}
"""By dialect: whether what a reader sees is durable. With a synchronous standby it is not, after a commit that was
cancelled while it waited for the standby."""


class Statements:
    """Texts of the statements for one dialect; raises ValueError if its parameters are not positional."""

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self.is_columnar: Final = dialect.name == "postgresql"
        """Whether the statements for many rows take one array a column. Otherwise they take one row, and are run by
        ``executemany``, which on PostgreSQL would be a pipeline: while its middle is missing no timeout runs there."""
        certain: ColumnElement[bool] = literal_column(_CERTAIN.get(dialect.name, "1"))
        self.read_head = self._text(_columns(HEAD, *_HEAD))
        self.lock_head = self._text(select(*(HEAD.c[name] for name in (*_HEAD, *_COUNTS)), certain))
        self.read_origin = self._text(_columns(HEAD, "origin"))
        self.read_version = self._text(_columns(SCHEMA_VERSION, "version"))
        self.count_commit = self._text(update(SCHEMA_VERSION).values(openings=SCHEMA_VERSION.c.openings + _ONE))
        self.insert_head = f"{self._insert(HEAD)} ON CONFLICT DO NOTHING"
        moved = (*_HEAD, *_COUNTS)
        self.move_head = self._text(
            _update(HEAD, *moved, size="old_size", root="old_root"), *_new(*moved), "old_size", "old_root"
        )
        self.move_counts = self._text(_update(HEAD, *_COUNTS, id="of_id"), *_new(*_COUNTS), "of_id")

        self.insert_leaves = self._insert_many(LEAF)
        self.read_leaf = self._text(_columns(LEAF, "data").where(LEAF.c.position == bindparam("at")), "at")
        self.read_leaves = self._text(_range(select(LEAF), LEAF.c.position), "start", "stop")

        self.insert_nodes = self._insert_many(NODE)
        of_level = _columns(NODE, "position", "hash").where(NODE.c.level == bindparam("of_level"))
        self.read_nodes = self._text(_range(of_level, NODE.c.position), "of_level", "start", "stop")

        self.insert_rounds = self._insert_many(ROUND)
        key = {"table_id": "of_table", "number": "of_number"}
        for_due = (*_STATE, "due")
        self.update_rounds = self._update_many(ROUND, for_due, key)
        self.update_states = self._update_many(ROUND, _STATE, key)
        state = [column for column in ROUND.c if not column.primary_key]
        self.read_round = self._text(_of_round(select(*state), ROUND), "of_table", "of_number")
        self.read_opened = self._text(_opened(state), "of_kind", "of_table", "of_number")
        self.read_latest_round = self._text(_latest_round(), "of_table", "in_table")
        self.read_due = self._text(_due(), "first", "last", "before", "count")
        self.count_due = self._text(_counted_due(), "before")

        self.insert_marks = self._insert_many(MARK)
        of_kind = _of_round(_columns(MARK, "position", "request_digest"), MARK).where(
            MARK.c.kind == bindparam("of_kind"), MARK.c.event == bindparam("of_event")
        )
        self.read_mark = self._text(of_kind, "of_table", "of_number", "of_kind", "of_event")
        marks = _of_round(_columns(MARK, "kind", "position", "request_digest", "memo", "event"), MARK)
        self.read_marks = self._text(marks.order_by(MARK.c.position), "of_table", "of_number")

        self.insert_contributions = self._insert_many(CONTRIBUTION)
        given = _of_round(_columns(CONTRIBUTION, "seat", "seed", "signature"), CONTRIBUTION)
        self.read_contributions = self._text(given.order_by(CONTRIBUTION.c.seat), "of_table", "of_number")

        self.insert_listed = self._insert_many(LISTED)
        self.read_listed = self._text(_listed(), "of_scope", "since", "before_time", "before_index", "count")

        self.read_aborts = self._text(_aborts(), "of_scope", "since", "count", "of_kind", "least", "most")

        self.insert_noted = self._insert(NOTED)
        of_noted = _columns(NOTED, "position").where(NOTED.c.kind == bindparam("of_kind"))
        self.read_noted = self._text(of_noted.order_by(NOTED.c.position), "of_kind")
        self.read_newest_noted = self._text(_newest_noted(of_noted), "of_kind", "of_instance")

        self.insert_cosigned = self._insert(COSIGNED)
        self.read_cosigned_at = self._text(_columns(COSIGNED, "note").where(COSIGNED.c.size == bindparam("at")), "at")
        self.read_cosigned = self._text(_cosigned(), "least", "start", "count")
        self.read_newest_cosigned = self._text(_newest_cosigned(), "least")
        self.update_cosigned = self._text(
            _update(COSIGNED, "note", "is_quorate", size="at"), *_new("note", "is_quorate"), "at"
        )

    def _text(self, statement: ClauseElement, *names: str) -> str:
        compiled: Any = statement.compile(dialect=self._dialect)
        if tuple(compiled.positiontup or ()) != names:
            raise ValueError(f"this dialect's parameters are {compiled.positiontup}, not {names} by position")
        return str(compiled)

    def _insert(self, table: Table) -> str:
        return str(table.insert().compile(dialect=self._dialect, column_keys=list(table.c.keys())))

    def _insert_many(self, table: Table) -> str:
        """Return the insert of rows: of one, or of all in one statement; see ``is_columnar``."""
        if not self.is_columnar:
            return self._insert(table)
        names = ", ".join(self._name(column) for column in table.c)
        return f"INSERT INTO {self._table(table)} ({names}) SELECT * FROM {self._arrays(table.c)}"  # noqa: S608

    def _update_many(self, table: Table, names: Sequence[str], key: dict[str, str]) -> str:
        """Return the update of rows by their key, whose columns come last among the parameters."""
        if not self.is_columnar:
            return self._text(_update(table, *names, **key), *_new(*names), *key.values())
        columns, of = [table.c[name] for name in (*names, *key)], self._table(table)
        values = ", ".join(f"{self._name(one)} = new.{self._name(one)}" for one in columns[: len(names)])
        same = " AND ".join(f"{of}.{self._name(one)} = new.{self._name(one)}" for one in columns[len(names) :])
        rows = f"{self._arrays(columns)} AS new ({', '.join(map(self._name, columns))})"
        return f"UPDATE {of} SET {values} FROM {rows} WHERE {same}"  # noqa: S608 - names of the schema

    def _arrays(self, columns: Iterable[Column[Any]]) -> str:
        types = ["text" if isinstance(one.type, String) else one.type.compile(self._dialect) for one in columns]
        return f"unnest({', '.join(f'%s::{one}[]' for one in types)})"

    def _name(self, column: Column[Any]) -> str:
        return self._dialect.identifier_preparer.format_column(column)

    def _table(self, table: Table) -> str:
        return self._dialect.identifier_preparer.format_table(table)


_COMPILED: Final[dict[tuple[str, str], Statements]] = {}


def statements_of(dialect: Dialect) -> Statements:
    """Return the statements for a dialect; they are compiled on its first use in this process."""
    key = dialect.name, dialect.paramstyle
    if key not in _COMPILED:
        _COMPILED[key] = Statements(dialect)
    return _COMPILED[key]


def _columns(table: Table, *names: str) -> Select[Any]:
    return select(*(table.c[name] for name in names))


def _range(query: Select[Any], column: ColumnElement[int]) -> Select[Any]:
    return query.where(column >= bindparam("start"), column < bindparam("stop")).order_by(column)


def _of_round(query: Select[Any], table: Table) -> Select[Any]:
    return query.where(table.c.table_id == bindparam("of_table"), table.c.number == bindparam("of_number"))


def _opened(state: list[Column[Any]]) -> Select[Any]:
    is_open = (MARK.c.table_id == ROUND.c.table_id) & (MARK.c.number == ROUND.c.number)
    joined = ROUND.join(MARK, is_open & (MARK.c.kind == bindparam("of_kind"))).join(
        LEAF, LEAF.c.position == MARK.c.position
    )
    of_round = (CONTRIBUTION.c.table_id == ROUND.c.table_id, CONTRIBUTION.c.number == ROUND.c.number)
    seeds = select(func.count()).select_from(CONTRIBUTION).where(*of_round).correlate(ROUND).scalar_subquery()
    return _of_round(select(*state, LEAF.c.position, LEAF.c.data, seeds).select_from(joined), ROUND)


def _latest_round() -> Select[Any]:
    newest = select(func.max(ROUND.c.number)).where(ROUND.c.table_id == bindparam("in_table"))
    return select(ROUND).where(ROUND.c.table_id == bindparam("of_table"), ROUND.c.number == newest.scalar_subquery())


def _due() -> Select[Any]:
    between = (ROUND.c.stage >= bindparam("first"), ROUND.c.stage <= bindparam("last"))
    return (
        select(ROUND)
        .where(*between, ROUND.c.due < bindparam("before"))
        .order_by(ROUND.c.due, ROUND.c.table_id, ROUND.c.number)
        .limit(bindparam("count"))
        .offset(_NONE)
    )


def _counted_due() -> Select[Any]:
    late = func.count(case((ROUND.c.due < bindparam("before"), _ONE)))
    return select(ROUND.c.stage, func.count(), late).where(ROUND.c.due.is_not(None)).group_by(ROUND.c.stage)


def _listed() -> Select[Any]:
    place = (LISTED.c.opened_time, LISTED.c.position)
    before = tuple_(*place) < tuple_(bindparam("before_time"), bindparam("before_index"))
    return (
        _columns(LISTED, "table_id", "number", "opened_time", "position")
        .where(LISTED.c.scope == bindparam("of_scope"), LISTED.c.opened_time >= bindparam("since"), before)
        .order_by(*[column.desc() for column in place])
        .limit(bindparam("count"))
        .offset(_NONE)
    )


def _aborts() -> Select[Any]:
    newest = (
        _columns(LISTED, "table_id", "number")
        .where(LISTED.c.scope == bindparam("of_scope"), LISTED.c.opened_time >= bindparam("since"))
        .order_by(LISTED.c.opened_time.desc(), LISTED.c.position.desc())
        .limit(bindparam("count"))
        .offset(_NONE)
        .subquery()
    )
    of_round = (MARK.c.table_id == newest.c.table_id) & (MARK.c.number == newest.c.number)
    aborts = func.count(MARK.c.position)
    return (
        select(newest.c.table_id, func.count(), aborts)
        .select_from(newest.outerjoin(MARK, of_round & (MARK.c.kind == bindparam("of_kind"))))
        .group_by(newest.c.table_id)
        .having(aborts >= bindparam("least"))
        .order_by(aborts.desc(), newest.c.table_id)
        .limit(bindparam("most"))
        .offset(_NONE)
    )


def _cosigned() -> Select[Any]:
    agreed = (COSIGNED.c.is_quorate >= bindparam("least"), COSIGNED.c.size >= bindparam("start"))
    return select(COSIGNED).where(*agreed).order_by(COSIGNED.c.size).limit(bindparam("count")).offset(_NONE)


def _newest_noted(of_kind: Select[Any]) -> Select[Any]:
    of_instance = of_kind.where(NOTED.c.instance == bindparam("of_instance"))
    return of_instance.order_by(NOTED.c.position.desc()).limit(_ONE).offset(_NONE)


def _newest_cosigned() -> Select[Any]:
    agreed = select(COSIGNED).where(COSIGNED.c.is_quorate >= bindparam("least"))
    return agreed.order_by(COSIGNED.c.size.desc()).limit(_ONE).offset(_NONE)


def _update(table: Table, *names: str, **key: str) -> Update:
    """Return the update of some columns of the rows whose columns ``key`` have the values of these parameters."""
    where = [table.c[name] == bindparam(parameter) for name, parameter in key.items()]
    values: dict[str, Any] = {name: bindparam(parameter) for name, parameter in zip(names, _new(*names), strict=True)}
    return update(table).where(*where).values(values)


def _new(*names: str) -> list[str]:
    # SQLAlchemy would take a parameter named like its column for the column's own.
    return [f"new_{name}" for name in names]
