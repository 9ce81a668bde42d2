"""An advice process that cannot be started: one refused question, and the next one has another process."""

import errno
import multiprocessing
import subprocess
import sys
from collections.abc import Callable
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import SimpleNamespace
from typing import Any, Final

import pytest

from referee.server.limits import advising
from referee.server.limits.advising import AdvicePool, AdviceProcess
from referee.server.settings.advice import AdviceSettings
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError

SECONDS: Final = 60
FAULTS: Final = [
    (OSError(errno.EAGAIN, "Resource temporarily unavailable"), ErrorReason.ERROR_REASON_ADVICE_LOST, "asking again"),
    (RuntimeError("no bootstrapping"), ErrorReason.ERROR_REASON_INTERNAL, "no bootstrapping"),
]
SCRIPT: Final = """\
import os
import grpc
from referee.server.settings.advice import AdviceSettings
from referee.server.process.app import Application
from referee.server.process.options import ServerOptions
from referee.server.settings.configuration import Configuration, LogSettings, ServeSettings
from referee.v1 import advice_pb2, advice_pb2_grpc, mau_binh_pb2, mau_binh_pb2_grpc

configuration = Configuration(
    serve=ServeSettings(listen="127.0.0.1:0", drain_lead=0.0),
    log=LogSettings(data=f"data-{os.getpid()}"),
    advice=AdviceSettings(seconds=300),
)
options = ServerOptions(configuration=configuration, sweep=False)
cards = [1, 2, 7, 8, 13, 18, 19, 24, 29, 34, 39, 44, 49]
hand = advice_pb2.FreeHand(cards=cards, ruleset_id="mau_binh.classic", seat_count=2)
with Application(options) as app, grpc.insecure_channel(f"127.0.0.1:{app.port}") as channel:
    stub = advice_pb2_grpc.AdviceServiceStub(channel)
    request = advice_pb2.SuggestArrangementRequest(free=hand, count=1)
    try:
        print("suggested", len(stub.SuggestArrangement(request, timeout=300).suggestions))
    except grpc.RpcError as error:
        raise RuntimeError(error.details()) from None
"""


@pytest.fixture
def fail_to_start(monkeypatch) -> Callable[[Exception], None]:
    """Return a function after which the first process for advice cannot be started."""

    def fail(error: Exception) -> None:
        context, faults = multiprocessing.get_context("spawn"), [error]

        def start() -> None:
            raise faults.pop()

        def process(**given: Any) -> BaseProcess:  # noqa: ANN401 - what the context takes
            made = context.Process(**given)
            if faults:
                made.start = start  # type: ignore[method-assign] # of this one
            return made

        monkeypatch.setattr(advising, "_context", lambda: SimpleNamespace(Pipe=context.Pipe, Process=process))

    return fail


@pytest.mark.parametrize(("error", "reason", "text"), FAULTS, ids=["for want of something", "for good"])
def test_question_after_a_failed_start_has_another_process(fail_to_start, error, reason, text):
    fail_to_start(error)
    pool = AdvicePool(AdviceSettings(processes=1, seconds=SECONDS))
    with pytest.raises(RefusedError, match=text) as caught:
        pool.compute(len, "four")
    assert caught.value.reason == reason
    assert (pool.running, pool.pids) == (0, [])
    assert pool.compute(len, "four") == 4
    pool.close()


def test_pool_whose_process_never_started_can_be_closed(fail_to_start):
    fail_to_start(OSError(errno.ENOMEM, "Cannot allocate memory"))
    pool = AdvicePool(AdviceSettings(processes=2))
    with pytest.raises(RefusedError):
        pool.compute(len, "four")
    pool.close()


def test_process_that_was_never_asked_can_be_killed():
    process = AdviceProcess()
    process.kill()
    assert process.pid is None


@pytest.fixture
def run_script(tmp_path: Path) -> Callable[[str], "subprocess.CompletedProcess[str]"]:
    """Return a function that runs a script that starts a server and asks for advice."""

    def run(text: str) -> "subprocess.CompletedProcess[str]":
        (tmp_path / "script.py").write_text(text, encoding="utf-8")
        command = [sys.executable, "script.py"]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=400, check=False)

    return run


@pytest.mark.timeout(450)
@pytest.mark.slow("starts a server and processes that import its script")
def test_script_without_a_main_guard_reads_what_to_write(run_script):
    """The script's own call says what to write, and the process that imported the script has Python's own words."""
    run = run_script(SCRIPT)
    assert run.returncode == 1
    assert "AttributeError" not in run.stderr
    assert "before the\ncurrent process has finished its bootstrapping phase" in run.stderr
    last = run.stderr.splitlines()[-1]
    assert "no process for advice can be started" in last
    assert 'below `if __name__ == "__main__":`' in last


@pytest.mark.timeout(450)
@pytest.mark.slow("starts a server and processes that import its script")
def test_script_with_a_main_guard_is_advised(run_script):
    head, body = SCRIPT.split("\n\n", 1)
    indented = "\n".join(f"    {line}" for line in body.splitlines())
    run = run_script(f'{head}\n\nif __name__ == "__main__":\n{indented}\n')
    assert (run.returncode, run.stderr) == (0, "")
    assert "suggested 1" in run.stdout
