"""The data folder is its owner's alone, whatever the umask of the process that makes it."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.server.doctor.check_result import CheckLevel
from referee.server.doctor.machine import check_modes


@pytest.fixture
def _open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    """Return the mode of the folder and of everything in it, by path."""
    return {str(path.relative_to(folder)): stat.S_IMODE(path.lstat().st_mode) for path in (folder, *folder.rglob("*"))}


def loose(found: dict[str, int]) -> dict[str, str]:
    """Return the modes that let others in."""
    return {name: oct(mode) for name, mode in found.items() if mode & 0o077}


@pytest.mark.usefixtures("_open_umask")
def test_served_folder_and_its_backup_are_closed_to_others(serve: Callable[..., Any], tmp_path: Path) -> None:
    server = serve()
    server.play("modes")
    found = modes(server.data)
    assert {"log.sqlite3", "log.sqlite3-wal", "log.sqlite3-shm", "keys", "keys/log.key", "keys/log.pub"} <= set(found)
    assert loose(found) == {}
    backup, again = tmp_path / "backup.sqlite3", tmp_path / "again"
    for command in (
        ["backup", str(backup), "--data", str(server.data)],
        ["restore", str(backup), "--data", str(again)],
    ):
        subprocess.run([sys.executable, "-m", "referee", *command], check=True, stdout=subprocess.DEVNULL)
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert loose(modes(again)) == {}


def test_doctor_reports_what_others_can_read(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    file = folder / "log.sqlite3"
    file.touch(mode=0o600)
    assert [one.level for one in check_modes(folder)] == [CheckLevel.OK]
    file.chmod(0o640)
    (found,) = check_modes(folder)
    assert found.level is CheckLevel.WARN
    assert (str(file) in found.measured, "0640" in found.measured) == (True, True)
    assert found.remedy == f"run: chmod -R go= {folder}"
