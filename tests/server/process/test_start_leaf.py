"""START leaves of a server: one where what judges has changed, and none otherwise."""

import os
import platform
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from referee.dealing.leaf import EDITABLE, START_TYPE, StartLeaf, parse
from referee.evidence.dsse import Envelope
from referee.log.installed import InstalledFiles
from referee.rulesets import Catalogue, load_builtin
from referee.server.process import start_leaf
from referee.server.process.app import Application
from referee.server.settings.access import AccessSettings, Issuer
from tests.driver.running import Running
from tests.server.options import server_options

KEYS = 3
"""Leaves that name the keys of a new log."""
ISSUER = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"
KILLED = """
import os, signal, sys
from contextlib import ExitStack
from pathlib import Path
from referee.server.process.opened_log import OpenedLog
from tests.server.options import server_options
with ExitStack() as opened:
    OpenedLog.open(server_options(data=Path(sys.argv[1])), (), opened)
    os.kill(os.getpid(), signal.SIGKILL)
"""
"""A server that is killed once its log is open, before it serves."""


def started(data: Path, **given: Any) -> list[bytes]:  # noqa: ANN401 - settings of any type
    """Start a server and stop it; return the log's leaves."""
    with Application(server_options(data=data, **given)) as application:
        return list(application.log.store.iterate())


def starts_in(leaves: list[bytes]) -> list[StartLeaf]:
    """Return the START leaves, in order."""
    read = [Envelope.parse(leaf) for leaf in leaves]
    return [parse(one.payload, StartLeaf) for one in read if one.payload_type == START_TYPE]


def test_first_start_of_a_log_follows_its_keys_and_a_second_start_says_nothing(tmp_path: Path) -> None:
    leaves = started(tmp_path)
    assert len(leaves) == KEYS + 1
    (start,) = starts_in(leaves[KEYS:])
    assert (start.instance, start.package) == ("referee", EDITABLE)
    assert start.python.startswith(".".join(map(str, sys.version_info[:3])))
    assert {one.digest for one in start.rulesets} == {one.digest.hex() for one in load_builtin()}
    assert started(tmp_path) == leaves


@pytest.mark.parametrize(
    "given",
    [
        {"catalogue": Catalogue(list(load_builtin())[1:])},
        {"sweep": False},
        {"fixture_seed": lambda _: bytes(32)},
        {"access": AccessSettings(issuers=(Issuer(key=ISSUER),))},
    ],
    ids=["rulesets", "sweep", "suite", "access"],
)
def test_server_of_other_rulesets_or_settings_says_so_once(tmp_path: Path, given: dict[str, Any]) -> None:
    before = started(tmp_path)
    after = started(tmp_path, **given)
    assert len(after) == len(before) + 1
    old, new = starts_in(after)
    is_catalogue = "catalogue" in given
    assert (old.rulesets != new.rulesets, old.settings != new.settings) == (is_catalogue, not is_catalogue)
    assert started(tmp_path, **given) == after


@pytest.mark.parametrize("given", [{"threads": 2}, {"quiet": True}, {"metrics": "127.0.0.1:0"}])
def test_settings_that_matter_to_no_round_are_not_said(tmp_path: Path, given: dict[str, Any]) -> None:
    assert started(tmp_path, **given) == started(tmp_path)


@pytest.mark.parametrize("part", ["version", "package", "python"])
def test_other_program_says_so_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str) -> None:
    before = started(tmp_path)
    changed = {"version": "0.1.1", "package": "ab" * 32, "python": "3.99.0"}[part]
    if part == "python":
        monkeypatch.setattr(platform, "python_version", lambda: changed)
    else:
        files = InstalledFiles("0.1.1", EDITABLE) if part == "version" else InstalledFiles("0.1.0", changed)
        monkeypatch.setattr(start_leaf, "installed_files", lambda: files)
    after = started(tmp_path)
    assert len(after) == len(before) + 1
    assert getattr(starts_in(after)[-1], part) == changed
    assert started(tmp_path) == after


def test_two_servers_of_one_log_have_a_start_each_and_run_together(tmp_path: Path) -> None:
    """Neither START makes the other server think that the log's keys were changed."""
    with Application(server_options(data=tmp_path, instance="room-1")) as one:
        with Application(server_options(data=tmp_path, instance="room-2")) as other:
            one.log.guard.check(one.log.store.head())
            other.log.guard.check(other.log.store.head())
        leaves = list(one.log.store.iterate())
    assert [start.instance for start in starts_in(leaves)] == ["room-1", "room-2"]
    fewer = Catalogue(list(load_builtin())[1:])
    leaves = started(tmp_path, instance="room-1", catalogue=fewer)
    assert started(tmp_path, instance="room-2") == leaves
    assert started(tmp_path, instance="room-1", catalogue=fewer) == leaves
    assert [start.instance for start in starts_in(leaves)] == ["room-1", "room-2", "room-1"]


def test_server_that_does_not_judge_says_nothing(tmp_path: Path) -> None:
    assert len(started(tmp_path, services=("log", "shuffler", "rulesets"))) == KEYS
    assert len(started(tmp_path)) == KEYS + 1


def test_further_worker_of_a_server_says_nothing(tmp_path: Path) -> None:
    with Application(server_options(data=tmp_path)) as first:
        verified = first.log.verified
        leaves = list(first.log.store.iterate())
        assert started(tmp_path, verified=verified, catalogue=Catalogue(list(load_builtin())[1:])) == leaves


def test_server_killed_before_it_serves_says_nothing_twice(tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], env=os.environ, timeout=120, check=False)
    assert done.returncode == -signal.SIGKILL
    leaves = started(tmp_path)
    assert len(leaves) == KEYS + 1
    assert len(starts_in(leaves)) == 1


def test_audit_prints_what_judged(running: Running) -> None:
    report = running.audit()
    assert report.findings == ()
    assert ([one.leaf_index for one in report.starts], report.start_count) == ([KEYS], 1)


def test_more_rulesets_than_a_leaf_can_name_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(start_leaf, "MAX_RULESETS", 2)
    with pytest.raises(start_leaf.TooManyRulesetsError, match="a START, which names 2: serve fewer"):
        started(tmp_path)
