"""The recipe for a knob in CONTRIBUTING.md, followed to the letter in a copy of the tree."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from referee.games import GAMES
from referee.rulesets import load_builtin, load_examples
from referee.rulesets.shape import newest_schema

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
SECONDS = 900
COPIED = ("CONTRIBUTING.md", "pyproject.toml", "referee", "tests")
NEW_VERSION = "7.0.0"
MEANINGS = """
import json
from referee.rulesets import load_builtin
print(json.dumps([[one.game, one.version, one.rules.{name}] for one in load_builtin()]))
"""


def blocks_of_the_recipe() -> dict[str, str]:
    """Return the code that the page shows for a knob, by language."""
    section = (ROOT / "CONTRIBUTING.md").read_text("utf-8").partition("### A knob")[2].partition("\n## ")[0]
    return {
        language: "\n".join(line.removeprefix("   ") for line in code.strip("\n").split("\n"))
        for language, code in re.findall(r"```(\w+)\n(.*?)\n +```", section, re.DOTALL)
    }


def run(tree: Path, *command: str) -> str:
    """Run a command in the copy, whose package is found before the installed one; return what it printed."""
    environment = os.environ | {"PYTHONPATH": str(tree), "PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        command, cwd=tree, env=environment, capture_output=True, text=True, timeout=SECONDS, check=False
    )
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def add_field(tree: Path, game: str, field: str) -> None:
    """Add a field as the last one of a game's rules, and import ``since`` where it is not."""
    file = tree / "referee" / "games" / game / "rules.py"
    text = file.read_text("utf-8")
    kind = GAMES[game].rules_type.__name__
    (rules,) = [one for one in ast.parse(text).body if isinstance(one, ast.ClassDef) and one.name == kind]
    last = [one for one in rules.body if isinstance(one, ast.AnnAssign)][-1]
    lines = text.split("\n")
    lines.insert(last.end_lineno or 0, f"    {field}")
    text = "\n".join(lines)
    if not re.search(r"(?m)^from referee\.games\.tables import .*\bsince\b", text):
        text, count = re.subn(r"(?m)^(from referee\.games\.tables import .*)$", r"\1, since", text)
        assert count == 1
    file.write_text(text, "utf-8")


def add_ruleset(tree: Path, game: str, said: str) -> None:
    """Write a game's example, which has the fields of every schema, as a new version that says what the recipe says."""
    builtin = {one.id for one in load_builtin()}
    first = next(one for one in load_examples() if one.game == game and one.id not in builtin)
    text = first.source.decode()
    for line in (*said.split("\n"), f'version = "{NEW_VERSION}"'):
        name = line.partition("=")[0].strip()
        text, count = re.subn(rf"(?m)^{name} = .*$", line, text, count=1)
        if not count:
            text = re.sub(r"(?m)^(bet_unit = .*)$", rf"\1\n{line}", text, count=1)
    (tree / "referee" / "rulesets" / f"{first.id}-{NEW_VERSION}.toml").write_text(text, "utf-8")


@pytest.mark.slow("checks a copy of the tree, types included, and replays the frozen logs")
@pytest.mark.timeout(1800)
def test_recipe_for_a_knob_can_be_followed(tmp_path: Path) -> None:
    """Each game gains the field of the page; what `make check` says of Python holds, and every frozen log replays."""
    tree, skipped = tmp_path / "tree", shutil.ignore_patterns("__pycache__", "node_modules", ".*_cache")
    tree.mkdir()
    for name in COPIED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tree / name, ignore=skipped)
        else:
            shutil.copy2(ROOT / name, tree / name)
    recipe = blocks_of_the_recipe()
    field, said = recipe["python"], recipe["toml"]
    schema = int(re.findall(r"since\(([0-9]+)\)", field)[0])
    assert max(newest_schema(one.rules_type) for one in GAMES.values()) == schema - 1
    name, meant = field.partition(":")[0], int(field.rpartition("=")[2])
    games = sorted({one.game for one in load_builtin()})
    assert len(games) >= 3
    for game in games:
        add_field(tree, game, field)
        add_ruleset(tree, game, said)
    page = run(tree, sys.executable, "-m", "referee", "rulesets", "fields")
    assert page.count(f"| `{name}` |") == page.count(f"| {schema}; before: `{meant}` |") == len(games)
    (tree / "referee" / "rulesets" / "FIELDS.md").write_text(page, "utf-8")
    found = run(tree, sys.executable, "-c", MEANINGS.format(name=name))
    new = int(said.rpartition("=")[2])
    assert f'"{NEW_VERSION}", {new}]' in found
    assert found.count(f", {new}]") == len(games)
    assert found.count(f", {meant}]") == len(load_builtin())
    run(tree, "ruff", "format", "--check", ".")
    run(tree, "ruff", "check", ".")
    run(tree, "lint-imports", "--no-cache")
    run(tree, "mypy", "--package", "referee")
    quick = ("-q", "-n", "0", "-m", "not slow", "-p", "no:cacheprovider")
    tests = run(tree, sys.executable, "-m", "pytest", *quick, "tests/corpus")
    assert re.search(r"\d+ passed", tests)
