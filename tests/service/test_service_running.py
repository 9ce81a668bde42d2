"""Everything around the services: health, reflection, unknown methods, ruleset files, seating and stopping."""

import hashlib
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from referee.rulesets import load_builtin
from referee.server.process.app import Application
from referee.server.process.grpc_services import FULL_NAMES
from referee.storage import DataLossError
from referee.v1 import log_pb2, log_pb2_grpc, mau_binh_pb2, ruleset_pb2, seating_pb2, shuffler_pb2
from tests.driver.messages import request_type
from tests.driver.refusal import ending_of
from tests.server.options import server_options
from tests.service.house import House, Played
from tests.vectors.reading import each
from tests.waiting import until

SERVING = health_pb2.HealthCheckResponse.SERVING


def healthy(house: House, service: str) -> int | str:
    """Return a service's health, or the status code of the refusal."""
    stub = health_pb2_grpc.HealthStub(house.channel)
    try:
        return int(stub.Check(health_pb2.HealthCheckRequest(service=service)).status)
    except grpc.RpcError as error:
        return str(error.code().name)


def reflected(house: House) -> set[str]:
    """List the services by reflection."""
    stub = reflection_pb2_grpc.ServerReflectionStub(house.channel)
    answers = stub.ServerReflectionInfo(iter([reflection_pb2.ServerReflectionRequest(list_services="")]))
    return {service.name for service in next(answers).list_services_response.service}


def test_every_service_is_healthy_and_reflected(house: House) -> None:
    """Each by its full name, and the server as a whole."""
    names = [name for names in FULL_NAMES.values() for name in names]
    assert [healthy(house, name) for name in ["", *names]] == [SERVING] * (len(names) + 1)
    assert healthy(house, "referee.v1.NoService") == "NOT_FOUND"
    assert reflected(house) == {*names, "grpc.health.v1.Health", "grpc.reflection.v1alpha.ServerReflection"}


@pytest.mark.parametrize(
    "symbol", ["MauBinhService", "MauBinhService.SettleRound", "MauBinhRound", "MauBinhRound.header"]
)
def test_reflection_returns_the_protos_of_a_full_name(house: House, symbol: str) -> None:
    """So a tool can call a service, or one method, without our files."""
    stub = reflection_pb2_grpc.ServerReflectionStub(house.channel)
    request = reflection_pb2.ServerReflectionRequest(file_containing_symbol=f"referee.v1.{symbol}")
    answer = next(stub.ServerReflectionInfo(iter([request])))
    assert answer.file_descriptor_response.file_descriptor_proto


@pytest.mark.parametrize(
    "symbol", ["", "referee.v1.MauBinhService.Nothing", "Nothing", "a" * 5_000, "a." * 5_000, "\0"]
)
def test_reflection_answers_not_found_for_another_name(house: House, symbol: str) -> None:
    stub = reflection_pb2_grpc.ServerReflectionStub(house.channel)
    request = reflection_pb2.ServerReflectionRequest(file_containing_symbol=symbol)
    answer = next(stub.ServerReflectionInfo(iter([request])))
    assert answer.error_response.error_code == grpc.StatusCode.NOT_FOUND.value[0]


def test_unknown_method_is_unimplemented(house: House) -> None:
    for method in ("MauBinhService/SettleEverything", "NoService/Do"):
        assert ending_of(house.raw, method, b"")[0] == "UNIMPLEMENTED"


def test_services_left_out_are_not_there(make_house: Callable[..., House]) -> None:
    """``--services`` picks some; the others are unimplemented, unhealthy and unlisted."""
    house = make_house(services=("log", "rulesets"))
    assert healthy(house, "referee.v1.LogService") == SERVING
    assert healthy(house, "referee.v1.ShufflerService") == "NOT_FOUND"
    assert not [name for name in reflected(house) if "Shuffler" in name or "MauBinh" in name]
    assert ending_of(house.open)[0] == "UNIMPLEMENTED"
    assert house.head().size == 3


def test_rulesets_are_returned_as_the_bytes_that_were_hashed(house: House) -> None:
    """Listed in order of id; each file's SHA-256 is the digest that headers and outcomes name."""
    listed = house.rulesets.ListRulesets(ruleset_pb2.ListRulesetsRequest()).rulesets
    assert [one.ruleset_id for one in listed] == sorted(one.id for one in load_builtin())
    for one in listed:
        for version in (one.version, ""):
            request = ruleset_pb2.GetRulesetRequest(ruleset_id=one.ruleset_id, version=version)
            answer = house.rulesets.GetRuleset(request)
            assert answer.ruleset == one
            assert hashlib.sha256(answer.toml).digest() == one.digest
        assert one.name.vi
        assert one.name.en
    classic = next(one for one in listed if one.ruleset_id == "mau_binh.classic")
    assert house.open().header.ruleset_digest == classic.digest
    assert (classic.game, classic.min_seats, classic.max_seats, classic.bet_unit_minor) == ("mau_binh", 2, 4, 1)


@each("mau_binh/seating", argument="vector")
def test_room_is_seated_over_the_wire_as_its_vector_says(house: House, vector: dict[str, Any]) -> None:
    """Who sits in which seat, who is ready, watches or is sent out; whether to deal, and when to ask again."""
    persons, ready = [], set()
    for person in vector["people"]:
        times = {key: value for key, value in person.items() if key != "name"}
        persons.append(seating_pb2.Person(person_id=person["name"], **times))
        ready |= {person["name"]} if "ready_time" in times else set()
    request = seating_pb2.DecideSeatingRequest(ruleset_id=vector["ruleset"], persons=persons, now_time=vector["now"])
    answer, expected = house.seating.DecideSeating(request), vector["seating"]
    assert [one.person_id for one in answer.decisions] == [person.person_id for person in persons]
    said: dict[str, list[str]] = {name: [] for name in ("READY", "SEATED", "WATCH", "KICK")}
    for one in answer.decisions:
        said[seating_pb2.SeatingVerdict.Name(one.verdict).removeprefix("SEATING_VERDICT_")].append(one.person_id)
    seated = sorted((one for one in answer.decisions if one.HasField("seat")), key=lambda one: one.seat)
    assert [(one.seat, one.person_id) for one in seated] == list(enumerate(expected["seated"]))
    assert said["READY"] == [name for name in expected["seated"] if name in ready]
    assert (said["WATCH"], said["KICK"]) == (expected["watching"], expected["sent_out"])
    assert (answer.action == seating_pb2.SEATING_ACTION_DEAL) is expected["is_deal_due"]
    assert (answer.next_time if answer.HasField("next_time") else None) == expected.get("next_time")


def test_room_is_judged_at_the_servers_clock_where_no_moment_is_named(house: House) -> None:
    people = [
        seating_pb2.Person(person_id=name, came_time=1, seated_time=1, ready_time=ready)
        for name, ready in (("an", house.clock.now), ("binh", None))
    ]
    request = seating_pb2.DecideSeatingRequest(ruleset_id="mau_binh.classic", persons=people)
    house.clock.now += 19_999
    verdicts = [one.verdict for one in house.seating.DecideSeating(request).decisions]
    assert verdicts == [seating_pb2.SEATING_VERDICT_READY, seating_pb2.SEATING_VERDICT_SEATED]
    house.clock.now += 1
    verdicts = [one.verdict for one in house.seating.DecideSeating(request).decisions]
    assert verdicts == [seating_pb2.SEATING_VERDICT_READY, seating_pb2.SEATING_VERDICT_KICK]


def test_stopping_answers_every_call_that_was_accepted(house: House) -> None:
    """Settlements under way when the server closes are answered and durable; calls after that find nobody."""
    rounds = [house.play(f"d-{number}").report_all() for number in range(24)]
    entered = threading.Semaphore(0)
    answered: dict[str, bytes] = {}
    refused: list[str] = []

    def settle(played: Played) -> None:
        entered.release()
        try:
            answered[played.header.round.table_id] = played.settle().log_receipt.leaf
        except grpc.RpcError as error:
            refused.append(error.code().name)

    with ThreadPoolExecutor(24) as threads:
        for played in rounds:
            threads.submit(settle, played)
        for _ in rounds[:12]:
            entered.acquire()
        house.app.close()
    assert answered
    assert set(refused) <= {"UNAVAILABLE", "CANCELLED"}
    house.channel.close()
    house.start()
    stored = set(house.leaves())
    assert set(answered.values()) <= stored
    for table in answered:
        found = house.log.GetTableRound(log_pb2.GetTableRoundRequest(table_id=table))
        assert found.stage == log_pb2.ROUND_STAGE_REVEALED


def test_stopped_server_has_revealed_what_was_settled(house: House) -> None:
    """Before the log is let go, so that a seed does not wait for the next start."""
    rounds = [house.play(f"r-{number}").report_all() for number in range(5)]
    settle = mau_binh_pb2.MauBinhServiceSettleRoundsRequest(requests=[played.request() for played in rounds])
    house.referee.SettleRounds(settle)
    house.close()
    with Application(server_options(data=house.folder, services=("log",))) as reader:
        house.channel = grpc.insecure_channel(f"127.0.0.1:{reader.port}")
        house.log = type(house.log)(house.channel)
        for played in rounds:
            assert played.find().stage == log_pb2.ROUND_STAGE_REVEALED
        house.channel.close()
    house.start()


def test_two_servers_on_one_folder_make_one_log(make_house: Callable[..., House]) -> None:
    """Either may take each step of a round; both race to settle and reveal, and the log has each step once."""
    one = make_house("shared")
    other = make_house("shared")
    assert one.app.keys.public["log"] == other.app.keys.public["log"]
    rounds = []
    for number in range(12):
        opened = (one, other)[number % 2].open(f"s-{number}")
        played = (other, one)[number % 2].deal(opened)
        rounds.append(played.report_all() if played.preview().violations else played)  # an instant win has no events

    def settle(job: tuple[House, Played]) -> bytes:
        server, played = job
        answer = server.referee.SettleRound(played.request())
        leaf: bytes = server.proved(answer.log_receipt)
        return leaf

    with ThreadPoolExecutor(6) as threads:
        leaves = list(threads.map(settle, [(server, played) for played in rounds for server in (one, other)]))
    assert leaves[::2] == leaves[1::2]
    for played in rounds:
        played.reveal()
    until(lambda: one.head() == other.head(), seconds=10)
    assert one.head().size == 4 + 4 * len(rounds)
    assert one.leaves() == other.leaves()


DAMAGES = {
    "a leaf edited": ("UPDATE leaf SET data = CAST(replace(data, 'a', 'b') AS BLOB) WHERE position = 4", None),
    "a leaf missing": ("DELETE FROM leaf WHERE position = 4", "ListEntries"),
    "another root": ("UPDATE head SET root = zeroblob(32)", None),
    "a head without its hashes": ("UPDATE head SET peaks = x''", "GetCheckpoint"),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_log_is_reported_and_prevents_a_start(house: House, name: str) -> None:
    """A running server answers DATA_LOSS to calls that read the damage; no server starts on it or repairs it."""
    house.play()
    statement, method = DAMAGES[name]
    file = house.folder / "log.sqlite3"
    with closing(sqlite3.connect(file)) as database, database:
        assert database.execute(statement).rowcount == 1
    if method:
        request = request_type(f"/referee.v1.LogService/{method}")()
        refusal = house.refusal_of(partial(getattr(house.log, method), request))
        assert (refusal.code, refusal.reason) == ("DATA_LOSS", "LOG_DAMAGED")
    for _ in range(2):
        with pytest.raises(DataLossError):
            Application(server_options(data=house.folder))


def test_store_that_cannot_be_read_is_unavailable(house: House) -> None:
    """The table is gone while the server runs: no INTERNAL, since asking again once it is back will do."""
    header = house.open("t").header
    with closing(sqlite3.connect(house.folder / "log.sqlite3")) as database, database:
        database.execute("ALTER TABLE mark RENAME TO away")
    ask = partial(house.log.GetTableRound, log_pb2.GetTableRoundRequest(table_id="t"))
    refusal = house.refusal_of(ask)
    assert (refusal.code, refusal.reason) == ("UNAVAILABLE", "LOG_BUSY")
    with closing(sqlite3.connect(house.folder / "log.sqlite3")) as database, database:
        database.execute("ALTER TABLE away RENAME TO mark")
    assert ask().header == header


def test_second_origin_for_one_folder_is_the_first_ones(make_house: Callable[..., House]) -> None:
    """A log keeps the origin it was made with, whatever a later start says."""
    first = make_house()
    second = make_house(origin="log.example/2")
    assert second.app.origin == first.app.origin == first.ORIGIN
    header = second.shuffler.PrepareRound(shuffler_pb2.PrepareRoundRequest(terms=second.terms())).header
    assert header.origin == first.ORIGIN


def test_message_beyond_the_transports_limit_is_refused_by_it(house: House) -> None:
    """Four megabytes: the same status as from the server's own limit."""
    assert ending_of(house.raw, "ShufflerService/OpenRound", bytes(4 * 1024 * 1024 + 1))[0] == "RESOURCE_EXHAUSTED"
    assert house.open().round_id


def test_unix_socket_is_announced_by_its_path(tmp_path: Path) -> None:
    """The address is what a client dials; a socket has no port."""
    listen = f"unix:{tmp_path}/s"
    with Application(server_options(data=tmp_path / "data", listen=listen)) as app:
        assert app.address == listen
        with grpc.insecure_channel(app.address) as channel:
            assert log_pb2_grpc.LogServiceStub(channel).GetCheckpoint(log_pb2.GetCheckpointRequest(), timeout=30)
    with Application(server_options(data=tmp_path / "data")) as app:
        assert app.address == f"127.0.0.1:{app.port}"
