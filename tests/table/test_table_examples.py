"""The examples beside the protocol are what the table server sends, and say the whole of it."""

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from referee_table.commands import Hello
from referee_table.reading import commands, read
from referee_table.wording import GOODBYES, NOTICES, Code

from referee.cards import Card, Seat
from referee.dealing.commitment import client_commitment, seat_token_hash
from referee.games.mau_binh import arrangement_commitment
from tests.table.table_examples import FOLDER, record, written

PROTOCOL = (FOLDER.parent / "PROTOCOL.md").read_text()
EXAMPLES = {path.stem: json.loads(path.read_text()) for path in sorted(FOLDER.glob("*.json"))}


async def test_examples_are_what_the_server_sends_now(tmp_path: Path) -> None:
    """The same rounds again, with the same luck, give every file, and no other."""
    examples = await record(tmp_path)
    assert sorted(examples) == sorted(EXAMPLES)
    for name, example in examples.items():
        assert (FOLDER / f"{name}.json").read_text() == written(example), name


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name.startswith("command.")])
def test_example_command_is_read(name: str) -> None:
    """Each is a command of the server, but the one that shows what a refused one looks like."""
    if name == "command.bad_command":
        return
    assert read(json.dumps(EXAMPLES[name]).encode()).id == EXAMPLES[name]["id"]


def test_every_command_and_code_is_in_the_protocol() -> None:
    """No command, refusal, notice or goodbye that the page's author was not given of."""
    tags = [one.__struct_config__.tag for one in commands()]
    assert all(f"| `{one}`" in PROTOCOL for one in tags)
    for codes in (Code, NOTICES, GOODBYES):
        assert all(f"`{one}`" in PROTOCOL for one in codes)
    assert msgspec.json.decode(json.dumps(EXAMPLES["hello"]), type=Hello).protocol == 1


def test_every_field_of_a_view_is_in_the_protocol() -> None:
    """What examples have is worded: a name that is nowhere in the text would be one to guess at."""
    names: set[str] = set()

    def walk(value: Any) -> None:  # noqa: ANN401 - JSON
        if isinstance(value, dict):
            for name, inner in value.items():
                if name not in {"header", "names", "data"}:  # the referee's own
                    names.add(name)
                    walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)

    for name, example in EXAMPLES.items():
        if name != "sealing":
            walk(example)
    untold = sorted(one for one in names if not re.search(rf"\b{one}\b", PROTOCOL))
    assert untold == []


def test_sealing_example_is_what_the_dealing_protocol_says() -> None:
    """The three hashes by the referee's own derivation; the example was made by a second one."""
    given = EXAMPLES["sealing"]
    raw, seat = bytes.fromhex(given["round_id"]), Seat(given["seat"])
    seed, token, nonce = (bytes.fromhex(given[name]) for name in ("seed", "token", "nonce"))
    cards = [Card(number) for number in given["card_numbers"]]
    assert client_commitment(round_id=raw, seat=seat, seed=seed).hex() == given["seed_commitment"]
    assert seat_token_hash(round_id=raw, seat=seat, token=token).hex() == given["token_hash"]
    assert arrangement_commitment(round_id=raw, seat=seat, cards=cards, nonce=nonce).hex() == given["commitment"]
    arranged = [card for chi in ("back", "middle", "front") for card in given["arrangement"][chi]]
    assert [card.text for card in cards] == arranged
    assert sorted(arranged) == sorted(given["hand"])
