"""Whole rounds of each game at the table, by people and bots, proved by the audit of the log they leave."""

import asyncio
import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
from referee_client import NotReadyError

from referee.audit.report import DealingLevel, Report
from referee.audit.source import MemoryLog
from referee.rulesets import Catalogue
from referee.transcript.proof import EventLevel
from referee.v1 import log_pb2, log_pb2_grpc, shuffler_pb2, shuffler_pb2_grpc
from tests.driver.auditing import counted, terms_of
from tests.node_project import build, install
from tests.table.scripted_player import Player, View
from tests.table.table_scene import GAMES, Scene, phase_is, ready

VERIFIER: Final = Path(__file__).parents[2] / "clients" / "verifier"


def audited(scene: Scene, catalogue: Catalogue | None = None) -> Report:
    """Return the audit of the log as it is now, with the built-in rulesets or others."""
    stub = log_pb2_grpc.LogServiceStub(scene.court.channel)
    keys = stub.GetKeys(log_pb2.GetKeysRequest())
    leaves: list[bytes] = []
    checkpoint = stub.GetCheckpoint(log_pb2.GetCheckpointRequest()).checkpoint
    while len(leaves) < int(checkpoint.splitlines()[1]):
        leaves += stub.ListEntries(log_pb2.ListEntriesRequest(start=len(leaves))).leaves
    now, names = scene.clock.now(), ("origin", "log_key", "root_key")
    terms = terms_of(**{name: getattr(keys, name) for name in names}, now=now, as_of=now, catalogue=catalogue)
    return counted(MemoryLog(checkpoint=checkpoint.encode(), entries=tuple(leaves)), *terms)


async def finish(scene: Scene, player: Player, *, number: int = 1) -> View:
    """Play the round to its end and its revealed seed; return the record that pages get."""

    def ended(view: View) -> bool:
        last = view["last"]
        return bool(last and last["number"] == number and last.get("proof", {}).get("is_revealed"))

    view = await player.until(lambda view: view["phase"] == "SHOWDOWN" or ended(view))
    if view["phase"] == "SHOWDOWN":
        scene.clock.move(max(0, view["phase_end_time"] - scene.clock.now()))
    last: View = (await player.until(ended))["last"]
    return last


@pytest.mark.parametrize(("ruleset", "sealed"), GAMES)
@pytest.mark.parametrize(("people", "bots"), [(1, 2), (4, 0)])
async def test_whole_round_is_played_and_proved(
    new_scene: Scene, ruleset: str, people: int, bots: int, *, sealed: bool
) -> None:
    """Every page is given the same end, money sums to zero, and the audit finds nothing against the log."""
    async with new_scene.open():
        seats = await new_scene.table(ruleset, people=people, bots=bots, sealed=sealed)
        await ready(*seats)
        given = await finish(new_scene, seats[0])
        for one in seats[1:]:
            assert await finish(new_scene, one) == given
        assert given["end"] == "SETTLED"
        nets: Counter[int] = Counter()
        for one in given["transfers"]:
            nets[one["payer"]] -= one["amount_minor"]
            nets[one["payee"]] += one["amount_minor"]
        assert [one["net_minor"] for one in given["seats"]] == [nets[seat] for seat in range(people + bots)]
        assert sum(nets.values()) == 0
        scores = {one["person"]: one["score_minor"] for one in seats[0].view["persons"]}
        assert scores == {one["person"]: one["net_minor"] for one in given["seats"]}
    report = audited(new_scene)
    assert report.findings == ()
    assert (
        report.dealing_levels[DealingLevel.L2] == 1
    )  # every seat, bots included, was bound to its seed before the server's
    assert not report.event_levels[EventLevel.E0]  # every event has its receipt


@pytest.mark.parametrize(("ruleset", "sealed"), GAMES)
async def test_nobody_is_sent_a_card_that_is_not_theirs(scene: Scene, ruleset: str, *, sealed: bool) -> None:
    """While the round is played a page is sent its own cards and those that lie open, and not one other."""
    seats = await scene.table(ruleset, people=4, sealed=sealed)
    seen: dict[str, list[View]] = {one.name: [] for one in seats}
    for one in seats:
        one.watch = seen[one.name].append
    await ready(*seats)
    given = await finish(scene, seats[0])
    replay = await seats[0].ask("replay", table=given["table"], number=1)
    for seat, one in enumerate(replay["seats"]):
        name = one["name"]
        views = [view for view in seen[name] if view["phase"] == "PLAYING"]
        assert views
        for view in views:
            game = next(
                view["round"][name] for name in ("mau_binh", "tien_len", "ultimate_texas") if name in view["round"]
            )
            open_cards = set(game.get("played", [])) | set(game.get("board", []))
            own = set() if sealed else set(replay["hands"][seat])
            assert cards_in(view["round"]) <= own | open_cards, view


def cards_in(value: Any) -> set[str]:  # noqa: ANN401 - JSON
    """Every text in it that is a card."""
    if isinstance(value, dict):
        return set().union(*map(cards_in, value.values()))
    if isinstance(value, list):
        return set().union(*map(cards_in, value))
    is_card = isinstance(value, str) and len(value) == 2 and value[0] in "23456789TJQKA" and value[1] in "SCDH"
    return {value} if is_card else set()


@pytest.mark.parametrize("ruleset", ["mau_binh.classic", "ultimate_texas.casino"])
async def test_table_server_never_has_a_sealed_hand_of_a_person(scene: Scene, ruleset: str) -> None:
    """While it is played, neither the room's state nor its file has the hand, the token or the nonce."""
    an, binh = await scene.table(ruleset, people=2, sealed=True)
    binh.script = None
    await ready(an, binh)
    view = await binh.until(phase_is("PLAYING"))
    certificate, hand = await asyncio.to_thread(binh.open_hand, view)
    (room,) = scene.house.rooms.values()
    assert room.state.round is not None
    assert room.game.hands == {}
    kept = (scene.folder / f"{room.state.room}.room.json").read_bytes() + repr(room.state).encode()
    round_id = view["round"]["round_id"]
    for secret in (binh.own("token", round_id), binh.own("nonce", round_id), certificate):
        assert secret.hex().encode() not in kept
        assert repr(secret).encode()[2:-1] not in kept
    with pytest.raises(grpc.RpcError):  # what it has opens nothing
        shuffler_pb2_grpc.ShufflerServiceStub(scene.court.channel).OpenHand(
            shuffler_pb2.OpenHandRequest(
                round={"table_id": view["round"]["table"], "round_number": 1},
                seat=view["round"]["you"],
                token=room.state.round.token_hashes[view["round"]["you"]],
            )
        )
    assert len(hand) == (13 if ruleset.startswith("mau") else 2)


async def test_winner_of_the_last_round_leads_the_next(new_scene: Scene) -> None:
    """Tiến Lên: the table proves it by the transcript of the round before, and the audit follows it."""
    async with new_scene.open():
        seats = await new_scene.table("tien_len.mien_nam", people=3)
        winner: int | None = None
        for number in (1, 2, 3):
            await ready(*seats)
            given = await finish(new_scene, seats[0], number=number)
            replay = await seats[0].ask("replay", table=given["table"], number=number)
            if number > 1:
                first = replay["events"][0]["seat"] if replay["events"] else None
                assert first in {winner, None}  # a hand that wins at the deal leaves nobody to lead
            winner = next(seat for seat, one in enumerate(given["seats"]) if one["winner"])
    assert audited(new_scene).findings == ()


async def test_people_come_before_bots(scene: Scene) -> None:
    """A bot goes when a person comes and no seat is free; who finds all seats taken by people watches."""
    seats = await scene.table("mau_binh.classic", bots=3)
    room = seats[0].view["room"]
    for name in ("Bình", "Chi", "Dũng"):
        seats.append(await scene.player(name, room=room))
        await seats[0].until(lambda view: len([one for one in view["persons"] if not one["is_bot"]]) == len(seats))
    view = await seats[0].until(lambda view: all(one["place"] == "SEAT" for one in view["persons"]))
    assert [one["is_bot"] for one in view["persons"]] == [False] * 4
    fifth = await scene.player("Giang", room=room)
    view = await fifth.until(lambda view: view["type"] == "view")
    assert [one["place"] for one in view["persons"]] == ["SEAT"] * 4 + ["WATCHING"]
    assert (await fifth.refused("ready", is_ready=True))["code"] == "NOT_SEATED"
    await ready(*seats)
    shown = await fifth.until(phase_is("PLAYING"))
    assert shown["round"]["you"] is None
    assert not cards_in(shown["round"])
    await finish(scene, fifth)


@pytest.mark.slow("builds or checks a Node project")
async def test_bundle_of_a_round_is_verified_by_a_stranger(scene: Scene, tmp_path: Path) -> None:
    """The proof that a page fetches holds for the verifier, which shares no code with this project."""
    if why := install(VERIFIER):
        pytest.skip(f"the bundle is not given to the verifier: {why}")
    build(VERIFIER, "build")
    verifier = VERIFIER / "dist" / "cli.js"
    seats = await scene.table("tien_len.mien_nam", people=2, bots=1)
    for number in (1, 2):
        await ready(*seats)
        await finish(scene, seats[0], number=number)
    client = scene.house.client
    with pytest.raises(NotReadyError):
        await client.bundle("nowhere.1", 1)
    table, keys = seats[0].view["last"]["table"], seats[0].welcome["log"]
    for number in (1, 2):
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(await client.bundle(table, number)))
        command = ["node", str(verifier), str(path), "--log-key", keys["log_key"], "--root-key", keys["root_key"]]
        done = await asyncio.to_thread(
            subprocess.run, command, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize(("ruleset", "sealed"), GAMES)
async def test_seat_that_leaves_ends_for_itself_alone(new_scene: Scene, ruleset: str, *, sealed: bool) -> None:
    """Somebody goes in the middle of a round; the others play on, and the transcript has the departure."""
    async with new_scene.open():
        seats = await new_scene.table(ruleset, people=3, sealed=sealed)
        gone = seats[2]
        gone.script = None
        await ready(*seats)
        await gone.until(phase_is("PLAYING"))
        await gone.ask("leave")
        await gone.until(lambda view: view["type"] == "lobby")
        given = await finish(new_scene, seats[0])
        replay = await seats[0].ask("replay", table=given["table"], number=1)
        assert [one["action"] for one in replay["events"] if one["seat"] == 2][-1:] in (["LEAVE"], ["DECIDE"])
        assert len(seats[0].view["persons"]) == 2
    assert audited(new_scene).findings == ()


async def test_view_that_was_made_does_not_change(scene: Scene) -> None:
    """A page that reads slowly is sent a view as it was made: whose turn it is and what lies there belong together."""
    an, binh = await scene.table("tien_len.mien_nam", people=2, plays=False)
    await ready(an, binh)
    turn = (await an.until(phase_is("PLAYING")))["round"]["tien_len"]["turn"]
    lead = (an, binh)[turn]
    view = await lead.until(phase_is("PLAYING"))
    person = next(one for one in scene.house.people.values() if one.person == view["you"])
    made = scene.house.sees(person)
    before = json.dumps(made)
    fields = {"round_id": view["round"]["round_id"], "cards": view["round"]["hand"][:1]}
    await lead.ask("play", **fields)
    await lead.until(lambda view: len(view["round"]["tien_len"]["trick"]) == 1)
    assert json.dumps(made) == before
