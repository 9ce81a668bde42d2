"""Logs that earlier states of this project wrote: audited as they lie, replayed, dealt again, and gone on with."""

import gzip
import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from referee.audit import Bundle, audit_log
from referee.rulesets import load_builtin
from referee.storage import check_store, open_sqlite, open_sqlite_reader
from referee.storage.sqlite import FILE_NAME

FOLDER = Path(__file__).parents[1] / "vectors" / "old_logs"
LOGS = [json.loads(line) for line in (FOLDER / "logs.jsonl").read_text(encoding="utf-8").splitlines()]
LATER = 4_102_444_800_000
"""2100: every deadline has passed."""


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log["id"].partition(".")[0])
def test_log_of_an_earlier_state_audits_clean_before_and_after_it_is_migrated(log: dict[str, Any], tmp_path: Path):
    (tmp_path / FILE_NAME).write_bytes(gzip.decompress((FOLDER / log["id"]).read_bytes()))
    with closing(open_sqlite_reader(tmp_path)) as reader:
        before = Bundle(checkpoint=reader.head().checkpoint, entries=tuple(reader.iterate()))
    with closing(open_sqlite(tmp_path)) as store:
        check_store(store)
        after = Bundle(checkpoint=store.head().checkpoint, entries=tuple(store.iterate()))
    assert before == after
    report = audit_log(
        before,
        origin=log["origin"],
        log_key=log["log_key"],
        root_key=log["root_key"],
        catalogue=load_builtin(),
        now=LATER,
    )
    assert report.findings == ()
    assert (report.size, report.checked.replayed, report.checked.redealt) == (
        log["size"],
        log["replayed"],
        log["redealt"],
    )


def test_every_old_log_is_listed_and_says_where_it_is_from():
    assert {log["id"] for log in LOGS} == {file.name for file in FOLDER.glob("*.gz")}
    assert all(log["why"] and log["source"] for log in LOGS)
