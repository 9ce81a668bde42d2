"""The hand-worked violations of Mậu Binh asked over gRPC: dealt by script, judged at the clock that a vector names."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from referee.cards import DECK, Card, parse_cards
from referee.games.mau_binh import instant_win_of
from referee.games.mau_binh.rules import MauBinhRules
from referee.v1 import mau_binh_pb2
from tests.builtin import rules_as
from tests.service.house import arranged
from tests.service.tien_len_house import TienLenHouse
from tests.service.violations import facts_of
from tests.vectors.reading import each

Vector = dict[str, Any]


@pytest.fixture(scope="module")
def scripted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TienLenHouse]:
    running = TienLenHouse(tmp_path_factory.mktemp("scripted"))
    yield running
    running.close()


def arrangement_of(fields: Vector) -> mau_binh_pb2.Arrangement:
    return arranged(*([card.number for card in parse_cards(fields[chi])] for chi in ("back", "middle", "front")))


def event_of(fields: Vector) -> mau_binh_pb2.MauBinhEvent:
    event = mau_binh_pb2.MauBinhEvent(seat=fields["seat"], time=fields["time"])
    event.leave.SetInParent() if fields["kind"] == "LEAVE" else event.arrange.CopyFrom(arrangement_of(fields))
    return event


def dealt(scripted: TienLenHouse, vector: Vector, hands: Sequence[Sequence[Card]]) -> mau_binh_pb2.MauBinhRound:
    terms = {"ruleset": vector["ruleset"], "dealt_time": vector.get("dealt_time", 0), "stake": vector.get("stake", 100)}
    made = scripted.script(hands, leader=0, **terms)
    return mau_binh_pb2.MauBinhRound(header=made.header, certificates=made.certificates)


@each("mau_binh/refusal", argument="vector")
def test_unlawful_round_is_answered_with_exactly_its_faults(scripted: TienLenHouse, vector: Vector) -> None:
    """At the referee's time or, where that would have gone back, as the frontend reports it; nothing is written."""
    message = dealt(scripted, vector, [parse_cards(hand) for hand in vector["hands"]])
    size, number = scripted.settled_size(), vector["refused_event"]
    events = [event_of(fields) for fields in vector["events"]]
    message.events.extend(events[: number - 1] if number else events)
    last = max([vector["dealt_time"], *(event.time for event in message.events)])
    if not number:
        scripted.clock.now = vector["closed_time"]
        answer: Any = scripted.mau_binh.SettleRound(mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=message))
        assert not answer.HasField("outcome")
    elif (event := events[number - 1]).time < last:
        message.events.append(event)
        answer = scripted.mau_binh.PreviewRound(mau_binh_pb2.MauBinhServicePreviewRoundRequest(round=message))
        assert answer.refused_event_number == number
    else:
        scripted.clock.now, event.time = event.time, 0
        request = mau_binh_pb2.MauBinhServiceAcceptEventRequest(round=message, event=event)
        answer = scripted.mau_binh.AcceptEvent(request)
        assert (answer.event_number, answer.HasField("event")) == (0, False)
    assert vector["violations"] == [facts_of(violation) for violation in answer.violations]
    assert scripted.settled_size() == size


@each("mau_binh/arrangement", argument="vector")
def test_arrangement_is_checked_and_accepted_as_its_vector_says(scripted: TienLenHouse, vector: Vector) -> None:
    """Fouls alone are accepted, with the values of the three chi."""
    dealt_cards = parse_cards(vector["dealt"])
    others = [card for card in DECK if card not in dealt_cards]
    message = dealt(scripted, vector, [dealt_cards, [*others[::3], *others[1::3]][:13]])
    scripted.clock.now = 1_000
    arrangement = arrangement_of(vector)
    asked = mau_binh_pb2.CheckArrangementRequest(round=message, seat=0, arrangement=arrangement)
    checked = scripted.mau_binh.CheckArrangement(asked)
    facts = [facts_of(violation) for violation in checked.violations]
    for fact in facts:
        fact.pop("seat", None)
    is_lawful = all(fault["code"].startswith("FOULED_") for fault in vector["violations"])
    assert facts == vector["violations"]
    assert (checked.acceptable, len(checked.values)) == (is_lawful, 3 if is_lawful else 0)
    if instant_win_of(rules_as(MauBinhRules, vector["ruleset"]), dealt_cards) is None:
        event = mau_binh_pb2.MauBinhEvent(seat=0, arrange=arrangement)
        request = mau_binh_pb2.MauBinhServiceAcceptEventRequest(round=message, event=event)
        accepted = scripted.mau_binh.AcceptEvent(request)
        assert [one.code for one in accepted.violations] == [one.code for one in checked.violations]
        assert bool(accepted.event_number) is is_lawful
