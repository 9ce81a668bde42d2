"""What the watch over a process's files finds: a log that lost bytes, and descriptors that are used up."""

import resource
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest
import structlog

from referee.server.edited_files import EditedFiles
from referee.server.process.app import Application
from referee.server.process.file_watch import FileWatch, descriptors
from referee.storage.sqlite import FILE_NAME
from tests.server.options import server_options
from tests.waiting import until


def cut(path: Path) -> None:
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)


def replace(path: Path) -> None:
    copy = path.with_suffix(".copy")
    copy.write_bytes(path.read_bytes())
    copy.replace(path)


DAMAGE: Final[dict[str, Callable[[Path], None]]] = {
    "was cut from": cut,
    "was replaced": replace,
    "is gone": Path.unlink,
}


@pytest.mark.parametrize("what", DAMAGE)
def test_log_that_lost_bytes_is_said_once_with_what_to_do(tmp_path, what):
    path, said = tmp_path / "log", list[str]()
    path.write_bytes(bytes(100))
    watch = FileWatch(EditedFiles(), path, on_damaged=said.append)
    path.write_bytes(bytes(200))
    watch.look()
    assert said == []
    DAMAGE[what](path)
    watch.look()
    watch.look()
    assert len(said) == 1
    assert f"{path} {what}" in said[0]
    assert "restore the log from its backup" in said[0]


def test_server_stops_serving_when_its_log_is_cut(tmp_path):
    """Within seconds, also if nobody calls; health says why."""
    said = list[str]()
    with Application(server_options(data=tmp_path, metrics="127.0.0.1:0", on_retired=said.append)):
        cut(tmp_path / FILE_NAME)
        until(lambda: said != [], "the server goes on with half a log")
    assert "was cut from" in said[0]


def test_used_up_descriptors_are_said_once_and_again_when_they_are_free():
    watch = FileWatch(EditedFiles(), None, on_damaged=pytest.fail)
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    used = descriptors()
    assert used is not None
    with structlog.testing.capture_logs() as lines:
        resource.setrlimit(resource.RLIMIT_NOFILE, (3, before[1]))
        try:
            assert descriptors() == 3
            watch.look()
            watch.look()
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, before)
        watch.look()
    assert [line["log_level"] for line in lines] == ["error", "warning"]
    assert "raise the limit (LimitNOFILE, ulimit -n)" in lines[0]["remedy"]
