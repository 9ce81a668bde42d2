"""Every example of the manuals runs as printed, against a real server."""

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from referee_harness import Harness

CLIENTS = Path(__file__).parents[2] / "clients"
PYTHON = (CLIENTS / "python" / "README.md").read_text(encoding="utf-8")
CRASHES = (CLIENTS / "python" / "CRASHES.md").read_text(encoding="utf-8")
AFTERNOON = (CLIENTS / "README.md").read_text(encoding="utf-8")
ADDRESS = "127.0.0.1:50051"
TIMEOUT = 240
WITH = "from referee_client import Arrangement, Client, SeatSecrets, Terms\n\nclient = Client('127.0.0.1:50051')\n"


def blocks(manual: str) -> list[str]:
    return re.findall(r"```python\n(.*?)```", manual, re.DOTALL)


@pytest.fixture(scope="module")
def harness() -> Iterator[Harness]:
    with Harness() as running:
        yield running


def run(*arguments: str, folder: Path) -> str:
    """Return what a command prints; it must end well."""
    ran = subprocess.run(
        [sys.executable, "-W", "error", *arguments],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


@pytest.mark.parametrize(
    ("index", "given"),
    [(0, "played again by the rules: True"), (1, "OUT_OF_CARDS"), (2, "house"), (3, "["), (5, ""), (6, "")],
)
def test_an_example_of_the_client_runs(harness: Harness, tmp_path: Path, index: int, given: str):
    """The fourth block names keys that nobody has and is read by people alone."""
    example = blocks(PYTHON)[index]
    example = example if "import" in example else WITH + example
    (tmp_path / "example.py").write_text(example.replace(ADDRESS, harness.grpc), encoding="utf-8")
    assert given in run("example.py", folder=tmp_path)


@pytest.mark.parametrize(("index", "given"), [(0, "["), (1, "")])
def test_an_example_of_what_to_do_after_a_crash_runs(harness: Harness, tmp_path: Path, index: int, given: str):
    (tmp_path / "example.py").write_text(blocks(CRASHES)[index].replace(ADDRESS, harness.grpc), encoding="utf-8")
    assert given in run("example.py", folder=tmp_path)


def test_the_manual_has_no_example_that_is_not_run():
    assert len(blocks(CRASHES)) == 2
    assert len(blocks(PYTHON)) == 7
    assert len(blocks(AFTERNOON)) == 2
    assert "Trust(" in blocks(PYTHON)[4]


def test_the_frontend_of_an_afternoon_passes_its_tests(tmp_path: Path):
    frontend, tests = blocks(AFTERNOON)
    assert len(frontend.splitlines()) < 60
    (tmp_path / "frontend.py").write_text(frontend, encoding="utf-8")
    (tmp_path / "test_frontend.py").write_text(tests, encoding="utf-8")
    arguments = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", "-W", "default::DeprecationWarning")
    assert "3 passed" in run(*arguments, folder=tmp_path)


def test_the_frontend_of_an_afternoon_asks_a_person(harness: Harness, tmp_path: Path):
    """Always taking the last option, to pass if possible, brings the round to its end."""
    frontend = blocks(AFTERNOON)[0].replace(ADDRESS, harness.grpc).replace("while True:", "if True:")
    assert "if True:" in frontend
    (tmp_path / "frontend.py").write_text(frontend.replace('input("> ")', "len(offered) - 1"), encoding="utf-8")
    assert "bỏ lượt" in run("frontend.py", folder=tmp_path)
