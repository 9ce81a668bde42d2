"""Whole rounds of Mậu Binh over gRPC, and what can be proved of them from the log alone."""

import json
from typing import Any

from referee.evidence import vkey
from referee.evidence.dsse import Envelope
from referee.v1 import log_pb2
from tests.service.house import House
from tests.waiting import until


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
