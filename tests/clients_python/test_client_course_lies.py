"""A lie about an event, its receipt or the opening of cards is found out by the client before anything follows it."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from referee_client import VerificationError

from tests.clients_python.lying_server import Bend, Liar
from tests.clients_python.playing import as_dealt, bet, dealt, keyed


def forged_receipt(answer: Any) -> None:  # noqa: ANN401 - an accepted event
    receipt = json.loads(answer.receipt)
    payload = json.loads(base64.b64decode(receipt["payload"]))
    payload["number"] += 1
    receipt["payload"] = base64.b64encode(json.dumps(payload, separators=(",", ":")).encode()).decode()
    answer.receipt = json.dumps(receipt, separators=(",", ":")).encode()


@pytest.mark.parametrize(
    ("bend", "found"),
    [
        (lambda answer: answer.event.arrange.back.reverse(), "the accepted event"),
        (lambda answer: setattr(answer.event, "seat", 1), "the accepted event"),
        (lambda answer: setattr(answer, "event_number", 7), "the event's number"),
        (lambda answer: setattr(answer.event, "time", answer.event.time + 1), "the event's receipt"),
        (lambda answer: setattr(answer.event, "received", False), "the event's receipt"),
        (lambda answer: setattr(answer, "opens_section", 1), "the event's receipt"),
        (forged_receipt, "does not hold"),
        (lambda answer: setattr(answer, "receipt", b""), "does not hold"),
    ],
)
def test_an_event_that_was_not_the_seats_is_not_kept(liar: Liar, bend: Bend, found: str):
    game = dealt(liar.binh())
    liar.line.answers["AcceptEvent"] = bend
    with pytest.raises(VerificationError, match=found):
        game.arrange(0, as_dealt(game.hands[0]))
    assert not game.message.events


@pytest.mark.parametrize(
    "bend",
    [
        lambda payload: payload.update(history="00" * 32),
        lambda payload: payload.update(event_hash="00" * 32),
        lambda payload: payload.update(number=2),
        lambda payload: payload.update(received_time=payload["received_time"] + 1),
        lambda payload: payload.update(round_id="00" * 32),
        lambda payload: payload.update(opens_section=1),
        lambda payload: payload.update(nonsense=1),
    ],
)
def test_a_receipt_of_another_history_is_not_kept(liar: Liar, bend: Bend):
    """The referee's own key signs it: what it says is wrong all the same."""
    game = dealt(liar.binh())

    def sign_another(answer: Any) -> None:  # noqa: ANN401 - an accepted event
        answer.receipt = liar.signed_again(answer.receipt, "referee", bend)

    liar.line.answers["AcceptEvent"] = sign_another
    with pytest.raises(VerificationError, match="the event's receipt"):
        game.arrange(0, as_dealt(game.hands[0]))
    assert not game.message.events
    assert not game.message.receipt


def longer(leaf: dict[str, Any]) -> None:
    leaf["sections"].append(leaf["sections"][-1] + 1)


def date_back(certificate: dict[str, Any]) -> None:
    """Date an opening back: with it a street's clock would start when nobody saw its cards."""
    for section in certificate["sections"]:
        if "unsealed_time" in section:
            section["unsealed_time"] -= 1


Lie = Callable[[Liar, Any], None]


def answered(bend: Bend) -> Lie:
    return lambda _, answer: bend(answer)


def logged(bend: Bend) -> Lie:
    return lambda liar, answer: liar.resigned(answer.log_receipt, "shuffler", bend)


def certified(bend: Bend) -> Lie:
    return lambda liar, answer: setattr(answer, "certificate", liar.signed_again(answer.certificate, "shuffler", bend))


@pytest.mark.parametrize(
    ("lie", "found"),
    [
        (logged(lambda leaf: leaf.update(history="00" * 32)), "the logged opening"),
        (logged(lambda leaf: leaf.update(event_hash="00" * 32)), "the logged opening"),
        (logged(lambda leaf: leaf.update(number=2)), "the logged opening"),
        (logged(lambda leaf: leaf.update(round_id="00" * 32)), "the logged opening"),
        (logged(lambda leaf: leaf.update(receipt_signature="00" * 64)), "the logged opening"),
        (logged(lambda leaf: leaf.update(unsealed_time=leaf["unsealed_time"] + 1)), "the logged opening"),
        (logged(longer), "the times of the opened sections"),
        (certified(date_back), "the times of the opened sections"),
        (answered(lambda answer: answer.opened[0].cards.reverse()), "section"),
        (answered(lambda a: setattr(a, "unsealed_time", a.unsealed_time + 1)), "the logged opening"),
        (answered(lambda answer: answer.ClearField("log_receipt")), "receipt"),
    ],
)
def test_an_opening_that_was_logged_certified_or_answered_falsely_is_found(liar: Liar, lie: Lie, found: str):
    liar.harness.reset()
    game = dealt(liar.client.ultimate_texas(bet(liar.table), secrets=keyed(1)))
    liar.line.answers["OpenSection"] = lambda answer: lie(liar, answer)
    with pytest.raises(VerificationError, match=found):
        game.decide(0, "CHECK")
