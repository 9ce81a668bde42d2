"""The rows that an export writes: those that a second writing makes of the leaves, however often it was interrupted."""

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from referee.audit import MemoryLog
from referee.audit.as_of import AsOfError, AuditTime
from referee.audit.source import FollowedLog
from referee.audit.trust import TrustedKeys
from referee.evidence.dsse import Envelope
from referee.rounds import export as exporting
from referee.rounds.export import ExportError, RoundsExport, export_rounds
from tests.audit.audit_builder import FAR, LOG, ORIGIN, ROOT, STRANGER, LogBuilder, Table
from tests.driver.auditing import counted, terms_of
from tests.rounds.rounds_log import KEYS, TABLES, TIME, bundle_of, export, log_of_every_kind, rows_in, written_again

SECONDS = 120
DECIDED_BY_GAMES = ("is_imposed",)


@pytest.fixture(scope="module")
def entries() -> list[bytes]:
    """Return the leaves of the log of every kind of round."""
    return log_of_every_kind().entries


@pytest.fixture(scope="module")
def whole(entries: list[bytes], tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[dict[str, Any]]]:
    """Return the rows of an export that nothing interrupted."""
    folder = tmp_path_factory.mktemp("whole")
    export(entries, folder)
    return rows_in(folder)


def test_rows_are_those_that_a_second_writing_makes_of_the_leaves(entries: list[bytes], whole):
    wanted = written_again(entries)
    assert all(len(wanted[table]) > 2 for table in TABLES)
    assert len({row["day"] for row in wanted["rounds"]}) > 3
    for table in TABLES:
        found = [{name: value for name, value in row.items() if name not in DECIDED_BY_GAMES} for row in whole[table]]
        assert found == wanted[table]


def test_timeouts_are_events_that_others_reported(whole):
    imposed = [row for row in whole["events"] if row["is_imposed"]]
    assert imposed
    assert all("TIMEOUT" in row["event"].values() for row in imposed)
    assert not [row for row in whole["events"] if "TIMEOUT" in row["event"].values() and not row["is_imposed"]]


def test_round_that_has_not_ended_has_no_row(entries: list[bytes], tmp_path: Path):
    done = export(entries, tmp_path)
    assert done.running == 1
    assert not [row for row in rows_in(tmp_path)["rounds"] if row["table_id"] == "running"]


def test_running_round_is_unfinished_from_its_deadline_on(tmp_path: Path):
    """It is judged by the time that is given, or else by the clock, in the export that reads it and in a later one."""
    log = LogBuilder.of(Table(name="felt", ruleset_id="tien_len.mien_nam", seats=2))
    parts = log.lay_out(Table(name="felt", ruleset_id="tien_len.mien_nam", seats=2))
    log.append(parts, steps="OD")
    deadline, opened = int(parts.header.round_deadline), log.time
    times = {
        "in time": AuditTime(now=deadline + 1, as_of=deadline),
        "late": AuditTime(now=deadline + 1, as_of=deadline + 1),
        "late by the clock": AuditTime(now=deadline + 1),
    }
    found = {name: export(log.entries, tmp_path, time).unfinished for name, time in times.items()}
    assert found == {"in time": 0, "late": 1, "late by the clock": 1}
    for time in (AuditTime(now=deadline, as_of=deadline + 1), AuditTime(now=deadline, as_of=opened - 1)):
        with pytest.raises(AsOfError):
            export(log.entries, tmp_path / "other", time)
    assert not (tmp_path / "other" / "state.json").exists()


def test_exports_of_a_growing_log_give_the_rows_of_one(entries: list[bytes], whole, tmp_path: Path):
    """Rounds are opened in one run and end in another, after every single leaf."""
    sizes = [*range(3, 24), len(entries) // 2, len(entries) - 3, len(entries)]
    for size in sizes:
        export(entries[:size], tmp_path)
    assert rows_in(tmp_path) == whole


def test_export_that_was_killed_goes_on_with_the_same_rows(whole, tmp_path: Path):
    """It dies at another write each time, in the middle of parts, until one run is done."""
    codes = []
    for left in (9, 24, 55, 0):
        script = [sys.executable, "-m", "tests.rounds.export_until_killed", str(tmp_path), "40", str(left)]
        codes.append(subprocess.run(script, timeout=SECONDS, check=False).returncode)
    assert codes == [-signal.SIGKILL] * 3 + [0]
    assert rows_in(tmp_path) == whole


def test_nothing_new_writes_no_row(entries: list[bytes], whole, tmp_path: Path):
    export(entries, tmp_path)
    done = export(entries, tmp_path)
    assert (done.start, done.rows) == (len(entries), {})
    assert rows_in(tmp_path) == whole


def test_empty_log_has_all_tables_without_rows(tmp_path: Path):
    export([], tmp_path)
    assert rows_in(tmp_path) == {table: [] for table in TABLES}


def other_log(log: LogBuilder) -> list[bytes]:
    """Return a log of the same beginning that goes on in another way."""
    forked = LogBuilder(log.entries[:20])
    forked.play(Table(name="other", ruleset_id="mau_binh.classic", seats=2))
    return [*forked.entries, *log.entries[:40]]


def test_log_that_does_not_continue_the_folder_is_refused(entries: list[bytes], tmp_path: Path):
    export(entries[:30], tmp_path)
    before = rows_in(tmp_path)
    for log in (entries[:29], other_log(log_of_every_kind()), entries[:29] + entries[28:29]):
        with pytest.raises(ExportError, match="does not continue the one whose rounds"):
            export(log, tmp_path)
    assert rows_in(tmp_path) == before
    assert export(entries[:31], tmp_path).start == 30


def test_log_of_another_origin_is_refused(entries: list[bytes], tmp_path: Path):
    export(entries[:30], tmp_path)
    note = LogBuilder(entries[:30]).checkpoint(origin="other.example/1")
    log = MemoryLog(checkpoint=note, entries=tuple(entries[:30]))
    with pytest.raises(ExportError, match=f"has rounds of the log {ORIGIN}, and this is other.example/1"):
        export_rounds(log, tmp_path, origin="other.example/1", keys=KEYS, time=TIME)


def test_checkpoint_that_the_key_did_not_sign_is_refused(entries: list[bytes], tmp_path: Path):
    keys = TrustedKeys(log=STRANGER.text, root=ROOT.text)
    with pytest.raises(ExportError, match="the log's checkpoint does not hold"):
        export_rounds(bundle_of(entries), tmp_path, origin=ORIGIN, keys=keys, time=TIME)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("change", ["another", "missing"])
def test_leaves_that_the_checkpoint_does_not_sign_are_never_written(entries: list[bytes], change: str, tmp_path: Path):
    leaves = [*entries[:10], entries[11], *entries[11:]] if change == "another" else entries[:-1]
    log = MemoryLog(checkpoint=LogBuilder(entries).checkpoint(), entries=tuple(leaves))
    with pytest.raises(ExportError, match=r"not those that the log signed|leaves, and there are"):
        export_rounds(log, tmp_path, origin=ORIGIN, keys=KEYS, time=TIME)
    assert list(tmp_path.iterdir()) == []


def test_log_is_read_once(entries: list[bytes], tmp_path: Path):
    """By the export alone, and together with its audit."""
    read: list[int] = []
    log = FollowedLog(bundle_of(entries), lambda index, _: read.append(index))
    export_rounds(log, tmp_path / "alone", origin=ORIGIN, keys=KEYS, time=TIME)
    assert read == [*range(len(entries))]
    read.clear()
    with RoundsExport(log, tmp_path / "audited", origin=ORIGIN, keys=KEYS, time=TIME) as export:
        terms = terms_of(origin=ORIGIN, log_key=LOG.text, root_key=ROOT.text, now=FAR)
        counted(FollowedLog(log, export.leaf), *terms)
        export.close()
    assert read == [*range(len(entries))]
    assert rows_in(tmp_path / "audited") == rows_in(tmp_path / "alone")


def test_leaf_that_gives_no_row_is_named_and_the_rest_is_written(entries: list[bytes], whole, tmp_path: Path):
    """No JSON, a second settlement, a deal of an ended round, a header of another id: an audit says what is wrong."""
    size = len(entries)
    opened = Envelope.parse(entries[-1])
    renamed = Envelope(opened.payload_type, opened.payload.replace(b'"table_id":"running"', b'"table_id":"renamed"'))
    done = export([*entries, b"{}", entries[-3], entries[6], renamed.to_bytes()], tmp_path)
    assert [index for index, _ in done.unread] == [size, size + 1, size + 2, size + 3]
    assert done.unread_count == 4
    reasons = (
        "not the canonical JSON",
        "no running round has the id",
        "no running round has the id",
        "its header's is",
    )
    assert [reason in why for reason, (_, why) in zip(reasons, done.unread, strict=True)] == [True] * 4
    assert rows_in(tmp_path) == whole


def test_missing_library_is_named_before_anything_is_written(entries: list[bytes], tmp_path: Path, monkeypatch):
    monkeypatch.setitem(sys.modules, "referee.rounds.parquet", None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ModuleNotFoundError):
        export(entries, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_folder_without_its_state_is_refused(entries: list[bytes], tmp_path: Path):
    export(entries[:30], tmp_path)
    (tmp_path / exporting.STATE).unlink()
    with pytest.raises(ExportError, match="give a new folder"):
        export(entries[:30], tmp_path)


def test_state_that_contradicts_itself_is_refused(entries: list[bytes], tmp_path: Path):
    export(entries[:30], tmp_path)
    file = tmp_path / exporting.STATE
    for found, put in (('"size":30', '"size":28'), ('"root":"', '"root":"00'), ("{", "[")):
        text = file.read_text(encoding="utf-8")
        file.write_text(text.replace(found, put, 1), encoding="utf-8")
        with pytest.raises(ExportError, match="export to a new folder"):
            export(entries[:30], tmp_path)
        file.write_text(text, encoding="utf-8")
