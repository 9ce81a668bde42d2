"""A ruleset file that is replaced under the same id and version while rounds run, as to change their stakes' meaning.

Nothing is judged or dealt by other rules, no seed is lost, and no seat is blamed for the wait.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import grpc
import pytest
from google.protobuf.message import Message

from referee.audit.explanation import explain
from referee.finding import Code, Severity
from referee.log import SlotKey
from referee.rulesets import Catalogue, get, load_folder, parse_ruleset
from referee.server.process.app import Application
from referee.service.lost_ruleset import LostRulesetError
from referee.v1 import mau_binh_pb2, shuffler_pb2
from referee.v1.round_pb2 import RoundHeader
from tests.driver.messages import GAMES, METHODS, request_type
from tests.driver.refusal import reason_of
from tests.server.options import server_options
from tests.service.house import House
from tests.service.table import Table
from tests.status_details import reason_and_field

OURS: Final = "mau_binh.ours"
SOURCE: Final = get("mau_binh.classic").source.replace(b'id = "mau_binh.classic"', b'id = "mau_binh.ours"')
REPLACED: Final = SOURCE + b"\n# other bytes\n"


def written(folder: Path, source: bytes) -> Catalogue:
    """Write the house's ruleset file; return what a server loads then."""
    folder.mkdir(exist_ok=True)
    (folder / "ours.toml").write_bytes(source)
    return load_folder(folder)


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    """Start a server with a ruleset of its own."""
    assert OURS.encode() in SOURCE
    running = House(tmp_path / "data", catalogue=written(tmp_path / "rulesets", SOURCE))
    yield running
    running.close()


@contextmanager
def lost(house: House, tmp_path: Path) -> Iterator[None]:
    """Have the running server's shuffler and referee know the replaced file alone, as one that was started before."""
    catalogue = written(tmp_path / "rulesets", REPLACED)
    tables = ("_by_identity", "_by_digest", "_latest")
    known = house._settings["catalogue"]  # noqa: SLF001 - what the server was started with
    before = {name: getattr(known, name) for name in tables}
    for name in tables:
        setattr(known, name, getattr(catalogue, name))
    try:
        yield
    finally:
        for name, value in before.items():
            setattr(known, name, value)


def seed_alone(table: Table) -> Callable[[], Any]:
    return lambda: table.shuffler.ContributeSeed(table.contribution(1))


def seeds_together(table: Table) -> Callable[[], Any]:
    return lambda: table.shuffler.DealRound(table.deal_request())


def refused(house: House, call: Callable[[], Any]) -> tuple[str, str]:
    refusal = house.refusal_of(call)
    assert "put the file back" in refusal.message
    assert refusal.facts["ruleset_digest"] == parse_ruleset(SOURCE, file="").digest.hex()
    return refusal.code, refusal.reason


LOST: Final = ("FAILED_PRECONDITION", "RULESET_LOST")


@pytest.mark.parametrize("give", [seed_alone, seeds_together])
def test_last_seed_is_kept_and_the_round_goes_on_once_the_file_is_back(
    house: House, tmp_path: Path, give: Callable[[Table], Callable[[], Any]]
) -> None:
    table = house.table(seats=2, ruleset_id=OURS).open()
    assert table.contribute(0) == [1]
    call = give(table)
    with lost(house, tmp_path):
        assert refused(house, call) == LOST
        assert [leaf for leaf in table.leaves() if "mix" in leaf] == []
    assert {one.seat: one.seed for one in house.app.log.store.contributions(SlotKey(table.name, 1))} == {
        seat: table.players[seat].seed for seat in range(2)
    }
    assert call() is not None
    assert table.shuffler.DealRound(shuffler_pb2.DealRoundRequest(**table.slot)).certificate


def test_round_that_lapsed_meanwhile_blames_no_seat_and_is_counted(house: House, tmp_path: Path) -> None:
    table = house.table(seats=2, ruleset_id=OURS).open()
    table.contribute(0)
    with lost(house, tmp_path):
        assert refused(house, seed_alone(table)) == LOST
    house.clock.now = table.header.deal_deadline_time + 1
    blaming = shuffler_pb2.AbortRoundRequest(**table.slot, reason=shuffler_pb2.ABORT_REASON_SEED_MISSING)
    assert house.refusal_of(lambda: house.shuffler.AbortRound(blaming)).facts["expected"] == "DEADLINE"
    table.abort()
    (aborted,) = [leaf for leaf in table.leaves() if "aborted_time" in leaf]
    assert aborted["client_seeds"] == [table.players[seat].seed.hex() for seat in range(2)]
    table.reveal()
    report = house.audit()
    assert [one.code for one in report.findings if one.severity is Severity.FAIL] == [Code.NEVER_DEALT]
    assert explain(Code.NEVER_DEALT).at_fault is None
    assert report.statistics.decks == 1, "its deck is dealt again from the seeds of the abort"


def test_calls_about_a_running_round_are_refused_and_those_about_an_ended_one_are_not(
    house: House, tmp_path: Path
) -> None:
    table = house.table("mau_binh", seats=2, ruleset_id=OURS).play()
    with lost(house, tmp_path):
        for call in (table.preview, table.settle, lambda: table.accept(0, leave=True), seeds_together(table)):
            assert refused(house, call) == LOST
        opened = house.open(ruleset_id=OURS)
        assert opened.header.ruleset_digest == parse_ruleset(REPLACED, file="").digest
    assert table.preview() is not None
    house.clock.now = table.header.round_deadline_time + 1
    table.abort()
    with lost(house, tmp_path):
        assert table.reveal().server_seed
        assert house.refusal_of(table.preview).reason != "RULESET_LOST"


def carry(message: Message, table: Table) -> bool:
    """Put the table's round wherever a request can carry one; return whether it has a place for one."""
    found = False
    for field in message.DESCRIPTOR.fields:
        part = getattr(message, field.name) if field.message_type else None
        if field.is_repeated and part is not None:
            if not carry(part.add(), table):
                del part[:]
            found = found or bool(part)
        elif isinstance(part, RoundHeader):
            part.CopyFrom(table.header)
            found = True
            if "certificates" in message.DESCRIPTOR.fields_by_name:
                message.certificates.append(table.dealt.certificate)  # type: ignore[attr-defined] # as its type says
        elif part is not None:
            found = carry(part, table) or found
    return found


def carrying(table: Table) -> dict[str, bytes]:
    """Return a request of each method that carries a round, by the method's full name."""
    requests = {method: request_type(method)() for method in METHODS}
    return {method: request.SerializeToString() for method, request in requests.items() if carry(request, table)}


def reasons_in(answer: bytes) -> set[str]:
    """Return the reasons for which a batch refuses its requests, all of which have the status as field 15."""
    batch = mau_binh_pb2.CheckArrangementsResponse.FromString(answer)
    return {reason_and_field(one.refused)[0] for one in batch.responses}


def test_every_method_that_carries_a_round_is_refused(tmp_path: Path) -> None:
    """Advice too, before its process is asked: it does not even start."""
    house = House(tmp_path / "data", catalogue=written(tmp_path / "rulesets", SOURCE), advise=None)
    table = house.table("mau_binh", seats=2, ruleset_id=OURS).play()
    requests = carrying(table)
    assert len({method.split("/")[1] for method in requests}) == len(("AdviceService", "ShufflerService", *GAMES))
    found: dict[str, object] = {}
    with lost(house, tmp_path):
        for method, data in requests.items():
            call = house.channel.unary_unary(method)
            try:
                found[method] = reasons_in(call(data))
            except grpc.RpcError as error:
                found[method] = reason_of(error)
        assert house.app.advice.pid is None
    house.audit()
    house.close()
    assert {
        method: reason for method, reason in found.items() if reason not in ("RULESET_LOST", {"RULESET_LOST"})
    } == {}


@pytest.mark.parametrize("source", [REPLACED, None])
def test_server_that_lost_a_ruleset_of_running_rounds_does_not_start(
    house: House, tmp_path: Path, source: bytes | None
) -> None:
    """It names the file, the digest and the rounds; with the file put back it starts."""
    table = house.table(seats=2, ruleset_id=OURS, name="felt").open()
    dealt = house.table(seats=2, ruleset_id=OURS, name="green").play()
    assert table.header.ruleset_digest == dealt.header.ruleset_digest
    house.close()
    folder = tmp_path / "rulesets"
    if source is None:
        (folder / "ours.toml").unlink()
    catalogue = load_folder(folder) if source is None else written(folder, source)
    options = server_options(data=house.folder, clock=house.clock, catalogue=catalogue)
    with pytest.raises(LostRulesetError) as caught:
        Application(options)
    words = str(caught.value)
    assert parse_ruleset(SOURCE, file="").digest.hex() in words
    assert "felt:1, green:1" in words
    assert (str(folder / "ours.toml") if source else "mau_binh.ours-1.0.0.toml") in words
    assert "put the file back" in words
    written(folder, SOURCE)
    house.start()
    assert table.shuffler is not house.shuffler
