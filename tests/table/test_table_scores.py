"""Scores of a device over rooms: counted once, for the right device, kept and bounded, and forgotten when asked."""

import json
import stat
from functools import partial
from pathlib import Path
from typing import Any, Final

import msgspec
import pytest
from referee_table import scores
from referee_table.hall import Hall
from referee_table.scores import DeviceScores
from referee_table.state import Stats

from tests.table.scripted_player import Player, View
from tests.table.table_process import table_process
from tests.table.table_scene import Scene, phase_is, ready
from tests.table.test_table_restart import again
from tests.table.test_table_rounds import finish
from tests.table.test_table_shares import played

RULESET: Final = "tien_len.mien_nam"
DAY_MS: Final = 24 * 3600 * 1000
EMPTY: Final[View] = {"until": None, "all": [], "games": [], "rooms": []}


def net_of(last: View, player: Player) -> int:
    """Return what a round brought a player."""
    return next(int(one["net_minor"]) for one in last["seats"] if one["person"] == player.welcome["person"])


def kill_between_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave files as a kill does once a device's scores are written and before its room is."""
    save = Hall.save

    def killed(hall: Hall, room: Any) -> None:  # noqa: ANN401 - the room
        if not hall.scores.devices:
            save(hall, room)

    monkeypatch.setattr(Hall, "save", killed)


def full(*_args: Any) -> None:  # noqa: ANN401 - of the function in whose place it is
    """Fail as on a full disk."""
    raise OSError(28, "No space left on device")


def totals(shown: View) -> tuple[int, int]:
    """Return a device's number of rounds and their sum."""
    (whole,) = shown["all"]
    return whole["stats"]["rounds"], whole["stats"]["net_minor"]


def files(scene: Scene) -> list[Path]:
    """Return the files of all devices."""
    return sorted((scene.folder / "scores").iterdir())


async def test_scores_add_up_over_rooms_and_games_and_outlive_both(scene: Scene) -> None:
    """In all, by game and by room, the newest room first; rooms that have closed count as well."""
    nets = []
    an = await scene.player("An")
    assert await an.ask("scores") == EMPTY
    for ruleset, stake in ((RULESET, 500), ("ultimate_texas.casino", 1000)):
        await an.ask("create", ruleset=ruleset, stake_minor=stake, bots=1)
        await an.until(lambda view: len(view.get("persons", ())) == 2 and view["persons"][0]["is_seated"])
        await ready(an)
        nets.append(net_of(await finish(scene, an), an))
        await an.ask("leave")
        scene.clock.move(DAY_MS)
    shown = await an.ask("scores")
    won = sum(net > 0 for net in nets)
    stats = {"rounds": 2, "won": won, "net_minor": sum(nets), "best_minor": max(nets), "worst_minor": min(nets)}
    assert shown["all"] == [{"currency": "CHIP", "stats": stats}]
    assert [(one["game"], one["stats"]["net_minor"]) for one in shown["games"]] == list(
        zip(("tien_len", "ultimate_texas"), nets, strict=True)
    )
    assert [(one["ruleset"], one["stake_minor"], one["stats"]["best_minor"]) for one in shown["rooms"]] == [
        ("ultimate_texas.casino", 1000, nets[1]),
        (RULESET, 500, nets[0]),
    ]
    assert shown["until"] == shown["rooms"][0]["time"] + 180 * DAY_MS


async def test_round_that_a_kill_leaves_between_both_files_is_counted_once(
    new_scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The device's file has the round and the room's does not: the room settles again, and nothing counts twice."""
    async with new_scene.open() as scene:
        (an,) = await scene.table(RULESET, bots=1)
        kill_between_files(monkeypatch)
        await ready(an)
        last = await finish(scene, an)
    monkeypatch.undo()
    (room,) = new_scene.folder.glob("*.room.json")
    assert json.loads(room.read_bytes())["last"] is None
    async with new_scene.open() as scene:
        assert len(scene.hall.scores.devices) == 1
        await again(scene, [an])
        assert (await finish(scene, an))["round_id"] == last["round_id"]
        assert totals(await an.ask("scores")) == (1, net_of(last, an))
        await ready(an)
        await finish(scene, an, number=2)
        assert totals(await an.ask("scores"))[0] == 2


async def test_table_server_that_is_killed_counts_each_settled_round_once(tmp_path: Path) -> None:
    """Killed in mid-round and after it, by the process: one round then, and two after the next one."""
    player = Player("An")
    for number in (0, 1, 1, 2):
        with table_process(tmp_path) as running:
            await player.come(running.address)
            if number == 0:
                await player.ask("create", ruleset="ultimate_texas.casino", stake_minor=1000)
            await play_until(player, number)
            shown = await player.ask("scores")
            assert (totals(shown)[0] if shown["all"] else 0) == number
            running.process.kill()
            await player.closed()
            await player.go()


async def play_until(player: Player, number: int) -> None:
    """Play Ultimate Texas alone until a round has ended; with 0, until the first one is in play."""
    view = await player.until(lambda view: bool(view.get("persons")) and view["persons"][0]["is_seated"])
    while (view["last"] or {"number": 0})["number"] != number or (number == 0 and view["phase"] != "PLAYING"):
        version = view["version"]
        if view["phase"] == "PLAYING":
            decision = "CHECK" if "CHECK" in view["round"]["ultimate_texas"]["legal"] else "FOLD"
            await player.ask("decide", round_id=view["round"]["round_id"], decision=decision)
        elif view["phase"] == "LOBBY" and not view["persons"][0]["is_ready"]:
            await player.ask("ready", is_ready=True)
        view = await player.until(partial(is_newer, version))


def is_newer(version: int, view: View) -> bool:
    """Whether a view is of a later step than a version."""
    return bool(view["version"] > version)


async def test_scores_are_of_the_device_that_played_and_of_no_other(scene: Scene) -> None:
    """Two devices of one name have their own; a made-up secret, or another's public name or hash, shows nothing."""
    (an, binh), last = await played(scene, people=2, bots=1)
    seen = {player: totals(await player.ask("scores")) for player in (an, binh)}
    assert seen == {player: (1, net_of(last, player)) for player in (an, binh)}
    (hashed, *_) = [one.name.partition(".")[0] for one in files(scene)]
    for secret in ("x" * 43, f"{an.welcome['person']:x<43}", hashed):
        other = await scene.player("An", secret=secret, plays=False)
        assert await other.ask("scores") == EMPTY
        assert await other.ask("forget_scores") == EMPTY
    assert totals(await an.ask("scores")) == seen[an]
    assert len(files(scene)) == 2  # none of a bot


async def test_newer_tab_of_a_device_sees_and_continues_its_scores(scene: Scene) -> None:
    (an,), last = await played(scene, bots=1)
    tab = Player("An", secret=an.secret, first_id=100)
    await scene.seat_of(tab)
    assert await an.closed() == "TAKEN_OVER"
    assert totals(await tab.ask("scores")) == (1, net_of(last, tab))
    await ready(tab)
    await finish(scene, tab, number=2)
    assert totals(await tab.ask("scores"))[0] == 2


async def test_who_leaves_a_round_has_its_result_all_the_same(scene: Scene) -> None:
    an, binh = await scene.table("ultimate_texas.casino", people=2)
    an.script = None
    await ready(an, binh)
    view = await an.until(phase_is("PLAYING"))
    await an.ask("leave", round_id=view["round"]["round_id"])
    last = await finish(scene, binh)
    assert net_of(last, an) < 0
    assert totals(await an.ask("scores")) == (1, net_of(last, an))


async def test_forgotten_device_leaves_nothing_and_begins_anew(scene: Scene) -> None:
    (an, _), _ = await played(scene, people=2)
    assert await an.ask("forget_scores") == EMPTY
    assert len(files(scene)) == 1
    for player in scene.players:
        await ready(player)
    last = await finish(scene, an, number=2)
    assert totals(await an.ask("scores")) == (1, net_of(last, an))


async def test_file_has_no_secret_and_no_message_has_its_name(scene: Scene) -> None:
    """The server keeps a hash, for its owner's eyes alone; pages are never sent it."""
    messages: list[str] = []
    an, binh = await scene.table(RULESET, people=2)
    for player in (an, binh):
        player.on_message = lambda message: messages.append(json.dumps(message))
    await ready(an, binh)
    last = await finish(scene, binh)
    await binh.ask("replay", table=last["table"], number=1)
    await an.ask("scores")
    assert len(messages) > 10
    for path in files(scene):
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert an.secret.encode() not in path.read_bytes()
        assert not [text for text in messages if path.name.partition(".")[0] in text or an.secret in text]


async def test_scores_end_half_a_year_after_the_last_round(new_scene: Scene) -> None:
    async with new_scene.open() as scene:
        (an,), _ = await played(scene, bots=1)
        scene.clock.move(180 * DAY_MS - 1)
        assert totals(await an.ask("scores"))[0] == 1
    new_scene.clock.move(1)
    async with new_scene.open() as scene:
        await again(scene, [an])
        assert await an.ask("scores") == EMPTY
        assert files(scene) == []


async def test_numbers_of_rooms_and_devices_are_bounded(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    """The oldest room loses its line and stays in the whole; the device that has not played for longest gives way."""
    monkeypatch.setattr(scores, "MOST_ROOMS", 1)
    monkeypatch.setattr(scores, "MOST_DEVICES", 2)

    (an, binh), _ = await played(scene, people=2)
    await an.ask("leave")
    scene.clock.move(DAY_MS)
    await an.ask("create", ruleset=RULESET, stake_minor=100, bots=1)
    await an.until(lambda view: len(view.get("persons", ())) == 2 and view["persons"][0]["is_seated"])
    await ready(an)
    await finish(scene, an)
    shown = await an.ask("scores")
    assert (totals(shown)[0], [one["stake_minor"] for one in shown["rooms"]]) == (2, [100])
    chi = await scene.player("Chi")
    await chi.ask("create", ruleset=RULESET, stake_minor=100, bots=1)
    await chi.until(lambda view: len(view.get("persons", ())) == 2 and view["persons"][0]["is_seated"])
    await ready(chi)
    await finish(scene, chi)
    assert await binh.ask("scores") == EMPTY
    assert (totals(await an.ask("scores"))[0], len(files(scene))) == (2, 2)


async def test_damaged_file_is_left_alone_until_its_device_deletes_it(new_scene: Scene) -> None:
    async with new_scene.open() as scene:
        (an,), _ = await played(scene, bots=1)
    files(new_scene)[0].write_bytes(b"{")
    async with new_scene.open() as scene:
        await again(scene, [an])
        refused = await an.refused("scores")
        assert (refused["code"], "deleting" in refused["detail"]) == ("DISK_FAULT", True)
        await ready(an)
        await finish(scene, an, number=2)
        assert files(scene)[0].read_bytes() == b"{"
        assert await an.ask("forget_scores") == EMPTY
        await ready(an)
        await finish(scene, an, number=3)
        assert totals(await an.ask("scores"))[0] == 1


async def test_full_disk_costs_no_round_and_the_next_one_writes_all(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The round is settled and shown; what could not be deleted is said to be there still."""
    monkeypatch.setattr(scores, "write_whole", full)
    (an,), _ = await played(scene, bots=1)
    assert (totals(await an.ask("scores"))[0], files(scene)) == (1, [])
    monkeypatch.undo()
    await ready(an)
    await finish(scene, an, number=2)
    (path,) = files(scene)
    assert msgspec.json.decode(path.read_bytes(), type=DeviceScores).rooms[0].stats.rounds == 2
    monkeypatch.setattr(scores.Scores, "_unlink", full)
    refused = await an.refused("forget_scores")
    assert (refused["code"], "No space" in refused["detail"]) == ("DISK_FAULT", True)
    assert totals(await an.ask("scores"))[0] == 2


async def test_table_server_without_a_folder_keeps_scores_while_it_runs(new_scene: Scene) -> None:
    async with new_scene.open(folder=None) as scene:
        (an,), last = await played(scene, bots=1)
        assert totals(await an.ask("scores")) == (1, net_of(last, an))
        assert await an.ask("forget_scores") == EMPTY


def test_device_with_most_rooms_has_a_file_of_at_most_eight_kibibytes() -> None:
    """And all devices together 40 MiB."""
    stats = Stats(rounds=10**6, won=10**6, net_minor=-(10**9), best_minor=10**7, worst_minor=-(10**7))
    room = scores.RoomScore(
        room="k" * 10,
        ruleset="ultimate_texas.house_example",
        stake_minor=100_000,
        currency="CHIP",
        time=1_700_000_000_000,
        newest=(1000, 1_000_000),
        stats=stats,
    )
    game = scores.GameScore(game="ultimate_texas", currency="CHIP", stats=stats)
    assert len(msgspec.json.encode(DeviceScores([game] * 6, [room] * scores.MOST_ROOMS))) < 8 * 1024
