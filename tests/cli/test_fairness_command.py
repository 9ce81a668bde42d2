"""``referee fairness-report`` as a laboratory uses it: real processes, their output, pipes and exit codes."""

import itertools
import os
import shutil
import subprocess
import sys

import pytest

from referee.lab.fairness.rounds import streams
from tests.command import referee

SEED = "5eed" * 16
COMMAND = [sys.executable, "-m", "referee", "fairness-report"]
SECONDS = 200


def fairness_report(*arguments):
    return subprocess.run(
        [*COMMAND, *map(str, arguments)], capture_output=True, timeout=SECONDS, check=False, env={**os.environ}
    )


@pytest.mark.parametrize("seed", ["12", "zz" * 32, "00" * 33])
def test_a_seed_that_is_none_is_a_bad_question(seed):
    done = referee("fairness-report", "--seed", seed)
    assert done.returncode == 2
    assert "--seed" in done.stderr


def test_too_few_decks_are_a_bad_question():
    assert referee("fairness-report", "--decks", 1000).returncode == 2


@pytest.mark.parametrize("workers", [1, 2])
def test_the_stream_is_what_the_decks_are_drawn_from(workers):
    """Byte for byte, with any number of workers, and as many bytes as asked."""
    done = fairness_report("--stream", "--stream-bytes", 600_001, "--seed", SEED, "--workers", workers)
    assert done.returncode == 0, done.stderr
    expected = b"".join(itertools.islice(streams(bytes.fromhex(SEED)), 600_001 // 128 + 1))[:600_001]
    assert done.stdout == expected


def test_the_stream_ends_quietly_when_its_reader_has_enough():
    with subprocess.Popen(
        [*COMMAND, "--stream", "--seed", SEED], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as run:
        assert run.stdout is not None
        assert run.stderr is not None
        run.stdout.read(1000)
        run.stdout.close()
        complaint = run.stderr.read()
        assert run.wait(SECONDS) == 0, complaint
        assert complaint == b""


@pytest.mark.slow("learns or counts at length")
def test_dieharder_reads_the_stream():
    """Single bits of 400,000 numbers, read from the pipe: PASSED or WEAK, never FAILED, with this fixed seed."""
    dieharder = shutil.which("dieharder")
    if dieharder is None:
        pytest.skip("dieharder is not installed: apt-get install dieharder")
    with subprocess.Popen([*COMMAND, "--stream", "--seed", SEED], stdout=subprocess.PIPE) as run:
        read = subprocess.run(
            [dieharder, "-g", "200", "-d", "100", "-t", "20000", "-p", "20"],
            stdin=run.stdout,
            capture_output=True,
            text=True,
            timeout=SECONDS,
            check=True,
        )
        assert run.stdout is not None
        run.stdout.close()
        assert run.wait(SECONDS) == 0
    assert "sts_monobit" in read.stdout
    assert "PASSED" in read.stdout or "WEAK" in read.stdout
    assert "FAILED" not in read.stdout
