"""An advice process that cannot be started: one refused question, and the next one has another process."""

import errno
import multiprocessing
import subprocess
import sys
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
from referee.server.settings.advice import AdviceSettings
from referee.server.process.app import Application
from referee.server.process.options import ServerOptions
from referee.server.settings.configuration import Configuration, LogSettings, ServeSettings
from referee_client import Client, Terms

configuration = Configuration(
    serve=ServeSettings(listen="127.0.0.1:0", drain_lead=0.0),
    log=LogSettings(data=f"data-{os.getpid()}"),
    advice=AdviceSettings(seconds=100),
)
options = ServerOptions(configuration=configuration, sweep=False)
with Application(options) as app, Client(f"127.0.0.1:{app.port}", timeout=100) as client:
    game = client.mau_binh(Terms(table="t", ruleset="mau_binh.classic", seats=2, stake=100))
    game.open()
    game.deal()
    print("suggested", len(game.suggest(0, count=1).suggestions))
"""


def processes_that_fail(error: Exception, *, times: int) -> Any:  # noqa: ANN401 - a stand-in for a context
    """Return a context whose first processes cannot be started."""
    context = multiprocessing.get_context("spawn")
    faults = [error] * times

    def start() -> None:
        raise faults.pop()

    def process(**given: Any) -> BaseProcess:  # noqa: ANN401 - what the context takes
        made = context.Process(**given)
        if faults:
            made.start = start  # type: ignore[method-assign] # of this one
        return made

    return SimpleNamespace(Pipe=context.Pipe, Process=process)


@pytest.mark.parametrize(("error", "reason", "text"), FAULTS, ids=["for want of something", "for good"])
def test_question_after_a_failed_start_has_another_process(monkeypatch, error, reason, text):
    context = processes_that_fail(error, times=1)
    monkeypatch.setattr(advising, "_context", lambda: context)
    pool = AdvicePool(AdviceSettings(processes=1, seconds=SECONDS))
    with pytest.raises(RefusedError, match=text) as caught:
        pool.compute(len, "four")
    assert caught.value.reason == reason
    assert (pool.running, pool.pids) == (0, [])
    assert pool.compute(len, "four") == 4
    pool.close()


def test_pool_whose_process_never_started_can_be_closed(monkeypatch):
    context = processes_that_fail(OSError(errno.ENOMEM, "Cannot allocate memory"), times=1)
    monkeypatch.setattr(advising, "_context", lambda: context)
    pool = AdvicePool(AdviceSettings(processes=2))
    with pytest.raises(RefusedError):
        pool.compute(len, "four")
    pool.close()


def test_process_that_was_never_asked_can_be_killed():
    process = AdviceProcess()
    process.kill()
    assert process.pid is None


def run_script(folder: Path, text: str) -> subprocess.CompletedProcess[str]:
    """Run a script that starts a server and asks for advice."""
    script = folder / "script.py"
    script.write_text(text, encoding="utf-8")
    return subprocess.run(
        [sys.executable, str(script)],
        cwd=folder,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=5 * SECONDS,
        check=False,
    )


@pytest.mark.slow("starts a server and processes that import its script")
def test_script_without_a_main_guard_reads_what_to_write(tmp_path):
    """The script's own call says what to write, and the process that imported the script has Python's own words."""
    run = run_script(tmp_path, SCRIPT)
    assert run.returncode == 1
    assert "AttributeError" not in run.stderr
    assert "before the\ncurrent process has finished its bootstrapping phase" in run.stderr
    last = run.stderr.splitlines()[-1]
    assert "no process for advice can be started" in last
    assert 'below `if __name__ == "__main__":`' in last


@pytest.mark.slow("starts a server and processes that import its script")
def test_script_with_a_main_guard_is_advised(tmp_path):
    head, body = SCRIPT.split("\n\n", 1)
    indented = "\n".join(f"    {line}" for line in body.splitlines())
    run = run_script(tmp_path, f'{head}\n\nif __name__ == "__main__":\n{indented}\n')
    assert (run.returncode, run.stderr) == (0, "")
    assert "suggested " in run.stdout
