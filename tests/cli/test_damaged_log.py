"""A byte that changed on a disk is reported as damage, by every command, and is held against nobody."""

import json
from pathlib import Path
from typing import Any

import pytest

from referee.audit import Code, MemoryLog, Report
from referee.audit.reading import read_envelope
from referee.transcript.inputs import MEDIA_TYPE
from tests.audit import audit_tiles
from tests.audit.audit_attack import TABLE
from tests.audit.audit_builder import LOG, ORIGIN, ROOT, LogBuilder
from tests.audit.auditing import audited
from tests.command import referee
from tests.verifier.verifier_bundles import bundle_of, round_ids

KEYS = ["--log-key", LOG.text, "--root-key", ROOT.text]
DAMAGE = {"ROOT_MISMATCH", "TILE_MISMATCH"}


@pytest.fixture(scope="module")
def log() -> LogBuilder:
    """Build a log of two rounds."""
    return LogBuilder.of(TABLE, rounds=2)


def flipped(leaf: bytes) -> bytes:
    """Return a leaf with one bit of its payload changed, still text."""
    place = len('{"payload":"') + 40
    return leaf[:place] + bytes([leaf[place] ^ 1]) + leaf[place + 1 :]


def damaged_report(log: LogBuilder, entries: list[bytes]) -> Report:
    damaged = MemoryLog(checkpoint=log.checkpoint(), entries=tuple(entries))
    return audited(damaged, now=log.time, as_of=None, witnessed=[log.checkpoint()])


def damaged_tiles(log: LogBuilder, folder: Path) -> Path:
    """Publish the log as tiles of which one has a changed byte, in the leaf whose loss makes a reveal look early."""
    entries = list(log.entries)
    place, hashes = first_settled(log), f"tile/0/000.p/{len(entries)}"
    entries[place] = flipped(entries[place])
    files = audit_tiles.files_of(entries, log.checkpoint()) | {hashes: audit_tiles.served(log)[hashes]}
    audit_tiles.publish(files, folder)
    return folder


def first_settled(log: LogBuilder) -> int:
    """Return the leaf that settled the first round."""
    return next(index for index, leaf in enumerate(log.entries) if read_envelope(leaf).payload_type == MEDIA_TYPE)


def test_changed_byte_of_any_leaf_is_damage_and_nothing_else(log: LogBuilder) -> None:
    explained = 0
    for place, leaf in enumerate(log.entries):
        report = damaged_report(log, [*log.entries[:place], flipped(leaf), *log.entries[place + 1 :]])
        assert [finding.code for finding in report.findings] == [Code.ROOT_MISMATCH], place
        assert set(report.finding_counts) == {Code.ROOT_MISMATCH}
        assert report.root != ""
        explained += report.explained
    assert explained > len(log.entries)


def test_log_cut_short_blames_no_person(log: LogBuilder) -> None:
    report = damaged_report(log, log.entries[:-1])
    assert [finding.code for finding in report.findings] == [Code.LOG_TRUNCATED]


def test_command_json_and_page_name_the_damage_first(log: LogBuilder, tmp_path: Path) -> None:
    tiles, page = damaged_tiles(log, tmp_path / "tiles"), tmp_path / "page.html"
    printed = referee("audit", tiles, *KEYS, "--html", page)
    assert printed.returncode == 1
    codes = [line.split()[2].rstrip(":") for line in printed.stdout.splitlines() if line.startswith("FAIL")]
    assert codes[0] == "ROOT_MISMATCH"
    assert set(codes) == DAMAGE
    assert "more findings are left out" in printed.stdout
    report: dict[str, Any] = json.loads(referee("audit", tiles, *KEYS, "--json").stdout)
    assert [finding["code"] for finding in report["findings"]] == codes
    assert report["explained"] > 0
    text = page.read_text("utf-8")
    shown = [code for code in (str(one) for one in Code) if f'<span class="mono">{code}</span>' in text]
    assert set(shown) == DAMAGE
    assert text.index("ROOT_MISMATCH") < text.index("TILE_MISMATCH")


def test_changed_leaf_of_a_bundle_is_damage_and_nothing_else(log: LogBuilder, tmp_path: Path) -> None:
    file = damaged_bundle(log, tmp_path)
    printed = referee("verify", file, *KEYS, "--json")
    found = json.loads(printed.stdout)
    assert printed.returncode == 1
    assert [finding["code"] for finding in found["findings"]] == ["ROOT_MISMATCH"]
    assert found["explained"] > 0
    assert "left out" in referee("verify", file, *KEYS).stdout


def damaged_bundle(log: LogBuilder, folder: Path) -> Path:
    bundle = bundle_of(log.bundle(), round_ids(log.entries)[0])
    place = first_settled(log)
    (leaf,) = [one for one in bundle["leaves"] if one["index"] == place]
    leaf["leaf"] = flipped(leaf["leaf"].encode()).decode()
    file = folder / "round.json"
    file.write_text(json.dumps(bundle), "utf-8")
    return file


@pytest.mark.slow("builds a Node project")
def test_typescript_verifier_names_the_damage_first(log: LogBuilder, tmp_path: Path, typescript) -> None:
    tiles, bundle = damaged_tiles(log, tmp_path / "tiles"), damaged_bundle(log, tmp_path)
    for arguments in (["--tiles", str(tiles), "--origin", ORIGIN], [str(bundle)]):
        done = typescript(*arguments, *KEYS, "--now", str(log.time), "--json")
        found = json.loads(done.stdout)
        codes = [finding["code"] for finding in found["findings"]]
        assert (done.returncode, codes[0]) == (1, "ROOT_MISMATCH")
        listed = [finding["code"] for check in found["checks"] for finding in check["findings"]]
        assert {*codes, *listed} <= DAMAGE
        assert found["explained"] > 0
