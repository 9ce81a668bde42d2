"""The logs that inputs start from: sound logs of each kind of table, and the audit's fixtures."""

import base64
import functools
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from referee.dealing.header import SUITE_FIXTURE
from tests.audit.audit_attack import certified, receipt
from tests.audit.audit_attacks_starts import start_leaf
from tests.audit.audit_builder import LOG, ORIGIN, REFEREE, ROOT, LogBuilder, NamedSigner, Table, abort, key_leaf
from tests.fuzz.fuzz_changes import Tree
from tests.fuzz.fuzz_log import read

VECTORS: Final = Path(__file__).parents[1] / "vectors" / "audit"
FIXTURES: Final = ("healthy", "courses", "mutations", "seats", "held", "cosigned")
BINH: Final = Table(name="table-1", ruleset_id="mau_binh.classic", seats=2)
SEALED: Final = Table(name="sealed", ruleset_id="mau_binh.classic", seats=2, keyed=True, sealed=True)
BOARD: Final = Table(name="board", ruleset_id="ultimate_texas.casino", seats=1, keyed=True)
TURNS: Final = Table(name="turns", ruleset_id="tien_len.mien_nam", seats=2, keyed=True)
TABLES: Final = {
    "binh": BINH,
    "binh.reported": replace(BINH, received=False),
    "binh.uncommitted": replace(BINH, commits=False, keyed=True, signs_seeds=False),
    "binh.sealed": SEALED,
    "texas": BOARD,
    "texas.reported": replace(BOARD, received=False, keyed=False, seats=2),
    "texas.sealed": replace(BOARD, name="sealed.board", sealed=True),
    "tien_len": TURNS,
    "tien_len.reported": replace(TURNS, received=False, keyed=False),
}


def row_of(log: LogBuilder, **more: Any) -> dict[str, Any]:  # noqa: ANN401 - members of a row
    """Return the row of a log."""
    return {
        "now": log.time + 1_000,
        "origin": ORIGIN,
        "log_key": LOG.text,
        "root_key": ROOT.text,
        "checkpoint": log.checkpoint().decode(),
        "leaves": [leaf.decode() for leaf in log.entries],
        **more,
    }


def _base64(*documents: bytes) -> list[str]:
    return [base64.b64encode(one).decode() for one in documents]


def played(table: Table) -> dict[str, Any]:
    """Play two rounds of a table, and keep a certificate, a receipt and an export of the second."""
    log = LogBuilder.of(table)
    parts = log.play(table)
    while not parts.inputs.events:
        parts = log.play(table)
    shown = certified(parts)
    held = {"certificates": _base64(shown), "event_receipts": _base64(receipt(parts, 1)), "exports": _base64(shown)}
    seeds = [{"round_id": parts.opened.round_id, "seat": 0, "seed": parts.client_seeds[0].hex()}]
    return row_of(log, **held, seeds=seeds)


def given_up(*, stage: str, reason: str) -> dict[str, Any]:
    """Open a round and abort it, then play one."""
    log = LogBuilder.founded()
    parts = log.lay_out(replace(BINH, seats=3, keyed=True, name="given"))
    abort(parts, stage=stage, reason=reason, missing=[1] if reason == "SEED_MISSING" else None)
    log.append(parts, steps="OER" if stage == "OPENED" else "ODER")
    log.play(parts.table)
    seeds = [{"round_id": parts.opened.round_id, "seat": 1, "seed": parts.client_seeds[1].hex()}]
    return row_of(log, seeds=seeds)


def changing_keys() -> dict[str, Any]:
    """Change the referee's key in the middle of a round, between two of its leaves."""
    log = LogBuilder.founded()
    parts = log.prepare(BOARD)
    log.append(parts, steps="OD")
    log.entries += [key_leaf(NamedSigner("referee/2"), "referee"), key_leaf(REFEREE, "referee", action="REVOKE")]
    log.append(parts, steps="UER")
    return row_of(log)


def starting() -> dict[str, Any]:
    """Play rounds between START leaves of two servers."""
    log = LogBuilder.founded()
    log.entries.append(start_leaf(BINH.ruleset_id, instance="room-1"))
    log.play(BINH)
    log.entries += [start_leaf(BINH.ruleset_id, instance="room-2"), start_leaf(BOARD.ruleset_id, instance="room-1")]
    log.play(BINH)
    log.play(BOARD)
    return row_of(log)


def scripted() -> dict[str, Any]:
    """Play a round of scripted deals."""
    log = LogBuilder.founded()
    parts = log.prepare(BINH, randomness_suite=SUITE_FIXTURE)
    log.append(parts)
    return row_of(log)


MADE: Final[dict[str, Callable[[], dict[str, Any]]]] = {
    **{name: functools.partial(played, table) for name, table in TABLES.items()},
    "aborted.missing": functools.partial(given_up, stage="OPENED", reason="SEED_MISSING"),
    "aborted.deadline": functools.partial(given_up, stage="DEALT", reason="DEADLINE"),
    "scripted": scripted,
    "keys": changing_keys,
    "starts": starting,
}


@functools.cache
def _fixtures() -> dict[str, dict[str, Any]]:
    return {f"{file}/{row['id']}": row for file in FIXTURES for row in _rows(VECTORS / f"{file}.jsonl")}


def _rows(file: Path) -> Iterator[dict[str, Any]]:
    for line in file.read_text("utf-8").splitlines():
        yield json.loads(line)


def names() -> list[str]:
    """List the bases."""
    return [*MADE, *_fixtures()]


@functools.cache
def base(name: str) -> Tree:
    """Return the tree of a base; raise KeyError where there is none of this name."""
    return read(MADE[name]() if name in MADE else _fixtures()[name])
