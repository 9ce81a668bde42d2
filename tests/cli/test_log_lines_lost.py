"""Log lines that cannot be written: lost, and nothing else."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

SAY = (
    "from referee.cli import logging; logging.configure(quiet=False); import structlog; log = structlog.get_logger(); "
)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_line_that_finds_no_room_is_lost_and_the_program_goes_on() -> None:
    """On a full disk a server that could not say that it answered would otherwise not answer."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-c", SAY + "[log.info('line') for _ in range(1000)]; print('answered')"],
            stdout=subprocess.PIPE,
            stderr=full,
            timeout=120,
            check=False,
        )
    assert (done.stdout, done.returncode) == (b"answered\n", 0)


def test_line_that_nobody_reads_any_more_is_lost_and_the_program_goes_on() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [sys.executable, "-c", SAY + "log.info('line'); print('answered')"],
            stdout=subprocess.PIPE,
            stderr=writer,
            timeout=120,
            check=False,
        )
    finally:
        os.close(writer)
    assert (done.stdout, done.returncode) == (b"answered\n", 0)


def test_line_that_can_be_written_is_written_whole() -> None:
    done = subprocess.run(
        [sys.executable, "-c", SAY + "log.info('line', words='x' * 100_000)"],
        capture_output=True,
        timeout=120,
        check=True,
    )
    assert done.stderr.startswith(b"{")
    assert done.stderr.endswith(b"}\n")
    assert len(done.stderr) > 100_000
