"""The capacity note, written from what ``bench_capacity --keep`` measured: ``python -m tests.bench.capacity_note``.

Every figure of the note is either in the file, or assumed in this module and said to be, or follows from both by the
arithmetic here.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from tests.bench.bench_balanced import FILE as BALANCED
from tests.bench.bench_balanced import WAYS
from tests.bench.bench_capacity import FILE
from tests.bench.measuring import kept

NOTE: Final = Path(__file__).parents[2] / "referee" / "server" / "deploy" / "CAPACITY.md"
TABLES: Final = 1_000_000
ROUND_SECONDS: Final = {"mau_binh.chi_2020": 120, "tien_len.mien_nam": 180, "ultimate_texas.casino": 60}
"""Assumed: how long a round lasts with people at the table, ready and showdown included."""
BUSY: Final = 0.6
"""Assumed: how much of a core may be busy on average, so that a peak finds room."""
DAY: Final = 86_400
COPIES: Final = 3
"""Assumed: a database on three machines."""


def note(found: Mapping[str, Any], balanced: Mapping[str, Any]) -> str:
    """Format the note as Markdown."""
    rates = found["leaves_per_second"]
    lines = [
        "# What it takes: capacity",
        "",
        f"Measured on {found['machine']}, {found['rounds']:,} rounds of each game, by",
        "`python -m tests.bench.bench_capacity --keep`; this page is made from its file by",
        "`python -m tests.bench.capacity_note`. Milliseconds are of a noisy machine: measure on yours before you buy.",
        "",
        "## A round, from its preparation to its reveal",
        "",
        "Every event has the referee's receipt (E1), every seat committed to its seed (L2). Calls that a frontend",
        "makes for its players' sake (checks, previews, advice) come on top; `tests/bench/RESULTS.md` prices them.",
        "Bytes of requests and answers are of gRPC messages, without the headers of HTTP/2; a request carries the",
        "round so far, so that they grow with the square of its events. What advises is a process of its own for each",
        "server process that is asked: at lower priority, of one core at most, and of 110 MB.",
        "",
        "| | " + " | ".join(f"`{name}`, {one['seats']} seats" for name, one in found["games"].items()) + " |",
        "|---|" + "---|" * len(found["games"]),
    ]
    for key, label, unit in (
        ("server_cpu_us", "server, CPU ms", 1000),
        ("calls", "calls", 1),
        ("request_bytes", "bytes of requests", 1),
        ("answer_bytes", "bytes of answers", 1),
        ("leaves", "leaves", 1),
        ("leaf_bytes", "bytes in the log", 1),
        ("stored_bytes", "bytes in SQLite, with its indexes and tree", 1),
        ("tile_bytes", "bytes as tiles", 1),
        ("audit_cpu_us", "audit, CPU ms", 1000),
        ("handing_out_cpu_us", "of that in the process that hands out rounds", 1000),
        ("server_megabytes", "memory of the server afterwards, MB", 1),
    ):
        values = [one[key] / unit for one in found["games"].values()]
        lines.append(f"| {label} | " + " | ".join(_said(value) for value in values) + " |")
    lines += [
        "",
        "One log, forced to disk, two processes writing: "
        + ", ".join(f"{rate:,} leaves a second on {store}" for store, rate in rates.items())
        + ".",
        "",
        f"## A million tables at once ({TABLES:,})",
        "",
        "Assumed: a round lasts "
        + ", ".join(f"{seconds} s in `{name}`" for name, seconds in ROUND_SECONDS.items())
        + f"; cores are {BUSY:.0%} busy; the store is kept {COPIES} times.",
        "Each column is all tables playing that one game.",
        "",
        "| | " + " | ".join(f"`{name}`" for name in found["games"]) + " |",
        "|---|" + "---|" * len(found["games"]),
    ]
    needed = [needs(one, ROUND_SECONDS[name], min(rates.values())) for name, one in found["games"].items()]
    for label in needed[0]:
        lines.append(f"| {label} | " + " | ".join(_said(one[label]) for one in needed) + " |")
    lines += [
        "",
        "A log is one sequence, so it is what does not grow with machines: several deployments, each with an origin, a",
        "database and tables of its own, share the tables out (a table's rounds must stay in one log). Workers keep",
        "nothing and run anywhere in front of their log. Audits are read from tiles, which a web server or CDN hands",
        "out, and spread over a Dask cluster (`referee audit URL --scheduler`); the process that hands rounds out",
        "reads every leaf, and bounds one audit at "
        + ", ".join(_said(1e6 / one["handing_out_cpu_us"]) for one in found["games"].values())
        + " rounds a second for the three games.",
        "",
        *_balanced(balanced),
        "Witnesses cosign heads, not rounds: one signature a log every few seconds whatever the load.",
        "",
    ]
    return "\n".join(lines)


def _balanced(balanced: Mapping[str, Any]) -> list[str]:
    """Format what the same rounds cost as the asyncio SDK sends them."""
    lines = [
        "## As the asyncio SDK sends them",
        "",
        f"The figures above are of one call an event, each with the whole round. On {balanced['machine']},",
        "64 tables of one process of the asyncio SDK, which sends requests of several tables together and names rounds",
        "by their course, cost two workers of one server what follows (`python -m tests.bench.bench_balanced --keep`).",
        "With one connection a client stays with one worker. Where a balancer gives each call to the next worker, the",
        "other worker does not know the round, and whole rounds are sent again: balance connections, not calls.",
        "",
        "| a round, by | | server, CPU ms | to a plain echo | bytes of requests | server cores for a million tables |",
        "|---|---|---|---|---|---|",
    ]
    for (game, rows), (name, seconds) in zip(balanced["games"].items(), ROUND_SECONDS.items(), strict=True):
        assert name.startswith(game)
        for way in WAYS:
            row = rows[way]
            cores = math.ceil(TABLES / seconds * row["us"] / 1e6 / BUSY)
            lines.append(
                f"| {way} | `{name}` | {_said(row['us'] / 1000)} | {_said(row['ratio'])}x | {_said(row['bytes'])} "
                f"| {_said(cores)} |"
            )
    return [*lines, ""]


def needs(one: Mapping[str, float], round_seconds: float, leaves_per_second: float) -> Mapping[str, float]:
    """Compute what a million tables of one game need, by resource."""
    rounds = TABLES / round_seconds
    leaves = rounds * one["leaves"]
    return {
        "rounds a second": rounds,
        "leaves a second": leaves,
        "logs": math.ceil(leaves / (BUSY * leaves_per_second)),
        "server cores": math.ceil(rounds * one["server_cpu_us"] / 1e6 / BUSY),
        "network, MB a second into servers": rounds * one["request_bytes"] / 1e6,
        "network, MB a second out of servers": rounds * one["answer_bytes"] / 1e6,
        "log a day, TB, each copy": rounds * one["stored_bytes"] * DAY / 1e12,
        "log a day, TB, all copies": rounds * one["stored_bytes"] * DAY / 1e12 * COPIES,
        "tiles, MB a second to a reader of all of it": rounds * one["tile_bytes"] / 1e6,
        "cores that audit all of it as it grows": math.ceil(rounds * one["audit_cpu_us"] / 1e6 / BUSY),
    }


def _said(value: float) -> str:
    """Format a figure to three digits."""
    if value >= 100 or value == int(value):
        digits = max(0, int(math.log10(max(value, 1))) - 2)
        return f"{round(value, -digits):,.0f}"
    return f"{value:.3g}"


if __name__ == "__main__":
    NOTE.write_text(note(kept(FILE), kept(BALANCED)), encoding="utf-8")
