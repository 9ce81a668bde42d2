"""The harness as its users meet it: a process, a line of JSON, and calls over HTTP."""

import json
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from typing import Any, TypeVar

import grpc

from tests.driver.refusal import REFUSED, code_of

TIMEOUT = 120
"""Seconds for a process that starts or ends on a machine with much else to do."""


Answer = TypeVar("Answer")


def persist(call: Callable[[], Answer]) -> Answer:
    """Send the request until its connection holds, and return the answer."""
    ends = time.monotonic() + TIMEOUT
    while True:
        try:
            return call()
        except REFUSED as error:
            if code_of(error) is not grpc.StatusCode.UNAVAILABLE or time.monotonic() > ends:
                raise
            time.sleep(0.05)


def ask(address: str, verb: str, path: str, given: object = None, **headers: str) -> tuple[int, dict[str, Any]]:
    """Return the status and answer of a call over HTTP and JSON."""
    connection = HTTPConnection(address, timeout=TIMEOUT)
    try:
        body = given if isinstance(given, bytes) else None if given is None else json.dumps(given).encode()
        connection.request(verb, path, body, headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read() or b"{}")
    finally:
        connection.close()


@dataclass(frozen=True)
class Running:
    """A running harness: its process and the line that it printed."""

    process: subprocess.Popen[str]
    ready: dict[str, Any]

    def ask(self, verb: str, path: str, given: object = None, **headers: str) -> tuple[int, dict[str, Any]]:
        """Return the status and answer of a call."""
        return ask(self.ready["control"].removeprefix("http://"), verb, path, given, **headers)


@contextmanager
def harness_process(*options: str) -> Iterator[Running]:
    """Run a harness for the block; end it by its standard input."""
    with subprocess.Popen(
        [sys.executable, "-m", "referee_harness", "--until-eof", *options],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield Running(process, json.loads(process.stdout.readline()))
        finally:
            process.stdin.close()
            assert process.wait(TIMEOUT) == 0
