"""What Ultimate Texas Hold'em is worth: the committed counts against published figures, and how they were counted.

The counts that come with the referee are what ``referee odds ID --recount --json`` prints; the exhaustive test counts
them again. Published figures are here and nowhere in the code.
"""

import hashlib
import itertools
import math
import xml.etree.ElementTree as ET
from collections import Counter
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Final

import numpy as np
import pytest

import referee.lab.odds.ultimate_texas
from referee.advice.ultimate_texas.pair import PAIR_INDEX, PAIRS
from referee.advice.ultimate_texas.preflop import KINDS, PreflopTables, kind_of
from referee.advice.ultimate_texas.price import Prices
from referee.advice.ultimate_texas.showdown import on_river
from referee.advice.ultimate_texas.strength import BoardStrengths
from referee.cards import DECK
from referee.games.ultimate_texas import UltimateTexasRules
from referee.lab.odds.ultimate_texas.board import FLOPS_IN_BOARD, canonical_boards, flop_number, starts
from referee.lab.odds.ultimate_texas.census import census
from referee.lab.odds.ultimate_texas.figures import DEALS, Figures
from referee.lab.odds.ultimate_texas.picture import bets_of, draw_svg, draw_text, values_of
from referee.lab.odds.ultimate_texas.showdown import showdowns
from referee.lab.odds.ultimate_texas.strategy import PAIRS_OF_KIND, sum_boards
from tests.builtin import rules_as
from tests.randomness import number_from

CASINO, SEED = "ultimate_texas.casino", "ultimate_texas.two_plus_three"
COUNTED: Final = {
    CASINO: "12a348b050e93f17478a97e99b6705a2b84e50c25dc8181ffa67c2e2ea3a00c1",
    SEED: "4b79e4445745e3417e0030d8423c918c8220f1a8cd64a1209b39bc4f9dbde435",
}
"""SHA-256 of the committed counts."""
COUNTS: Final = Path(referee.lab.odds.ultimate_texas.__file__).parent / "data"

SEVEN_CARDS: Final = {
    "HIGH_CARD": 23_294_460,
    "PAIR": 58_627_800,
    "TWO_PAIR": 31_433_400,
    "THREE_OF_A_KIND": 6_461_620,
    "STRAIGHT": 6_180_020,
    "FLUSH": 4_047_644,
    "FULL_HOUSE": 3_473_184,
    "FOUR_OF_A_KIND": 224_848,
    "STRAIGHT_FLUSH": 37_260,
    "ROYAL_FLUSH": 4_324,
}
"""How many of the 133,784,560 sets of seven cards hold which best hand: en.wikipedia.org/wiki/Poker_probability."""

LOSING_HANDS: Final = {
    "STRAIGHT_FLUSH": 10_300_592,
    "FOUR_OF_A_KIND": 471_040_512,
    "FULL_HOUSE": 8_435_225_376,
    "FLUSH": 19_434_208_592,
    "STRAIGHT": 18_271_076_976,
    "THREE_OF_A_KIND": 64_049_759_448,
    "TWO_PAIR": 399_099_149_640,
    "PAIR": 1_366_512_556_968,
    "HIGH_CARD": 791_967_420_480,
}
"""The weaker hand of seat and house over 2,781,381,002,400 deals, S. How's count for a bad-beat bet:
discountgambling.net, "Bad Beat Bonus @ Ultimate Texas Hold'Em" (2012)."""
TIES: Final = 113_130_263_816
"""As above."""


all_starts = cache(starts)
"""Memory of what takes seconds to count."""


def counted(ruleset_id: str) -> Figures:
    """Read the committed counts of a ruleset."""
    return Figures.read((COUNTS / f"{ruleset_id}.json").read_bytes())


@pytest.mark.parametrize("ruleset_id", [CASINO, SEED])
def test_counts_are_those_committed(ruleset_id: str):
    data = (COUNTS / f"{ruleset_id}.json").read_bytes()
    assert hashlib.sha256(data).hexdigest() == COUNTED[ruleset_id]
    assert counted(ruleset_id).write() == data


@pytest.mark.exhaustive("counts every deal")
@pytest.mark.whole("until then the files are compared with digests and the casino's figures with the published ones")
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("ruleset_id", [CASINO, SEED])
def test_counts_and_tables_are_counted_again(ruleset_id: str):
    """Every deal, in one process; with more it is the same, since whole numbers are summed."""
    rules = rules_as(UltimateTexasRules, ruleset_id)
    reported: list[float] = []
    strategy, figures = census(rules, progress=lambda done, of: reported.append(done / of))
    assert hashlib.sha256(figures.write()).hexdigest() == COUNTED[ruleset_id]
    assert strategy.table == PreflopTables.builtin().table_for(rules)
    assert reported == sorted(reported)
    assert reported[-1] == 1


def test_house_edge_of_the_casino_game_is_the_published_one():
    """2.185 % of an Ante, 4.15 Antes bet in the mean, 0.526 % of all that is bet, a standard deviation of 4.94.

    Source: wizardofodds.com/games/ultimate-texas-hold-em, "House Edge" and the comparison of games.
    """
    figures, rules = counted(CASINO), rules_as(UltimateTexasRules, CASINO)
    assert round(float(100 * figures.house_edge), 3) == 2.185
    assert round(float(figures.mean_bet), 2) == 4.15
    assert round(float(100 * figures.element_of_risk), 3) == 0.526
    assert round(math.sqrt(figures.variance(rules)), 2) == 4.94


def test_trips_and_qualifying_are_what_seven_cards_say():
    """3.498 % of Trips (wizardofodds.com), and 82.588 % for a pair or better among the best five of seven."""
    figures, rules = counted(CASINO), rules_as(UltimateTexasRules, CASINO)
    hands = sum(SEVEN_CARDS.values())
    assert hands == math.comb(52, 7)
    returned = sum(
        rules.trips_units.get(category, -1) * SEVEN_CARDS[category] for category in rules.ranking.rules.order
    )
    assert figures.trips_edge(rules, folds=False) == Fraction(-returned, hands)
    assert round(float(100 * figures.trips_edge(rules, folds=False)), 3) == 3.498
    assert figures.qualifies(rules) == 1 - Fraction(SEVEN_CARDS["HIGH_CARD"], hands)
    assert round(float(100 * figures.qualifies(rules)), 3) == 82.588


def test_hands_are_as_frequent_as_published():
    """The seat's, whatever it did."""
    found: Counter[str] = Counter()
    for one in counted(CASINO).outcomes:
        found[one.category] += one.deals
    assert {name: Fraction(count, DEALS) for name, count in found.items()} == {
        name: Fraction(count, math.comb(52, 7)) for name, count in SEVEN_CARDS.items()
    }


def test_losing_hands_and_ties_are_as_many_as_published():
    """Seat and house lose alike often, so the weaker hand is the seat's in half of the deals; ten flops to a board."""
    lost: Counter[str] = Counter()
    tied = 0
    for one in counted(CASINO).outcomes:
        if one.met.startswith("LOST"):
            lost[one.category] += one.deals
        elif one.met == "TIED":
            tied += one.deals
    assert {name: 2 * count // 10 for name, count in lost.items()} == LOSING_HANDS
    assert tied // 10 == TIES


@pytest.mark.parametrize("ruleset_id", [CASINO, SEED])
def test_value_is_the_mean_of_the_outcomes_by_the_price_list(ruleset_id: str):
    """Two passes agree: values summed up by starts, and outcomes counted under the strategy that they led to."""
    figures, rules = counted(ruleset_id), rules_as(UltimateTexasRules, ruleset_id)
    assert sum(one.deals for one in figures.outcomes) == DEALS == 27_813_810_024_000
    total = sum((figures.net(rules, one) * one.deals for one in figures.outcomes), Fraction(0))
    assert total == Fraction(figures.value_units, figures.unit)
    assert sum(figures.by_path().values()) == 1


@pytest.mark.parametrize("ruleset_id", [CASINO, SEED])
def test_table_and_counts_are_of_one_law_and_one_value(ruleset_id: str):
    rules = rules_as(UltimateTexasRules, ruleset_id)
    table, figures = PreflopTables.builtin().table_for(rules), counted(ruleset_id)
    assert table is not None
    values = values_of(table, Prices.of(rules))
    mean = sum((values[kind] * int(count) for kind, count in zip(KINDS, PAIRS_OF_KIND, strict=True)), Fraction(0))
    assert (table.law, -figures.house_edge) == (figures.law, mean / math.comb(52, 2))


def test_two_plus_three_costs_what_was_counted():
    """Of this reading of the rules nothing is published: 7.967 % of an Ante is this count's own (golden)."""
    figures, rules = counted(SEED), rules_as(UltimateTexasRules, SEED)
    assert round(float(100 * figures.house_edge), 3) == 7.967
    assert round(float(100 * figures.trips_edge(rules, folds=False)), 3) == 32.413


def test_boards_and_starts_are_as_many_up_to_suits_as_published():
    """134,459 boards and 1,286,792 starts: K. Waugh, "A Fast and Optimal Hand Isomorphism Algorithm" (2013)."""
    boards, weights = canonical_boards()
    found = all_starts()
    assert (len(boards), int(weights.sum())) == (134_459, math.comb(52, 5))
    assert (len(found.sizes), int(found.sizes.sum())) == (1_286_792, math.comb(52, 3) * math.comb(49, 2))
    luck = np.random.default_rng(number_from(5))
    for _ in range(300):
        cards = luck.permutation(52)[:5].astype(np.uint8)
        numbers = set()
        for naming in itertools.permutations(range(4)):
            renamed = (cards & 0xFC) | np.array(naming, dtype=np.uint8)[cards & 3]
            numbers.add(int(found.numbers[flop_number(np.sort(renamed[:3])), PAIR_INDEX[renamed[3], renamed[4]]]))
        assert len(numbers) == 1


@pytest.mark.parametrize("ruleset_id", [CASINO, SEED])
def test_showdowns_of_a_board_are_those_counted_one_by_one(ruleset_id: str):
    rules = rules_as(UltimateTexasRules, ruleset_id)
    boards = canonical_boards()[0][17::6_001]
    found = showdowns(BoardStrengths.of(rules), boards, qualifying=Prices.of(rules).qualifying)
    for row, board in enumerate(boards):
        assert found.is_dealt[row].sum() == 1_081
        for pair in np.flatnonzero(found.is_dealt[row])[row::97]:
            tally = on_river(rules, hole=[DECK[card] for card in PAIRS[pair]], board=[DECK[card] for card in board])
            for name in ("won", "lost", "won_qualified", "lost_qualified"):
                assert getattr(tally, name)[0] == getattr(found, name)[row, pair]


def test_every_board_counts_for_each_of_its_ten_flops():
    """Two boards of known weights: a start's sums are those of the boards that hold its flop."""
    rules = rules_as(UltimateTexasRules, CASINO)
    prices, strengths, index = Prices.of(rules), BoardStrengths.of(rules), all_starts()
    every_board, every_weight = canonical_boards()
    boards, weights = every_board[[40_000, 90_000]], every_weight[[40_000, 90_000]]
    sums = sum_boards(strengths, prices, index, boards, weights)
    stays, play = showdowns(strengths, boards, qualifying=prices.qualifying).bets(prices)
    expected = np.zeros_like(sums.stays)
    for row, flop in itertools.product(range(2), range(10)):
        number = flop_number(boards[row, FLOPS_IN_BOARD[flop]])
        for pair in np.flatnonzero(stays[row]):
            expected[index.numbers[number, pair]] += stays[row, pair] * weights[row]
    assert (sums.stays == expected).all()
    assert sums.play.sum() == 10 * (play * weights[:, None]).sum()
    assert (sums.check >= sums.stays + sums.play).all()


def test_picture_shows_every_kind_with_its_bet():
    rules = rules_as(UltimateTexasRules, CASINO)
    table, prices = PreflopTables.builtin().table_for(rules), Prices.of(rules)
    assert table is not None
    bets, values = bets_of(table, prices), values_of(table, prices)
    picture = ET.fromstring(draw_svg(bets, values, title="<&>"))  # noqa: S314 - our own text
    texts = [node.text for node in picture.iter("{http://www.w3.org/2000/svg}text")]
    assert set(KINDS) <= set(texts)
    assert "<&>" in texts
    share = Fraction(sum(count for kind, count in zip(KINDS, PAIRS_OF_KIND, strict=True) if bets[kind]), 1_326)
    assert share == counted(CASINO).by_path()["PREFLOP", 4]
    square = [line.split()[1:] for line in draw_text(bets).splitlines()[1:]]
    for pair in itertools.combinations(DECK, 2):
        low, high = sorted((12 - card.rank for card in pair), reverse=True)
        row, column = (high, low) if pair[0].suit == pair[1].suit else (low, high)
        assert square[row][column] == str(bets[kind_of(pair)] or "·")
