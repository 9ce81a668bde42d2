"""The pages for authors: examples, protocol and schema are what the table server sends, and its sources are named."""

import ast
import copy
import json
import re
import textwrap
from pathlib import Path
from typing import Any

import pytest
import referee_table
from jsonschema import Draft202012Validator
from referee_table.games import COMMANDS, GAMES, read
from referee_table.words import SHARED

from tests.table.table_examples import record
from tests.table.table_messages import EXAMPLES, FOLDER, MESSAGES, RESULTS, SCHEMA, message_faults

PROTOCOL, HOW = [(FOLDER.parent / f"{page}.md").read_text("utf-8") for page in ("PROTOCOL", "HOW_IT_WORKS")]
SOURCES = Path(referee_table.__file__).parent


async def test_examples_are_what_the_server_sends_now(tmp_path: Path) -> None:
    """The same rounds again, with the same luck, give every file, and no other."""
    examples = json.loads(json.dumps(await record(tmp_path)))
    assert sorted(examples) == sorted(EXAMPLES)
    assert {name: example for name, example in examples.items() if example != EXAMPLES[name]} == {}


def test_examples_are_read_by_both_sides() -> None:
    """Each command by the server, but the one that shows what a refused one looks like; each other by the schema."""
    Draft202012Validator.check_schema(SCHEMA)
    for name, example in EXAMPLES.items():
        kind = name.partition(".")[0]
        if kind == "command" and name != "command.bad_command":
            assert read(json.dumps(example).encode()).id == example["id"]
        elif kind in MESSAGES:
            named = {"id": EXAMPLES[f"command.{name[5:]}"]["name"]} if kind == "done" else {}
            assert message_faults(example | named) == [], name


def test_every_command_code_and_field_is_in_the_protocol() -> None:
    tags = {str(one.__struct_config__.tag) for one in COMMANDS}
    assert len(tags) == len(COMMANDS) > 20
    assert tags == RESULTS.keys()
    assert all(f"| `{tag}`" in PROTOCOL for tag in tags)
    codes = [code for table in ("refusals", "notices", "goodbyes") for code in SHARED[table]]
    assert [code for code in codes if f"`{code}`" not in PROTOCOL] == []

    def names_in(value: Any) -> set[str]:  # noqa: ANN401 - JSON
        inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else []
        own = set(value) if isinstance(value, dict) else set()
        of_referee = [value[name] for name in own & {"header", "names", "data"}]
        return own.union(*[names_in(one) for one in inner if one not in of_referee])

    names = names_in({name: one for name, one in EXAMPLES.items() if name != "sealing"}) - EXAMPLES.keys()
    assert [name for name in sorted(names) if not re.search(rf"\b{name}\b", PROTOCOL)] == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["version"], None),
        (["phase"], "NAP"),
        (["persons", 0, "name"], 7),
        (["persons", 0, "is_bot"], "no"),
        (["round", "tien_len", "cards_left"], {}),
    ],
)
def test_schema_finds_a_view_that_is_wrong(path: list[str | int], value: object) -> None:
    view = copy.deepcopy(EXAMPLES["view.tien_len.turn"])
    inner = view
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    assert len(message_faults(view)) == 1


def names_of(path: Path) -> set[str]:
    """Return the functions and classes of a file."""
    kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
    return {node.name for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, kinds)}


def test_lines_that_play_a_round_are_those_of_the_server() -> None:
    quoted = re.findall(r"```python\n# (\w+\.py)\n(.*?)```", HOW, re.DOTALL)
    assert sum(len(lines.splitlines()) for _, lines in quoted) >= 18
    for name, lines in quoted:
        source = (SOURCES / name).read_text("utf-8")
        assert any(textwrap.indent(lines, " " * depth) in source for depth in (0, 4, 8)), lines


def test_each_function_that_is_named_is_in_its_file() -> None:
    named = re.findall(r"`((?:<game>/)?\w+\.py)`((?:,? `\w+`)+)", HOW)
    named = [(name, function) for name, functions in named for function in re.findall(r"`(\w+)`", functions)]
    assert len(named) > 15
    for name, function in named:
        paths = [SOURCES / name.replace("<game>", game) for game in GAMES]
        assert all(function in names_of(path) for path in paths), (name, function)
