"""``referee backup`` and ``referee restore`` as an operator types them."""

from pathlib import Path

import pytest

from tests.cli.printing import printed
from tests.command import refused
from tests.demo_log import DemoLog


@pytest.fixture(scope="module")
def data(demo_log: DemoLog) -> Path:
    """Return a data folder that the demo left."""
    return demo_log.data


def test_log_is_backed_up_restored_and_audited(data: Path, tmp_path: Path):
    """The keys are moved as an operator would move them; the audit of both logs says the same."""
    saved = printed("backup", tmp_path / "log.backup", "--data", data)
    name, size, root = saved.strip().split("\t")
    assert (name, size.endswith(" leaves"), len(root)) == (str(tmp_path / "log.backup"), True, 64)
    again = tmp_path / "again"
    assert printed("restore", tmp_path / "log.backup", "--data", again).strip().split("\t") == [str(again), size, root]
    (data / "keys").rename(again / "keys")
    try:
        assert f'"root":"{root}"' in printed("audit", "--data", again, "--json")
    finally:
        (again / "keys").rename(data / "keys")


def test_refusals_say_why_and_end_with_two(data: Path, tmp_path: Path):
    """A file or log that is there, a folder without a log, a checkpoint that is none, a database of another kind."""
    file = tmp_path / "log.backup"
    printed("backup", file, "--data", data)
    (tmp_path / "note").write_text("no checkpoint", encoding="ascii")
    for words, arguments in {
        "exists already": ("backup", file, "--data", data),
        "is not overwritten": ("restore", file, "--data", data),
        "there is no log": ("backup", tmp_path / "new", "--data", tmp_path / "nowhere"),
        "--checkpoint is no checkpoint": ("restore", file, "--data", tmp_path / "x", "--checkpoint", tmp_path / "note"),
        "postgresql://user@host/database": ("restore", file, "--database", "mysql://u:secret@host/x"),
        "cannot be used": ("audit", "--data", data, "--database", "postgresql://u:secret@127.0.0.1:1/x"),
    }.items():
        message = refused(*arguments)
        assert words in message
        assert "secret" not in message
        assert "Traceback" not in message


def test_database_may_be_named_by_the_environment(data: Path):
    """So that a password need not stand in a list of processes; a location that is named goes before it."""
    named = {"REFEREE_LOG_DATABASE": "postgresql://u:secret@127.0.0.1:1/x"}
    refused("audit", "--data", data, **named)
    printed("audit", data, **named)
