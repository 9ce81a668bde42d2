"""A round that nobody ends is ended by the server."""

from collections.abc import Callable

import pytest

from referee.dealing.leaf import AbortLeaf, parse
from referee.evidence.dsse import Envelope
from referee.v1 import log_pb2
from tests.service.house import House
from tests.waiting import until


@pytest.mark.parametrize("is_dealt", [True, False])
def test_an_overdue_round_is_aborted_and_revealed_by_the_server(
    make_house: Callable[..., House], *, is_dealt: bool
) -> None:
    """Nobody calls: ABORT for the deadline and REVEAL follow, and the audit of the log is clean."""
    house = make_house(sweep=True)
    table = house.table(commits=False).open()
    if is_dealt:
        table.deal()
    house.clock.now = table.header.round_deadline_time + 1
    until(lambda: table.find().stage == log_pb2.ROUND_STAGE_REVEALED, seconds=20)
    leaf = parse(Envelope.parse(table.find().leaves[-2].leaf).payload, AbortLeaf)
    assert (leaf.reason, leaf.stage) == ("DEADLINE", "DEALT" if is_dealt else "OPENED")
    assert house.audit().is_clean


@pytest.mark.parametrize(
    ("commits", "contributed", "reason"),
    [
        (False, (), "DEADLINE"),
        (True, (), "SEED_MISSING"),
        (True, (1, 2), "SEED_MISSING"),
        (False, (0,), "SEED_MISSING"),
    ],
)
def test_seats_whose_seeds_never_came_have_empty_places(
    make_house: Callable[..., House], *, commits: bool, contributed: tuple[int, ...], reason: str
) -> None:
    """They are at fault if a seed was committed to or given; the audit is clean."""
    house = make_house(sweep=True)
    table = house.table(seats=3, commits=commits).open()
    if contributed:
        table.contribute(*contributed)
    house.clock.now = table.header.deal_deadline_time + 1
    until(lambda: table.find().stage == log_pb2.ROUND_STAGE_REVEALED, seconds=20)
    leaf = table.leaves()[1]
    assert leaf["reason"] == reason
    seeds = [player.seed.hex() for player in table.players]
    assert leaf["client_seeds"] == [seed if seat in contributed else "" for seat, seed in enumerate(seeds)]
    assert house.audit().is_clean
