"""The examples beside the protocol are what the table server sends; protocol and schema say the whole of it."""

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from referee_table.games import COMMANDS, read
from referee_table.words import SHARED

from tests.table.table_examples import record
from tests.table.table_messages import EXAMPLES, FOLDER, MESSAGES, RESULTS, SCHEMA, message_faults

PROTOCOL = (FOLDER.parent / "PROTOCOL.md").read_text()


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
