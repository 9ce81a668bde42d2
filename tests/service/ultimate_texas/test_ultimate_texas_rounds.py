"""Whole rounds over gRPC, from opening to the revealed seed, checked against things that share no code with the law."""

import importlib
import itertools
import json
import warnings
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Final, TypeAlias

import pytest

from referee.cards import DECK
from referee.evidence.dsse import Envelope
from referee.rulesets import get
from referee.transcript.inputs import parse
from referee.transcript.replay import replay
from referee.v1 import shuffler_pb2, ultimate_texas_pb2
from tests.service.advised import play_streets
from tests.service.ultimate_texas_house import Refused, Server

Outcome: TypeAlias = ultimate_texas_pb2.UltimateTexasOutcome

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # its parser of hand ranges, not used here, calls what its dependency deprecates
    eval7: Final[Any] = importlib.import_module("eval7")

RULESETS: Final = ("ultimate_texas.casino", "ultimate_texas.two_plus_three")
BLIND: Final = {"Straight": (1, 1), "Flush": (3, 2), "Full House": (3, 1), "Quads": (10, 1), "Straight Flush": (50, 1)}
TRIPS: Final = {"Trips": 3, "Straight": 4, "Flush": 7, "Full House": 8, "Quads": 30, "Straight Flush": 40}
ROYAL_BLIND, ROYAL_TRIPS = 500, 50


def _eval7(numbers: Sequence[int]) -> list[Any]:
    texts = [DECK[number - 1].text for number in numbers]
    return [eval7.Card(text[0] + text[1].lower()) for text in texts]


def _value(ruleset_id: str, hole: Sequence[int], board: Sequence[int]) -> int:
    if ruleset_id == "ultimate_texas.casino":
        return eval7.evaluate(_eval7([*hole, *board]))
    return max(eval7.evaluate(_eval7([*hole, *three])) for three in itertools.combinations(board, 3))


ROYAL: Final = eval7.evaluate([eval7.Card(text) for text in ("As", "Ks", "Qs", "Js", "Ts")])


def _net(ruleset_id: str, outcome: Outcome, stakes: Sequence[tuple[int, int]]) -> list[int]:
    """Compute each seat's net by the published rules, with another library's ranking of hands."""
    house = _value(ruleset_id, outcome.house_hole, outcome.board)
    qualifies = eval7.handtype(house) != "High Card"
    net = []
    for seat, (ante, trips) in zip(outcome.seats, stakes, strict=True):
        if seat.result == "FOLDED":
            net.append(-2 * ante - trips)
            continue
        own = _value(ruleset_id, seat.hole, outcome.board)
        kind, play = eval7.handtype(own), seat.play_multiple * ante
        pays = ROYAL_TRIPS if own == ROYAL else TRIPS.get(kind, -1)
        won = Fraction(pays * trips)
        if own > house:
            blind = Fraction(ROYAL_BLIND) if own == ROYAL else Fraction(*BLIND.get(kind, (0, 1)))
            won += play + (ante if qualifies else 0) + blind * ante
        elif own < house:
            won -= play + (ante if qualifies else 0) + ante
        assert won.denominator == 1
        net.append(int(won))
    return net


@pytest.mark.parametrize("receipts", [True, False])
@pytest.mark.parametrize("ruleset_id", RULESETS)
def test_round_of_any_size_settles_as_another_library_and_the_seed_say(
    server: Server, ruleset_id: str, *, receipts: bool
):
    """Bots play three rounds at each of six tables; nets by eval7, and each transcript replays."""
    results: Counter[str] = Counter()
    for seats in range(1, 7):
        stakes = [(10 + 2 * seat, 5 * (seat % 3)) for seat in range(seats)]
        terms = server.terms(seats, ruleset_id=ruleset_id, stakes=stakes)
        for number in (1, 2, 3):
            opened = server.open_round(terms)
            dealt = server.shuffler.DealRound(
                shuffler_pb2.DealRoundRequest(
                    round={"table_id": terms.table_id, "round_number": number},
                    client_seeds=[bytes([seats, number, seat]).rjust(32, b"s") for seat in range(seats)],
                )
            )
            message = ultimate_texas_pb2.UltimateTexasRound(header=opened.header, certificates=[dealt.certificate])
            stubs = (server.referee, server.advice, server.shuffler)
            play_streets(*stubs, message, dealt_time=dealt.dealt_time, receipts=receipts)
            preview = server.referee.PreviewRound(
                ultimate_texas_pb2.UltimateTexasServicePreviewRoundRequest(round=message)
            )
            settled = server.referee.SettleRound(
                ultimate_texas_pb2.UltimateTexasServiceSettleRoundRequest(round=message)
            )
            outcome = settled.outcome
            assert settled.violations == []
            assert preview.outcome == outcome
            assert [seat.net_minor for seat in outcome.seats] == _net(ruleset_id, outcome, stakes)
            assert outcome.house_net_minor == -sum(seat.net_minor for seat in outcome.seats)
            assert outcome.ruleset_digest == get(ruleset_id).digest
            for seat in outcome.seats:
                assert eval7.evaluate(_eval7(seat.best)) == _value(ruleset_id, seat.hole, outcome.board)
            payload = Envelope.parse(settled.log_receipt.leaf).payload
            assert replay(parse(payload).inputs, get(ruleset_id)).payload == payload
            results.update(seat.result for seat in outcome.seats)
    assert set(results) >= {"WON", "LOST", "FOLDED"}


def test_streets_open_one_after_another(server: Server):
    """One seat that checks to the river sees three, then five cards of the board, and the house at the end."""
    played = server.deal(1)
    header = played.opened.header
    hand, house, flop, turn_river = range(4)
    assert list(header.layout) == [2, 2, 3, 2, 43]
    expected = [
        ("CHECK", flop, ["flop"], {hand, flop}),
        ("CHECK", turn_river, ["flop", "turn_river"], {hand, flop, turn_river}),
        ("PLAY_1X", house, ["flop", "turn_river", "house"], {hand, flop, turn_river, house}),
    ]
    for decision, section, names, visible in expected:
        answer = played.accept(0, decision)
        assert answer.opens_section == section
        opened = played.open_section()
        assert opened.section == section
        assert [part.name for part in opened.opened] == names
        assert list(opened.opened[-1].cards) == list(opened.cards)
        payload = json.loads(Envelope.parse(opened.certificate).payload)
        assert {part["index"] for part in payload["sections"]} == visible
    assert played.settle().outcome.board == [*played.sections[0].cards, *played.sections[1].cards]


def test_frontend_asks_only_for_receipts_of_events_that_close_a_street(server: Server):
    """Three of six events have only the frontend's time; the transcript says so, and what opened after the others."""
    played = server.deal(2)
    for decision in ("CHECK", "CHECK", "PLAY_1X"):
        played.report(0, decision)
        server.clock.now += 1_000
        played.play((1, decision))
    settled = played.settle()
    inputs = json.loads(Envelope.parse(settled.log_receipt.leaf).payload)["inputs"]
    assert [event["received"] for event in inputs["events"]] == [0, 1] * 3
    assert [(one["number"], one["sections"]) for one in inputs["unsealed"]] == [(2, [3]), (4, [4]), (6, [2])]
    assert (inputs["receipt"]["number"], inputs["receipt"]["opens_section"]) == (6, 2)
    assert [event["time"] - inputs["dealt_time"] for event in inputs["events"]] == [0, 1000, 1000, 2000, 2000, 3000]


def test_event_that_opens_cards_cannot_be_reported(server: Server, refused: Refused):
    """The frontend took the closing event on its own word; asked again without it, the referee gives the receipt."""
    played = server.deal(1)
    played.report(0, "PLAY_4X")
    assert refused(played.preview).reason_and_field == ("NOT_RECEIVED", "round.events[0]")
    del played.message.events[:]
    played.play((0, "PLAY_4X"))
    assert played.settle().violations == []


def test_certificate_of_the_deal_is_not_enough_to_play_on(server: Server, refused: Refused):
    """The street's clock runs from a time that only the certificate of its cards says."""
    played = server.deal(1)
    played.play((0, "CHECK"))
    played.message.certificates[:] = [played.dealt.certificate]
    assert refused(played.accept, 0, "CHECK").reason_and_field == ("SECTION_MISSING", "round.certificates")


def test_preview_writes_nothing_and_shows_the_outcome_once_all_is_open(server: Server):
    played = server.deal(1)
    size = server.size
    assert played.preview().state.street == "PREFLOP"
    played.accept(0, "PLAY_3X")
    hidden = played.preview()
    assert (hidden.state.street, hidden.HasField("outcome")) == ("SHOWDOWN", False)
    played.open_section()
    size += 1  # the UNSEAL
    assert played.preview().HasField("outcome")
    assert server.size == size
