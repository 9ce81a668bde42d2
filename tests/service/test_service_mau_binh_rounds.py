"""Whole rounds of Mậu Binh over gRPC, and what can be proved of them from the log alone."""

import json
from typing import Any

import pytest

from referee.evidence import vkey
from referee.evidence.dsse import Envelope
from referee.v1 import log_pb2, shuffler_pb2
from tests.service.house import House
from tests.waiting import until

RULESETS = ("mau_binh.maubinh_com", "mau_binh.classic", "mau_binh.chi_2020")
ARRANGING_MS = {"mau_binh.maubinh_com": 90_000, "mau_binh.classic": 60_000, "mau_binh.chi_2020": 60_000}


def payload_of(leaf: bytes) -> dict[str, Any]:
    """Parse a leaf with nothing of the project but the envelope."""
    read: dict[str, Any] = json.loads(Envelope.parse(leaf).payload)
    return read


def test_leaves_are_signed_by_the_keys_that_the_log_begins_with(house: House) -> None:
    """KEY leaves, signed by the root key, name who signs deals and settlements; REVEAL needs no signature."""
    played = house.play().report_all()
    played.settle()
    played.reveal()
    root = vkey.VerifierKey.parse(house.log.GetKeys(log_pb2.GetKeysRequest()).root_key)
    keys = {}
    for leaf in house.leaves():
        envelope = Envelope.parse(leaf)
        if envelope.payload_type.startswith("application/vnd.referee.key."):
            assert envelope.is_signed_by(root.public_key)
            said = json.loads(envelope.payload)
            keys[said["role"]] = vkey.VerifierKey.parse(said["key"])
    assert keys["log"] == house.log_keys[0]
    opened, dealt, settled, revealed = [Envelope.parse(receipt.leaf) for receipt in played.find().leaves]
    assert opened.is_signed_by(keys["shuffler"].public_key)
    assert dealt.is_signed_by(keys["shuffler"].public_key)
    assert settled.is_signed_by(keys["referee"].public_key)
    assert revealed.signature is None


def test_seed_is_revealed_though_nobody_asks(house: House) -> None:
    """Settling is enough: the REVEAL leaf follows within a few seconds."""
    played = house.play().report_all()
    played.settle()
    until(lambda: played.find().stage == log_pb2.ROUND_STAGE_REVEALED, seconds=10)


def test_preparing_writes_nothing_and_asks_for_no_slot(house: House) -> None:
    """Two headers prepared for one slot differ by their terms; neither takes the slot."""
    terms = house.terms("t")
    before = house.checkpoint()
    first = house.shuffler.PrepareRound(shuffler_pb2.PrepareRoundRequest(terms=terms))
    terms.stake_minor += 1
    other = house.shuffler.PrepareRound(shuffler_pb2.PrepareRoundRequest(terms=terms))
    assert first.round_id != other.round_id
    assert house.checkpoint() == before
    assert house.open("t").header.round.round_number == 1


@pytest.mark.parametrize("ruleset_id", RULESETS)
def test_without_arrangements_the_cards_stand_as_dealt_after_the_time(house: House, ruleset_id: str) -> None:
    """Before the arranging time is over nobody can settle; then the first five are the back, and so on."""
    played = house.play(ruleset_id=ruleset_id, seat_count=2)
    house.clock.now = played.dealt.dealt_time + ARRANGING_MS[ruleset_id] - 1
    assert {one.code for one in played.settle().violations} == {"ROUND_NOT_OVER"}
    house.clock.now += 1
    settled = played.settle()
    assert not settled.violations
    for seat, hand in zip(settled.outcome.seats, played.hands, strict=True):
        held = seat.arrangement
        assert ([*held.back], [*held.middle], [*held.front]) == (hand[:5], hand[5:10], hand[10:])
        assert seat.defaulted


def test_preview_shows_the_showdown_as_it_is_settled(house: House) -> None:
    """The showdown's money is the outcome's, and its times follow the clock of five seconds."""
    played = house.play(seat_count=4).report_all()
    shown, settled = played.preview().showdown, played.settle()
    assert [line.net_minor for line in shown.summary] == [seat.net_minor for seat in settled.outcome.seats]
    assert [(chi.position, chi.start_time - shown.start_time) for chi in shown.chi] == [
        ("BACK", 0),
        ("MIDDLE", 5_000),
        ("FRONT", 10_000),
    ]
    assert shown.summary_time - shown.start_time == 15_000
    assert shown.start_time == house.clock.now


def test_result_of_a_seat_that_leaves_is_a_loss(house: House) -> None:
    """A departure before the showdown shows no cards, and its seat pays everyone who stayed."""
    played = house.play(seat_count=3)
    played.accept(0, played.arrangement(0))
    played.accept(1)
    played.accept(2, played.arrangement(2))
    settled = played.settle()
    left = settled.outcome.seats[1]
    assert (left.HasField("left_at"), left.left_at, len(left.values), left.fouled) == (True, 0, 0, False)
    assert left.net_minor < 0
    assert {one.payee for one in settled.outcome.transfers if one.payer == 1} == {0, 2}
    assert not [one for one in settled.outcome.transfers if one.payee == 1]


def test_instant_win_ends_the_round_at_the_deal(house: House) -> None:
    """Found by dealing on until one comes: it settles at once, without events, and arranging is refused."""
    for number in range(400):
        played = house.deal(house.open(f"i-{number}", ruleset_id="mau_binh.maubinh_com", seat_count=4))
        if not played.preview().violations:
            break
    else:
        pytest.fail("no instant win in 1600 hands")
    settled = played.settle()
    winners = [seat for seat in settled.outcome.seats if seat.instant_win]
    assert winners
    assert {one.reason for one in settled.outcome.transfers} <= {"INSTANT_WIN"}
    assert played.check(winners[0].seat, house.as_dealt(played.hands[winners[0].seat])).instant_win
    assert not payload_of(settled.log_receipt.leaf)["inputs"]["events"]
    refused = played.accept(0, house.as_dealt(played.hands[0]))
    assert [one.code for one in refused.violations] == ["ROUND_OVER"]


def test_longest_round_fits_its_leaf(house: House) -> None:
    """Four seats rearrange as often as they may, each event signed and received, and all leave: it settles."""
    while True:
        name = f"{next(house._tables):064}"  # noqa: SLF001 - the longest name
        table = house.table(seats=4, name=name, ruleset_id="mau_binh.maubinh_com", currency="C" * 16).play()
        if table.preview().violations:
            break
    arrangements = [house.as_dealt(sorted(hand.cards, reverse=True)) for hand in table.dealt.hands]
    for seat in (1, 2, 3):
        for _ in range(15):
            table.accept(seat, arrange=arrangements[seat])
    table.accept(0, arrange=arrangements[0])
    for seat in range(4):
        assert table.accept(seat, leave=True).event_number == 47 + seat
    settled = table.settle()
    assert not settled.violations
    inputs = payload_of(settled.log_receipt.leaf)["inputs"]
    assert len(inputs["events"]) == 50
    assert all(event["received"] for event in inputs["events"])
    assert all(inputs["signatures"])
    assert len(Envelope.parse(settled.log_receipt.leaf).payload) <= 48_000
    assert len(settled.log_receipt.leaf) <= 65_535
