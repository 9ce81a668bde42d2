"""Values against the law itself: settlements one by one, and a second count in plain Python."""

import itertools
from collections import defaultdict
from fractions import Fraction
from typing import Final

import numpy as np
import pytest

from referee.advice.ultimate_texas.advice import advise
from referee.advice.ultimate_texas.option import Option, best_of
from referee.advice.ultimate_texas.pair import PAIRS
from referee.advice.ultimate_texas.price import Prices
from referee.advice.ultimate_texas.strength import BoardStrengths, UnsupportedRankingError
from referee.cards import DECK, Card, Seat, parse_cards
from referee.games.ultimate_texas import Decision, Event, Stake, State, UltimateTexasRules, apply, begin, settle
from referee.games.ultimate_texas.rules import HandRule
from referee.games.ultimate_texas.settlement import hand_value
from referee.hands import AceLowStraight, Category, RankingRules
from referee.money import Amount
from tests.games.rounds import open_texas, texas_deal
from tests.randomness import random_from

CHECK, FOLD = Decision.CHECK, Decision.FOLD
STAKES: Final = [
    Stake(ante=Amount(12), trips=Amount(0)),
    Stake(ante=Amount(24), trips=Amount(1)),
    Stake(ante=Amount(12), trips=Amount(100)),
]
RIVERS: Final = [
    ("2S 7H", "KC QD JC 9D 4H"),
    ("4D 3H", "AS AC AD 9H 7C"),
    ("9S 8S", "KS 3S 2S JD 4C"),
    ("AS AC", "AD AH KS KC KD"),
    ("TS 2D", "JS QS KS AS 9H"),
    ("5C 5D", "3S 4S 6S 7S 8D"),
]


def played(rules: UltimateTexasRules, stake: Stake, *decisions: Decision) -> State:
    """One seat's round after its decisions."""
    state = begin(rules, texas_deal([(stake.ante, stake.trips)], bet_unit=12))
    for decision in decisions:
        state = apply(state, Event(Seat(0), decision, 0))
    return state


def mean_settlement(state: State, hole: tuple[Card, ...], board: tuple[Card, ...]) -> Fraction:
    """Return what a finished round pays its seat, for each of the 990 hands that the house can have."""
    total = 0
    houses = list(itertools.combinations([card for card in DECK if card not in {*hole, *board}], 2))
    for house in houses:
        for transfer in settle(open_texas(state, hands=(hole,), house=house, board=board)).transfers:
            total += transfer.amount if transfer.payee == 0 else -transfer.amount
    assert len(houses) == 990
    return Fraction(total, 990)


@pytest.mark.parametrize("stake", STAKES)
@pytest.mark.parametrize(("hole", "board"), RIVERS)
def test_river_option_is_worth_the_mean_of_all_990_settlements(
    rules: UltimateTexasRules, stake: Stake, hole: str, board: str
):
    own, common = parse_cards(hole), parse_cards(board)
    options = advise(rules, stake, hole=own, board=common)
    assert [*(option.decision for option in options)] == [f"PLAY_{n}X" for n in rules.streets.river.multiples] + [FOLD]
    for option in options:
        state = played(rules, stake, CHECK, CHECK, option.decision)
        assert mean_settlement(state, own, common) == option.worth(stake)


def second_count(
    rules: UltimateTexasRules, hole: tuple[Card, ...], flop: tuple[Card, ...]
) -> dict[tuple[Decision, Stake], Fraction]:
    """Value each option on the flop at each of the stakes, hand by hand, with prices computed here."""
    ranker, blinds = rules.ranker, {payout.hand: Fraction(payout.odds) for payout in rules.blind}
    ante, play = Fraction(rules.ante.odds), Fraction(rules.play.odds)
    paid = {payout.hand: Fraction(payout.odds) for payout in rules.trips}
    floor = min(n for n in range(1, 7463) if ranker.five_of_strength(n).category in rules.qualifying_categories)
    unseen = [card for card in DECK if card not in {*hole, *flop}]

    def strength(pair: tuple[Card, ...], board: tuple[Card, ...]) -> int:
        if rules.hands.rule is HandRule.BEST_OF_SEVEN:
            return ranker.seven_strength((*pair, *board))
        return ranker.two_plus_three_strength(hole=pair, board=board)

    totals: dict[tuple[Decision, Stake], Fraction] = defaultdict(Fraction)
    for runout in itertools.combinations(unseen, 2):
        board = (*flop, *runout)
        own = strength(hole, board)
        name = ranker.five_of_strength(own).category
        theirs = [
            strength(house, board) for house in itertools.combinations([one for one in unseen if one not in runout], 2)
        ]
        won, lost = [one for one in theirs if one < own], [one for one in theirs if one > own]
        stays = ante * sum(one >= floor for one in won) - sum(one >= floor for one in lost) - len(lost)
        stays += blinds.get(name, 0) * len(won)
        for stake in STAKES:
            trips = paid.get(name, Fraction(-1)) * stake.trips
            bets = [
                (stays + n * (play * len(won) - len(lost))) / 990 * stake.ante + trips
                for n in (*rules.streets.river.multiples, *rules.streets.flop.multiples)
            ]
            totals[CHECK, stake] += max(*bets[:-1], Fraction(-2 * stake.ante - stake.trips))
            totals[Decision.PLAY_2X, stake] += bets[-1]
    return {key: total / 1_081 for key, total in totals.items()}


@pytest.mark.parametrize(
    ("hole", "flop"),
    [
        ("4D 3H", "AS AC AD"),
        pytest.param("JC TC", "9C 8C 2D", marks=pytest.mark.slow("compares with a slower way at length")),
    ],
)
def test_options_on_the_flop_are_worth_what_a_second_count_says(rules: UltimateTexasRules, hole: str, flop: str):
    """1,070,190 showdowns each. At a Trips of 1 to an Ante of 24 some hands that Trips pays are folded, others not."""
    own, common = parse_cards(hole), parse_cards(flop)
    options = {
        (option.decision, stake): option.worth(stake)
        for stake in STAKES
        for option in advise(rules, stake, hole=own, board=common)
    }
    assert second_count(rules, own, common) == options


def test_strengths_are_those_of_the_law(rules: UltimateTexasRules):
    """3,000 random hands, and boards with three, four and five of a suit, and with pairs."""
    luck = random_from(7)
    boards = [sorted(luck.sample(range(52), 5)) for _ in range(80)]
    for suit, held in itertools.product(range(4), (3, 4, 5)):
        suited = [4 * rank + suit for rank in luck.sample(range(13), held)]
        others = luck.sample([card for card in range(52) if card % 4 != suit], 5 - held)
        boards.append(sorted([*suited, *others]))
    rows = BoardStrengths.of(rules).rows(np.array(boards, dtype=np.uint8), np.arange(len(PAIRS), dtype=np.int16))
    for board, row in zip(boards, rows, strict=True):
        for place in luck.sample(range(len(PAIRS)), 33):
            pair = PAIRS[place].tolist()
            if not {*pair} & {*board}:
                value = hand_value(rules, hole=[DECK[card] for card in pair], board=[DECK[card] for card in board])
                assert value.strength == row[place]


def test_ranking_in_which_a_suit_weakens_a_hand_is_refused():
    """With a flush below a high card the best five do not follow from ranks and suits apart."""
    order = (Category.FLUSH, *(category for category in Category if category is not Category.FLUSH))
    with pytest.raises(UnsupportedRankingError, match="of several"):
        BoardStrengths(HandRule.BEST_OF_SEVEN, RankingRules(order, (), AceLowStraight.LOWEST))


def test_no_street_has_four_cards_on_the_board(rules: UltimateTexasRules):
    with pytest.raises(ValueError, match="not 4"):
        advise(rules, STAKES[0], hole=parse_cards("2S 7H"), board=parse_cards("KC QD JC 9D"))


def test_of_equal_options_the_first_is_the_best():
    options = [Option(decision=decision, antes=Fraction(-2), trips=Fraction(-1)) for decision in (CHECK, FOLD)]
    assert best_of(options, STAKES[1]) is options[0]


def test_trips_are_never_worth_folding_from_a_quarter_of_the_ante_on(rules: UltimateTexasRules):
    """Three of a kind pays 3 to 1, so a fold costs four units of Trips and saves at most one Ante."""
    assert Prices.of(rules).sure_trips == Fraction(1, 4)
