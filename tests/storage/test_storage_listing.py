"""The index of rounds: what is listed under each scope, its order and bounds, and that a page reads no more than it."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace

from referee.evidence.merkle import leaf_hash
from referee.log import SlotError
from referee.storage import Listed, Store, Writer
from referee.storage.postgres import open_postgres
from referee.storage.round_index import EVERY, of_seat, of_table, of_tenant
from referee.storage.sqlite import FILE_NAME, open_sqlite
from referee.storage.statements import statements_of
from tests.storage.log_bench import Bench

START: Final = 1_800_000_000_000
AN, BINH = b"a" * 32, b"b" * 32
END: Final = (2**53, 0)


def open_round(writer: Writer, bench: Bench, table: str, *, time: int, keys: tuple[bytes, ...] = ()) -> None:
    """Open the first round of a table at a time."""
    writer.append(replace(bench.append("OPEN", table), time=time, seat_keys=keys))


def tables(listed: list[Listed]) -> list[str]:
    """Return the tables of rounds, in their order."""
    return [one.key.table_id for one in listed]


@pytest.fixture
def filled(writer: Writer, store: Store, bench: Bench) -> Store:
    """Return a store with five rounds, two of them opened in one millisecond."""
    open_round(writer, bench, "acme.1", time=START, keys=(AN, BINH))
    open_round(writer, bench, "acme.2", time=START + 2, keys=(AN,))
    open_round(writer, bench, "acme2.1", time=START + 2, keys=(BINH,))
    open_round(writer, bench, "acme", time=START + 3)
    open_round(writer, bench, "vip-1", time=START + 1, keys=(AN,))
    return store


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (EVERY, ["acme", "acme2.1", "acme.2", "vip-1", "acme.1"]),
        (of_table("acme.1"), ["acme.1"]),
        (of_table("acme."), []),
        (of_tenant("acme"), ["acme.2", "acme.1"]),
        (of_tenant("vip-1"), []),
        (of_seat(AN), ["acme.2", "vip-1", "acme.1"]),
        (of_seat(BINH), ["acme2.1", "acme.1"]),
        (of_seat(bytes(32)), []),
    ],
)
def test_scope_lists_its_rounds_newest_first(filled: Store, scope: bytes, expected: list[str]) -> None:
    assert tables(filled.listed(scope, since=0, before=END, count=10)) == expected


def test_period_has_its_first_millisecond_and_not_its_end(filled: Store) -> None:
    within = filled.listed(EVERY, since=START + 1, before=(START + 3, 0), count=10)
    assert tables(within) == ["acme2.1", "acme.2", "vip-1"]


def test_each_listed_round_names_its_open_leaf(filled: Store, bench: Bench) -> None:
    listed = filled.listed(EVERY, since=0, before=END, count=10)
    assert len(listed) == 5
    for one in listed:
        assert filled.leaf(one.index) == bench.append("OPEN", one.key.table_id).leaf


def test_refused_and_repeated_openings_are_listed_once(writer: Writer, store: Store, bench: Bench) -> None:
    open_round(writer, bench, "t", time=START)
    open_round(writer, bench, "t", time=START)
    with pytest.raises(SlotError):
        writer.append(replace(bench.append("OPEN", "t", variant="other"), time=START))
    both = bench.append("OPEN", "u"), bench.append("DEAL", "nowhere")
    with pytest.raises(SlotError):
        writer.submit(*both).result(30)
    assert tables(store.listed(EVERY, since=0, before=END, count=10)) == ["t"]


def test_aborts_are_counted_by_table_the_worst_first(writer: Writer, store: Store, bench: Bench) -> None:
    """Only the newest rounds that were opened in the period count, and a table with too few aborts is left out."""
    ended = {table: bytes(32) for table in ("one", "two", "three")}
    for number in range(1, 6):
        for aborts, table in enumerate(ended, start=1):
            opening = bench.append("OPEN", table, number, previous=ended[table])
            ending = bench.append("SETTLE" if number <= 5 - aborts else "ABORT", table, number)
            writer.append(replace(opening, time=START + number))
            writer.append(bench.append("DEAL", table, number))
            writer.append(ending)
            ended[table] = leaf_hash(ending.leaf)
    counted = partial(store.aborts_by_table, least=2, most=10)
    assert counted(since=0, rounds=100) == [("three", 5, 3), ("two", 5, 2)]
    assert counted(since=START + 4, rounds=100) == [("three", 2, 2), ("two", 2, 2)]
    assert counted(since=START + 4, rounds=4) == [("three", 2, 2)]
    assert store.aborts_by_table(since=0, rounds=100, least=1, most=1) == [("three", 5, 3)]


def test_round_that_was_opened_without_a_time_is_listed_first_of_all(
    writer: Writer, store: Store, bench: Bench
) -> None:
    writer.append(bench.append("OPEN", "early"))
    open_round(writer, bench, "later", time=1)
    listed = store.listed(EVERY, since=0, before=END, count=5)
    assert [(one.key.table_id, one.opened_time) for one in listed] == [("later", 1), ("early", 0)]


def test_pages_have_every_round_once_while_the_log_grows(writer: Writer, store: Store, bench: Bench) -> None:
    for number in range(20):
        open_round(writer, bench, f"old-{number}", time=START + number // 3)
    before, found = END, []
    for page in range(30):
        rounds = store.listed(EVERY, since=0, before=before, count=3)
        if not rounds:
            break
        found += tables(rounds)
        before = rounds[-1].opened_time, rounds[-1].index
        open_round(writer, bench, f"new-{page}", time=START + 100 + page)
    assert found == [f"old-{number}" for number in reversed(range(20))]


def plan_of(cursor: Any, text: str, scope: bytes) -> str:  # noqa: ANN401 - of either driver
    """Return the plan that the database makes for a page of a scope."""
    cursor.execute(text, (scope, 0, *END, 50))
    return "\n".join(str(row) for row in cursor.fetchall())


def many(count: int) -> Iterator[tuple[bytes, int, int, str, int]]:
    """Yield the rows of the index for so many rounds of a hundred tables of ten tenants, with six keys in turns."""
    for number in range(count):
        table = f"tenant-{number % 10}.{number % 100}"
        for scope in (EVERY, of_table(table), of_tenant(f"tenant-{number % 10}"), of_seat(bytes([number % 6]) * 32)):
            yield scope, START + number, number, table, number // 100 + 1


SCOPES: Final = (EVERY, of_table("tenant-3.13"), of_tenant("tenant-3"), of_seat(b"\5" * 32))


def test_page_of_a_hundred_thousand_rounds_is_read_by_the_index_of_sqlite(tmp_path: Path) -> None:
    with closing(open_sqlite(tmp_path)) as store, closing(sqlite3.connect(tmp_path / FILE_NAME)) as raw:
        sql = statements_of(store._engine.dialect)  # noqa: SLF001 - the statement itself is examined
        raw.executemany(sql.insert_listed, many(100_000))
        raw.commit()
        for scope in SCOPES:
            plan = plan_of(raw.cursor(), f"EXPLAIN QUERY PLAN {sql.read_listed}", scope)
            assert "SEARCH listed USING PRIMARY KEY (scope=? AND " in plan, plan
            assert "SCAN" not in plan
            assert "TEMP B-TREE" not in plan
            steps: list[None] = []
            raw.set_progress_handler(partial(steps.append, None), 100)  # called each hundred instructions
            page = raw.execute(sql.read_listed, (scope, 0, *END, 50)).fetchall()
            raw.set_progress_handler(None, 0)
            assert (len(page), len(steps) < 30) == (50, True)
            assert all(newer[2:] > older[2:] for newer, older in pairwise(page))


def test_page_of_a_hundred_thousand_rounds_is_read_by_the_index_of_postgresql(postgres: Any) -> None:  # noqa: ANN401
    url = postgres.make_schema("recalled")
    with closing(open_postgres(url)) as store:
        sql = statements_of(store._engine.dialect)  # noqa: SLF001 - the statement itself is examined
        with closing(store._engine.raw_connection()) as raw:  # noqa: SLF001
            cursor = raw.cursor()
            with cursor.copy("COPY listed FROM STDIN") as copy:
                for row in many(100_000):
                    copy.write_row(row)
            raw.commit()
            cursor.execute("ANALYZE listed")
            for scope in SCOPES:
                plan = plan_of(cursor, f"EXPLAIN {sql.read_listed}", scope)
                assert "Index Scan Backward using listed_pkey" in plan, plan
                assert "Seq Scan" not in plan
                assert "Sort" not in plan
