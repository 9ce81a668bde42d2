"""Answers of servers that remember nothing: a process of its own, which starts a server for each question.

Run as a script with a data folder and a time, it copies the folder for each question, starts a server on the copy whose
clock shows this time, asks, and stops the server. So no answer can depend on an earlier question, but by what this
process itself keeps, which another process keeps otherwise.
"""

import itertools
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import grpc
import structlog

from tests.driver.refusal import refusal_of
from tests.service.raw_server import RawServer

_ROOT: Final = Path(__file__).parents[2]
SECONDS: Final = 60


class Answer(NamedTuple):
    """The bytes of an answer, or what a refusal says: its code, reason, field, facts and message."""

    data: bytes
    refusal: dict[str, Any] | None = None


def ask(server: RawServer, method: str, request: bytes) -> Answer:
    """Ask a server; return its answer or refusal."""
    try:
        return Answer(server.channel.unary_unary(method)(request, timeout=SECONDS))
    except grpc.RpcError as error:
        return Answer(b"", asdict(refusal_of(partial(_raise, error))))


def _raise(error: Exception) -> None:
    raise error


class Fresh:
    """A process that answers each question by a new server on a copy of one log; it keeps the answers."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self._answers: dict[tuple[str, bytes], Answer] = {}

    def answer(self, method: str, request: bytes) -> Answer:
        """Return what a server answers that was asked nothing before."""
        if (method, request) not in self._answers:
            assert self._process.stdin is not None
            assert self._process.stdout is not None
            self._process.stdin.write(json.dumps([method, request.hex()]) + "\n")
            self._process.stdin.flush()
            data, refusal = json.loads(self._process.stdout.readline())
            self._answers[method, request] = Answer(bytes.fromhex(data), refusal)
        return self._answers[method, request]


@contextmanager
def fresh_answers(folder: Path, *, now: int) -> Iterator[Fresh]:
    """Start the process on a folder that no server uses; end it after the block."""
    command = [sys.executable, "-m", "tests.service.fresh_answers", str(folder), str(now)]
    with subprocess.Popen(command, cwd=_ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield Fresh(process)
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(SECONDS) == 0


def main() -> None:
    """Answer each line of the input."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    folder, now = Path(sys.argv[1]), int(sys.argv[2])
    for number, line in zip(itertools.count(), sys.stdin, strict=False):
        method, request = json.loads(line)
        copy = folder.with_name(f"{folder.name}-{number}")
        shutil.copytree(folder, copy)
        with closing(RawServer(copy)) as server:
            server.clock.now = now
            answer = ask(server, method, bytes.fromhex(request))
        shutil.rmtree(copy)
        sys.stdout.write(json.dumps([answer.data.hex(), answer.refusal]) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
