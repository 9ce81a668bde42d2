"""What holds of every command: its help, its guesses, its JSON."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from referee import __version__
from referee.cli.main import COMMANDS, GUESSES, app, load_command
from tests.command import referee


def paths_of(command: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:  # noqa: ANN401 - typer exports no type
    """Yield the words of a command and of all commands below it."""
    yield path
    for name, below in getattr(command, "commands", {}).items():
        yield from paths_of(below, (*path, name))


PATHS = [path for name in COMMANDS for path in paths_of(load_command(name), (name,))]


def test_help_of_every_command_fits_eighty_columns_unclipped():
    assert PATHS
    for path in PATHS:
        done = referee(*path, "--help", COLUMNS="80")
        assert done.returncode == 0, path
        clipped = [line for line in done.stdout.splitlines() if line.rstrip(" │").endswith("…") or len(line) > 80]
        assert clipped == [], path


def test_version_is_printed():
    assert referee("--version").stdout == f"referee {__version__}\n"


def test_guessed_command_is_answered_with_the_one_that_is_meant():
    assert GUESSES
    for guess, meant in GUESSES.items():
        assert guess not in COMMANDS
        assert meant.startswith("--") or meant.split()[0] in COMMANDS
        done = referee(guess)
        assert (done.returncode, f"referee {meant}" in done.stderr) == (2, True), guess


def test_completion_for_a_shell_is_printed():
    environment = {"_REFEREE_COMPLETE": "complete_bash", "COMP_WORDS": "referee audit --qu", "COMP_CWORD": "2"}
    done = CliRunner().invoke(app, [], prog_name="referee", env=environment)
    assert done.stdout.split() == ["--quorum"]


@pytest.fixture(scope="module")
def data(demo_log, tmp_path_factory) -> Path:
    """Return a data folder of finished rounds that a command may change."""
    folder: Path = shutil.copytree(demo_log.data, tmp_path_factory.mktemp("data") / "data")
    return folder


def test_commands_that_print_data_print_it_as_json(data, tmp_path):
    keys = json.loads(referee("keys", "--data", data, "--json").stdout)
    assert list(keys) == ["root", "log", "shuffler", "referee"]
    bundle = tmp_path / "round.json"
    assert referee("export", "demo.mau_binh.classic", 1, "--data", data, "--out", bundle).returncode == 0
    asked: list[tuple[tuple[object, ...], str]] = [
        (("verify", bundle, "--log-key", keys["log"], "--root-key", keys["root"]), "proved"),
        (("audit", data), "keys_used"),
        (("replay", "demo.mau_binh.classic", 1, "--data", data), "inputs"),
        (("publish", tmp_path / "tiles", "--data", data), "leaves"),
        (("backup", tmp_path / "copy", "--data", data), "root"),
        (("restore", tmp_path / "copy", "--data", tmp_path / "restored"), "root"),
        (("rulesets", "check", "tests/rulesets/house"), "ok"),
        (("odds", "tien_len.mien_nam"), "chances"),
        (("config", "show"), "log.data"),
    ]
    for arguments, member in asked:
        done = referee(*arguments, "--json")
        assert done.returncode == 0, (arguments, done.stderr)
        assert member in json.loads(done.stdout), arguments
    assert {"id", "sha256"} < set(json.loads(referee("rulesets", "list", "--json").stdout)[0])


def test_ids_are_never_cut(data):
    listed = json.loads(referee("rulesets", "list", "--json").stdout)
    plain = "".join(referee("rulesets", "list", COLUMNS="80").stdout.split("\n"))
    assert listed
    for one in listed:
        assert one["sha256"][:16] in plain
    assert "…" not in plain
    assert "…" not in referee("audit", data, COLUMNS="80").stdout


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("nothing-here", "nothing-here"),
        ("127.0.0.1:1", "UNAVAILABLE"),
        ("postgresql://127.0.0.1:1/none", "connection"),
    ],
)
def test_audit_of_a_place_without_a_log_says_which_place(place, words, data):
    done = referee("audit", place, "--data", data)
    assert (done.returncode, words in done.stderr) == (2, True), done.stderr


def test_audit_names_the_keys_it_went_by(data):
    keys = json.loads(referee("keys", "--data", data, "--json").stdout)
    beside = referee("audit", data).stdout
    assert f"log key  {keys['log']}" in beside
    assert f"keys from {data / 'keys'}" in beside
    given = referee("audit", data, "--log-key", keys["log"], "--root-key", keys["root"]).stdout
    assert "both keys as given" in given
