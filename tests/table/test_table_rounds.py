"""Whole rounds of each game with people and bots, proved by the audit of the log that they leave."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest
from referee_client import tls_credentials
from referee_harness import Clock, Harness

from referee.audit.report import DealingLevel
from referee.evidence.dsse import Envelope
from referee.rulesets import load_examples
from referee.server.settings.access import AccessSettings, Certified, Issuer
from referee.server.settings.caller_role import CallerRole
from referee.server.settings.tls import TlsSettings
from referee.transcript.proof import EventLevel
from tests.fuzz.fuzz_verdicts import TypeScript
from tests.node_project import build, install
from tests.server.access.mint import Mint
from tests.server.tls.authority import Authority
from tests.table.scripted_player import View
from tests.table.table_messages import message_faults
from tests.table.table_scene import GAMES, MAU_BINH, TEXAS, TIEN_LEN, Scene, dealt, ready
from tests.verifier.verifier_project import PROJECT

HOUSE: Final = 255
"""The house among payers and payees."""
DAY: Final = 86_400


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


def expect_views(views: list[View], own: set[str], *, name: Any, is_sealed: bool) -> None:  # noqa: ANN401 - JSON
    """Check that a page was sent its own cards and those that lie open, and its hand's name from the flop on."""
    rounds = [view["round"] for view in views if view["type"] == "view" and view["phase"] == "PLAYING"]
    assert rounds
    for one in rounds:
        game = next(one[name] for name in ("mau_binh", "tien_len", "ultimate_texas") if name in one)
        board = game.get("board", [])
        assert cards_in({**one, "course": None}) <= (set() if is_sealed else own) | {*game.get("played", []), *board}
        assert ("value" in game) == (one["you"] is not None and not is_sealed and bool(board)), game
        assert len(board) < 5 or "value" not in game or game["value"]["name"] == name


@pytest.mark.parametrize(("ruleset", "sealed"), GAMES)
@pytest.mark.parametrize(("people", "level"), [(1, EventLevel.E2), (4, EventLevel.E1)])
async def test_round_is_played_shown_and_proved(
    new_scene: Scene, ruleset: str, people: int, level: EventLevel, *, sealed: bool
) -> None:
    """Every page gets the same end and no foreign card, each message fits the schema, money adds up, the audit passes.

    A person with a key signs, and a bot with the table server's key: E2; without keys events have receipts: E1.
    """
    bots = 2 if people == 1 else 0
    async with new_scene.open() as scene:
        seats = await scene.table(ruleset, people=people, bots=bots, sealed=sealed, is_keyed=level == EventLevel.E2)
        watcher = await scene.player("Xem", plays=False)
        await watcher.ask("join", room=seats[0].view["room"])
        await watcher.ask("sit_out", is_out=True)
        last = await scene.play(*seats)
        assert last["end"] == "SETTLED"
        replay = await seats[0].ask("replay", table=last["table"], number=1)
        for seat, one in enumerate(seats):
            assert await scene.finish(one) == last
            name = last["seats"][seat].get("value_name")
            expect_views(one.seen, set(replay["hands"][seat]), name=name, is_sealed=sealed)
        expect_views(watcher.seen, set(), name=None, is_sealed=sealed)
        nets = nets_of(last)
        assert [one["net_minor"] for one in last["seats"]] == [nets[seat] for seat in range(people + bots)]
        assert sum(nets.values()) == 0
        scores = {one["person"]: one["score_minor"] for one in seats[0].view["persons"] if one["name"] != "Xem"}
        assert scores == {one["person"]: one["net_minor"] for one in last["seats"]}
        for event in replay["events"]:
            assert event["action"] != "DECIDE" or event["street"] in {"PREFLOP", "FLOP", "RIVER"}
            assert event["action"] != "PLAY" or event["name"]["vi"]
        has_leader = ruleset == TIEN_LEN and bool(replay["events"])
        assert replay.get("leader") == (replay["events"][0]["seat"] if has_leader else None)
        await seats[0].ask("history")
        assert [fault for one in seats for message in one.seen for fault in message_faults(message)] == []
    report = new_scene.audited()
    assert report.dealing_levels[DealingLevel.L2] == 1  # every seat was bound to its seed before the server's
    assert [one for one, count in report.event_levels.items() if count] == [level]


@pytest.mark.parametrize("door", ["token", "certificate"])
async def test_table_is_a_frontend_like_any_other(new_scene: Scene, tmp_path: Path, door: str) -> None:
    """It plays for its tenant over TLS, with a token or by a certificate of its own."""
    authority, mint, now = Authority("authority"), Mint(), new_scene.clock.now() // 1000
    authority.server().write(tmp_path)
    authority.paper.write(tmp_path, "callers")
    files = {name: str(tmp_path / f"{name}.pem") for name in ("server", "callers")}
    access = AccessSettings(
        issuers=(Issuer(key=mint.key),),
        certificates=(Certified(name="CN=frontend", role=CallerRole.FRONTEND, tenant="acme"),),
    )
    tls = TlsSettings(certificate=files["server"], key=str(tmp_path / "server.key"), client_ca=files["callers"])
    token = mint.token("frontend", nbf=now - 60, exp=now + DAY) if door == "token" else ""
    own = authority.caller("nobody" if token else "frontend")
    shown = tls_credentials(authorities=authority.paper.pem, certificate=own.pem, key=own.key_pem)
    clock = Clock(start=new_scene.clock.now(), is_running=False)
    with Harness(clock=clock, access=access, tls=tls) as referee:
        how: dict[str, Any] = {"referee": referee.grpc, "tenant": "acme", "credentials": shown, "token": token}
        async with new_scene.open(**how) as scene:
            last = await scene.play(*await scene.table(TIEN_LEN, bots=1))
    assert (last["end"], last["table"].partition(".")[0]) == ("SETTLED", "acme")


@pytest.mark.parametrize("ruleset", [MAU_BINH, TEXAS])
async def test_table_server_never_has_a_sealed_hand_of_a_person(scene: Scene, ruleset: str) -> None:
    """While it is played, neither the room's state nor its file has the hand, the token or the nonce."""
    an, binh = await scene.table(ruleset, people=2, sealed=True)
    binh.script = None
    view = (await dealt(an, binh))[1]
    game, hand = await binh.joined(view)
    assert len(hand) == (13 if ruleset == MAU_BINH else 2)
    room = scene.room_of(an)
    assert room.rounds.game.hands == {}
    kept = (scene.folder / f"{room.state.room}.room.json").read_bytes() + repr(room.state).encode()
    secrets = binh.secrets(view["round"])
    for secret in (secrets.token, secrets.nonce, game.state.private[view["round"]["you"]][0]):
        assert secret.hex().encode() not in kept
        assert repr(secret).encode()[2:-1] not in kept


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
    new_scene.audited()


async def test_chop_is_said_where_it_is_played_as_it_is_paid(make_scene: Callable[..., Scene]) -> None:
    """The table has the listed price of a play; the settlement pays what the law finds in the events."""
    async with make_scene(luck="luck 7").open() as scene:
        people = await scene.table(TIEN_LEN, people=4)
        last = await scene.play(*people)
        replay = await people[0].ask("replay", table=last["table"], number=1)
    said = [(one["seat"], chop["seat"], chop["amount_minor"]) for one in replay["events"] if (chop := one.get("chops"))]
    paid = [one for one in last["transfers"] if one["reason"] == "CHOP"]
    assert len(said) == 1
    assert said == [(one["payee"], one["payer"], one["amount_minor"]) for one in paid]


@pytest.mark.parametrize("game", ["mau_binh", "tien_len", "ultimate_texas"])
async def test_example_of_a_house_is_played_paid_and_audited(make_scene: Callable[..., Scene], game: str) -> None:
    """Each round's net amounts are its transfers, the house's among them; who won leads, and the audit follows it."""
    scene, played = make_scene(catalogue=load_examples()), list[View]()
    async with scene.open():
        seats = await scene.table(f"{game}.house_example", people=2, bots=1)
        for number in (1, 2, 3):
            played.append(await scene.play(*seats, number=number))
    for last in played:
        nets = nets_of(last)
        assert [one["net_minor"] for one in last["seats"]] == [nets[seat] for seat in range(3)]
        assert last["house_net_minor"] == nets[HOUSE]
    rows = [(row.ruleset_id, row.settled, row.house) for row in scene.audited().money.rows]
    assert rows == [(f"{game}.house_example", 3, sum(last["house_net_minor"] for last in played))]
    reasons = {one["reason"] for last in played for one in last["transfers"] if HOUSE in {one["payer"], one["payee"]}}
    assert ("COMMISSION" in reasons) == (game != "ultimate_texas")
    assert reasons
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
    log = scene.log()
    log |= {"id": "house", "now": scene.clock.now(), "leaves": [leaf.decode() for leaf in log["leaves"]]}
    with TypeScript() as typescript:
        typescript.ask({**log, "rulesets": [one.source.decode() for one in load_examples()]})
        assert typescript.answer() == ()


async def test_bets_outside_the_limits_are_refused_and_the_stake_is_kept_within_them(
    make_scene: Callable[..., Scene],
) -> None:
    async with make_scene(catalogue=load_examples()).open() as scene:
        (player,) = await scene.table("ultimate_texas.house_example", stake_minor=10_000)
        limits = {one["id"]: one.get("limits", {}) for one in player.welcome["rulesets"]}
        assert limits["ultimate_texas.house_example"]["largest_ante"] == 5000
        for ante, trips in ((5002, 0), (98, 0), (100, 49)):
            await player.refused("ready", is_ready=True, ante_minor=ante, trips_minor=trips)
        last = await scene.play(player)
        assert max(one["amount_minor"] for one in last["transfers"]) in {5000, 10_000}  # the Ante alone, or with a bet
