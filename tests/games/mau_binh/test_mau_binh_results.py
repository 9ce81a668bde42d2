"""Results of a round as its transcript has them, worked out by hand."""

from collections.abc import Mapping
from typing import Any

import pytest

from referee.cards import DECK, Seat, parse_cards
from referee.games import DealError, DealtRound
from referee.games.mau_binh import GAME, Arrange, Leave, MauBinhRules
from tests.builtin import rules_as
from tests.games.rounds import hands_deal, settled

COM = rules_as(MauBinhRules, "mau_binh.maubinh_com")
STRONG = parse_cards("KS KC KD 5S 5C 9S TH JS QD KH 2S 2H 2D")
WEAK = parse_cards("8S 8C 6D 4C 3S 7S 7C 5D 4S 3C JD 9C 3D")
PAIRS = parse_cards("AS AC QS QC TS 9H 9D 6S 4D 3H 8H 7D 2C")


def results_of(deal: DealtRound, *events: Arrange | Leave, closed_time: int = 95_000) -> Mapping[str, Any]:
    played = settled(GAME, COM, deal, events, closed_time=closed_time)
    assert played.violations == ()
    return GAME.encode_results(played.state, played.outcome)


def test_results_of_a_showdown_say_what_each_seat_shows_and_wins() -> None:
    """Seat 0 wins all three chi from both; seat 2 wins back and middle from seat 1, and loses the front to it."""
    results = results_of(hands_deal([STRONG, WEAK, PAIRS], stake=10, dealt_time=500), closed_time=95_000)
    assert set(results) == {"ending", "seats", "transfers", "winners", "showdown_time"}
    assert (results["ending"], results["winners"], results["showdown_time"]) == ("SHOWDOWN", (0,), 90_500)
    hands = [
        ["FULL_HOUSE", "STRAIGHT", "THREE_OF_A_KIND"],
        ["PAIR", "PAIR", "HIGH_CARD"],
        ["TWO_PAIR", "PAIR", "HIGH_CARD"],
    ]
    assert results["seats"] == [
        {
            "arrangement": (hand[:5], hand[5:10], hand[10:]),
            "chi_won": won,
            "fouls": [],
            "hands": names,
            "instant_win": "",
            "net": net,
        }
        for hand, won, names, net in zip((STRONG, WEAK, PAIRS), (6, 1, 2), hands, (100, -60, -40), strict=True)
    ]
    assert [(paid.payer, paid.payee, paid.amount, paid.reason) for paid in results["transfers"]] == [
        *[(1, 0, 10, "BACK"), (1, 0, 10, "MIDDLE"), (1, 0, 30, "FRONT")],
        *[(2, 0, 10, "BACK"), (2, 0, 10, "MIDDLE"), (2, 0, 30, "FRONT")],
        *[(1, 2, 10, "BACK"), (1, 2, 10, "MIDDLE"), (2, 1, 10, "FRONT")],
    ]


def test_results_of_a_foul_name_it_and_count_no_chi_for_its_seat() -> None:
    cards = (WEAK[5:10], WEAK[:5], WEAK[10:])
    fouled = Arrange(Seat(1), *cards, time=5)
    results = results_of(hands_deal([STRONG, WEAK], stake=10), fouled)
    first, second = results["seats"]
    assert (first["fouls"], first["chi_won"], first["net"]) == ([], 3, 150)
    assert (second["fouls"], second["chi_won"], second["net"]) == (["FOULED_MIDDLE"], 0, -150)
    assert second["arrangement"] == cards


def test_results_of_an_instant_win_show_no_arrangement_and_no_showdown() -> None:
    others = [card for card in DECK if card not in DECK[0:52:4]]
    results = results_of(hands_deal([tuple(others[:13]), DECK[0:52:4], tuple(others[26:])], stake=10), closed_time=0)
    assert set(results) == {"ending", "seats", "transfers", "winners"}
    assert (results["ending"], results["winners"]) == ("INSTANT_WIN", (1,))
    assert results["seats"] == [
        {"arrangement": [], "chi_won": 0, "fouls": [], "hands": [], "instant_win": pattern, "net": net}
        for pattern, net in (("", -990), ("SUITED_DRAGON", 1_980), ("", -990))
    ]


def test_instant_win_is_not_settled_while_a_hand_is_closed() -> None:
    """The closed hand may hold a win of its own."""
    deal = DealtRound(seat_count=2, stake=1, sections=(None, DECK[0:52:4]), dealt_time=0, is_sealed=True)
    state = GAME.begin(COM, deal)
    assert GAME.check_closing(state, 0) == ()
    with pytest.raises(DealError, match="sections that are not open: 0"):
        GAME.settle(state)
    with pytest.raises(DealError, match="the hand of seat 0 is not open"):
        state.hand(Seat(0))
