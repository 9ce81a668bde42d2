"""``referee backup`` and ``referee restore`` as an operator types them."""

from pathlib import Path

import pytest

from tests.command import referee
from tests.demo_log import DemoLog


@pytest.fixture(scope="module")
def data(demo_log: DemoLog) -> Path:
    """Return a data folder that the demo left."""
    return demo_log.data


def test_log_is_backed_up_restored_and_audited(data: Path, tmp_path: Path):
    """The keys are moved as an operator would move them; the audit of both logs says the same."""
    saved = referee("backup", tmp_path / "log.backup", "--data", data)
    assert saved.returncode == 0, saved.stderr
    name, size, root = saved.stdout.strip().split("\t")
    assert (name, size.endswith(" leaves"), len(root)) == (str(tmp_path / "log.backup"), True, 64)
    again = tmp_path / "again"
    restored = referee("restore", tmp_path / "log.backup", "--data", again)
    assert restored.returncode == 0, restored.stderr
    assert restored.stdout.strip().split("\t") == [str(again), size, root]
    (data / "keys").rename(again / "keys")
    try:
        audited = referee("audit", "--data", again, "--json")
    finally:
        (again / "keys").rename(data / "keys")
    assert audited.returncode == 0, audited.stdout
    assert f'"root":"{root}"' in audited.stdout


def test_refusals_say_why_and_end_with_two(data: Path, tmp_path: Path):
    """A file or log that is there, a folder without a log, a checkpoint that is none, a database of another kind."""
    file = tmp_path / "log.backup"
    assert referee("backup", file, "--data", data).returncode == 0
    (tmp_path / "note").write_text("no checkpoint", encoding="ascii")
    for words, arguments in {
        "exists already": ("backup", file, "--data", data),
        "is not overwritten": ("restore", file, "--data", data),
        "there is no log": ("backup", tmp_path / "new", "--data", tmp_path / "nowhere"),
        "--checkpoint is no checkpoint": ("restore", file, "--data", tmp_path / "x", "--checkpoint", tmp_path / "note"),
        "postgresql://user@host/database": ("restore", file, "--database", "mysql://u:secret@host/x"),
        "cannot be used": ("audit", "--data", data, "--database", "postgresql://u:secret@127.0.0.1:1/x"),
    }.items():
        done = referee(*arguments)
        assert done.returncode == 2, words
        assert words in done.stderr
        assert "secret" not in done.stderr
        assert "Traceback" not in done.stderr


def test_database_may_be_named_by_the_environment(data: Path):
    """So that a password need not stand in a list of processes; a location that is named goes before it."""
    named = {"REFEREE_LOG_DATABASE": "postgresql://u:secret@127.0.0.1:1/x"}
    assert referee("audit", "--data", data, **named).returncode == 2
    assert referee("audit", data, **named).returncode == 0
