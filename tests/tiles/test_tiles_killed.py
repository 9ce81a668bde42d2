"""A publisher that is killed leaves a whole log, and the next one goes on."""

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

import referee
from referee.evidence.merkle import leaf_hash
from referee.log.tile_check import TileCheck
from referee.tiles import FolderPlace, publish, read_note
from tests.log.tile_paths import parse_path
from tests.tiles.proved_log import ProvedLog
from tests.tiles.tiles_log import MemoryLog

CHILD = Path(__file__).with_name("publish_until_killed.py")
STEPS = 18
"""Forced writes and moves of publishing 700 leaves after 300: six tiles, then the checkpoint, and their folders."""


def run(folder: Path, size: int, steps: int) -> int:
    return subprocess.run(
        [sys.executable, str(CHILD), str(folder), str(size), str(steps)],
        check=False,
        timeout=60,
        env={"PYTHONPATH": str(Path(referee.__file__).parents[1])},
    ).returncode


SWEEP: Final = pytest.mark.slow("kills processes again and again")


def files_of(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".publishing" not in path.parts
    }


@pytest.mark.parametrize(
    "steps",
    [pytest.param(step, marks=() if step % 7 == 1 or step > STEPS else SWEEP) for step in range(1, STEPS + 2)],
)
def test_publisher_killed_at_any_step_leaves_a_whole_log(tmp_path: Path, steps: int):
    """Old or new, never a mixture; every file there is, is whole; the next publisher completes what is missing."""
    log = MemoryLog([b"leaf %d" % number for number in range(700)])
    publish(log, log.note(300), FolderPlace(tmp_path / "log"))
    publish(log, log.note(700), FolderPlace(tmp_path / "whole"))
    whole = files_of(tmp_path / "whole")

    code = run(tmp_path / "log", 700, steps)
    assert code == (-9 if steps <= STEPS else 0)
    place = FolderPlace(tmp_path / "log")
    read = ProvedLog.open(place, origin="log.example/1", keys=[log.signer.key])
    assert read.note == log.note(read.size) == read_note(place)
    assert read.size in ({300, 700} if steps <= STEPS else {700})
    check = TileCheck(read)
    for bundle in read.bundles():
        check.take([leaf_hash(leaf) for leaf in bundle])
    check.finish()
    assert check.faults == []
    for path, data in files_of(tmp_path / "log").items():
        if path != "checkpoint" and parse_path(path).path in whole:
            assert data == whole[path]

    assert run(tmp_path / "log", 700, 0) == 0
    assert whole.items() <= files_of(tmp_path / "log").items()
