"""Two servers that start on one empty database at the same moment."""

import json
import os
import shutil
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

from referee.server.keys.folder import KeyFolder
from referee.server.keys.registry import KeyRegistry
from referee.storage.postgres import open_postgres_reader

Start: TypeAlias = "Callable[[Path, str], subprocess.Popen[str]]"
SECONDS: Final = 120


@pytest.fixture
def start() -> Iterator[Start]:
    """Start servers; end them with the test."""
    started: list[subprocess.Popen[str]] = []

    def begin(data: Path, url: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "referee", "serve", "--data", str(data), "--listen", "127.0.0.1:0", "--quiet"]
        started.append(
            subprocess.Popen([*command, "--database", url], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        )
        return started[-1]

    yield begin
    for process in started:
        with process:
            process.terminate()
            process.wait(SECONDS)


@pytest.mark.parametrize("is_same", [pytest.param(True, marks=pytest.mark.slow("starts many processes")), False])
def test_keys_are_named_once_in_either_order(
    start: Start,
    postgres: Any,  # noqa: ANN401 - has its class in postgres_server
    tmp_path: Path,
    *,
    is_same: bool,
) -> None:
    """With the same keys both serve; with other ones one does, and the other says why. Four leaves, either way."""
    url = postgres.make_schema(f"test_{uuid.uuid4().hex}")
    folders = [tmp_path / "one", tmp_path / "two"]
    first = KeyFolder.open_or_make(folders[0] / "keys", origin="localhost/referee", entropy=os.urandom)
    if is_same:
        shutil.copytree(folders[0] / "keys", folders[1] / "keys")
    processes = [start(folder, url) for folder in folders]
    printed = [process.stdout.readline() for process in processes if process.stdout]
    ready = [json.loads(line)["event"] for line in printed if line]
    assert ready == ["ready"] * (2 if is_same else 1)
    for process, line in zip(processes, printed, strict=True):
        if not line:
            assert process.wait(SECONDS) == 2
            errors = process.stderr.read() if process.stderr else ""
            assert "other keys" in errors or "did not sign" in errors
    reader = open_postgres_reader(url)
    size = reader.head().size
    assert size == 4  # three keys and START
    if is_same:
        assert len(KeyRegistry.of(reader, first.public["root"]).records) == 3
    reader.close()
