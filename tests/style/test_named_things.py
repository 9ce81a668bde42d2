"""Whatever a text names exists: commands, flags, variables, settings, files, in errors, help, protos and pages.

Pages that are made from the code are what the code makes now.
"""

import ast
import io
import re
import shutil
import subprocess
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from referee.cli.main import COMMANDS, load_command
from referee.server.settings.reading import KEYS, SECTIONS
from referee.server.settings.variable import variable_of
from tests.server.reference import example, metrics, page, settings

ROOT: Final = Path(__file__).parents[2]
PAGES: Final = (".md", ".toml", ".service", ".yaml", ".proto", ".example")
GIT: Final = shutil.which("git") or "git"
OUTSIDE: Final = ("tests/", "clients/web/dist/", "CHANGELOG.md", "referee/rulesets/", "protos/api/")
"""Tests name what is wrong on purpose; the rest is generated, history, or the law of games."""

COMMAND: Final = re.compile(r"(?:`|\$ |: |\bthe command |bin/|=)referee((?: [a-z][a-z-]*){1,2})")
LINE: Final = re.compile(r"(?:^|[`$] ?|bin/)referee ([a-z-]+(?: [a-z]+)?)[^`\n|;]*", re.MULTILINE)
FLAG: Final = re.compile(r"(?<![\w-])--[a-z][a-z_-]*[a-z]")
OF_OTHERS: Final = frozenset({"--descriptor_set_out"})
"""Flags of programs that the project runs: of protoc."""
VARIABLE: Final = re.compile(r"\bREFEREE_[A-Z][A-Z_]*[A-Z]\b(?![*<{_])")
SETTING: Final = re.compile(rf"(?<![\w./-])({'|'.join(SECTIONS)})\.([a-z][a-z_]*)\b(?![(/])")
FILE: Final = re.compile(r"(?<![\w:/.<$*-])((?:referee|protos|clients|tests|\.ci)/[\w./-]*\w\.[a-z]{2,5})\b")
SUFFIXES: Final = frozenset(
    {"py", "md", "toml", "sqlite3", "proto", "json", "svg", "key", "pub", "head", "lock", "sock", "retiring"}
)
"""What follows a dot in the name of a file; ``keys.py`` is no setting."""

command: Final = cache(load_command)


class Text(NamedTuple):
    """A text that people read, and where it is."""

    place: str
    text: str


def tracked() -> Iterator[Path]:
    listed = subprocess.run([GIT, "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    for name in listed.stdout.splitlines():
        path = ROOT / name
        if not name.startswith(OUTSIDE) and path.is_file():
            yield path


@cache
def texts() -> tuple[Text, ...]:
    """Return every page and shipped file, and every string and comment of the programs."""
    found: list[Text] = []
    for path in tracked():
        name = str(path.relative_to(ROOT))
        if path.suffix in PAGES or path.name.startswith("Containerfile"):
            found.append(Text(name, path.read_text(encoding="utf-8")))
        elif path.suffix == ".py" and "_pb2" not in path.name:
            found += in_program(name, path.read_text(encoding="utf-8"))
    assert len(found) > 1_000
    return tuple(found)


def in_program(name: str, source: str) -> Iterator[Text]:
    """Yield the strings, adjoining ones and the fixed parts of f-strings together, and the comments."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.JoinedStr):
            parts = [str(one.value) if isinstance(one, ast.Constant) else "…" for one in node.values]
            yield Text(f"{name}:{node.lineno}", "".join(parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield Text(f"{name}:{node.lineno}", node.value)
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield Text(f"{name}:{token.start[0]}", token.string)


def leaves() -> Iterator[tuple[str, Any]]:
    """Yield every command, by the words that call it."""
    for name in COMMANDS:
        yield name, command(name)
        if hasattr(command(name), "commands"):
            for part, one in command(name).commands.items():
                yield f"{name} {part}", one


@cache
def flags_of(words: str) -> frozenset[str]:
    """Return the flags of a command."""
    return frozenset(
        opt
        for name, one in leaves()
        if name == words
        for parameter in one.params
        for opt in (*parameter.opts, *parameter.secondary_opts)
    ) | {"--help"}


@cache
def own_programs() -> frozenset[str]:
    """Return the flags of the programs besides ``referee``, as their parsers name them."""
    names = re.compile(r'"(--[a-z][a-z-]*)"')
    return frozenset(
        flag
        for path in tracked()
        if path.suffix == ".py" and path.is_relative_to(ROOT / "clients")
        for flag in names.findall(path.read_text(encoding="utf-8"))
    )


def called(text: str) -> Iterator[tuple[str, str]]:
    """Yield each command line in a text: the words of its command, and all of it."""
    for found in LINE.finditer(text.replace("\\\n", " ")):
        words = found[1].split()
        name = words[0]
        if name in COMMANDS:
            is_group = hasattr(command(name), "commands")
            yield (" ".join(words) if is_group and len(words) > 1 else name), found[0]


def test_every_command_that_is_named_exists() -> None:
    wrong, count = [], 0
    for place, text in texts():
        if place.endswith(".yaml"):
            continue  # whose keys look like it; their command lines are read below
        for found in COMMAND.finditer(" ".join(text.split())):
            name, *parts = found[1].split()
            count += 1
            if name not in COMMANDS:
                wrong.append((place, found[0]))
            elif parts and hasattr(command(name), "commands") and found[0][0] == "`":
                wrong += [] if parts[0] in {*command(name).commands} else [(place, found[0])]
    assert count > 40
    assert not wrong


def test_every_flag_of_a_named_command_line_exists() -> None:
    found = [
        (place, words, flag) for place, text in texts() for words, line in called(text) for flag in FLAG.findall(line)
    ]
    assert len(found) > 30
    assert [one for one in found if one[2] not in flags_of(one[1])] == []


@pytest.mark.parametrize("room", ["referee/server/", "referee/storage/", "referee/service/", "referee/cli/"])
def test_every_flag_in_an_error_or_comment_exists(room: str) -> None:
    """A flag in the server's rooms is one of ``serve``, unless a command is named beside it."""
    every = {flag for name, _ in leaves() for flag in flags_of(name)} | {"--version"}
    wrong, count = [], 0
    for place, text in texts():
        if not place.startswith(room) or ".py:" not in place:
            continue
        own = flags_of("serve") if room != "referee/cli/" and "referee " not in text else every
        for flag in FLAG.findall(text):
            count += 1
            if flag not in own | own_programs() | OF_OTHERS:
                wrong.append((place, flag))
    assert count or room in {"referee/storage/", "referee/service/"}
    assert not wrong


def test_every_variable_that_is_named_is_read() -> None:
    """It is a setting's, a command's, or stands alone as a string of the program that reads it."""
    known = {variable_of(key) for key in KEYS}
    known |= {str(one.envvar) for _, leaf in leaves() for one in leaf.params if getattr(one, "envvar", None)}
    known |= {text for place, text in texts() if ".py:" in place and VARIABLE.fullmatch(text)}
    shipped = (ROOT / "referee/server/deploy/container/compose.yaml").read_text(encoding="utf-8")
    known |= set(re.findall(r"\$\{(REFEREE_[A-Z]+)", shipped)) | {"REFEREE_SERVE_THREDS"}  # misspelt to show the answer
    wrong = [
        (place, name)
        for place, text in texts()
        for name in VARIABLE.findall(text)
        if name not in known and not any(one.startswith(f"{name}_") for one in known)
    ]
    assert not wrong


def test_one_setting_has_one_variable_in_every_command() -> None:
    """An option that is a setting of the server too reads the server's variable, or none."""
    same = {
        "--database": "log.database",
        "--passphrase-file": "keys.passphrase_file",
        "--root": "keys.root",
        "--rulesets": "serve.rulesets",
    }
    wrong = [
        (words, opt, one.envvar)
        for words, leaf in leaves()
        for one in leaf.params
        for opt in one.opts
        if opt in same and one.envvar not in {None, variable_of(same[opt])}
    ]
    assert not wrong


@pytest.mark.parametrize(
    "words", ["serve", "doctor", "backup", "restore", "audit", "export", "replay", "publish", "keys"]
)
def test_every_command_on_a_log_takes_a_database(words: str) -> None:
    assert {"--data", "--database"} <= flags_of(words) | (flags_of("keys rotate") if words == "keys" else set())


def test_every_setting_that_is_named_exists() -> None:
    wrong, count = [], 0
    for place, text in texts():
        if "/v1/" in place or place.startswith(("clients/", "referee/audit/", "referee/games/", "pyproject.toml")):
            continue  # where ``log.`` and the like begin other things
        spoken = [text] if ".py:" not in place else re.findall(r"``?([^`]+)``?", text) or [text]
        for part in spoken:
            for section, key in SETTING.findall(part):
                if key in SUFFIXES:
                    continue
                count += 1
                if f"{section}.{key}" not in KEYS:
                    wrong.append((place, f"{section}.{key}"))
    assert count > 40
    assert not wrong


def test_every_file_that_is_named_is_there() -> None:
    def exists(place: str, name: str) -> bool:
        beside = (ROOT / place.partition(":")[0]).parent
        name = name.removeprefix("referee/testing/scaffold/")  # in a wheel, the game of its own package
        return any((one / name).exists() for one in (ROOT, beside, ROOT / "protos", ROOT / "tests/fourth_game"))

    found = [(place, name) for place, text in texts() for name in FILE.findall(text)]
    assert len(found) > 30
    assert [one for one in found if not exists(*one)] == []


def test_operators_reference_is_made_from_the_code():
    """Renew it by ``python -m tests.server.reference > referee/server/REFERENCE.md``."""
    assert (ROOT / "referee" / "server" / "REFERENCE.md").read_text("utf-8") == page()


def test_example_configuration_is_made_from_the_code():
    """Renew it by ``python -m tests.server.reference example > referee/server/deploy/referee.toml``."""
    assert (ROOT / "referee" / "server" / "deploy" / "referee.toml").read_text("utf-8") == example()


def test_operators_reference_has_every_setting_and_metric():
    """Counted apart from how the page is made: the keys of the configuration, and the names in the sources."""
    assert [key for key, _, _ in settings()] == list(KEYS)
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "referee" / "server").rglob("*metrics.py"))
    named = set(re.findall(r'"(referee_[a-z_]+)"', sources))
    assert named
    assert named == {name.removesuffix("_total") for name, *_ in metrics()}
