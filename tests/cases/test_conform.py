"""``referee-harness conform``: the page's program in Python, the one in Go, and programs that are wrong."""

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.once import alone_in

HARNESS: Final = Path(__file__).parents[2] / "clients" / "harness"
GO: Final = HARNESS / "example" / "go" / "run"
GRPC_OF_GO: Final = Path("/usr/share/gocode/src/google.golang.org/grpc")
SECONDS: Final = 600


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Return the file of the page's program in Python."""
    (text,) = re.findall(r"```python\n(.*?)```", (HARNESS / "CONFORM.md").read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "client.py").write_text(text, encoding="utf-8")
    return tmp_path / "client.py"


def conform(*arguments: object) -> "subprocess.CompletedProcess[str]":
    """Run the command to its end."""
    command = [sys.executable, "-m", "referee_harness", "conform", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)


def test_program_of_the_page_passes_what_it_can(program: Path) -> None:
    """It signs nothing, so that none of its events is proved to be a seat's own."""
    done = conform("--case", "protocol/", "--case", "deciding", "--", sys.executable, program)
    assert done.returncode == 0, done.stdout + done.stderr
    passed, all_asked, apart = re.findall(r"^(\d+) of (\d+), levels L0-L2, E0-E1\n(\d+) more need", done.stdout)[0]
    assert passed == all_asked
    assert int(passed) > 60
    assert int(apart) > 3


def test_wrong_answer_is_printed_as_a_diff(program: Path) -> None:
    """A client that loses the field of a refusal."""
    program.write_text(program.read_text(encoding="utf-8").replace('"field": field, ', ""), encoding="utf-8")
    done = conform("--case", "terms-currency", "--", sys.executable, program)
    assert done.returncode == 1
    assert '- refused: "INVALID_HEADER terms.currency"\n+ refused: "INVALID_HEADER"\n' in done.stdout
    assert "run it alone: referee-harness conform --case 'protocol/terms#terms-currency' -- PROGRAM" in done.stdout
    assert "0 of 1, levels" in done.stdout


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("pass", "the program ended, or was ended after 60 s, before it answered question 1"),
        ("input(); print('no', flush=True); input()", "the program's answer to question 1 is no JSON: 'no"),
        ("input(); print('{\"id\": 7}', flush=True); input()", "the program's answer to question 1 has not its id"),
        ("input(); print('{\"id\": 1}', flush=True); input()", "says neither answer nor refused"),
    ],
)
def test_program_that_does_not_answer_is_named(text: str, fault: str) -> None:
    done = conform("--case", "terms-currency", "--", sys.executable, "-c", text)
    assert done.returncode == 1
    assert fault in done.stderr


def test_program_that_says_nothing_is_ended() -> None:
    """It reads on and on, also after its standard input has ended."""
    text = "import sys, time\nsys.stdin.read()\nwhile True: time.sleep(60)"
    done = conform("--case", "terms-currency", "--seconds", "1", "--", sys.executable, "-c", text)
    assert done.returncode == 1
    assert "the program ended, or was ended after 1 s, before it answered question 1" in done.stderr


def test_case_that_is_not_there_is_named() -> None:
    done = conform("--case", "no-such-name", "--", "true")
    assert done.returncode == 1
    assert "no case has 'no-such-name' in its name" in done.stderr


@pytest.mark.slow("builds a program in Go")
@pytest.mark.skipif(shutil.which("go") is None or not GRPC_OF_GO.exists(), reason="Go and its gRPC are not installed")
def test_program_in_go_passes_every_case() -> None:
    with alone_in(GO.parent):
        done = conform("--", GO)
    assert done.returncode == 0, done.stdout + done.stderr
    passed, all_asked = re.findall(r"^(\d+) of (\d+), levels L0-L2, E0-E2\n$", done.stdout)[0]
    assert passed == all_asked
    assert int(passed) > 400
