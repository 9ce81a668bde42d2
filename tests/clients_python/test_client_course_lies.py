"""A lie about an event, its receipt or the opening of cards is found out by the client before anything follows it."""

import base64
import json
from collections.abc import Callable
from typing import Any

import pytest
from referee_client import Arrangement, Bet, SeatSecrets, Terms, VerificationError

from tests.clients_python.lying_server import Bend, Liar


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
    game = liar.binh()
    game.open()
    hand = game.deal()[0]
    liar.line.answers["AcceptEvent"] = bend
    with pytest.raises(VerificationError, match=found):
        game.arrange(0, Arrangement(hand[:5], hand[5:10], hand[10:]))
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
def test_a_receipt_of_another_history_is_not_kept(liar: Liar, bend: Callable[[dict[str, Any]], None]):
    """The referee's own key signs it: what it says is wrong all the same."""
    game = liar.binh()
    game.open()
    hand = game.deal()[0]

    def sign_another(answer: Any) -> None:  # noqa: ANN401 - an accepted event
        answer.receipt = liar.signed_again(answer.receipt, "referee", bend)

    liar.line.answers["AcceptEvent"] = sign_another
    with pytest.raises(VerificationError, match="the event's receipt"):
        game.arrange(0, Arrangement(hand[:5], hand[5:10], hand[10:]))
    assert not game.message.events
    assert not game.message.receipt


def before_the_flop(liar: Liar) -> Any:  # noqa: ANN401 - a round
    """Return a dealt round of Ultimate Texas for one."""
    terms = Terms(table=liar.table, ruleset="ultimate_texas.casino", seats=1, stake=2, bets=[Bet(20)])
    game = liar.client.ultimate_texas(terms, secrets=[SeatSecrets.make(0, keyed=True)])
    game.open()
    game.deal()
    return game


def longer(payload: dict[str, Any]) -> None:
    payload["sections"].append(payload["sections"][-1] + 1)


@pytest.mark.parametrize(
    ("bend", "found"),
    [
        (lambda leaf: leaf.update(history="00" * 32), "the logged opening"),
        (lambda leaf: leaf.update(event_hash="00" * 32), "the logged opening"),
        (lambda leaf: leaf.update(number=2), "the logged opening"),
        (lambda leaf: leaf.update(round_id="00" * 32), "the logged opening"),
        (lambda leaf: leaf.update(receipt_signature="00" * 64), "the logged opening"),
        (lambda leaf: leaf.update(unsealed_time=leaf["unsealed_time"] + 1), "the logged opening"),
        (longer, "the times of the opened sections"),
    ],
)
def test_an_opening_that_was_logged_falsely_is_found(liar: Liar, bend: Callable[[dict[str, Any]], None], found: str):
    liar.harness.reset()
    game = before_the_flop(liar)
    liar.line.answers["OpenSection"] = lambda answer: liar.resigned(answer.log_receipt, "shuffler", bend)
    with pytest.raises(VerificationError, match=found):
        game.decide(0, "CHECK")


@pytest.mark.parametrize(
    ("bend", "found"),
    [
        (lambda answer: answer.opened[0].cards.reverse(), "section"),
        (lambda answer: setattr(answer, "unsealed_time", answer.unsealed_time + 1), "the logged opening"),
        (lambda answer: answer.ClearField("log_receipt"), "receipt"),
    ],
)
def test_cards_that_opened_otherwise_than_logged_are_found(liar: Liar, bend: Bend, found: str):
    liar.harness.reset()
    game = before_the_flop(liar)
    liar.line.answers["OpenSection"] = bend
    with pytest.raises(VerificationError, match=found):
        game.decide(0, "CHECK")


def test_another_time_in_the_certificate_than_in_the_log_is_found(liar: Liar):
    """With it a street's clock would start when nobody saw its cards."""
    liar.harness.reset()
    game = before_the_flop(liar)

    def date_back(payload: dict[str, Any]) -> None:
        for section in payload["sections"]:
            if "unsealed_time" in section:
                section["unsealed_time"] -= 1

    def bend(answer: Any) -> None:  # noqa: ANN401 - opened sections
        answer.certificate = liar.certified(answer.certificate, date_back)

    liar.line.answers["OpenSection"] = bend
    with pytest.raises(VerificationError, match="the times of the opened sections"):
        game.decide(0, "CHECK")
