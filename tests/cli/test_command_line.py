"""What holds of every command: its help, its guesses, its JSON."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, get_args

import pytest
from rich.panel import Panel
from typer.testing import CliRunner

from referee import __version__
from referee.cli.main import COMMANDS, GUESSES, app, load_command
from referee.cli.paper import paper
from referee.cli.token import BearerRole
from referee.rulesets import load_builtin
from referee.server.settings.access import PROVED
from tests.cli.printing import printed
from tests.command import referee, refused


def commands() -> Iterator[tuple[str, Any]]:
    """Yield each command and subcommand with its whole name."""
    waiting = [(name, load_command(name)) for name in COMMANDS]
    while waiting:
        name, command = waiting.pop()
        yield name, command
        waiting += [(f"{name} {short}", child) for short, child in getattr(command, "commands", {}).items()]


ALL = dict(commands())
EXAMPLES: Final = {
    name: [line.strip() for line in command.epilog.partition("Examples:\n")[2].splitlines()]
    for name, command in ALL.items()
    if command.epilog
}


@pytest.fixture(scope="module")
def data(demo_log) -> Path:
    """Return a data folder of finished rounds."""
    return demo_log.data


def test_help_of_every_command_fits_eighty_columns_unclipped():
    assert ALL
    for name in ALL:
        lines = printed(*name.split(), "--help", COLUMNS="80").splitlines()
        assert [line for line in lines if line.rstrip(" │").endswith("…") or len(line) > 80] == [], name


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
    assert CliRunner().invoke(app, [], prog_name="referee", env=environment).stdout.split() == ["--quorum"]


def test_commands_that_print_data_print_it_as_json(data, bundle, tmp_path):
    keys = json.loads(printed("keys", "--data", data, "--json"))
    assert list(keys) == ["root", "log", "shuffler", "referee"]
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
        assert member in json.loads(printed(*arguments, "--json")), arguments
    assert {"id", "sha256"} < set(json.loads(printed("rulesets", "list", "--json"))[0])


def test_ids_are_never_cut(data):
    listed = json.loads(printed("rulesets", "list", "--json"))
    plain = "".join(printed("rulesets", "list", COLUMNS="80").split("\n"))
    assert listed
    assert [one for one in listed if one["sha256"][:16] not in plain] == []
    assert "…" not in plain + printed("audit", data, COLUMNS="80")


@pytest.mark.parametrize(
    ("place", "words"),
    [("nothing-here", "nothing-here"), ("127.0.0.1:1", "UNAVAILABLE"), ("postgresql://127.0.0.1:1/none", "connection")],
)
def test_audit_of_a_place_without_a_log_says_which_place(place, words, data):
    assert words in refused("audit", place, "--data", data)


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


@pytest.mark.parametrize("name", ALL)
def test_every_value_has_a_placeholder_in_capitals(name):
    """Choices are listed instead."""
    context = ALL[name].make_context(name, [], resilient_parsing=True)
    shown = {one.name: one.metavar for one in ALL[name].get_params(context) if not getattr(one, "is_flag", False)}
    choices = {one.name for one in ALL[name].params if one.type_descriptor.is_choice}
    assert {option for option, word in shown.items() if word != str(word).upper()} <= choices


def test_every_command_for_people_has_an_example():
    assert set(COMMANDS) <= {key.partition(" ")[0] for key in EXAMPLES}
    assert all(EXAMPLES.values())


WITHOUT_JSON: Final = {
    "advise": "serves until stopped, and says on one JSON line that it is ready",
    "serve": "serves until stopped, and says on one JSON line that it is ready",
    "witness": "serves until stopped",
    "keys agent": "serves until stopped, and says on one JSON line that it is ready",
    "export": "writes the file that it is asked for, in JSON",
    "config": "has subcommands alone",
    "config example": "prints a file",
    "rounds": "has subcommands alone",
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
    shown = printed("--help")
    assert "..." not in shown.partition("Commands:")[2]
    assert "`" not in shown


def test_a_pipe_gets_one_row_a_ruleset_with_its_whole_digest():
    listed = json.loads(printed("rulesets", "list", "--json"))
    rows = printed("rulesets", "list").splitlines()[1:]
    shown = [(row.split()[0], row.rstrip()[-64:]) for row in rows]
    assert shown == [(ruleset["id"], ruleset["sha256"]) for ruleset in listed]


def test_a_pipe_gets_no_line_as_wide_as_its_paper(capsys):
    """Rules and panels are words there; a rule would be a hundred thousand signs."""
    console = paper()
    console.rule("[bold]audit")
    console.print(Panel("what is served", title="Referee"))
    assert capsys.readouterr().out.split("\n") == ["audit", "what is served", ""]


def test_tokens_keys_and_roles_are_answered_as_json(tmp_path):
    def answer(*words: object) -> Any:  # noqa: ANN401 - any JSON
        return json.loads(printed(*words, "--json"))

    key = tmp_path / "issuer.key"
    made = answer("token", "key", key, "--name", "acme.example/tokens")
    assert made["name"] == "acme.example/tokens"
    words = ("--key", key, "--role", "frontend", "--name", "lobby", "--tenant", "acme")
    issued = answer("token", "issue", *words)
    assert issued["claims"] == json.loads(printed("token", "show", issued["token"], "--issuer", made["key"]))
    assert answer("token", "roles")["/referee.v1.ShufflerService/OpenHand"] == ["seat"]
    assert answer("config", "check")["ok"] is True
    file = tmp_path / "revoked"
    answers = [answer("token", "revoke", "stolen", "--file", file) for _ in range(2)]
    assert answers == [{"revoked": "stolen", "file": str(file), "new": new} for new in (True, False)]


def test_the_demo_answers_as_one_json_object(tmp_path):
    """Each round that it lists is in the log that it left, with the money that the log settles."""
    answer = json.loads(printed("demo", "--rounds", "1", "--data", tmp_path / "data", "--json"))
    assert answer["data"] == str(tmp_path / "data")
    assert {one["ruleset"] for one in answer["rounds"]} == {ruleset.id for ruleset in load_builtin()}
    assert answer["audit"]["findings"] == []
    assert answer["audit"]["rounds"]["settled"] == len(answer["rounds"])
    for played in answer["rounds"]:
        replayed = printed("replay", played["table"], played["round"], "--data", tmp_path / "data", "--json")
        settled = json.loads(replayed)["results"]["transfers"]
        names = {"payer": "from", "payee": "to", "amount_minor": "amount", "reason": "reason"}
        assert played["transfers"] == [{mine: one[its] for mine, its in names.items()} for one in settled]


def test_a_demo_whose_server_cannot_start_ends_in_a_sentence(tmp_path):
    (tmp_path / "file").touch()
    message = refused("demo", "--data", tmp_path / "file")
    assert "the server did not start" in message
    assert "Traceback" not in message


def test_learning_into_a_folder_that_cannot_be_written_ends_before_it_begins(tmp_path):
    (tmp_path / "file").touch()
    assert "cannot be written" in refused("learn", "mau_binh.classic", "--out", tmp_path / "file" / "below")


def test_token_offers_every_role_that_needs_one_and_no_other(tmp_path):
    """The role anyone needs no token, so none is issued for it."""
    assert get_args(BearerRole) == tuple(role.value for role in PROVED)
    refusal = refused("token", "issue", "--key", tmp_path, "--role", "anyone", "--name", "a", "--tenant", "a")
    assert "anyone" in refusal
