"""Whole rounds of each game at the table, by people and bots, proved by the audit of the log that they leave."""

import asyncio
import importlib
import json
import subprocess
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
from referee_client import NotReadyError

from referee.audit.bundle import prove_round
from referee.audit.report import DealingLevel
from referee.evidence.dsse import Envelope
from referee.rulesets import load_examples
from referee.transcript.proof import EventLevel
from referee.v1 import shuffler_pb2, shuffler_pb2_grpc
from tests.driver.auditing import terms_of
from tests.fuzz.fuzz_verdicts import TypeScript
from tests.node_project import build, install
from tests.table.scripted_player import RefusedCommandError, View
from tests.table.table_messages import message_faults
from tests.table.table_scene import GAMES, Scene, dealt, ready
from tests.verifier.verifier_project import PROJECT

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its parser of hand ranges, not used here, calls what its dependency deprecates
    eval7: Final[Any] = importlib.import_module("eval7")

VERIFIER: Final = Path(__file__).parents[2] / "clients" / "verifier"
COMMISSION: Final = (50, 2)
"""Permille and cap of the examples of a house's rules, in the games that have one."""


def nets_of(last: View) -> Counter[int]:
    """Return what each seat has won by the transfers, apart from how the table server sums them."""
    nets: Counter[int] = Counter()
    for one in last["transfers"]:
        nets[one["payer"]] -= one["amount_minor"]
        nets[one["payee"]] += one["amount_minor"]
    return nets


def cards_in(value: Any) -> set[str]:  # noqa: ANN401 - JSON
    """Every text in it that is a card."""
    if isinstance(value, dict | list):
        return set().union(*map(cards_in, value.values() if isinstance(value, dict) else value))
    is_card = isinstance(value, str) and len(value) == 2 and value[0] in "23456789TJQKA" and value[1] in "SCDH"
    return {value} if is_card else set()


def kind_of(cards: list[str]) -> str:
    """Return what another library calls the best hand of some cards."""
    kind = eval7.handtype(eval7.evaluate([eval7.Card(card[0] + card[1].lower()) for card in cards]))
    return {"Trips": "THREE_OF_A_KIND", "Quads": "FOUR_OF_A_KIND"}.get(kind, kind.upper().replace(" ", "_"))


def expect_views(views: list[View], own: set[str], *, is_sealed: bool) -> None:
    """Check that a page was sent its own cards and those that lie open, and its hand's name from the flop on."""
    rounds = [view["round"] for view in views if view["type"] == "view" and view["phase"] == "PLAYING"]
    assert rounds
    for one in rounds:
        game = next(one[name] for name in ("mau_binh", "tien_len", "ultimate_texas") if name in one)
        board = game.get("board", [])
        assert cards_in({**one, "course": None}) <= (set() if is_sealed else own) | {*game.get("played", []), *board}
        assert ("value" in game) == (one["you"] is not None and not is_sealed and bool(board)), game
        if "value" in game:
            assert game["value"]["category"] == kind_of([*one["hand"], *board])


@pytest.mark.parametrize(("ruleset", "sealed"), GAMES)
@pytest.mark.parametrize(("people", "level"), [(1, "E2"), (4, "E1")])
async def test_round_is_played_shown_and_proved(
    new_scene: Scene, ruleset: str, people: int, level: str, *, sealed: bool
) -> None:
    """Every page gets the same end and no foreign card, each message fits the schema, money adds up, the proof holds.

    A person with a key signs, and a bot with the table server's key: E2; without keys events have receipts: E1.
    """
    bots = 2 if people == 1 else 0
    async with new_scene.open() as scene:
        seats = await scene.table(ruleset, people=people, bots=bots, sealed=sealed, is_keyed=level == "E2")
        watcher = await scene.player("Xem", plays=False)
        await watcher.ask("join", room=seats[0].view["room"], watch=True)
        last = await scene.play(*seats)
        assert last["end"] == "SETTLED"
        replay = await seats[0].ask("replay", table=last["table"], number=1)
        for seat, one in enumerate(seats):
            assert await scene.finish(one) == last
            expect_views(one.seen, set(replay["hands"][seat]), is_sealed=sealed)
        expect_views(watcher.seen, set(), is_sealed=sealed)
        nets = nets_of(last)
        assert [one["net_minor"] for one in last["seats"]] == [nets[seat] for seat in range(people + bots)]
        assert sum(nets.values()) == 0
        scores = {one["person"]: one["score_minor"] for one in seats[0].view["persons"] if one["name"] != "Xem"}
        assert scores == {one["person"]: one["net_minor"] for one in last["seats"]}
        for event in replay["events"]:
            assert event["action"] != "DECIDE" or event["street"] in {"PREFLOP", "FLOP", "RIVER"}
            assert event["action"] != "PLAY" or event["name"]["vi"]
        has_leader = "tien_len" in ruleset and bool(replay["events"])
        assert replay.get("leader") == (replay["events"][0]["seat"] if has_leader else None)
        await seats[0].ask("history")
        assert [fault for one in seats for message in one.seen for fault in message_faults(message)] == []
        bundle = await scene.house.client.bundle(last["table"], 1)
        keys = seats[0].welcome["log"]
        proved = prove_round(json.dumps(bundle).encode(), *terms_of(**keys, now=0)[:2])
        assert proved.is_proved, proved.findings
        assert proved.result is not None
        assert str(proved.result.event_level) == level
    report = new_scene.audited()
    assert report.findings == ()
    assert report.dealing_levels[DealingLevel.L2] == 1  # every seat was bound to its seed before the server's
    assert not report.event_levels[EventLevel.E0]  # every event has its receipt


@pytest.mark.parametrize("ruleset", ["mau_binh.classic", "ultimate_texas.casino"])
async def test_table_server_never_has_a_sealed_hand_of_a_person(scene: Scene, ruleset: str) -> None:
    """While it is played, neither the room's state nor its file has the hand, the token or the nonce."""
    an, binh = await scene.table(ruleset, people=2, sealed=True)
    binh.script = None
    view = (await dealt(an, binh))[1]
    certificate, hand = await asyncio.to_thread(binh.open_hand, view)
    assert len(hand) == (13 if ruleset.startswith("mau") else 2)
    (room,) = scene.house.rooms.values()
    assert room.rounds.game.hands == {}
    kept = (scene.folder / f"{room.state.room}.room.json").read_bytes() + repr(room.state).encode()
    secrets = binh.secrets(view["round"])
    for secret in (secrets.token, secrets.nonce, certificate):
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


async def test_winner_of_the_last_round_leads_the_next(new_scene: Scene) -> None:
    """Tiến Lên: the table proves it by the transcript of the round before, and the audit follows it."""
    async with new_scene.open() as scene:
        seats, winner = await scene.table("tien_len.mien_nam", people=3), None
        for number in (1, 2, 3):
            last = await scene.play(*seats, number=number)
            events = (await seats[0].ask("replay", table=last["table"], number=number))["events"]
            if number > 1 and events:  # a hand that wins at the deal leaves nobody to lead
                assert events[0]["seat"] == winner
            winner = next(seat for seat, one in enumerate(last["seats"]) if one["winner"])
    assert new_scene.audited().findings == ()


@pytest.mark.parametrize(("ruleset", "sealed"), GAMES)
async def test_seat_that_leaves_ends_for_itself_alone(new_scene: Scene, ruleset: str, *, sealed: bool) -> None:
    """Somebody goes in the middle of a round; the others play on, and the transcript has the departure."""
    async with new_scene.open() as scene:
        seats = await scene.table(ruleset, people=3, sealed=sealed)
        seats[2].script = None
        await ready(*seats)
        await seats[2].phase("PLAYING")
        await seats[2].ask("leave")
        await seats[2].until(lambda view: view["type"] == "lobby")
        last = await scene.finish(seats[0])
        replay = await seats[0].ask("replay", table=last["table"], number=1)
        assert [one["action"] for one in replay["events"] if one["seat"] == 2][-1:] in (["LEAVE"], ["DECIDE"])
        assert len(seats[0].view["persons"]) == 2
    assert new_scene.audited().findings == ()


async def test_chop_is_said_where_it_is_played_as_it_is_paid(make_scene: Callable[..., Scene]) -> None:
    """The table has the listed price of a play; the settlement pays what the law finds in the events."""
    async with make_scene(luck="luck 7").open() as scene:
        people = await scene.table("tien_len.mien_nam", people=4)
        last = await scene.play(*people)
        replay = await people[0].ask("replay", table=last["table"], number=1)
        said = [(one["seat"], one["chops"]) for one in replay["events"] if "chops" in one]
        paid = [one for one in last["transfers"] if one["reason"] == "CHOP"]
        assert [(one["payee"], one["payer"], one["amount_minor"]) for one in paid] == [
            (seat, chop["seat"], chop["amount_minor"]) for seat, chop in said
        ]
        assert len(said) == 1


@pytest.mark.parametrize("game", ["mau_binh", "tien_len", "ultimate_texas"])
async def test_example_of_a_house_is_played_paid_and_audited(make_scene: Callable[..., Scene], game: str) -> None:
    """Each round's net amounts are its transfers, the house's among them; the audit adds up the house's part."""
    scene, played = make_scene(catalogue=load_examples()), list[View]()
    async with scene.open():
        seats = await scene.table(f"{game}.house_example", people=2, bots=1)
        for number in (1, 2, 3):
            played.append(await scene.play(*seats, number=number))
    house = paid = 0
    for last in played:
        nets = nets_of(last)
        assert [one["net_minor"] for one in last["seats"]] == [nets[seat] for seat in range(3)]
        assert last["house_net_minor"] == nets[255]
        taken = {one["payer"]: one["amount_minor"] for one in last["transfers"] if one["reason"] == "COMMISSION"}
        won = {seat: nets[seat] + taken.get(seat, 0) for seat in range(3)}
        due = {seat: min(net * COMMISSION[0] // 1000, COMMISSION[1] * 1000) for seat, net in won.items() if net > 0}
        assert taken == ({} if game == "ultimate_texas" else due)
        house += nets[255]
        paid += sum(255 in {one["payer"], one["payee"]} for one in last["transfers"])
    report = scene.audited(load_examples())
    assert report.findings == ()
    rows = [(row.ruleset_id, row.settled, row.house) for row in report.money.rows]
    assert rows == [(f"{game}.house_example", 3, house)]
    assert paid > 0  # what the house wins and loses may cancel out
    assert reasons_to_lead(scene) == (["LOWEST_CARD", "WINNER", "WINNER"] if game == "tien_len" else [])


def reasons_to_lead(scene: Scene) -> list[str]:
    """Return why each settled round's leader led, in the order of the log."""
    payloads = [json.loads(Envelope.parse(leaf).payload) for leaf in scene.log()["leaves"]]
    return [one["inputs"]["leader_by"] for one in payloads if "leader_by" in one.get("inputs", {})]


@pytest.mark.slow("builds a Node project")
@pytest.mark.parametrize("game", ["mau_binh", "tien_len"])
async def test_other_verifier_finds_nothing_in_a_round_of_a_house(make_scene: Callable[..., Scene], game: str) -> None:
    """It reads the house's part of the results, and finds the leader by the lowest card."""
    if why := install(PROJECT):
        pytest.skip(f"the TypeScript verifier is not asked: {why}")
    build(PROJECT, "build:test")
    scene = make_scene(catalogue=load_examples())
    async with scene.open():
        seats = await scene.table(f"{game}.house_example", people=2, bots=1)
        assert (await scene.play(*seats))["house_net_minor"] > 0
    assert reasons_to_lead(scene) == (["LOWEST_CARD"] if game == "tien_len" else [])
    log = scene.log()
    row = {**log, "id": "house-rules", "now": scene.clock.now(), "leaves": [leaf.decode() for leaf in log["leaves"]]}
    with TypeScript() as typescript:
        typescript.ask({**row, "rulesets": [one.source.decode() for one in load_examples()]})
        assert typescript.answer() == ()


async def test_bets_outside_the_limits_are_refused_and_the_stake_is_kept_within_them(
    make_scene: Callable[..., Scene],
) -> None:
    async with make_scene(catalogue=load_examples()).open() as scene:
        (player,) = await scene.table("ultimate_texas.house_example", bots=0, stake_minor=10_000)
        limits = {one["id"]: one.get("limits", {}) for one in player.welcome["rulesets"]}
        assert limits["ultimate_texas.house_example"]["largest_ante"] == 5000
        for ante, trips in ((5002, 0), (98, 0), (100, 49)):
            with pytest.raises(RefusedCommandError):
                await player.ask("ready", is_ready=True, ante_minor=ante, trips_minor=trips)
        last = await scene.play(player)
        assert max(one["amount_minor"] for one in last["transfers"]) >= 5000


@pytest.mark.slow("builds or checks a Node project")
async def test_bundle_of_a_round_is_verified_by_a_stranger(scene: Scene, tmp_path: Path) -> None:
    """The proof that a page fetches holds for the verifier, which shares no code with this project."""
    if why := install(VERIFIER):
        pytest.skip(f"the bundle is not given to the verifier: {why}")
    build(VERIFIER, "build")
    seats = await scene.table("tien_len.mien_nam", people=2, bots=1)
    with pytest.raises(NotReadyError):
        await scene.house.client.bundle("nowhere.1", 1)
    for number in (1, 2):
        table, keys = (await scene.play(*seats, number=number))["table"], seats[0].welcome["log"]
        path = tmp_path / f"{number}.json"
        path.write_text(json.dumps(await scene.house.client.bundle(table, number)))
        given = [str(path), "--log-key", keys["log_key"], "--root-key", keys["root_key"]]
        command = ["node", str(VERIFIER / "dist" / "cli.js"), *given]
        done = await asyncio.to_thread(
            subprocess.run, command, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
