"""Prices that a house variant sets, and chops of one trick and of several, worked out by hand."""

import pytest
from msgspec.structs import replace

from referee.cards import DECK, Seat, parse_cards
from referee.games import play
from referee.games.tien_len import (
    GAME,
    Leave,
    Pass,
    Play,
    State,
    TienLenRules,
    apply,
    begin,
    chop_transfers,
    legal_plays,
    read_combination,
    set_of,
    settle,
)
from referee.games.tien_len.code import Chain
from referee.games.tien_len.combination import combinations_in
from referee.games.tien_len.leftover import price_leftover
from referee.games.tien_len.legality import plays_of
from referee.games.tien_len.rules import Untouched, max_units
from tests.games.rounds import hands_deal
from tests.games.tien_len.scenes import read_event, read_hands, variant
from tests.vectors.reading import read

FOUR_TWOS = "2S 2C 2D 2H"
QUIET = read_hands(["5S 6C 7D 8H 9S TC JD QH KS 3S AS AC AD", "3C 4S 4C 5C 6S 7S 8S 9C TS JS QS KC 2S"])
"""Two hands of which none wins at the deal."""
THREE_PAIRS = "4S 4C 5S 5C 6S 6C"


@pytest.mark.parametrize(
    ("prices", "cards", "expected"),
    [
        ({"quad": 11}, FOUR_TWOS, [("RED_TWO", 8), ("BLACK_TWO", 4)]),
        ({"quad": 12}, FOUR_TWOS, [("QUAD", 12)]),
        ({"black_two": 3, "quad": 13}, FOUR_TWOS, [("RED_TWO", 8), ("BLACK_TWO", 6)]),
        ({"red_two": 5, "quad": 13}, FOUR_TWOS, [("RED_TWO", 10), ("BLACK_TWO", 4)]),
        ({"card": 2}, THREE_PAIRS, [("CARD", 12)]),
        ({"card": 2, "pair_run_3": 12}, THREE_PAIRS, [("PAIR_RUN_3", 12)]),
        ({"card": 3, "quad": 11}, "4S 4C 4D 4H", [("CARD", 12)]),
        ({"card": 2, "pair_run_4": 17}, f"{THREE_PAIRS} 7S 7C", [("PAIR_RUN_4", 17)]),
        ({"card": 0}, "4S 9C", [("CARD", 0)]),
        # eight of its cards cost 12 as one group and as two: the fewer groups are given
        (
            {"pair_run_3": 0, "quad": 6, "pair_run_4": 12},
            "4S 4C 4D 4H 5S 5C 6S 6C 7S 7C 7D 7H",
            [("PAIR_RUN_4", 12), ("CARD", 4)],
        ),
    ],
)
def test_cards_are_grouped_only_where_that_costs_no_less(
    rules: TienLenRules, prices: dict[str, int], cards: str, expected: list[tuple[str, int]]
) -> None:
    found = price_leftover(replace(rules.leftover_prices, **prices), set_of(parse_cards(cards)))
    assert [(item.price, item.units) for item in found] == expected


@pytest.mark.parametrize(
    ("table", "price", "expected"),
    [
        ("leftover_prices", "card", 13 * 1001),
        ("leftover_prices", "black_two", 13 * 1001),
        ("leftover_prices", "red_two", 13 * 1001),
        ("leftover_prices", "pair_run_3", 13 * 167),
        ("leftover_prices", "quad", 13 * 251),
        ("leftover_prices", "pair_run_4", 13 * 126),
        ("chop_prices", "black_two", 4 * 1001),
        ("chop_prices", "red_two", 4 * 1001),
        ("chop_prices", "pair_of_black_twos", 4 * 501),
        ("chop_prices", "pair_of_mixed_twos", 4 * 501),
        ("chop_prices", "pair_of_red_twos", 4 * 501),
        ("chop_prices", "pair_run_3", 52 * 167),
        ("chop_prices", "quad", 52 * 251),
        ("chop_prices", "pair_run_4", 52 * 126),
        ("last_three_of_spades", "units", 1001),
        ("stopped_three_of_spades", "units", 1001),
    ],
)
def test_bound_follows_from_each_price_alone(rules: TienLenRules, table: str, price: str, expected: int) -> None:
    """One price is 1001 and the others nothing: thirteen cards left, 48 cards and four twos chopped, shares rounded up.

    With more seats a winner is paid what is left by each, and one seat may still pay for all chops.
    """
    nothing = {
        name: replace(part, **{key: 0 for key in part.__struct_fields__ if isinstance(getattr(part, key), int)})
        for name, part in (
            (name, getattr(rules, name))
            for name in ("chop_prices", "leftover_prices", "last_three_of_spades", "stopped_three_of_spades")
        )
    }
    bare = replace(rules, instant_wins=(), **nothing)
    assert max_units(bare, seat_count=4) == 0
    changed = {price: 1001} | ({"applies": True} if hasattr(getattr(bare, table), "applies") else {})
    dear = replace(bare, **{table: replace(getattr(bare, table), **changed)})
    assert max_units(dear, seat_count=2) == expected
    assert max_units(dear, seat_count=4) == (expected if table == "chop_prices" else 3 * expected)


def test_bound_follows_from_a_win_at_the_deal(rules: TienLenRules) -> None:
    dearest = replace(rules.instant_wins[-1], units=1001)
    dear = replace(rules, instant_wins=(*rules.instant_wins[:-1], dearest))
    assert max_units(dear, seat_count=3) - max_units(rules, seat_count=3) == 2 * (1001 - 52)


def test_win_at_the_deal_that_is_worth_nothing_is_no_transfer(rules: TienLenRules) -> None:
    """It ends the round and has a winner all the same."""
    free = replace(rules, instant_wins=tuple(replace(win, units=0) for win in rules.instant_wins))
    for house, amounts in ((rules, [6 * 50]), (free, [])):
        outcome = settle(begin(house, hands_deal([DECK[:13], DECK[13:26]], leader=1, stake=50)))
        assert (outcome.winners, [paid.amount for paid in outcome.transfers]) == ((0,), amounts)


def two_tricks(rules: TienLenRules) -> State:
    """Play two tricks in which a two is led and chopped: 2S by four fours, 2H by three pairs in a row."""
    hands = [
        parse_cards("2S 2H 3S 3C 9S 9C TC JS QS KS AS AC 5S"),
        parse_cards("4S 4C 4D 4H 6S 6C 7S 7C 8S 8C TH JC KC"),
    ]
    state = begin(rules, hands_deal(hands, leader=0, stake=100))
    assert state.link == 0
    texts = ("0 2S", "1 4S 4C 4D 4H", "0", "1 TH", "0 2H", "1 6S 6C 7S 7C 8S 8C", "0")
    for time, text in enumerate(texts, 1):
        seat, _, cards = text.partition(" ")
        event = Play(Seat(int(seat)), parse_cards(cards), time) if cards else Pass(Seat(int(seat)), time)
        state = apply(state, event)
    assert (state.to_beat, state.link) == (None, 0)
    return state


@pytest.mark.parametrize("chain", list(Chain))
def test_chops_of_two_tricks_are_no_chain(chain: Chain) -> None:
    state = two_tricks(variant({"chain": chain, "instant_wins": []}))
    assert [chop.link for chop in state.chops] == [1, 1]
    assert [(paid.payer, paid.payee, paid.amount, paid.reason, paid.subject) for paid in chop_transfers(state)] == [
        (0, 1, 300, "CHOP", "BLACK_TWO"),
        (0, 1, 600, "CHOP", "RED_TWO"),
    ]


def test_links_of_a_chain_count_up(rules: TienLenRules) -> None:
    """A two, three pairs in a row on it, and four of a kind on those: 3 + 6 by the last victim."""
    hands = [
        parse_cards("2S 9S 9C 9D 9H 3S 3C TC JS QS KS AS AC"),
        parse_cards("4S 4C 5S 5C 6S 6C 8S 8D TD JD QD KD AD"),
    ]
    state = begin(rules, hands_deal(hands, leader=0))
    for time, (seat, cards) in enumerate(((0, "2S"), (1, "4S 4C 5S 5C 6S 6C"), (0, "9S 9C 9D 9H")), 1):
        state = apply(state, Play(Seat(seat), parse_cards(cards), time))
    assert [(chop.link, chop.price) for chop in state.chops] == [(1, "BLACK_TWO"), (2, "PAIR_RUN_3")]
    assert [(paid.payer, paid.payee, paid.amount, paid.reason) for paid in chop_transfers(state)] == [
        (1, 0, 9, "CHOP_CHAIN")
    ]


def test_listed_plays_are_combinations_as_read_from_their_cards() -> None:
    """Kind, length and top card of each, whether led, put on a play of its kind or chopping."""
    rules = variant({"instant_wins": []})
    hands = [
        parse_cards("2S 2H 3S 3C 9S 9C TC JS QS KS AS AC 5S"),
        parse_cards("4S 4C 4D 4H 6S 6C 7S 7C 8S 8C TH JC KC"),
    ]
    state = begin(rules, hands_deal(hands, leader=0))
    for lead in (None, "2S", "3S", "3S 3C"):
        shown = state if lead is None else apply(state, Play(Seat(0), parse_cards(lead), 1))
        plays = legal_plays(shown)
        assert plays
        assert list(plays) == [read_combination(play.card_set) for play in plays]


@pytest.mark.parametrize("ending", ["stopped-three-of-spades", "last-three-of-spades"])
def test_rule_of_three_of_spades_that_is_off_pays_nothing(rules: TienLenRules, ending: str) -> None:
    """The round that it would end goes on, or ends as with any other last card."""
    (vector,) = (one for one in read("tien_len/rounds") if one["id"] == ending)
    free = {
        name: replace(getattr(rules, name), units=0, applies=False)
        for name in ("last_three_of_spades", "stopped_three_of_spades")
    }
    dealt = hands_deal(read_hands(vector["hands"]), leader=vector["leader"])
    events = [read_event(text, number) for number, text in enumerate(vector["events"], start=1)]
    for house, penalties in ((rules, True), (replace(rules, **free), False)):
        state = play(GAME, begin(house, dealt), events).state
        if not state.is_over:
            assert (penalties, ending) == (False, "stopped-three-of-spades")
            continue
        assert any(paid.reason.endswith("_THREE_OF_SPADES") for paid in settle(state).transfers) is penalties
        assert state.ending is not None
        assert state.ending.kind.endswith("_THREE_OF_SPADES") is penalties


def test_cards_that_cost_nothing_are_not_paid_for(rules: TienLenRules) -> None:
    """One unit is the least that anything can cost, and a seat that has played some card is not untouched."""
    prices = replace(rules.leftover_prices, card=0)
    leftover = Untouched(untouched_units=1, reason="test")
    free = replace(rules, leftover_prices=prices, leftover=leftover)
    begun = begin(free, hands_deal(QUIET, leader=0))
    touched = (Play(Seat(0), QUIET[0][:1], 1), Leave(Seat(0), 2), Pass(Seat(1), 3))
    for events, units in (((Leave(Seat(0), 1),), [1]), (touched, [])):
        state = begun
        for event in events:
            state = apply(state, event)
        assert [paid.amount for paid in settle(state).transfers if paid.reason in {"UNTOUCHED", "LEFTOVER"}] == units


def test_any_combination_is_led_where_no_card_is_bound(rules: TienLenRules) -> None:
    held = set_of(QUIET[0])
    assert list(plays_of(rules.chops, held, to_beat=None)) == list(combinations_in(held))
