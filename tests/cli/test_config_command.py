"""``referee config`` and ``referee serve --config``: what holds, what is wrong, and that workers serve with it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any, Final

import grpc
import psutil
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from typer.testing import CliRunner, Result

from referee.cli.main import app
from referee.server.settings.reading import KEYS
from referee.server.settings.variable import variable_of

START_SECONDS: Final = 120
LINES: Final = {"COLUMNS": "120", "TERM": "dumb"}


def referee(*arguments: str, **environ: str) -> Result:
    """Run the command in this process."""
    return CliRunner().invoke(app, list(arguments), env={**LINES, **environ})


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "referee.toml"
    path.write_text('[serve]\nthreads = 3\n\n[log]\ndatabase = "postgresql://u:hunter2@h/d?password=hunter3"\n')
    return path


def test_show_says_of_each_key_what_holds_and_why(file: Path) -> None:
    """As JSON, every key; for people, the same."""
    done = referee("config", "show", "--config", str(file), "--json", REFEREE_SERVE_QUEUE="7")
    shown = json.loads(done.stdout)
    assert done.exit_code == 0
    assert list(shown) == list(KEYS)
    assert shown["serve.threads"] == {"value": 3, "source": f"{file}, line 2"}
    assert shown["serve.queue"] == {"value": 7, "source": "REFEREE_SERVE_QUEUE"}
    assert shown["serve.workers"] == {"value": 1, "source": "default"}
    done = referee("config", "show", "--config", str(file))
    assert done.exit_code == 0
    assert all(f"[{section}]" in done.stdout for section in ("serve", "log", "keys", "limits", "web"))
    assert "line 2" in done.stdout.replace("\n", "")


def test_show_prints_no_password(file: Path) -> None:
    """Neither of the address nor of the query, in no form."""
    for form in ([], ["--json"]):
        done = referee("config", "show", "--config", str(file), *form)
        assert "postgresql://u:…@h/d?password=…" in done.stdout.replace("\n", "").replace(" ", "")
        assert "hunter" not in done.stdout


def test_check_reports_everything_that_is_wrong_and_ends_with_two(file: Path) -> None:
    file.write_text("[serve]\nthredas = 3\nqueue = 0\n")
    done = referee("config", "check", "--config", str(file), "--set", "log.orign=x")
    assert done.exit_code == 2
    assert done.stdout == ""
    for words in ("line 2: serve.thredas", "did you mean threads?", "line 3: serve.queue", "log.origin?"):
        assert words in done.stderr
    assert referee("config", "check").stdout == f"0 of {len(KEYS)} keys set, nothing wrong\n"


def test_the_configuration_may_be_named_by_a_variable(file: Path) -> None:
    done = referee("config", "check", REFEREE_CONFIG=str(file))
    assert done.stdout == f"2 of {len(KEYS)} keys set, nothing wrong\n"


def test_example_is_the_file_that_is_tested() -> None:
    text = resources.files("referee.server").joinpath("deploy/referee.toml").read_text(encoding="utf-8")
    assert referee("config", "example").stdout == text


def test_serve_reports_everything_that_is_wrong_before_it_makes_anything(tmp_path: Path) -> None:
    """All sources at once, exit code 2, no folder."""
    done = referee(
        *("serve", "--data", str(tmp_path / "data"), "--workers", "65", "--services", "log,poker"),
        *("--set", "limits.burst=1", "--set", "serve.threads=0"),
        REFEREE_SERVE_DRAIN_LEAD="soon",
    )
    assert done.exit_code == 2
    for words in ("--set serve.threads", "--workers", "REFEREE_SERVE_DRAIN_LEAD", "'poker'", "limits.burst"):
        assert words in done.stderr
    assert not (tmp_path / "data").exists()


@contextmanager
def serving(*arguments: str, errors: Path, **environ: str) -> Iterator[tuple[psutil.Popen, dict[str, Any]]]:
    """Run a server for the block; yield its process and its ready line."""
    command = [sys.executable, "-m", "referee", "serve", *arguments]
    with (
        errors.open("wb") as log,
        psutil.Popen(command, stdout=subprocess.PIPE, stderr=log, env={**os.environ, **environ}) as process,
    ):
        printed = process.stdout.readline()
        assert printed, errors.read_text(encoding="utf-8")
        try:
            yield process, json.loads(printed)
        finally:
            process.terminate()
            process.wait(START_SECONDS)


def test_server_serves_by_its_file_and_its_variables(tmp_path: Path) -> None:
    """The services of the file, the origin of a variable, the address of a flag."""
    file = tmp_path / "referee.toml"
    file.write_text(
        f'[serve]\nservices = ["rulesets", "log"]\nlisten = "127.0.0.1:1"\n\n[log]\ndata = "{tmp_path}/d"\n'
    )
    arguments = ("--config", str(file), "--listen", "127.0.0.1:0")
    with serving(*arguments, errors=tmp_path / "errors", REFEREE_LOG_ORIGIN="log.example/file") as (_, ready):
        assert ready["origin"] == "log.example/file"
        with grpc.insecure_channel(ready["address"]) as channel:
            health = health_pb2_grpc.HealthStub(channel)
            served = health_pb2.HealthCheckRequest(service="referee.v1.LogService")
            assert health.Check(served).status == health_pb2.HealthCheckResponse.SERVING
            with pytest.raises(grpc.RpcError, match="NOT_FOUND"):
                health.Check(health_pb2.HealthCheckRequest(service="referee.v1.ShufflerService"))


@pytest.mark.slow("starts many processes")
def test_worker_that_starts_again_serves_as_it_did_whatever_the_file_says_now(tmp_path: Path) -> None:
    """The file is broken meanwhile; a worker is killed, and the one in its place answers at the same address."""
    file = tmp_path / "referee.toml"
    file.write_text(f'[serve]\nworkers = 2\nlisten = "127.0.0.1:0"\nquiet = true\n\n[log]\ndata = "{tmp_path}/d"\n')
    with serving("--config", str(file), errors=tmp_path / "errors") as (process, ready):
        first = process.children()
        assert len(first) == 2
        file.write_text("[serve]\nworkers = 'many'\n")
        for one in first:
            one.kill()
        with grpc.insecure_channel(ready["address"]) as channel:
            health = health_pb2_grpc.HealthStub(channel)
            request = health_pb2.HealthCheckRequest()
            answer = health.Check(request, wait_for_ready=True, timeout=START_SECONDS)
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
        assert not set(process.children()) & set(first)


def test_worker_without_its_supervisor_says_so(tmp_path: Path) -> None:
    done = referee("serve", "--data", str(tmp_path / "data"), "--worker", "0")
    assert done.exit_code == 2
    assert "a worker is started by `referee serve --workers`" in done.stderr


def test_names_of_variables_are_those_that_the_example_promises() -> None:
    assert variable_of("serve.threads") == "REFEREE_SERVE_THREADS"
