"""Deals of the shared interface: what no deck gives is refused, in words."""

import msgspec
import pytest

from referee.cards import DECK, Seat
from referee.games import Clock, DealError, DealtRound, mau_binh, tien_len, ultimate_texas
from referee.games.deal import check_deal, open_cards
from referee.games.layout import Layout
from referee.games.tables import HouseClock, RoundLimits, refuse, seat_fault
from referee.rulesets import get

TEXAS = ultimate_texas.GAME
SEATS = get("ultimate_texas.casino").rules.seats
HANDS = (DECK[0:2], DECK[2:4])
HOUSE, FLOP, LATE = DECK[4:6], DECK[6:9], DECK[9:11]


def deal_of(*sections: tuple[object, ...] | None, seat_count: int = 2) -> DealtRound:
    return DealtRound(seat_count=seat_count, stake=2, sections=sections, dealt_time=0)  # type: ignore[arg-type] # cards


def refusal_of(deal: DealtRound) -> str:
    with pytest.raises(DealError) as caught:
        check_deal(deal, TEXAS.layout, seats=SEATS)
    return str(caught.value)


def test_layout_of_a_round_with_a_board() -> None:
    layout = TEXAS.layout(2)
    assert layout.sizes == (2, 2, 2, 3, 2, 41)
    assert [layout.name(section) for section in range(-1, 7)] == ["", "", "", "house", "flop", "turn_river", "", ""]
    assert [layout.board(name) for name in ("house", "flop", "turn_river")] == [2, 3, 4]
    assert (layout.hands, layout.shown, layout.stock) == ((0, 1), (0, 1, 2, 3, 4), 5)
    assert (layout.has_board, layout.last_opened, layout.needs_hands) == (True, 2, False)
    with pytest.raises(KeyError, match="river"):
        layout.board("river")


def test_layout_of_a_round_without_a_board() -> None:
    assert tien_len.GAME.layout(4).stock is None
    layout = mau_binh.GAME.layout(3)
    assert (layout.sizes, layout.stock, layout.has_board, layout.last_opened) == ((13, 13, 13, 13), 3, False, 2)
    assert layout.needs_hands
    assert Layout((2, 2), (), 2, ()).needs_hands


def test_receipts_open_the_board_after_the_hands() -> None:
    """At the showdown the house's cards, which come first in the deck, open last."""
    layout = TEXAS.layout(2)
    assert layout.opened_until(3) == (0, 1, 3)
    assert layout.opened_until(4) == (0, 1, 3, 4)
    assert layout.opened_until(2) == (0, 1, 3, 4, 2)
    assert layout.opened_until(4, is_sealed=True) == (3, 4)
    assert set(layout.opened_until(2, is_sealed=True)) == {0, 1, 2, 3, 4}
    for section in (-1, 0, 1, 5, 6):
        with pytest.raises(KeyError):
            layout.opened_until(section)


@pytest.mark.parametrize(("seat_count", "hand_size"), [(0, 1), (-1, 1), (5, 13), (53, 1), (1, 53)])
def test_deck_is_not_laid_out_for_nobody_or_too_many(seat_count: int, hand_size: int) -> None:
    with pytest.raises(ValueError, match="cannot be dealt"):
        Layout.of(seat_count, hand_size=hand_size)
    assert Layout.of(52, hand_size=1).stock is None
    assert Layout.of(1, hand_size=51).sizes == (51, 1)


def test_impossible_deal_is_refused_with_what_is_wrong() -> None:
    closed = (None, None, None)
    assert refusal_of(deal_of(*HANDS, *closed, seat_count=0)) == "0 seats were dealt to; the table has 1 to 6"
    assert refusal_of(deal_of(*HANDS, *closed, seat_count=7)) == "7 seats were dealt to; the table has 1 to 6"
    assert refusal_of(deal_of(*HANDS, *closed, None)) == "the deal has 6 sections; hands and board are 5"
    assert refusal_of(deal_of(*HANDS, None, None)) == "the deal has 4 sections; hands and board are 5"
    assert refusal_of(deal_of(*HANDS, HOUSE, FLOP[:2], LATE)) == "section 3 has 3 cards, not 2: 3D 3H"
    assert refusal_of(deal_of((), *HANDS, None, None)) == "section 0 has 2 cards, not 0: none"
    twice = refusal_of(deal_of(*HANDS, HOUSE, (*FLOP[:2], DECK[0]), (DECK[9], DECK[4])))
    assert twice == "dealt more than once: 2S 3S"
    check_deal(deal_of(*HANDS, HOUSE, FLOP, LATE), TEXAS.layout, seats=SEATS)
    check_deal(deal_of(None, HANDS[1], *closed), TEXAS.layout, seats=SEATS)


def test_cards_of_closed_sections_are_not_known() -> None:
    deal = deal_of(*HANDS, None, None, None)
    with pytest.raises(DealError, match=r"sections that are not open: 2, 3, 4$"):
        open_cards(deal)
    known = msgspec.structs.replace(deal, sections=(*HANDS, HOUSE, FLOP, LATE))
    assert open_cards(known) == (*HANDS, HOUSE, FLOP, LATE)


def test_game_whose_cards_are_all_open_has_nothing_to_unseal() -> None:
    hands = (DECK[0:52:4], DECK[1:52:4])
    deal = DealtRound(seat_count=2, stake=1, sections=hands, dealt_time=0, leader=Seat(0))
    state = tien_len.begin(get("tien_len.mien_nam").rules, deal)  # type: ignore[arg-type] # this game's rules
    assert tien_len.GAME.later.unseal(state, 5) is state


def test_defaults_of_a_deal_and_of_a_clock() -> None:
    deal = deal_of(*HANDS, None, None, None)
    assert (deal.bet_unit, deal.leader, deal.is_sealed, deal.round_id) == (1, None, False, bytes(32))
    assert deal.hands == HANDS
    assert (Clock(500, 30, None).end, Clock(500, 30, None).number) == (530, 0)


@pytest.mark.parametrize(
    ("shortest", "longest", "needed", "is_fault"),
    [(90, 90, 90, False), (90, 91, 89, False), (90, 89, 90, True), (90, 100, 91, True)],
)
def test_round_is_as_long_as_its_clocks_at_least(shortest: int, longest: int, needed: int, *, is_fault: bool) -> None:
    limits = RoundLimits(shortest_seconds=shortest, longest_seconds=longest)
    assert bool(limits.fault(needed)) is is_fault
    assert limits.bounds == (1000 * shortest, 1000 * longest)


@pytest.mark.parametrize(("seconds", "reason", "is_right"), [(1, "r", True), (86_400, "r", True), (1, "", False)])
def test_clock_of_the_house_has_a_time_and_a_reason(seconds: int, reason: str, *, is_right: bool) -> None:
    data = {"seconds": seconds, "reason": reason}
    if is_right:
        assert msgspec.to_builtins(msgspec.convert(data, HouseClock)) == data
        return
    with pytest.raises(msgspec.ValidationError, match="length >= 1"):
        msgspec.convert(data, HouseClock)


def test_rules_that_contradict_themselves_say_how() -> None:
    assert (seat_fault(2, 2), seat_fault(2, 3)) == ("", "")
    assert seat_fault(3, 2) == "seats.minimum 3 is more than seats.maximum 2"
    refuse("", "")
    with pytest.raises(ValueError, match=r"^one; two$"):
        refuse("one", "", "two")
