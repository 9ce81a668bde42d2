"""Help that shows what to type, and output that programs can read."""

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any, Final

import pytest
from rich.panel import Panel

from referee.cli.main import COMMANDS, load_command
from referee.cli.paper import paper
from referee.cli.usage import EXAMPLES, PLACEHOLDERS
from referee.rulesets import load_builtin
from tests.command import referee


def commands() -> Iterator[tuple[str, Any]]:
    """Yield each command and subcommand with its whole name."""
    waiting = [(name, load_command(name)) for name in COMMANDS]
    while waiting:
        name, command = waiting.pop()
        yield name, command
        waiting += [(f"{name} {short}", child) for short, child in getattr(command, "commands", {}).items()]


ALL = dict(commands())


def help_of(name: str) -> str:
    command = ALL[name]
    return str(command.get_help(command.make_context(name, [], resilient_parsing=True)))


@pytest.mark.parametrize("name", ALL)
def test_help_shows_no_type_of_python_and_no_markup(name):
    text = help_of(name)
    assert re.findall(r"<(?:str|int|float|bool|path|file|dir|list)\b[^>]*>", text) == []
    assert "`" not in text


def test_help_prints_angle_brackets_as_they_are():
    assert "<id>.population" in help_of("learn")


def test_every_placeholder_names_an_option_or_argument():
    names = {parameter.name for command in ALL.values() for parameter in command.params}
    assert [name for name in PLACEHOLDERS if name not in names] == []


@pytest.mark.parametrize("line", [line for lines in EXAMPLES.values() for line in lines])
def test_example_is_accepted_by_its_command(line, tmp_path, monkeypatch):
    """Files and folders that an example names are there; then the command parses the line without an error."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my-rulesets").mkdir()
    words = shlex.split(line.partition(">")[0])
    for word in words:
        if re.fullmatch(r"[\w-]+\.(json|sqlite3|toml|key)", word):
            (tmp_path / word).touch()
    assert words[0] == "referee"
    command, rest = ALL[words[1]], words[2:]
    while rest and rest[0] in getattr(command, "commands", {}):
        command, rest = command.commands[rest[0]], rest[1:]
    command.make_context(line, rest)


def test_every_command_for_people_has_an_example():
    missing = [name for name in COMMANDS if not any(key.partition(" ")[0] == name for key in EXAMPLES)]
    assert missing == []


WITHOUT_JSON: Final = {
    "serve": "serves until stopped, and says on one JSON line that it is ready",
    "witness": "serves until stopped",
    "keys agent": "serves until stopped, and says on one JSON line that it is ready",
    "export": "writes the file that it is asked for, in JSON",
    "config": "has subcommands alone",
    "config example": "prints a file",
    "rulesets": "has subcommands alone",
    "games": "has subcommands alone",
    "games list": "prints names and titles, one game a line",
    "games new": "writes a package",
    "games protos": "writes generated code",
    "rulesets show": "prints a file",
    "rulesets schema": "prints a JSON Schema",
    "rulesets fields": "prints a page",
    "token": "has subcommands alone",
    "token show": "prints JSON",
}


def test_every_command_that_answers_something_answers_as_json():
    without = {name for name, command in ALL.items() if not any("--json" in one.opts for one in command.params)}
    assert without == set(WITHOUT_JSON)


def test_whole_lines_of_the_help_say_what_each_command_does():
    done = referee("--help")
    assert done.returncode == 0
    assert "..." not in done.stdout.partition("Commands:")[2]
    assert "`" not in done.stdout


def test_a_pipe_gets_one_row_a_ruleset_with_its_whole_digest():
    listed = json.loads(referee("rulesets", "list", "--json").stdout)
    rows = referee("rulesets", "list").stdout.splitlines()
    assert len(rows) == len(listed) + 1
    for row, ruleset in zip(rows[1:], listed, strict=True):
        assert row.split()[0] == ruleset["id"]
        assert row.rstrip().endswith(ruleset["sha256"])


def test_a_pipe_gets_no_line_as_wide_as_its_paper(capsys):
    """Rules and panels are words there; a rule would be a hundred thousand signs."""
    console = paper()
    console.rule("[bold]audit")
    console.print(Panel("what is served", title="Referee"))
    assert capsys.readouterr().out.split("\n") == ["audit", "what is served", ""]


def test_tokens_keys_and_roles_are_answered_as_json(tmp_path):
    key = tmp_path / "issuer.key"
    made = json.loads(referee("token", "key", key, "--name", "acme.example/tokens", "--json").stdout)
    assert made["name"] == "acme.example/tokens"
    words = ("--key", key, "--role", "frontend", "--name", "lobby", "--tenant", "acme", "--json")
    issued = json.loads(referee("token", "issue", *words).stdout)
    shown = json.loads(referee("token", "show", issued["token"], "--issuer", made["key"]).stdout)
    assert issued["claims"] == shown
    roles = json.loads(referee("token", "roles", "--json").stdout)
    assert roles["/referee.v1.ShufflerService/OpenHand"] == ["seat"]
    assert json.loads(referee("config", "check", "--json").stdout)["ok"] is True


def test_a_revocation_is_answered_as_json(tmp_path):
    answers = [
        json.loads(referee("token", "revoke", "stolen", "--file", tmp_path / "revoked", "--json").stdout)
        for _ in range(2)
    ]
    file = str(tmp_path / "revoked")
    assert answers == [{"revoked": "stolen", "file": file, "new": new} for new in (True, False)]


def test_the_demo_answers_as_one_json_object(tmp_path):
    """Each round that it lists is in the log that it left, with the money that the log settles."""
    done = referee("demo", "--rounds", "1", "--data", tmp_path / "data", "--json")
    assert done.returncode == 0, done.stderr
    answer = json.loads(done.stdout)
    assert answer["data"] == str(tmp_path / "data")
    assert {one["ruleset"] for one in answer["rounds"]} == {ruleset.id for ruleset in load_builtin()}
    assert answer["audit"]["findings"] == []
    assert answer["audit"]["rounds"]["settled"] == len(answer["rounds"])
    for played in answer["rounds"]:
        replayed = referee("replay", played["table"], played["round"], "--data", tmp_path / "data", "--json")
        settled = json.loads(replayed.stdout)["results"]["transfers"]
        names = {"payer": "from", "payee": "to", "amount_minor": "amount", "reason": "reason"}
        assert played["transfers"] == [{mine: one[its] for mine, its in names.items()} for one in settled]


def test_a_demo_whose_server_cannot_start_ends_in_a_sentence(tmp_path):
    (tmp_path / "file").touch()
    done = referee("demo", "--data", tmp_path / "file")
    assert done.returncode == 2
    assert "the server did not start" in done.stderr
    assert "Traceback" not in done.stderr


def test_learning_into_a_folder_that_cannot_be_written_ends_before_it_begins(tmp_path):
    (tmp_path / "file").touch()
    done = referee("learn", "mau_binh.classic", "--out", tmp_path / "file" / "below")
    assert (done.returncode, "cannot be written" in done.stderr) == (2, True)
