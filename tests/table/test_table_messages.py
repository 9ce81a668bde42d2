"""What the table server sends is what the page expects: one schema, written from the page's types, holds for both."""

import copy
import json
from collections import Counter
from typing import Any, Final

import pytest
from jsonschema import Draft202012Validator
from referee_table.commands import SHARED
from referee_table.games import GAMES as TABLE_GAMES

from tests.table.scripted_player import Player, View
from tests.table.signing_player import SigningPlayer
from tests.table.table_examples import FOLDER
from tests.table.table_scene import GAMES, Scene, ready
from tests.table.test_table_rounds import finish

SCHEMA: Final[dict[str, Any]] = json.loads((FOLDER.parent / "messages.schema.json").read_text("utf-8"))
RESULTS: Final[dict[str, Any]] = SCHEMA["$defs"]["Results"]["properties"]
SENT: Final = {"welcome", "lobby", "view", "done", "refused", "notice", "goodbye", "pong"}
EXAMPLES: Final = {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(FOLDER.glob("*.json"))}


def of_type(kind: str) -> dict[str, Any]:
    """Return the schema of a message of a type."""
    for one in SCHEMA["$defs"]["Message"]["anyOf"]:
        part = SCHEMA["$defs"][one["$ref"].rpartition("/")[2]] if "$ref" in one else one
        if part["properties"]["type"]["const"] == kind:
            return {"$defs": SCHEMA["$defs"], **part}
    raise KeyError(kind)


VALIDATORS: Final = {kind: Draft202012Validator(of_type(kind)) for kind in sorted(SENT)}
"""A validator by type of message; what a failing one says then names the path in that message."""
RESULT_VALIDATORS: Final = {
    name: Draft202012Validator({"$defs": SCHEMA["$defs"], **part}) for name, part in RESULTS.items()
}


def faults(message: View) -> list[str]:
    """Return what is wrong with a message, each with its path."""
    return [f"{one.json_path}: {one.message[:200]}" for one in VALIDATORS[message["type"]].iter_errors(message)]


def result_faults(command: str, result: View) -> list[str]:
    """Return what is wrong with the result of a command, each fault with its path."""
    return [f"{fault.json_path}: {fault.message[:200]}" for fault in RESULT_VALIDATORS[command].iter_errors(result)]


def test_schema_is_one() -> None:
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name.partition(".")[0] in SENT])
def test_example_is_what_the_page_expects(name: str) -> None:
    assert faults(EXAMPLES[name]) == []


def test_every_command_of_the_table_has_its_answer_in_the_schema() -> None:
    kinds = [*SHARED, *(kind for game in TABLE_GAMES.values() for kind in game.commands)]
    assert {kind.__struct_config__.tag for kind in kinds} == RESULTS.keys()


def test_example_results_are_what_the_page_expects() -> None:
    answered = {name: example for name, example in EXAMPLES.items() if name.startswith("done.")}
    assert len(answered) > 30
    for name, example in answered.items():
        command = EXAMPLES[f"command.{name.removeprefix('done.')}"]["name"]
        assert result_faults(command, example["result"]) == [], name


@pytest.mark.parametrize(("ruleset", "sealed"), GAMES)
async def test_every_message_of_a_played_round_is_what_the_page_expects(
    scene: Scene, ruleset: str, *, sealed: bool
) -> None:
    """From the welcome of two people, one with a key, to the proof of their round and what is asked about it."""
    messages: list[View] = []

    async def sit(player: Player, room: str = "") -> Player:
        player.on_message = messages.append
        return await scene.seat_of(player, room=room)

    first = await sit(Player("An", referee=scene.court.channel))
    room = (await first.ask("create", ruleset=ruleset, stake_minor=1000, bots=1, sealed=sealed))["room"]
    second = await sit(SigningPlayer("Bình", referee=scene.court.channel), room)
    await first.until(lambda view: len(view.get("persons", ())) == 3)
    await second.ask("preview", room=room)
    await second.ask("rules", ruleset=ruleset)
    await first.refused("replay", table="none", number=1)
    await ready(first, second)
    last = await finish(scene, first)
    place = {"table": last["table"], "number": last["number"]}
    await first.ask("replay", **place)
    await first.ask("history")
    await second.ask("leave")
    await first.ask("rename", person_name="\u202eAn", language="vi")
    await second.until(lambda view: view["type"] == "lobby")
    kinds = Counter(message["type"] for message in messages)
    assert kinds.keys() >= {"welcome", "view", "done", "refused", "lobby", "notice"}
    assert any((message.get("round") or {}).get("course") for message in messages)
    assert [(fault, message["type"]) for message in messages for fault in faults(message)] == []
    answers = [
        (answer["id"].partition("-")[0], answer["result"])
        for answer in messages
        if answer["type"] == "done" and not answer["id"].startswith("hello ")
    ]
    assert {name for name, _ in answers} >= {"bind", "seed", "ready", "replay", "history", "leave"}
    assert [(name, fault) for name, result in answers for fault in result_faults(name, result)] == []


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (["version"], None),
        (["phase"], "NAP"),
        (["persons", 0, "name"], 7),
        (["round", "seats", 0, "is_bot"], "no"),
        (["round", "tien_len", "cards_left"], {}),
    ],
)
def test_schema_finds_a_view_that_is_wrong(path: list[str | int], value: object) -> None:
    view = copy.deepcopy(EXAMPLES["view.tien_len.turn"])
    inner = view
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    assert len(faults(view)) == 1
