"""Counts over whole spaces: every combination of the 52 cards, and every hand that wins at the deal."""

import math
from collections import Counter
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pytest

from referee.cards import DECK, Card
from referee.games.tien_len import Kind, set_of
from referee.games.tien_len.code import Pattern
from referee.games.tien_len.combination import SHAPES, combinations_in, read_combination, sets_of_shape
from referee.games.tien_len.instant_win import top_of_pattern
from referee.games.tien_len.order import BY_STRENGTH
from tests.budget import IS_WHOLE, sample
from tests.games.tien_len import second_implementation as second

ALL_HANDS = math.comb(52, 13)
RANK_PATTERNS = [pattern for pattern in Pattern if pattern is not Pattern.TWELVE_OF_A_SUIT]


def combinations_by_formula() -> dict[Kind, int]:
    """Cards of a rank are chosen out of four; runs of n ranks start at any of 13 - n ranks, as the two is in none."""
    return {
        Kind.SINGLE: 52,
        Kind.PAIR: 13 * math.comb(4, 2),
        Kind.TRIPLE: 13 * math.comb(4, 3),
        Kind.QUAD: 13,
        Kind.RUN: sum((13 - length) * 4**length for length in range(3, 13)),
        Kind.PAIR_RUN_3: 10 * 6**3,
        Kind.PAIR_RUN_4: 9 * 6**4,
    }


@pytest.mark.exhaustive("makes each of 29,839,939 combinations")
def test_the_deck_holds_29_839_939_combinations() -> None:
    """Made one by one and counted, and by formula."""
    made: Counter[Kind] = Counter()
    for shape in SHAPES:
        made[shape.kind] += sum(1 for _ in sets_of_shape(set_of(DECK), shape))
    assert combinations_by_formula() == made
    assert made.total() == 29_839_939


def test_each_combination_of_two_suits_is_generated_once_and_parses_back() -> None:
    """Spades and hearts: 13,385 combinations by formula, each rank having two cards."""
    cards = set_of(card for card in DECK if card.suit in {0, 3})
    runs = sum((13 - length) * 2**length for length in range(3, 13))
    made = list(combinations_in(cards))
    assert 26 + 13 + runs + 10 + 9 == len(made) == len({play.card_set for play in made})
    assert all(play == read_combination(play.card_set) for play in made)


def test_plays_above_a_card_are_those_with_a_higher_top() -> None:
    """Asking for plays above a card gives what filtering all of them gives, in the same order."""
    cards = set_of(card for card in DECK if (card.number * 7) % 5 != 0 and card.rank not in {4, 9})
    for shape in SHAPES:
        everything = list(sets_of_shape(cards, shape))
        for above in range(-1, 52):
            expected = [made for made in everything if made.bit_length() - 1 > above]
            assert expected == list(sets_of_shape(cards, shape, above=above))


def rank_vectors(left: int = 13, ranks: int = 13) -> Iterator[tuple[int, ...]]:
    """Every way to spread thirteen cards over thirteen ranks of four."""
    if ranks == 0:
        if left == 0:
            yield ()
        return
    for count in range(max(0, left - 4 * (ranks - 1)), min(4, left) + 1):
        for rest in rank_vectors(left - count, ranks - 1):
            yield (count, *rest)


def hands_of(vector: tuple[int, ...]) -> int:
    """How many hands have these counts of ranks."""
    return math.prod([math.comb(4, count) for count in vector])


def a_hand_of(vector: tuple[int, ...]) -> int:
    """One hand with these counts of ranks, threes first."""
    return sum((1 << count) - 1 << 4 * rank for rank, count in enumerate(vector))


def test_sanh_rong_is_dealt_369_098_752_times() -> None:
    """Twelve ranks of any suit and a two, or twelve ranks one of them twice."""
    dragons = [vector for vector in rank_vectors_with_all_but_twos() if met(Pattern.DRAGON_RUN, vector)]
    assert 4**13 + 12 * math.comb(4, 2) * 4**11 == sum(map(hands_of, dragons)) == 369_098_752


def rank_vectors_with_all_but_twos() -> Iterator[tuple[int, ...]]:
    """Count the ranks of hands with at least one of each from 3 to A; the thirteenth card is any."""
    for extra in range(13):
        yield tuple((1 if rank < 12 else 0) + (rank == extra) for rank in range(13))


def met(pattern: Pattern, vector: tuple[int, ...]) -> bool:
    """Whether hands with these counts of ranks meet a pattern that is a matter of ranks."""
    return top_of_pattern(pattern, a_hand_of(vector)) is not None


def test_twelve_of_a_suit_is_dealt_2032_times() -> None:
    """Twelve of thirteen and one of 39 others, or all thirteen, in each of four suits; eleven are not enough."""
    found = 0
    for suit in range(4):
        own, others = DECK[suit::4], [card for card in DECK if card.suit != suit]
        hands: list[tuple[Card, ...]] = [own]
        hands += [(*own[:missing], *own[missing + 1 :], other) for missing in range(13) for other in others]
        found += sum(top_of_pattern(Pattern.TWELVE_OF_A_SUIT, set_of(hand)) is not None for hand in hands)
        eleven = (*own[:11], *others[:2])
        assert top_of_pattern(Pattern.TWELVE_OF_A_SUIT, set_of(eleven)) is None
    assert 4 * (13 * 39 + 1) == found == 2032


@pytest.mark.exhaustive("counts every hand")
@pytest.mark.smaller("the hands of nine ranks, 7 to 2, by the same formulas, instead of those of thirteen")
@pytest.mark.timeout(1800)
def test_hands_that_win_at_the_deal_are_as_frequent_as_counted() -> None:
    """Over all 3,598,180 counts of ranks, each weighted with its hands; both implementations find the same top card.

    Of nine ranks there are 93,600.
    """
    found: Counter[str] = Counter()
    ranks = sample(9, whole=13)
    for upper in rank_vectors(ranks=ranks):
        vector = (*[0] * (13 - ranks), *upper)
        weight, hand = hands_of(vector), a_hand_of(vector)
        assert vector == tuple([(hand >> 4 * rank & 15).bit_count() for rank in range(13)])
        tops = {pattern: top_of_pattern(pattern, hand) for pattern in RANK_PATTERNS}
        won = [pattern for pattern, top in tops.items() if top is not None]
        if won or (weight % 97 == 0):  # the second implementation sees every win, and some of the rest
            texts = frozenset(card.text for place, card in enumerate(BY_STRENGTH) if hand >> place & 1)
            for pattern, top in tops.items():
                assert second.pattern_top(pattern.value, texts) == (None if top is None else second.weight(top.text))
        found.update(dict.fromkeys(won, weight))
        found["ANY"] += weight if won else 0
        found["ALL"] += weight
    assert found["ALL"] == math.comb(4 * ranks, 13)
    assert found[Pattern.DRAGON_RUN] == (369_098_752 if ranks == 13 else 0)
    assert math.comb(4 * ranks - 4, 9) == found[Pattern.QUAD_OF_TWOS]
    assert hands_with_quads_of(2, ranks) == found[Pattern.TWO_QUADS]
    assert hands_with_triples_of(4, ranks) == found[Pattern.FOUR_TRIPLES]
    assert hands_with_six_pairs(ranks) == found[Pattern.SIX_PAIRS]
    if IS_WHOLE:
        assert found["ALL"] == ALL_HANDS
        assert found[Pattern.QUAD_OF_TWOS] == 1_677_106_640
        assert round(100 * found["ANY"] / ALL_HANDS, 4) == 0.8312


def hands_with_quads_of(fewest: int, ranks: int) -> int:
    """Hands with that many fours of a kind or more, by inclusion and exclusion."""
    return sum(
        (-1) ** (quads - fewest)
        * math.comb(quads - 1, fewest - 1)
        * math.comb(ranks, quads)
        * math.comb(4 * ranks - 4 * quads, 13 - 4 * quads)
        for quads in range(fewest, 4)
    )


def hands_with_triples_of(groups: int, ranks: int) -> int:
    """Four groups of three and a thirteenth card: of another rank, or the fourth of one of the groups."""
    chosen = math.comb(ranks, groups)
    return int(chosen * 4**groups * (ranks - groups) * 4 + chosen * groups * 4 ** (groups - 1))


def hands_with_six_pairs(ranks: int) -> int:
    """Twelve cards in six pairs, a quad being two: the thirteenth is single or makes a pair a triple."""
    total = 0
    for quads in range(4):
        pairs = 6 - 2 * quads
        chosen = math.comb(ranks, quads) * math.comb(ranks - quads, pairs)
        alone = chosen * 6**pairs * (ranks - quads - pairs) * 4
        triple = chosen * pairs * 4 * 6 ** (pairs - 1) if pairs else 0
        total += alone + triple
    return total


Counts = npt.NDArray[np.int32]
"""Hands by how many cards of each rank they hold: a row a rank, threes first, and a column a hand."""


def all_counts_of_ranks() -> Counts:
    """Every way to spread thirteen cards over thirteen ranks of four."""
    counts, left = np.zeros((0, 1), np.int8), np.array([13], np.int8)
    for later in range(48, -1, -4):
        ways = [(np.vstack([counts, np.full_like(left, count)]), left - np.int8(count)) for count in range(5)]
        fits = [(rest >= 0) & (rest <= later) for _, rest in ways]
        counts = np.hstack([made[:, fit] for (made, _), fit in zip(ways, fits, strict=True)])
        left = np.hstack([rest[fit] for (_, rest), fit in zip(ways, fits, strict=True)])
    return counts.astype(np.int32)


def plays_in(counts: Counts) -> npt.NDArray[np.int64]:
    """How many combinations each hand holds, by products of choices."""
    total: npt.NDArray[np.int64] = (2**counts - 1).sum(axis=0, dtype=np.int64)
    for low in range(10):
        runs = counts[low] * counts[low + 1]
        for high in range(low + 2, 12):
            runs *= counts[high]
            total += runs
    pairs = counts * (counts - 1) // 2
    for length, last in ((3, 10), (4, 9)):
        for low in range(last):
            total += pairs[low : low + length].prod(axis=0)
    return total


WORST_HAND = (3, 4, 3, 3, *[0] * 9)


def test_a_hand_holds_as_many_combinations_as_its_choices_multiply_to() -> None:
    hands = [
        WORST_HAND,
        (2, 2, 2, 2, 2, 2, 1, *[0] * 6),
        (1,) * 13,
        (4, 4, 4, 1, *[0] * 9),
        (0, 3, 3, 3, 2, 2, *[0] * 7),
        (*[0] * 9, 4, 4, 4, 1),
    ]
    made = [sum(1 for _ in combinations_in(a_hand_of(vector))) for vector in hands]
    assert plays_in(np.array(hands, np.int32).T).tolist() == made


@pytest.mark.exhaustive("counts every hand")
def test_no_hand_holds_more_combinations_than_the_worst() -> None:
    """So a list of plays has a bound: 486. Over all 3,598,180 counts of ranks."""
    counts = all_counts_of_ranks()
    assert counts.shape == (13, 3_598_180)
    assert (counts.sum(axis=0) == 13).all()
    assert 486 == plays_in(np.array([WORST_HAND], np.int32).T).max() == plays_in(counts).max()
