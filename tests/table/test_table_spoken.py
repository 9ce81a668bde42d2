"""What a table says of a round in players' words: the name of one's own hand, people for seats."""

import importlib
import re
import tomllib
import warnings
from pathlib import Path
from typing import Any, Final

import pytest
from referee_table.wording import with_names

from tests.table.scripted_player import View
from tests.table.table_scene import Scene, phase_is, ready

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its parser of hand ranges, not used here, calls what its dependency deprecates
    eval7: Final[Any] = importlib.import_module("eval7")

TEXTS: Final = Path(__file__).parents[2] / "referee" / "rulesets" / "texts"


def kind_of(cards: list[str]) -> str:
    """Return what another library calls the best hand of some cards."""
    kind = eval7.handtype(eval7.evaluate([eval7.Card(card[0] + card[1].lower()) for card in cards]))
    return {"Trips": "THREE_OF_A_KIND", "Quads": "FOUR_OF_A_KIND"}.get(kind, kind.upper().replace(" ", "_"))


@pytest.mark.parametrize("sealed", [False, True])
async def test_view_names_ones_own_hand_and_no_other_from_the_flop_on(new_scene: Scene, *, sealed: bool) -> None:
    """In an open room; the table server of a sealed one does not know the cards."""
    seen: list[View] = []
    async with new_scene.open():
        an, binh = await new_scene.table("ultimate_texas.casino", people=2, sealed=sealed)
        watcher = await new_scene.player("Xem", plays=False)
        watcher.watch = seen.append
        await watcher.ask("join", room=an.view["room"], watch=True)
        an.watch = binh.watch = seen.append
        await ready(an, binh)
        await an.until(lambda view: view["last"] is not None)
    rounds = [view["round"] for view in seen if view["phase"] == "PLAYING"]
    boards = {len(one["ultimate_texas"]["board"]) for one in rounds}
    assert boards >= {0, 3, 5}
    for one in rounds:
        game = one["ultimate_texas"]
        is_named = one["you"] is not None and not sealed and len(game["board"]) > 0
        assert ("value" in game) == is_named, game
        if is_named:
            assert game["value"]["category"] == kind_of([*one["hand"], *game["board"]])
            assert game["value"]["name"]["vi"]


async def test_words_about_a_seat_name_the_person_who_sits_there(scene: Scene) -> None:
    an, binh = await scene.table("tien_len.mien_nam", people=2, plays=False)
    await ready(an, binh)
    await an.until(phase_is("PLAYING"))
    late = next(one for one in (an, binh) if "legal" not in one.view["round"]["tien_len"])
    refused = await late.refused("pass", round_id=late.view["round"]["round_id"])
    (violation,) = [one for one in refused["violations"] if one["code"] == "OUT_OF_TURN"]
    assert violation["text"] == {
        "vi": f"Chưa đến lượt {late.name}.",
        "en": f"It is not the turn of {late.name}.",
    }


def test_no_text_of_the_referee_names_a_seat_by_its_number() -> None:
    """Of all words that a page can be sent."""
    found = 0
    for path in sorted(TEXTS.glob("*.toml")):
        for kinds in tomllib.loads(path.read_text(encoding="utf-8")).values():
            for given in kinds.values():
                for words in (given["vi"], given["en"]):
                    said = with_names(words.replace("{seat}", "1"), ["An", "Lan"])
                    found += "Lan" in said
                    assert not re.search(r"(ghế|seat|chỗ)s? 1\b", said, re.IGNORECASE), said
    assert found > 20
