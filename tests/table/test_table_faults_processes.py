"""Processes of the command ``referee-table``: a port that was taken meanwhile, and the end of all that it started."""

import asyncio
import json
import socket
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import psutil
import pytest
from referee_table.launch import referee_beside

from tests.chaos.process import STOP_SECONDS


async def test_referee_whose_port_is_taken_in_the_instant_before_it_listens_starts_elsewhere(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its former port, found free, as after a kill of the table; from then on it keeps the new one."""
    async with referee_beside(tmp_path / "referee", origins=[]) as before:
        pass
    host, _, port = before.grpc.rpartition(":")
    start, taken = asyncio.create_subprocess_exec, ExitStack()

    async def take_and_start(*command: Any, **how: Any) -> Any:  # noqa: ANN401 - of asyncio
        monkeypatch.undo()
        taken.enter_context(socket.create_server((host, int(port))))
        return await start(*command, **how)

    with taken:
        monkeypatch.setattr(asyncio, "create_subprocess_exec", take_and_start)
        async with referee_beside(tmp_path / "referee", origins=[]) as found:
            assert found.grpc != before.grpc
    async with referee_beside(tmp_path / "referee", origins=[]) as again:
        assert again == found


@pytest.mark.parametrize("signal", ["terminate", "kill"])
def test_all_that_a_table_started_ends_with_it(tmp_path: Path, signal: str) -> None:
    command = [sys.executable, "-m", "referee_table", "--listen", "127.0.0.1:0", "--data", str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as table:
        assert table.stdout is not None
        assert json.loads(table.stdout.readline())["event"] == "ready"
        started = psutil.Process(table.pid).children(recursive=True)
        assert started
        getattr(table, signal)()
        table.wait(STOP_SECONDS)
        _, left = psutil.wait_procs(started, timeout=STOP_SECONDS)
        assert left == []
