"""Kept tables: the link works next week, members are remembered and see their table, and nobody else decides on it."""

from typing import Any

import pytest
from referee_table import hall, kept

from tests.table.scripted_player import Player, View
from tests.table.table_scene import Scene, ready
from tests.table.test_table_restart import again
from tests.table.test_table_rounds import finish
from tests.table.test_table_scores import DAY_MS, RULESET, full, kill_between_files, net_of

WEEK_MS = 7 * DAY_MS


async def keep(scene: Scene, **how: Any) -> tuple[list[Player], str]:  # noqa: ANN401 - of create
    """Return people at a kept table, the first its host and all its members, and the room."""
    seats = await scene.table(RULESET, **how)
    for player in seats:
        await player.ask("keep", is_kept=True)
    return seats, str(seats[0].view["room"])


def names(table: View) -> list[str]:
    """Return the names of a table's members, its host's first."""
    return [member["name"] for member in table["members"]]


async def test_link_works_next_week_after_a_restart_with_members_scores_and_rounds(new_scene: Scene) -> None:
    """Everybody leaves, the server is started again, and each has the score, the history and the replay as before."""
    async with new_scene.open() as scene:
        (an, binh), room = await keep(scene, people=2)
        await ready(an, binh)
        last = await finish(scene, an)
        nets = {"An": net_of(last, an), "Bình": net_of(last, binh)}
        for player in (an, binh):
            await player.ask("leave")
    new_scene.clock.move(WEEK_MS)
    async with new_scene.open() as scene:
        await again(scene, [an, binh])
        (yours,) = an.view["yours"]
        assert (yours["room"], yours["members"], yours["persons"], yours["time"]) == (
            room,
            ["An", "Bình"],
            [],
            last["time"],
        )
        assert (an.view["rooms"], yours["score_minor"]) == ([], nets["An"])
        assert yours["kept_until"] == last["time"] + 90 * DAY_MS
        table = await an.ask("members", room=room)
        assert {member["name"]: member["stats"]["net_minor"] for member in table["members"]} == nets
        payer, payee = (an, binh) if nets["An"] < 0 else (binh, an)
        public = [player.welcome["person"] for player in (payer, payee)]
        assert table["pairs"] == [{"payer": public[0], "payee": public[1], "amount_minor": abs(nets["An"])}]
        (only,) = (await an.ask("history", room=room))["rounds"]
        assert only["round_id"] == last["round_id"]
        assert (await an.ask("replay", room=room, table=last["table"], number=1))["events"]
        chi = await scene.player("Chi", room=room)
        assert (await chi.until(lambda view: "is_member" in view))["is_member"] is True
        await binh.ask("join", room=room)
        view = await binh.until(lambda view: len(view.get("persons", ())) == 2)
        assert {person["name"]: person["score_minor"] for person in view["persons"]} == {"Chi": 0, "Bình": nets["Bình"]}
        assert (await binh.ask("share", table=last["table"], number=1))["share"]
        await ready(chi, binh)
        assert (await finish(scene, binh, number=2))["end"] == "SETTLED"
        assert names(await an.ask("members", room=room)) == ["An", "Bình", "Chi"]


async def test_table_that_is_killed_in_a_round_counts_it_once_for_members(
    new_scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The room's file is of before the settlement, as a kill leaves it; the members' scores are in that file."""
    async with new_scene.open() as scene:
        (an, binh), room = await keep(scene, people=2)
        kill_between_files(monkeypatch)
        await ready(an, binh)
        last = await finish(scene, an)
    monkeypatch.undo()
    async with new_scene.open() as scene:
        await again(scene, [an, binh])
        await finish(scene, an)
        table = await an.ask("members", room=room)
        assert [member["stats"]["rounds"] for member in table["members"]] == [1, 1]
        assert [member["stats"]["net_minor"] for member in table["members"]] == [net_of(last, an), net_of(last, binh)]
        assert table["pairs"][0]["amount_minor"] == abs(net_of(last, an))


async def test_table_is_deleted_ninety_days_after_its_last_round(new_scene: Scene) -> None:
    async with new_scene.open() as scene:
        (an,), room = await keep(scene)
        await an.ask("leave")
        await an.until(lambda view: view["type"] == "lobby" and bool(view["yours"]))
        scene.clock.move(90 * DAY_MS)
        await an.until(lambda view: view["yours"] == [])
        assert (await an.refused("join", room=room))["code"] == "NO_ROOM"
        assert not list(scene.folder.glob(f"{room}.*"))


async def test_only_members_see_a_table_and_only_its_host_hands_over_sends_away_and_closes(scene: Scene) -> None:
    """Others are refused, also while the host is away; who watches is no member."""
    (an, binh), room = await keep(scene, people=2)
    public = {player: player.welcome["person"] for player in (an, binh)}
    chi = await scene.player("Chi", plays=False)
    for name in ("members", "history", "unkeep"):
        assert (await chi.refused(name, room=room))["code"] == "NO_ROOM"
    assert (await chi.refused("keep", room=room, is_kept=True))["code"] == "NO_ROOM"
    assert (chi.view["rooms"], chi.view["yours"]) == ([], [])
    await chi.ask("join", room=room, watch=True)
    assert names(await chi.ask("members")) == ["An", "Bình"]
    await an.ask("leave")
    await binh.until(lambda view: len(view["persons"]) == 2)
    kick = {"kick": {"person": chi.welcome["person"]}, "hand_over": {"person": public[binh]}, "unkeep": {}}
    for name, fields in kick.items():
        assert (await binh.refused(name, **fields))["code"] == "NOT_HOST"
    await an.ask("hand_over", room=room, person=public[binh])
    assert names(await binh.ask("members")) == ["Bình", "An"]
    assert (await binh.refused("hand_over", person=chi.welcome["person"]))["code"] == "BAD_COMMAND"
    await binh.ask("kick", person=public[an])
    await an.until(lambda view: view["yours"] == [])
    assert (await an.refused("join", room=room))["code"] == "KICKED"
    await binh.ask("unkeep")
    assert (await binh.refused("members"))["code"] == "NOT_KEPT"
    for player in (binh, chi):
        await player.ask("leave")
    assert (await binh.refused("preview", room=room))["code"] == "NO_ROOM"


async def test_member_who_goes_for_good_is_forgotten_and_the_next_one_is_host(scene: Scene) -> None:
    """Its scores and nets go with it; with its last member the table is no longer kept."""
    (an, binh), room = await keep(scene, people=2)
    await ready(an, binh)
    await finish(scene, an)
    await an.ask("leave")
    await an.ask("keep", room=room, is_kept=False)
    table = await binh.ask("members")
    assert (names(table), table["members"][0]["is_host"], table["pairs"]) == (["Bình"], True, [])
    await binh.ask("keep", is_kept=False)
    await binh.until(lambda view: view["kept_until"] is None)
    await binh.ask("leave")
    assert (await binh.refused("preview", room=room))["code"] == "NO_ROOM"


async def test_only_a_host_begins_to_keep_and_a_guest_becomes_member_by_choice(scene: Scene) -> None:
    an, binh = await scene.table(RULESET, people=2, bots=1)
    assert (await binh.refused("keep", is_kept=True))["code"] == "NOT_HOST"
    assert (await binh.refused("members"))["code"] == "NOT_KEPT"
    await an.ask("keep", is_kept=True)
    view = await binh.until(lambda view: view["kept_until"] is not None)
    assert view["is_member"] is False
    await binh.ask("keep", is_kept=True)
    await binh.ask("rename", person_name="Bình Minh", language="vi", avatar="CAT")
    members = (await an.ask("members"))["members"]
    assert [(member["name"], member["avatar"]) for member in members] == [("An", ""), ("Bình Minh", "CAT")]


async def test_numbers_of_members_and_tables_are_bounded(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who comes beyond them plays all the same, without being remembered."""
    monkeypatch.setattr(kept, "MOST_MEMBERS", 1)
    (an,), room = await keep(scene)
    binh = await scene.player("Bình", room=room, plays=False)
    view = await binh.until(lambda view: view.get("room") == room)
    assert view["is_member"] is False
    assert (await binh.refused("keep", is_kept=True))["code"] == "ROOM_FULL"
    monkeypatch.undo()
    monkeypatch.setattr(kept, "MOST_OF_A_DEVICE", 1)
    await an.ask("leave")
    await an.ask("create", ruleset=RULESET, stake_minor=100)
    assert (await an.refused("keep", is_kept=True))["code"] == "TOO_MANY"
    monkeypatch.undo()
    monkeypatch.setattr(kept, "MOST_KEPT", 1)
    refused = await an.refused("keep", is_kept=True)
    assert (refused["code"], refused["detail"]) == ("TOO_MANY", "this table server keeps at most 1 tables")


async def test_full_disk_ends_the_room_and_not_the_table(new_scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its files stay as they were written last; it is back after the next start."""
    async with new_scene.open() as scene:
        (an,), room = await keep(scene, bots=1)
        monkeypatch.setattr(hall, "write_whole", full)
        scene.hall.rooms[room].post(lambda: None)
        await an.until(lambda view: view["type"] == "lobby")
        assert an.notices[-1] == "ROOM_CLOSED"
        monkeypatch.undo()
    async with new_scene.open() as scene:
        await again(scene, [an])
        await an.until(lambda view: view.get("room") == room)
        assert names(await an.ask("members")) == ["An"]


async def test_file_of_rounds_does_not_grow_without_end(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond its bound it is written anew with the rounds that the room keeps, each once."""
    monkeypatch.setattr(hall, "MOST_RECORDED", 1)
    (an,), room = await keep(scene, bots=1)
    for number in (1, 2):
        await ready(an)
        await finish(scene, an, number=number)
    lines = (scene.folder / f"{room}.rounds.jsonl").read_bytes().splitlines()
    assert len(lines) <= 3  # both rounds, and the one written last once more
    assert len((await an.ask("history"))["rounds"]) == 2
