"""Attack 5: an unsigned LEAVE of a seat with a key, and a TIMEOUT right after the deal."""

from typing import Any, Final

import pytest

from referee.v1 import ultimate_texas_pb2
from tests.attacks.courses import continuation, refused
from tests.service.courses import take
from tests.service.house import House
from tests.service.table import Table

TABLES: Final = [("mau_binh", False), ("mau_binh", True), ("tien_len", False), ("ultimate_texas", False)]


def dealt(house: House, game: str, *, sealed: bool) -> Table:
    """Deal a round whose seats all have keys, until no hand wins at the deal."""
    while True:
        table: Table = house.table(game, seats=2, sealed=sealed).play()
        if not table.preview().outcome.seats:
            return table


def leaving(game: str) -> dict[str, Any]:
    """Return the choice to leave."""
    return {"decision": ultimate_texas_pb2.DECISION_LEAVE} if game == "ultimate_texas" else {"leave": True}


def timing_out(game: str) -> dict[str, Any]:
    """Return the choice that others report of a seat whose time ran out."""
    return {"decision": ultimate_texas_pb2.DECISION_TIMEOUT} if game == "ultimate_texas" else {"timeout": True}


@pytest.mark.parametrize(("game", "sealed"), TABLES)
def test_departure_that_the_seat_did_not_sign_is_refused(house: House, game: str, *, sealed: bool) -> None:
    """Asked for and reported, with what the seat had seen and without."""
    table = dealt(house, game, sealed=sealed)
    for reason in ("SIGNATURE_MISSING", "NOT_SEEN"):
        event = table.event(0, **leaving(game))
        if reason == "NOT_SEEN":
            event.ClearField("seen")
        assert refused(house, lambda asked=event: table.ask(asked, b"")) == ("INVALID_ARGUMENT", reason)
        reported = continuation(table)
        event.time = house.clock.now
        take(reported.message, event)
        for call in (reported.preview, reported.settle):
            assert refused(house, call) == ("INVALID_ARGUMENT", reason)


@pytest.mark.parametrize(("game", "sealed"), TABLES)
def test_departure_signed_by_another_seat_is_refused(house: House, game: str, *, sealed: bool) -> None:
    table = dealt(house, game, sealed=sealed)
    event = table.event(0, **leaving(game))
    forged = table.players[1].key.sign(b"whatever it is that seat 0 signs")
    assert refused(house, lambda: table.ask(event, forged)) == ("INVALID_ARGUMENT", "BAD_SIGNATURE")


@pytest.mark.parametrize(("game", "sealed"), [one for one in TABLES if one != ("mau_binh", False)])
def test_nobody_is_timed_out_right_after_the_deal(house: House, game: str, *, sealed: bool) -> None:
    table = dealt(house, game, sealed=sealed)
    for seat in range(2):
        answer = table.ask(table.event(seat, **timing_out(game)))
        codes = [one.code for one in answer.violations]
        assert codes
        assert set(codes) <= {"NOT_OUT_OF_TIME", "OUT_OF_TURN"}
        assert (answer.event_number, answer.receipt) == (0, b"")
