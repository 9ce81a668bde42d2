"""A round that nobody ends is ended by the server; a dealt one by nobody before its deadline."""

import time

import pytest

from referee.audit.audit import audit_log
from referee.audit.source import MemoryLog
from referee.dealing.leaf import AbortLeaf, parse
from referee.evidence.dsse import Envelope
from referee.rulesets import load_builtin
from referee.v1 import log_pb2, shuffler_pb2

SECONDS = 20


def find(house, header):
    """Find the stage and leaves of a round in the log."""
    return house.log.GetTableRound(
        log_pb2.GetTableRoundRequest(table_id=header.table_id, round_number=header.round_number)
    )


def reveals_in_time(house, header):
    """Wait until the round is revealed; return whether it was within SECONDS."""
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if find(house, header).stage == log_pb2.ROUND_STAGE_REVEALED:
            return True
        time.sleep(0.05)
    return False


def give_up(header):
    """Return the request by which the operator aborts a round."""
    return shuffler_pb2.AbortRoundRequest(
        table_id=header.table_id, round_number=header.round_number, reason=shuffler_pb2.ABORT_REASON_OPERATOR
    )


@pytest.mark.parametrize("is_dealt", [True, False])
def test_an_overdue_round_is_aborted_and_revealed_by_the_server(make_house, is_dealt):
    """Nobody calls: ABORT for the deadline and REVEAL follow, and the audit of the log is clean."""
    house = make_house(sweep=True)
    opened = house.open()
    if is_dealt:
        house.deal(opened)
    house.clock.now = opened.header.round_deadline_time + 1
    assert reveals_in_time(house, opened.header)
    leaf = parse(Envelope.parse(find(house, opened.header).leaves[-2].leaf).payload, AbortLeaf)
    assert (leaf.reason, leaf.stage) == ("DEADLINE", "DEALT" if is_dealt else "OPENED")
    keys = house.log.GetKeys(log_pb2.GetKeysRequest())
    report = audit_log(
        MemoryLog(
            checkpoint=house.log.GetCheckpoint(log_pb2.GetCheckpointRequest()).checkpoint.encode(),
            entries=tuple(house.log.ListEntries(log_pb2.ListEntriesRequest()).leaves),
        ),
        origin=keys.origin,
        log_key=keys.log_key,
        root_key=keys.root_key,
        catalogue=load_builtin(),
        now=house.clock.now,
    )
    assert report.is_clean


@pytest.mark.parametrize(
    ("commits", "contributed", "reason"),
    [
        (False, (), "DEADLINE"),
        (True, (), "SEED_MISSING"),
        (True, (1, 2), "SEED_MISSING"),
        (False, (0,), "SEED_MISSING"),
    ],
)
def test_seats_whose_seeds_never_came_have_empty_places(make_house, commits, contributed, reason):
    """They are at fault if a seed was committed to or given; the audit is clean."""
    house = make_house(sweep=True)
    table = house.table(seats=3, commits=commits).open()
    if contributed:
        table.contribute(*contributed)
    house.clock.now = table.header.deal_deadline_time + 1
    assert reveals_in_time(house, table.header)
    leaf = table.leaves()[1]
    assert leaf["reason"] == reason
    seeds = [player.seed.hex() for player in table.players]
    assert leaf["client_seeds"] == [seed if seat in contributed else "" for seat, seed in enumerate(seeds)]
    keys = house.log.GetKeys(log_pb2.GetKeysRequest())
    report = audit_log(
        MemoryLog(checkpoint=house.checkpoint().encode(), entries=tuple(house.leaves())),
        origin=keys.origin,
        log_key=keys.log_key,
        root_key=keys.root_key,
        catalogue=load_builtin(),
        now=house.clock.now,
    )
    assert report.is_clean


def test_a_dealt_round_is_not_aborted_before_its_deadline(house):
    """An operator who saw the hands cannot void the round; a moment after the deadline any caller may end it."""
    played = house.play()
    header = played.message.header
    refused = house.refusal_of(lambda: house.shuffler.AbortRound(give_up(header)))
    assert refused.reason == "DEADLINE_NOT_PASSED"
    assert find(house, header).stage == log_pb2.ROUND_STAGE_DEALT
    assert played.abort().log_receipt.leaf


def test_an_opened_round_may_be_given_up_at_once(house):
    """Nobody has seen a card."""
    header = house.open().header
    house.shuffler.AbortRound(give_up(header))
    assert find(house, header).stage in {log_pb2.ROUND_STAGE_ABORTED, log_pb2.ROUND_STAGE_REVEALED}
