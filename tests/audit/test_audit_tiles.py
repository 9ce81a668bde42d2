"""Audits of published tiles: the report equals that of any other source, and faulty tiles are findings."""

import base64
from dataclasses import replace
from typing import Any

import pytest

from referee.audit import Code, Report
from referee.audit.source import TiledLog
from referee.log.tile import decode_entries, encode_entries
from referee.tiles import PlaceError
from tests.audit import audit_tiles, auditing
from tests.audit.audit_attack import TABLE, WORD
from tests.audit.audit_builder import LogBuilder
from tests.tiles.memory_place import MemoryPlace
from tests.vectors.reading import read

FIXTURES = read("audit/tiles")


def audited(files: dict[str, bytes], **options: Any) -> Report:  # noqa: ANN401 - what audit_log takes
    return auditing.audited(TiledLog(MemoryPlace(files)), **options)


@pytest.mark.parametrize("fixture", FIXTURES, ids=lambda fixture: fixture["id"])
def test_each_attack_on_tiles_is_named_first(fixture: dict[str, Any]):
    report = audited(
        {path: base64.b64decode(data) for path, data in fixture["files"].items()},
        **{name: fixture[name] for name in ("origin", "log_key", "root_key", "now")},
    )
    if not fixture["expected"]:
        assert report.findings == ()
        return
    first = report.findings[0]
    found = {"code": first.code, "number": first.number, "severity": first.severity}
    if first.leaf_index is not None:
        found["leaf_index"] = first.leaf_index
    assert found == fixture["expected"]


@pytest.fixture(scope="module")
def long_log() -> LogBuilder:
    """Build a log of more than two bundles."""
    log = LogBuilder.founded()
    tables = [replace(WORD, name=f"table-{number}") for number in range(4)]
    while len(log.entries) <= 520:
        log.play(tables[len(log.entries) // 4 % 4])
    return log


@pytest.fixture(scope="module")
def long_files(long_log: LogBuilder) -> dict[str, bytes]:
    """Return the log as it is served."""
    return audit_tiles.served(long_log)


def test_report_from_tiles_is_the_report_from_the_leaves(long_log: LogBuilder, long_files):
    from_leaves = auditing.audited(long_log.bundle())
    assert from_leaves.findings == ()
    assert audited(long_files) == from_leaves


def test_kept_checkpoints_are_compared_with_tiles_as_well(long_log: LogBuilder, long_files):
    """An earlier state of the log, and a state that it never had."""
    earlier = LogBuilder(long_log.entries[:300])
    forked = LogBuilder([*long_log.entries[:299], b"another"])
    assert audited(long_files, witnessed=[earlier.checkpoint()]).findings == ()
    (finding,) = audited(long_files, witnessed=[forked.checkpoint()]).findings
    assert finding.code is Code.HISTORY_REWRITTEN


@pytest.mark.parametrize(("path", "leaf"), [("tile/0/001", 256), ("tile/1/000.p/2", 0)])
def test_a_tile_that_leaves_contradict_shows_both_hashes(long_files, path: str, leaf: int):
    data = long_files[path]
    report = audited(long_files | {path: b"\xff" + data[1:]})
    (finding,) = report.findings
    assert (finding.code, finding.leaf_index) == (Code.TILE_MISMATCH, leaf)
    assert finding.difference is not None
    assert (finding.difference.claimed, finding.difference.found) == ("ff" + data[1:32].hex(), data[:32].hex())
    assert path in finding.detail
    assert not report.is_clean


def test_an_edited_leaf_is_found_in_the_root_and_in_its_tile(long_files):
    """The finding says which leaf it is, which the root alone cannot."""
    entries = list(decode_entries(long_files["tile/entries/001"], width=256))
    entries[9] = entries[9].replace(b'"sig":"', b'"sig" :"')
    report = audited(long_files | {"tile/entries/001": encode_entries(entries)})
    assert report.findings[0].code is Code.ROOT_MISMATCH
    assert [finding.leaf_index for finding in report.findings if finding.code is Code.TILE_MISMATCH] == [265]


def test_log_ends_where_a_bundle_is_missing_or_none(long_files):
    """The leaves before it are audited; the finding names the file."""
    missing = {path: data for path, data in long_files.items() if path != "tile/entries/001"}
    broken = long_files | {"tile/entries/001": long_files["tile/entries/001"][:-1]}
    for files in (missing, broken):
        report = audited(files)
        assert report.findings[0].code is Code.LOG_TRUNCATED
        (fault,) = [finding for finding in report.findings if finding.code is Code.TILE_MISMATCH]
        assert (fault.leaf_index, "tile/entries/001" in fault.detail) == (256, True)
        assert report.rounds.opened >= 60


def test_full_tile_replaces_a_partial_one(long_log: LogBuilder, long_files):
    """The checkpoint is older than the tiles, whose partial ones were removed when the log grew."""
    before = LogBuilder(long_log.entries[: 3 + 4 * 60])
    files = {path: data for path, data in long_files.items() if not path.startswith("tile/1/")}
    assert audited(files | {"checkpoint": before.checkpoint()}).findings == ()


def test_refused_checkpoint_is_the_only_finding(long_files):
    (finding,) = audited(long_files | {"checkpoint": b"not a note"}).findings
    assert finding.code is Code.CHECKPOINT_REFUSED
    with pytest.raises(PlaceError):
        audited({path: data for path, data in long_files.items() if path != "checkpoint"})


def test_leaves_can_be_read_in_parts(long_log: LogBuilder, long_files):
    """As a source of leaves in any range; only a whole reading checks tiles."""
    source = TiledLog(MemoryPlace(long_files | {"tile/0/000": bytes(8192)}))
    for start, stop in [(0, 0), (0, 10), (5, 300), (256, 512), (255, 257), (500, 10_000), (510, 510)]:
        assert list(source.leaves(start, stop)) == long_log.entries[start:stop]
    assert list(source.faults) == []
    for _ in range(2):
        assert list(source.leaves(0, 10_000)) == long_log.entries
        assert [fault.code for fault in source.faults] == [Code.TILE_MISMATCH]


def test_log_of_one_round_is_audited(long_log: LogBuilder):
    log = LogBuilder.of(TABLE)
    assert audited(audit_tiles.served(log)).findings == ()
    assert len(long_log.entries) > 520
