"""Many decks at once are the decks that tables are dealt, byte for byte; measures find in them what the games find."""

from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.cards import DECK, Card
from referee.dealing.deck import STREAM_SIZE, StreamUsedUpError, shuffle
from referee.games.mau_binh import MauBinhRules
from referee.games.mau_binh.code import Pattern as MauBinhPattern
from referee.games.mau_binh.instant_win import patterns_of
from referee.games.tien_len import set_of
from referee.games.tien_len.code import Pattern as TienLenPattern
from referee.games.tien_len.instant_win import top_of_pattern
from referee.hands import Ranking
from referee.lab.fairness.decks import Decks, as_array, in_order, shuffled
from referee.lab.fairness.poker import CATEGORIES, kinds_of_five, kinds_of_seven
from referee.lab.fairness.rounds import deck_of, seeds_of, stream_of
from referee.lab.fairness.thirteen import MAU_BINH, TIEN_LEN
from tests.builtin import rules_as
from tests.randomness import number_from, random_from

MAU_BINH_NAMES = {
    "thirteen red": MauBinhPattern.THIRTEEN_RED,
    "thirteen black": MauBinhPattern.THIRTEEN_BLACK,
    "twelve black and a red": MauBinhPattern.TWELVE_BLACK_ONE_RED,
    "twelve red and a black": MauBinhPattern.TWELVE_RED_ONE_BLACK,
    "five pairs and a three": MauBinhPattern.FIVE_PAIRS_ONE_TRIPLE,
    "six pairs": MauBinhPattern.SIX_PAIRS,
    "three flushes": MauBinhPattern.THREE_FLUSHES,
    "three straights": MauBinhPattern.THREE_STRAIGHTS,
}
TIEN_LEN_NAMES = dict(
    zip(
        [
            *("dragon run", "six pairs in a row", "four threes", "two fours of a kind"),
            *("twelve of a suit", "five pairs in a row", "all four twos", "six pairs"),
        ],
        TienLenPattern,
        strict=True,
    )
)


@pytest.fixture(scope="module")
def many() -> Decks:
    """Twenty thousand decks of a fixed generator."""
    source = np.random.default_rng(number_from(11))
    return shuffled(source.integers(0, 256, (20_000, STREAM_SIZE), dtype=np.uint8))


def numbers(cards) -> list[int]:
    return [card.number - 1 for card in cards]


def test_ten_thousand_rounds_are_dealt_as_deal_order_deals_them():
    """The whole way from seeds to cards; the vectorised part is the shuffle alone."""
    seed = bytes(range(32))
    made = shuffled(as_array([stream_of(seed, number=number) for number in range(10_000)]))
    for number in range(10_000):
        assert made.cards[:, number].tolist() == numbers(deck_of(seed, number=number))


def test_rounds_are_dealt_by_the_second_derivation_too(second: ModuleType):
    """The derivation of tests/vectors/dealing shares no line with this project."""
    seed = bytes(31) + b"\x07"
    for number in range(50):
        server, seat, round_id = seeds_of(seed, number=number)
        commitment = second.tagged("server-commit", round_id, server)
        mixed = second.tagged("mix", round_id, commitment, b"", seat)
        stream = second.hkdf(server, mixed, second.enc("deck", round_id), STREAM_SIZE)
        assert second.shuffled(stream) == [card.number for card in deck_of(seed, number=number)]


@given(st.lists(st.binary(min_size=STREAM_SIZE, max_size=STREAM_SIZE), min_size=1, max_size=8))
def test_any_streams_shuffle_as_one_by_one(streams: list[bytes]):
    made = shuffled(as_array(streams))
    for column, stream in enumerate(streams):
        assert made.cards[:, column].tolist() == numbers(shuffle(stream))


@given(st.lists(st.sampled_from([0, 51, 207, 208, 210, 254, 255]), min_size=STREAM_SIZE, max_size=STREAM_SIZE))
def test_streams_with_many_bytes_thrown_away_shuffle_alike_or_are_used_up(values: list[int]):
    stream = bytes(values)
    made = shuffled(as_array([stream]))
    try:
        expected = numbers(shuffle(stream))
    except StreamUsedUpError:
        assert made.used[0] > STREAM_SIZE
    else:
        assert made.used[0] <= STREAM_SIZE
        assert made.cards[:, 0].tolist() == expected


def test_no_two_rounds_share_seeds():
    seed = bytes(32)
    drawn = [part for number in range(1000) for part in seeds_of(seed, number=number)]
    assert len(set(drawn)) == 3000


def test_a_longer_stream_begins_as_the_shorter_one():
    assert stream_of(bytes(32), number=3, length=256)[:128] == stream_of(bytes(32), number=3)


def test_patterns_are_found_where_the_games_find_them(many: Decks):
    """Eighty thousand random hands, against both games' own detectors."""
    asked = {name: [pattern.ask(hands) for hands in many.hands] for name, pattern in MAU_BINH.items()}
    found = {name: [pattern.ask(hands) for hands in many.hands] for name, pattern in TIEN_LEN.items()}
    for seat in range(4):
        for column in range(20_000):
            cards = [DECK[card] for card in many.cards[13 * seat : 13 * seat + 13, column]]
            assert_patterns(
                cards,
                {name for name in MAU_BINH if asked[name][seat][column]},
                {name for name in TIEN_LEN if found[name][seat][column]},
            )


def assert_patterns(cards: list[Card], mau_binh: set[str], tien_len: set[str]) -> None:
    patterns = set(patterns_of(cards))
    expected = {name for name, pattern in MAU_BINH_NAMES.items() if pattern in patterns}
    if patterns & {MauBinhPattern.DRAGON, MauBinhPattern.SUITED_DRAGON}:
        expected.add("dragon")
    assert mau_binh == expected
    hand = set_of(cards)
    won = {name for name, pattern in TIEN_LEN_NAMES.items() if top_of_pattern(pattern, hand) is not None}
    assert tien_len == won


def test_rare_patterns_are_found_in_hands_made_to_have_them():
    """Hands of few ranks, of few suits and of runs, a thousand of each, where random ones hardly win."""
    source = random_from(5)
    decks = []
    for _ in range(1000):
        kept = source.sample(range(13), 4)
        suits = source.sample(range(4), source.choice((1, 2, 2)))
        few_ranks = [card for card in DECK if card.rank in kept]
        few_suits = [card for card in DECK if card.suit in suits]
        each_rank = [DECK[4 * rank + source.randrange(4)] for rank in range(13)]
        low = source.randrange(8)
        pairs = [card for rank in range(low, low + 6) for card in source.sample(DECK[4 * rank : 4 * rank + 4], 2)]
        pairs.append(source.choice([card for card in DECK if card not in pairs]))
        for hand in (source.sample(few_ranks, 13), source.sample(few_suits, 13), each_rank, pairs):
            rest = [card for card in DECK if card not in hand]
            decks.append(numbers([*hand, *rest]))
    cards = np.array(decks, dtype=np.uint8).T.copy()
    hands = Decks(cards, np.zeros(len(decks), dtype=np.int64)).hands[0]
    mau_binh = {name: pattern.ask(hands) for name, pattern in MAU_BINH.items()}
    tien_len = {name: pattern.ask(hands) for name, pattern in TIEN_LEN.items()}
    for column, deck in enumerate(decks):
        assert_patterns(
            [DECK[card] for card in deck[:13]],
            {name for name in MAU_BINH if mau_binh[name][column]},
            {name for name in TIEN_LEN if tien_len[name][column]},
        )
    unmet = {name for name, found in {**mau_binh, **tien_len}.items() if not found.any()}
    assert not unmet, "each pattern must have been made at least once"


def test_hands_of_five_and_seven_are_classified_as_by_the_ranking(many: Decks):
    ranking = Ranking.of(rules_as(MauBinhRules, "mau_binh.classic").ranking.rules)
    fives, sevens = kinds_of_five(many, range(5, 10)), kinds_of_seven(many, range(7))
    for column in range(5_000):
        cards = [DECK[card] for card in many.cards[:, column]]
        assert CATEGORIES[fives[column]] is ranking.five(cards[5:10]).category
        assert CATEGORIES[sevens[column]] is ranking.best_of_seven(cards[:7]).category


def test_decks_in_order_are_the_deck():
    assert in_order(2).T.tolist() == [list(range(52))] * 2
