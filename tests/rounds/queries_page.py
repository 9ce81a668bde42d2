"""The page of queries: its parts, the answers that DuckDB gives, and the answers that stand in the page.

``python -m tests.rounds.queries_page`` plays the demo, asks everything again and writes the answers into the page.
"""

import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import duckdb

from tests.rounds.rounds_log import export, log_of_every_kind

PAGE: Final = Path(__file__).parents[2] / "referee" / "rounds" / "QUERIES.md"


@dataclass(frozen=True, slots=True)
class Query:
    """A query of the page: its title, its SQL, the log of its answer (demo or tests), and the answer in the page."""

    title: str
    sql: str
    log: str
    answer: str

    @property
    def rows(self) -> list[list[str]]:
        """Rows of the answer in the page, the columns' names first."""
        lines = self.answer.strip().splitlines()
        return [line.strip("| ").split(" | ") for number, line in enumerate(lines) if number != 1]


def preamble() -> str:
    """Return the SQL with which the page begins."""
    return PAGE.read_text(encoding="utf-8").split("```sql\n", 1)[1].split("```", 1)[0]


def queries() -> list[Query]:
    """Return the queries of the page in their order."""
    found = []
    for section in PAGE.read_text(encoding="utf-8").split("\n## ")[1:]:
        title, _, rest = section.partition("\n")
        sql = rest.split("```sql\n", 1)[1].split("```", 1)[0]
        said = re.search(r"^On the (demo|tests)'s? log:\n\n(.*)", rest, re.MULTILINE | re.DOTALL)
        assert said is not None, f"{title} says on which log it was answered"
        found.append(Query(title, sql, said[1], said[2]))
    return found


def open_folder(folder: Path, **variables: str) -> duckdb.DuckDBPyConnection:
    """Return a connection with the page's views over a folder, and other values than the page's."""
    connection = duckdb.connect()
    connection.execute(preamble().replace("('rounds/", f"('{folder}/"))
    for name, value in variables.items():
        connection.execute(f"SET VARIABLE {name} = '{value}'")
    return connection


def ask(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[list[str], list[tuple[Any, ...]]]:
    """Return the names of the columns and the rows that answer a query."""
    result = connection.execute(sql)
    return [column[0] for column in result.description], result.fetchall()


def shown(value: object) -> str:
    """Return a value as the page shows it."""
    if value is None:
        return "-"
    return str(value).lower() if isinstance(value, bool) else str(value)


def main() -> None:
    """Write the answers into the page."""
    with tempfile.TemporaryDirectory() as name:
        data, demo, tests = Path(name) / "data", Path(name) / "demo", Path(name) / "tests"
        for command in (
            ["demo", "--rounds", "3", "--data", str(data)],
            ["rounds", "export", str(data), "--out", str(demo)],
        ):
            subprocess.run([sys.executable, "-m", "referee", *command], check=True, stdout=subprocess.DEVNULL)
        export(log_of_every_kind().entries, tests)
        page = PAGE.read_text(encoding="utf-8")
        for query in queries():
            columns, rows = ask(open_folder({"demo": demo, "tests": tests}[query.log]), query.sql)
            lines = [columns, ["---"] * len(columns), *[[shown(value) for value in row] for row in rows]]
            answer = "".join(f"| {' | '.join(line)} |\n" for line in lines)
            before, _, after = page.partition(f"## {query.title}\n")
            page = f"{before}## {query.title}\n{after.replace(query.answer.strip(), answer.strip(), 1)}"
        PAGE.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
