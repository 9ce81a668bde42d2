"""The law of Bài Cào agrees with a second writing of it, and says what is wrong with an event."""

import tomllib
from collections import Counter
from importlib import resources
from itertools import combinations

import pytest
from bai_cao.game import GAME
from bai_cao.hand import HANDS, hand_of
from bai_cao.round import Code, Event, Leave, Show
from bai_cao.rules import BaiCaoRules, Clocks, Seats

from referee.cards import Seat, cards_of
from referee.games import DealError, DealtRound, StakesError, UnlawfulEventError, play
from referee.games.fault import SharedCode
from referee.games.questions import PointQuestions
from referee.games.tables import HouseClock, RoundLimits
from tests.fourth_game.fourth_reference import net_of, strength_of
from tests.randomness import random_from

RULES = BaiCaoRules(
    seats=Seats(2, 6),
    clocks=Clocks(HouseClock(20, "a house rule")),
    round=RoundLimits(shortest_seconds=20, longest_seconds=60),
)
ALL_HANDS = list(combinations(range(1, 53), 3))


def deal_of(hands: list[list[int]], stake: int = 5, *, is_sealed: bool = False) -> DealtRound:
    sections = tuple(cards_of(hand) for hand in hands)
    return DealtRound(seat_count=len(hands), stake=stake, sections=sections, dealt_time=1_000, is_sealed=is_sealed)


def test_value_of_every_hand_is_that_of_the_second_writing() -> None:
    assert len(ALL_HANDS) == 22_100
    assert all(hand_of(cards_of(hand)) is HANDS[strength_of(hand)] for hand in ALL_HANDS)


def test_audit_asks_about_the_hands_that_there_are() -> None:
    assert isinstance(GAME.questions, PointQuestions)
    assert GAME.questions.weights() == Counter(map(strength_of, ALL_HANDS))
    assert GAME.questions.points(bytes((38, 42, 46))) == 10


def test_settlement_of_random_deals_is_that_of_the_second_writing() -> None:
    luck = random_from(20)
    for _ in range(4_000):
        deck = luck.sample(range(1, 53), 3 * luck.randint(2, 6))
        hands, stake = [deck[at : at + 3] for at in range(0, len(deck), 3)], luck.randint(1, 10**6)
        outcome = GAME.settle(GAME.begin(RULES, deal_of(hands, stake)))
        assert list(outcome.net) == net_of(hands, stake)
        assert sum(outcome.net) == 0


def test_seat_shows_or_leaves_once_and_in_time() -> None:
    state = GAME.begin(RULES, deal_of([[1, 5, 9], [2, 6, 10]]))
    events: list[Event] = [Show(Seat(1), 2_000), Leave(Seat(1), 3_000)]
    after = play(GAME, state, events).state
    assert (after.waiting, after.is_over, after.event_count) == ((0,), False, 2)
    faulty: dict[Code | SharedCode, Event] = {
        SharedCode.UNKNOWN_SEAT: Show(Seat(2), 3_000),
        SharedCode.OUT_OF_ORDER: Show(Seat(0), 2_999),
        Code.ALREADY_LEFT: Leave(Seat(1), 3_000),
        SharedCode.DEADLINE_PASSED: Show(Seat(0), 21_000),
    }
    found = {code: [fault.code for fault in GAME.check(after, event)] for code, event in faulty.items()}
    assert found == {code: [code] for code in found}
    with pytest.raises(UnlawfulEventError, match="ALREADY_LEFT, ALREADY_SHOWN"):
        GAME.apply(after, events[0])
    over = GAME.apply(after, Show(Seat(0), 20_999))
    assert over.is_over
    assert GAME.clock(over) is None
    assert [fault.code for fault in GAME.check(over, Leave(Seat(0), 20_999))] == [Code.ROUND_OVER]


def test_round_closes_when_all_have_shown_or_the_time_is_up() -> None:
    state = GAME.begin(RULES, deal_of([[1, 5, 9], [2, 6, 10]]))
    assert [(fault.code, fault.seat) for fault in GAME.check_closing(state, 20_999)] == [
        (SharedCode.ROUND_NOT_OVER, 0),
        (SharedCode.ROUND_NOT_OVER, 1),
    ]
    assert GAME.check_closing(state, 21_000) == ()
    after = play(GAME, state, [Show(Seat(seat), 2_000) for seat in (0, 1)]).state
    assert GAME.check_closing(after, 2_000) == ()
    assert [fault.code for fault in GAME.check_closing(after, 1_999)] == [SharedCode.CLOSED_TOO_EARLY]


def test_impossible_deal_begins_no_round() -> None:
    hands = [[1, 5, 9], [2, 6, 10]]
    with pytest.raises(DealError, match="cannot be sealed"):
        GAME.begin(RULES, deal_of(hands, is_sealed=True))
    with pytest.raises(DealError, match="2 to 6"):
        GAME.begin(RULES, deal_of(hands[:1]))
    with pytest.raises(StakesError, match="STAKE_TOO_LOW"):
        GAME.begin(RULES, deal_of(hands, stake=0))


def test_every_code_has_its_words() -> None:
    file = resources.files("bai_cao") / "texts" / "bai_cao.toml"
    assert set(tomllib.loads(file.read_text("utf-8"))["violation"]) == {*Code, *SharedCode}
