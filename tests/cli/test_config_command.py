"""``referee config``, ``serve --config`` and ``doctor``: what holds, what is wrong, and what is served with it."""

import json
from importlib import resources
from pathlib import Path

import grpc
import psutil
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from referee.server.process.app import Application
from referee.server.settings.reading import KEYS
from referee.server.settings.variable import variable_of
from tests.cli.printing import printed
from tests.command import Done, referee, refused
from tests.driver.refusal import ending_of
from tests.server.options import server_options
from tests.server.processes import Serve


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "referee.toml"
    path.write_text('[serve]\nthreads = 3\n\n[log]\ndatabase = "postgresql://u:hunter2@h/d?password=hunter3"\n')
    return path


def test_show_says_of_each_key_what_holds_and_why(file: Path) -> None:
    """As JSON, every key; for people, the same."""
    shown = json.loads(printed("config", "show", "--config", file, "--json", REFEREE_SERVE_QUEUE="7"))
    assert list(shown) == list(KEYS)
    assert shown["serve.threads"] == {"value": 3, "source": f"{file}, line 2"}
    assert shown["serve.queue"] == {"value": 7, "source": "REFEREE_SERVE_QUEUE"}
    assert shown["serve.workers"] == {"value": 1, "source": "default"}
    text = printed("config", "show", "--config", file)
    assert all(f"[{section}]" in text for section in ("serve", "log", "keys", "limits", "web"))
    assert "line 2" in text.replace("\n", "")


def test_show_prints_no_password(file: Path) -> None:
    """Neither of the address nor of the query, in no form."""
    for form in ([], ["--json"]):
        text = printed("config", "show", "--config", file, *form)
        assert "postgresql://u:…@h/d?password=…" in text.replace("\n", "").replace(" ", "")
        assert "hunter" not in text


def test_check_reports_everything_that_is_wrong_and_ends_with_two(file: Path) -> None:
    file.write_text("[serve]\nthredas = 3\nqueue = 0\n")
    message = refused("config", "check", "--config", file, "--set", "log.orign=x")
    for words in ("line 2: serve.thredas", "did you mean threads?", "line 3: serve.queue", "log.origin?"):
        assert words in message
    assert printed("config", "check") == f"0 of {len(KEYS)} keys set, nothing wrong\n"


def test_the_configuration_may_be_named_by_a_variable(file: Path) -> None:
    assert printed("config", "check", REFEREE_CONFIG=str(file)) == f"2 of {len(KEYS)} keys set, nothing wrong\n"


def test_example_is_the_file_that_is_tested() -> None:
    text = resources.files("referee.server").joinpath("deploy/referee.toml").read_text(encoding="utf-8")
    assert printed("config", "example") == text


def test_serve_reports_everything_that_is_wrong_before_it_makes_anything(tmp_path: Path) -> None:
    """All sources at once, exit code 2, no folder."""
    message = refused(
        *("serve", "--data", tmp_path / "data", "--workers", "65", "--services", "log,poker"),
        *("--set", "limits.burst=1", "--set", "serve.threads=0"),
        REFEREE_SERVE_DRAIN_LEAD="soon",
    )
    for words in ("--set serve.threads", "--workers", "REFEREE_SERVE_DRAIN_LEAD", "'poker'", "limits.burst"):
        assert words in message
    assert not (tmp_path / "data").exists()


def test_server_serves_by_its_file_and_its_variables(tmp_path: Path, serve: Serve, monkeypatch) -> None:
    """The services of the file, the origin of a variable, the address of a flag."""
    file = tmp_path / "referee.toml"
    file.write_text('[serve]\nservices = ["rulesets", "log"]\nlisten = "127.0.0.1:1"\n')
    monkeypatch.setenv("REFEREE_LOG_ORIGIN", "log.example/file")
    server = serve("--config", str(file))
    assert server.ready["origin"] == "log.example/file"
    health = health_pb2_grpc.HealthStub(server.channel)
    served = health_pb2.HealthCheckRequest(service="referee.v1.LogService")
    assert health.Check(served).status == health_pb2.HealthCheckResponse.SERVING
    other = health_pb2.HealthCheckRequest(service="referee.v1.ShufflerService")
    assert ending_of(health.Check, other)[0] == "NOT_FOUND"


@pytest.mark.slow("starts many processes")
def test_worker_that_starts_again_serves_as_it_did_whatever_the_file_says_now(tmp_path: Path, serve: Serve) -> None:
    """The file is broken meanwhile; a worker is killed, and the one in its place answers at the same address."""
    file = tmp_path / "referee.toml"
    file.write_text("[serve]\nworkers = 2\nquiet = true\n")
    server = serve("--config", str(file))
    first = psutil.Process(server.pid).children()
    assert len(first) == 2
    file.write_text("[serve]\nworkers = 'many'\n")
    for one in first:
        one.kill()
    with grpc.insecure_channel(server.ready["address"]) as channel:
        health = health_pb2_grpc.HealthStub(channel)
        answer = health.Check(health_pb2.HealthCheckRequest(), wait_for_ready=True, timeout=120)
        assert answer.status == health_pb2.HealthCheckResponse.SERVING
    assert not set(psutil.Process(server.pid).children()) & set(first)


def test_worker_without_its_supervisor_says_so(tmp_path: Path) -> None:
    message = refused("serve", "--data", tmp_path / "data", "--worker", "0")
    assert "a worker is started by `referee serve --workers`" in message


def test_names_of_variables_are_those_that_the_example_promises() -> None:
    assert variable_of("serve.threads") == "REFEREE_SERVE_THREADS"


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a data folder that a server has founded."""
    with Application(server_options(data=tmp_path / "data")):
        return tmp_path / "data"


def doctor(*arguments: object, **environ: str) -> Done:
    """Examine a server on a free port."""
    return referee("doctor", "--set", "serve.listen=127.0.0.1:0", *arguments, COLUMNS="400", **environ)


def test_doctor_ends_with_nothing_where_a_server_can_serve(data: Path) -> None:
    done = doctor("--data", data)
    assert (done.returncode, "✗" in done.stdout) == (0, False), done.stdout
    for words in ("configuration", "2 of", "store", "4 leaves hash to the head", "keys", "clock", "machine", " well"):
        assert words in done.stdout


def test_doctor_ends_with_one_and_says_what_to_do_where_something_failed(data: Path) -> None:
    path = data / "keys" / "log.key"
    path.chmod(0o644)
    done = doctor("--set", f"log.data={data}")
    assert (done.returncode, "1 failed" in done.stdout) == (1, True)
    assert f"→ run: chmod 600 {path}" in done.stdout


def test_keys_without_a_log_are_asked_for_their_database(data: Path) -> None:
    """A log in PostgreSQL is not created in the folder at the first start."""
    (data / "log.sqlite3").unlink()
    done = doctor("--data", data)
    assert "is created at the first start" not in done.stdout
    assert "name the right place" in " ".join(done.stdout.split())
    away = "postgresql://u:secret@127.0.0.1:1/x"
    for done in (doctor("--data", data, "--database", away), doctor("--data", data, REFEREE_LOG_DATABASE=away)):
        assert (done.returncode, "the database cannot be used" in " ".join(done.stdout.split())) == (1, True)
        assert "log.sqlite3" not in done.stdout


def test_json_of_the_doctor_has_the_same_findings(data: Path) -> None:
    given = json.loads(doctor("--set", f"log.data={data}", "--json").stdout)
    assert given["ok"] is True
    assert {one["group"] for one in given["checks"]} == {"configuration", "store", "keys", "clock", "machine"}
    assert all(set(one) == {"group", "check", "level", "measured", "remedy"} for one in given["checks"])
    (data / "keys" / "log.key").unlink()
    done = doctor("--set", f"log.data={data}", "--json")
    given = json.loads(done.stdout)
    assert (done.returncode, given["ok"]) == (1, False)
    assert [one["check"] for one in given["checks"] if one["level"] == "FAIL"] == ["log"]


def test_configuration_that_is_wrong_is_all_that_the_doctor_reports(file: Path) -> None:
    file.write_text("[serve]\nthredas = 1\nqueue = 0\n")
    done = doctor("--config", file, "--json")
    checks = json.loads(done.stdout)["checks"]
    assert (done.returncode, [one["group"] for one in checks]) == (1, ["configuration"] * 2)
    assert [one["check"] for one in checks] == [f"{file}, line 2: serve.thredas", f"{file}, line 3"]
    assert checks[0]["remedy"] == "did you mean threads?"
