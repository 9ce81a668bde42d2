"""Every command where output is not UTF-8 by itself, and where Python has no POSIX module: redirected on Windows."""

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

import pytest

from referee.cli.main import COMMANDS
from referee.rulesets import load_builtin
from tests.command import PLAIN
from tests.demo_log import DemoLog
from tests.driver.running import Running

SECONDS: Final = 240
TABLE: Final = "demo.tien_len.mien_nam"
REDIRECTED: Final[Mapping[str, str]] = {"PYTHONIOENCODING": "cp1252", "PYTHONUTF8": "0", "LC_ALL": "C"}
WINDOWS: Final[Mapping[str, str]] = {**REDIRECTED, "PYTHONPATH": str(Path(__file__).parent / "without_posix")}

ROOT: Final = Path(__file__).parents[2]
SHOWN: Final = re.compile(r"^```console$|`(?:make|npm|pip|referee|referee-table|referee-harness) [a-z]", re.MULTILINE)
"""A command that a page shows."""
OTHER_PAGES: Final = (
    *(".github/", ".docs/", "clients/web/dist/", "protos/", "tests/", "CHANGELOG.md", "SECURITY.md"),
    *("referee/GLOSSARY.md", "referee/README.md", "referee/SYSTEMS.md", "referee/rulesets/FIELDS.md"),
    *("referee/server/REFERENCE.md", "referee/server/deploy/CAPACITY.md", "referee/service/README.md"),
)
"""Pages that explain, or are made from the code, and name commands only in passing."""

LINES: Final[Mapping[str, str]] = {
    "advise": "advise --help",
    "audit": "audit {data} --workers 2",
    "backup": "backup {folder}/copy --data {data}",
    "config": "config example",
    "demo": "demo --rounds 1 --data {folder}/demo",
    "dispute": "dispute {bundle} {keys} --language vi",
    "doctor": "doctor --data {folder}/none",
    "export": "export {table} 1 --data {data}",
    "fairness-report": "fairness-report --help",  # its statistics take minutes
    "games": "games list",
    "keys": "keys --data {data}",
    "learn": "learn mau_binh.classic --rounds 320 --out {folder}",
    "odds": "odds tien_len.mien_nam",
    "publish": "publish {folder}/tiles --data {data}",
    "replay": "replay {table} 1 --data {data}",
    "restore": "restore {folder}/none --data {folder}/restored",
    "rounds": "rounds export {data} --out {folder}/rounds",
    "rulesets": "rulesets fields",
    "serve": "serve --help",
    "status": "status --help",
    "token": "token roles",
    "verify": "verify {bundle} {keys}",
    "witness": "witness --help",
}
"""A line of each command; those that serve until they are stopped print their help."""
LINUX_ALONE: Final = {"backup": "fcntl", "doctor": "fcntl", "keys": "grp", "restore": "fcntl", "rounds": "fcntl"}
"""Commands that need a module which Windows lacks, and ``serve``, whose help needs it too."""
FAST: Final = ("audit", "odds", "rulesets", "serve", "verify")
"""Commands whose processes are run by ``make test``; the others' are left for ``make test-rest``."""
SOME: Final = [
    name if name in FAST else pytest.param(name, marks=pytest.mark.slow("starts a process for each other command"))
    for name in LINES
]


@pytest.fixture(scope="module")
def places(demo_log: DemoLog, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return what the lines name: the demo's log, a bundle of one of its rounds, and its keys."""
    folder = tmp_path_factory.mktemp("places")
    keys = json.loads(run(["keys", "--data", str(demo_log.data), "--json"], PLAIN).stdout)
    bundle = folder / "round.json"
    assert run(["export", TABLE, "1", "--data", str(demo_log.data), "--out", str(bundle)], PLAIN).returncode == 0
    given = f"--log-key {keys['log']} --root-key {keys['root']}"
    return {"data": str(demo_log.data), "bundle": str(bundle), "keys": given, "table": TABLE}


def run(words: Sequence[str], environment: Mapping[str, str]) -> "subprocess.CompletedProcess[bytes]":
    """Run a command in a process of its own, with its output in pipes."""
    return subprocess.run(
        [sys.executable, "-m", "referee", *words],
        capture_output=True,
        timeout=SECONDS,
        env=dict(environment),
        check=False,
    )


def test_every_command_has_a_line():
    assert set(LINES) == set(COMMANDS)


@pytest.mark.parametrize("name", SOME)
def test_command_writes_utf8_where_nothing_is(name: str, places: dict[str, str], tmp_path: Path):
    """An encoding that lacks the letters of Vietnamese changes no output and no exit code."""
    done = run(LINES[name].format(**places, folder=tmp_path).split(), {**PLAIN, **REDIRECTED})
    assert done.returncode == (2 if name == "restore" else 0), done.stderr.decode()  # there is no such backup
    assert "Traceback" not in done.stderr.decode()
    assert done.stdout.decode() + done.stderr.decode()


@pytest.mark.parametrize("name", SOME)
def test_command_runs_without_posix_or_says_what_it_needs(name: str, places: dict[str, str], tmp_path: Path):
    """What verifies runs; what serves, locks a folder or makes keys ends in a sentence, with exit code 2."""
    done = run(LINES[name].format(**places, folder=tmp_path).split(), {**PLAIN, **WINDOWS})
    errors = done.stderr.decode()
    assert "Traceback" not in errors
    if name in LINUX_ALONE or name in {"serve", "demo"}:
        module = LINUX_ALONE.get(name, "fcntl")
        assert f"needs Python's module {module}, which Windows lacks: run it on Linux or in WSL" in errors
        assert done.returncode == 2
    else:
        assert done.returncode == 0, errors
        assert done.stdout.decode()


def test_what_is_written_in_vietnamese_arrives_so():
    done = run(["rulesets", "list"], {**PLAIN, **REDIRECTED})
    titles = [ruleset.title.vi for ruleset in load_builtin()]
    assert any(not title.isascii() for title in titles)
    assert [title for title in titles if title not in done.stdout.decode("utf-8")] == []


DEFECTIVE: Final = """
import sys
from referee.cli import main
import referee.cli.main
def broken(*_):
    raise {error}
referee.cli.main.Commands.resolve_command = broken
sys.argv = ["referee", "audit"]
main()
"""


@pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        ("LookupError('no such thing')", 70, "referee audit has a defect; report it with the lines above"),
        ("UnicodeEncodeError('charmap', 'x', 0, 1, 'no')", 70, "has a defect"),
        ("ModuleNotFoundError('No module named x', name='x')", 70, "has a defect"),
        ("ModuleNotFoundError('No module named termios', name='termios')", 2, "module termios, which Windows lacks"),
        ("PermissionError(13, 'Permission denied', 'log')", 2, "give this user the right to it"),
    ],
)
def test_defect_of_a_command_is_no_finding(error: str, code: int, words: str):
    """Exit code 1 says that something does not hold; a program that fails says no such thing."""
    script = DEFECTIVE.format(error=error)
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, timeout=SECONDS, env=PLAIN, check=False)
    assert (done.returncode, words in done.stderr.decode()) == (code, True), done.stderr.decode()
    assert ("Traceback" in done.stderr.decode()) == (code == 70)


def test_output_that_nobody_reads_is_no_finding():
    """The reader of a pipe has gone: the command could not be carried out, and says nothing else."""
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-u", "-m", "referee", "rulesets", "fields"]
    with os.fdopen(writing, "wb") as gone:
        done = subprocess.run(command, stdout=gone, stderr=subprocess.PIPE, timeout=SECONDS, env=PLAIN, check=False)
    assert (done.returncode, done.stderr) == (2, b"")


PLAYED: Final = """
import sys
from referee_client import Card, Client, Terms
with Client(sys.argv[1], journal="rounds.sqlite3") as client:
    game = client.tien_len(Terms(table="t-1", ruleset="tien_len.mien_nam", seats=4))
    game.open()
    game.deal()
    while (options := game.plays()).HasField("turn"):
        cards = options.plays[0].cards if options.plays else []
        game.play(options.turn, [*map(Card, cards)]) if cards else game.pass_turn(options.turn)
    assert game.settle().is_replayed
    game.reveal()
print("fcntl" in sys.modules)
"""


def test_sdk_plays_a_round_without_posix(running: Running, tmp_path: Path):
    """With a journal, against a server on Linux, in the locale C."""
    done = subprocess.run(
        [sys.executable, "-c", PLAYED, f"127.0.0.1:{running.app.port}"],
        capture_output=True,
        timeout=SECONDS,
        env={**PLAIN, **WINDOWS},
        cwd=tmp_path,
        check=False,
    )
    assert (done.returncode, done.stdout.strip(), done.stderr) == (0, b"False", b"")
    assert (tmp_path / "rounds.sqlite3").exists()


def test_every_page_with_commands_says_where_they_were_tried():
    """A page by hand with at least two commands, outside the tests, has a link to the page of systems."""
    command = ["git", "ls-files", "*.md"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    pages = [name for name in listed.stdout.splitlines() if (ROOT / name).exists() and not name.startswith(OTHER_PAGES)]
    texts = {name: (ROOT / name).read_text("utf-8") for name in pages}
    concerned = {name: text for name, text in texts.items() if len(SHOWN.findall(text)) > 1}
    assert len(concerned) > 15
    assert [name for name, text in concerned.items() if "SYSTEMS.md)" not in text] == []


def test_page_of_systems_names_every_command():
    text = (ROOT / "referee" / "SYSTEMS.md").read_text("utf-8")
    rows = [line for line in text.splitlines() if line.startswith("| `referee ")]
    working, helped, refused = (set(re.findall(r"[a-z-]+", row.split("|")[1].replace("referee", ""))) for row in rows)
    assert refused == {*LINUX_ALONE, "serve", "demo"}
    assert helped == {name for name, line in LINES.items() if line.endswith("--help")} - refused
    assert working == set(COMMANDS) - refused - helped
