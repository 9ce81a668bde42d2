"""What a receipt binds in every game: events that a server received, edited, moved, dropped or shown otherwise."""

import json
from collections.abc import Callable, Sequence
from typing import Final

import pytest

from referee.evidence.dsse import Envelope
from referee.transcript.chain import FORM, sign_receipt
from referee.transcript.inputs import MEDIA_TYPE
from tests.service.house import House
from tests.service.playing import GAMES, dealt, leaving
from tests.service.table import Table
from tests.service.test_every_game import BAD, copied, next_choice, refuse

Edit = Callable[[Table, list[bytes]], object]
"""Edits a round of three received events; it is given their receipts."""
MOVED = ("mau_binh", "ultimate_texas")
"""Games whose first events are lawful in any order; others answer such edits with their violations."""


def altered(receipt: bytes) -> bytes:
    """Return the receipt with another payload under its signature."""
    old = Envelope.parse(receipt)
    payload = json.loads(old.payload)
    payload["received_time"] -= 1
    data = json.dumps(payload, sort_keys=True, separators=(",", ":")).encode()
    return Envelope(old.payload_type, data, old.signature).to_bytes()


def forged(table: Table) -> bytes:
    """Sign the newest receipt again, with the shuffler's key."""
    receipt = FORM.read(Envelope.parse(table.message.receipt).payload)
    return sign_receipt(receipt, table.house.app.keys.signer("shuffler"))


def statement(table: Table) -> bytes:
    """Sign something else with the referee's key."""
    return Envelope.signed(MEDIA_TYPE, b"{}", table.house.app.keys.signer("referee")).to_bytes()


def received(table: Table) -> list[bytes]:
    """Have three events accepted; return their receipts."""
    choices = (next_choice(table, number) for number in range(3))
    return [table.accept(seat, **choice).receipt for seat, choice in choices]


def elsewhere(table: Table) -> bytes:
    """Return the receipt of as many events of another round."""
    return received(dealt(table.house, table.game, seats=4, keyed=False))[-1]


EDITS: Final[dict[str, tuple[Edit, str, Sequence[str]]]] = {
    "another time": (lambda t, _: setattr(t.message.events[-1], "time", t.house.clock.now + 1), "FOREIGN", GAMES),
    "first one reported": (lambda t, _: setattr(t.message.events[0], "received", False), "FOREIGN", GAMES),
    "last one reported": (lambda t, _: setattr(t.message.events[2], "received", False), "FOREIGN", GAMES),
    "last one dropped": (lambda t, _: t.message.events.pop(), "FOREIGN", GAMES),
    "none left": (lambda t, _: t.message.ClearField("events"), "FOREIGN", GAMES),
    "no receipt": (lambda t, _: t.message.ClearField("receipt"), "NOT_RECEIVED", GAMES),
    "no JSON": (lambda t, _: setattr(t.message, "receipt", b"{}"), "MALFORMED", GAMES),
    "no receipt's statement": (lambda t, _: setattr(t.message, "receipt", statement(t)), "MALFORMED", GAMES),
    "a certificate": (lambda t, _: setattr(t.message, "receipt", t.dealt.certificate), "FORGED", GAMES),
    "an earlier receipt": (lambda t, receipts: setattr(t.message, "receipt", receipts[1]), "NOT_RECEIVED", GAMES),
    "another payload": (lambda t, receipts: setattr(t.message, "receipt", altered(receipts[2])), "FORGED", GAMES),
    "another key": (lambda t, _: setattr(t.message, "receipt", forged(t)), "FORGED", GAMES),
    "another round's": (lambda t, _: setattr(t.message, "receipt", elsewhere(t)), "FOREIGN", GAMES),
    "first one dropped": (lambda t, _: t.message.events.pop(0), "FOREIGN", MOVED),
    "middle one dropped": (lambda t, _: t.message.events.pop(1), "FOREIGN", MOVED),
    "other order": (lambda t, _: t.message.events.extend([t.message.events.pop(0)]), "FOREIGN", MOVED),
    "one put in before": (lambda t, _: t.message.events.insert(0, t.message.events[0]), "NOT_RECEIVED", MOVED[:1]),
    "cards in other order": (lambda t, _: t.message.events[0].arrange.back.reverse(), "FOREIGN", MOVED[:1]),
    "another decision": (lambda t, _: setattr(t.message.events[0], "decision", "DECISION_LEAVE"), "FOREIGN", MOVED[1:]),
}


@pytest.mark.parametrize(("game", "name"), [(game, name) for name, (*_, games) in EDITS.items() for game in games])
def test_events_under_a_receipt_cannot_be_edited_moved_or_dropped(any_house: House, game: str, name: str) -> None:
    """Refused by whatever reads the round; the events as they were are settled all the same."""
    table = dealt(any_house, game, seats=4, keyed=False)
    receipts, honest = received(table), copied(table)
    edit, reason, _ = EDITS[name]
    edit(table, receipts)
    code = "PERMISSION_DENIED" if reason == "FORGED" else BAD
    for call in (table.preview, table.settle, lambda: table.ask(table.event(0, **leaving(game)))):
        refuse(table, call, code, reason, "round.receipt")
    table.message.CopyFrom(honest)
    assert table.preview().refused_event_number == 0
