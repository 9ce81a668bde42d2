"""Links to finished rounds: who may make one, what is in it, how long it is kept, and what a bad link is answered."""

import json
from typing import Any, Final

import httpx
import pytest
from referee_table import shares

from tests.table.scripted_player import Player, View
from tests.table.table_scene import GAMES, Scene, ready
from tests.table.test_table_keys import finished, keyed
from tests.table.test_table_restart import OTHERS, again
from tests.table.test_table_rounds import finish

DAY_MS: Final = 24 * 3600 * 1000


async def fetched(scene: Scene, share: str) -> httpx.Response:
    """Return what the table server answers to anyone who has a link."""
    async with httpx.AsyncClient() as client:
        return await client.get(f"http://{scene.address}/api/shares/{share}")


async def played(scene: Scene, ruleset: str = "tien_len.mien_nam", **how: Any) -> tuple[list[Player], View]:  # noqa: ANN401 - of create
    """Return people who have finished a round, and its record."""
    seats = await scene.table(ruleset, **how)
    await ready(*seats)
    return seats, await finish(scene, seats[0])


async def shared(player: Player, last: View, **fields: Any) -> View:  # noqa: ANN401 - of share
    """Return the player's link to a round."""
    return await player.ask("share", table=last["table"], number=last["number"], **fields)


@pytest.mark.parametrize(("ruleset", "sealed"), GAMES)
async def test_share_shows_the_whole_round_to_anyone(scene: Scene, ruleset: str, *, sealed: bool) -> None:
    """It has the result, the hands and the course of the round, its terms, and where it is proved."""
    (an,), last = await played(scene, ruleset, bots=2, sealed=sealed)
    replay = await an.ask("replay", table=last["table"], number=last["number"])
    made = await shared(an, last, has_names=True)
    answer = await fetched(scene, made["share"])
    assert answer.status_code == httpx.codes.OK
    found = answer.json()
    assert (found["share"], found["until"]) == (made["share"], made["until"])
    assert (found["ruleset"], found["stake_minor"], found["sealed"]) == (ruleset, 1000, sealed)
    assert [one["name"] for one in found["round"]["seats"]] == [one["name"] for one in last["seats"]]
    hidden = {"seats", "person", "key"}
    assert {name: found["round"][name] for name in replay if name not in hidden} == {
        name: value for name, value in replay.items() if name not in hidden
    }
    bundle = httpx.URL(f"http://{scene.address}").join(found["round"]["proof"]["bundle"])
    async with httpx.AsyncClient() as client:
        assert (await client.get(bundle)).json()["round_id"] == last["round_id"]


@pytest.mark.parametrize(
    ("ruleset", "sealed", "has_names"),
    [
        pytest.param(*game, has_names, marks=() if game[0] == "tien_len.mien_nam" else OTHERS)
        for game in GAMES
        for has_names in (False, True)
    ],
)
async def test_share_names_no_person_no_device_and_no_key(
    scene: Scene, ruleset: str, *, sealed: bool, has_names: bool
) -> None:
    """On the bytes of the answer: no secret, no hash of one, no public name or key; names only where chosen."""
    an, binh = await keyed(scene, ruleset, "Ẩn Danh", "Bình Nguyên", bots=1, sealed=sealed)
    await ready(an, binh)
    last = await finished(scene, an)
    made = await shared(an, last, **({"has_names": True} if has_names else {}))
    data = (await fetched(scene, made["share"])).content
    names = [one["name"] for one in last["seats"]]
    assert len(names) == 3
    for name in names:
        assert (json.dumps(name, ensure_ascii=False).encode() in data) == has_names
    keys = [one["key"] for one in last["seats"]]
    people = [one["person"] for one in last["seats"]]
    devices = list(scene.hall.people)
    assert len(keys) == len(people) == 3
    assert len(devices) == 2
    for text in (an.secret, binh.secret, *keys, *people, *devices, '"person"', '"key"', '"maker"'):
        assert text.encode() not in data


async def test_only_a_seat_of_the_round_makes_a_link(scene: Scene) -> None:
    """Who watches or came later is refused, and so is a round that the room does not have."""
    (an, binh), last = await played(scene, people=2)
    chi = await scene.player("Chi", room=an.view["room"], plays=False)
    refused = await chi.refused("share", table=last["table"], number=last["number"])
    assert refused["code"] == "NOT_SEATED"
    assert (await an.refused("share", table=last["table"], number=9))["code"] == "NO_ROUND"
    assert (await binh.refused("share", table="other.1", number=1))["code"] == "NO_ROUND"
    assert (await shared(binh, last))["share"]
    assert len(scene.hall.shares.origins) == 1


async def test_round_is_shared_only_if_it_was_settled_and_is_proved(scene: Scene) -> None:
    """An aborted round has nothing to show; one whose seed is not in the log yet can be asked for again."""
    (an,), last = await played(scene, bots=1)
    record = scene.hall.rooms[an.view["room"]].records[0]
    record["proof"]["is_revealed"] = False
    refused = await an.refused("share", table=last["table"], number=1)
    assert (refused["code"], refused["is_retryable"]) == ("PROOF_SOON", True)
    record["end"] = "ABORTED"
    assert (await an.refused("share", table=last["table"], number=1))["code"] == "NOTHING_TO_SHOW"


async def test_same_wish_has_the_same_link_and_names_have_another(scene: Scene) -> None:
    """Asking again makes no second file; the link with names says nothing of the one without."""
    (an,), last = await played(scene, bots=1)
    plain, named = await shared(an, last), await shared(an, last, has_names=True)
    assert await shared(an, last) == plain
    assert await shared(an, last, has_names=True) == named
    assert plain["share"] != named["share"]
    assert len(list((scene.folder / "shares").iterdir())) == 2


async def test_link_outlives_its_room_and_a_restart_and_ends_after_thirty_days(new_scene: Scene) -> None:
    """The same bytes after a restart and once everybody has left; at 30 days it is over, and its file is gone."""
    async with new_scene.open() as scene:
        (an,), last = await played(scene, bots=1)
        share = (await shared(an, last))["share"]
        content = (await fetched(scene, share)).content
        await an.ask("leave")
    half = new_scene.folder / "shares" / f"{share}.share.new"  # as a kill in the middle of writing leaves it
    half.write_bytes(b"{")
    async with new_scene.open() as scene:
        await again(scene, [an])
        assert (await fetched(scene, share)).content == content
        scene.clock.move(30 * DAY_MS - 60_000)
        assert (await fetched(scene, share)).content == content
        scene.clock.move(60_000)
        ended = await fetched(scene, share)
        assert (ended.status_code, ended.json()["reason"]) == (httpx.codes.GONE, "SHARE_EXPIRED")
        assert list((scene.folder / "shares").iterdir()) == []
    async with new_scene.open() as scene:
        assert (await fetched(scene, share)).json()["reason"] == "SHARE_EXPIRED"


@pytest.mark.parametrize("share", ["", "x", "f" * 40, "f" * 39, "F" * 40, "..", "..rooms", "f" * 200])
async def test_link_that_was_never_made_is_unknown(scene: Scene, share: str) -> None:
    answer = await fetched(scene, share)
    assert answer.status_code == httpx.codes.NOT_FOUND
    if share not in {"", ".."}:  # addresses of the page
        assert answer.json()["reason"] == "SHARE_UNKNOWN"
        assert set(answer.json()["text"]) == {"vi", "en"}


async def test_numbers_and_sizes_of_links_are_bounded(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """A person and the table server keep so many links and no more; a round that is too long makes none."""
    (an, binh), last = await played(scene, people=2)
    monkeypatch.setattr(shares, "MOST_BYTES", 100)
    assert (await an.refused("share", table=last["table"], number=1))["code"] == "BAD_COMMAND"
    monkeypatch.undo()
    monkeypatch.setattr(shares, "MOST_OF_A_PERSON", 1)
    await shared(an, last)
    refused = await an.refused("share", table=last["table"], number=1, has_names=True)
    assert (refused["code"], refused["detail"]) == ("TOO_MANY", "you have 1 links that are not over yet")
    assert (await shared(an, last))["share"]
    monkeypatch.setattr(shares, "MOST_SHARES", 1)
    refused = await binh.refused("share", table=last["table"], number=1)
    assert (refused["code"], refused["detail"]) == ("TOO_MANY", "this table server keeps at most 1 links")
    scene.clock.move(30 * DAY_MS)
    assert (await shared(binh, last))["share"]


@pytest.mark.parametrize(("ruleset", "sealed"), [("mau_binh.classic", False), ("tien_len.mien_nam", False)])
async def test_full_table_fits_well_into_the_bound_of_a_link(scene: Scene, ruleset: str, *, sealed: bool) -> None:
    (an,), last = await played(scene, ruleset, bots=3, sealed=sealed)
    made = await shared(an, last, has_names=True)
    assert len((await fetched(scene, made["share"])).content) < shares.MOST_BYTES // 3


async def test_table_server_without_a_folder_keeps_links_while_it_runs(new_scene: Scene) -> None:
    async with new_scene.open(folder=None):
        (an,), last = await played(new_scene, bots=1)
        made = await shared(an, last)
        assert (await fetched(new_scene, made["share"])).json()["share"] == made["share"]
