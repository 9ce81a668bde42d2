"""The page of what supervisors ask, made from ``regulators.toml``: run ``python -m tests.audit.regulators``."""

import sys
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any, Final

ROWS: Final = Path(__file__).with_name("regulators.toml")
STATUSES: Final = ("MET", "PARTLY", "NOT")
PAGE: Final = """# What supervisors ask, and what answers it

Supervisors of games ask a supplier for things such as those below. The rows are in our own words: this page quotes no
standard, no laboratory has tested this software against one, and nothing here claims compliance. *Met* means that a
user can do it with the command; *partly*, that the rest is the operator's or is missing; *not*, that it is missing.

The commands here were tried [on Linux](../SYSTEMS.md); that page says what holds on Windows and macOS.

Made by `python -m tests.audit.regulators` from `tests/audit/regulators.toml`; a test fails where a row names a
test that does not exist, or a command that does not run: each runs on the demo's log, as far as it is no server.

**{count} rows: {MET} met, {PARTLY} partly, {NOT} not.**

| requirement | status | what supports it | command | the operator's own | shown by |
|---|---|---|---|---|---|
"""


def rows() -> list[dict[str, Any]]:
    """Read the rows, in the order of the page."""
    found: list[dict[str, Any]] = tomllib.loads(ROWS.read_text("utf-8"))["row"]
    return found


def page() -> str:
    """Return the page, in Markdown."""
    counts = Counter(row["status"] for row in rows())
    lines = [
        f"| {row['need']} | {row['status'].lower()} | {row['support']} | {_code(row['command'])} "
        f"| {row['operator']} | {', '.join(map(_code, row['tests']))} |\n"
        for row in rows()
    ]
    head = PAGE.format(count=len(lines), **{status: counts[status] for status in STATUSES})
    return head + "".join(lines)


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


if __name__ == "__main__":
    sys.stdout.write(page())
