"""The shuffle is exactly unbiased: by enumeration, with controls that show a biased one to fail the same count."""

import itertools
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.cards import DECK, Card
from referee.dealing.deck import STREAM_SIZE, StreamUsedUpError, draw, draw_leader, shuffle
from tests.randomness import random_from
from tests.vectors.dealing import dealing_derivation as second

BYTES = range(256)


def drawn(byte: int, count: int) -> int | None:
    """Return the index that one byte draws; None if the byte is rejected."""
    try:
        return draw(iter([byte]), count)
    except StreamUsedUpError:
        return None


@pytest.mark.parametrize("count", range(1, 53))
def test_each_index_is_drawn_by_equally_many_bytes(count: int):
    """Of the 256 values of a byte, each index has exactly 256 // count; fewer than count are thrown away."""
    counts = Counter(drawn(byte, count) for byte in BYTES)
    thrown_away = counts.pop(None, 0)
    assert counts == dict.fromkeys(range(count), 256 // count)
    assert thrown_away == 256 % count


@pytest.mark.parametrize("place", range(51, 0, -1))
def test_each_draw_of_the_shuffle_is_unbiased(place: int):
    """With all other bytes fixed, the byte of one draw puts each card that is left there equally often."""
    left = place + 1
    before = 51 - place
    rest = [0] * (before + 1 + place)
    counts: Counter[Card] = Counter()
    for byte in BYTES:
        if byte < 256 - 256 % left:
            rest[before] = byte
            counts[shuffle(bytes(rest))[place]] += 1
    assert len(counts) == left
    assert set(counts.values()) == {256 // left}


@pytest.mark.parametrize("place", range(51, 0, -1))
def test_a_byte_at_the_limit_is_thrown_away_and_the_next_one_taken(place: int):
    left = place + 1
    limit = 256 - 256 % left
    before, after = [0] * (51 - place), [0] * (place - 1)
    kept = shuffle(bytes([*before, limit - 1, *after]))
    for byte in range(limit, 256):
        assert shuffle(bytes([*before, byte, limit - 1, *after])) == kept


def test_the_remainder_alone_is_biased():
    """The control: without the limit the same count is uneven wherever the number of cards does not divide 256."""
    biased = [count for count in range(2, 53) if len(set(Counter(byte % count for byte in BYTES).values())) > 1]
    assert biased == [count for count in range(2, 53) if 256 % count]
    assert len(biased) == 46


def test_each_way_of_drawing_the_last_cards_gives_another_order():
    """The last five draws: their 720 combinations of indices lead to the 720 orders of six cards, one each.

    Each combination is equally likely by the counts above, so each order is.
    """
    lead = bytes(46)
    ways = itertools.product(range(6), range(5), range(4), range(3), range(2))
    orders = {shuffle(lead + bytes(way))[:6] for way in ways}
    assert len(orders) == 720
    assert len({frozenset(order) for order in orders}) == 1


def test_a_naive_swap_with_any_card_would_be_uneven():
    """The control: swapping each of three places with any of three gives 27 equally likely ways for 6 orders."""
    counts: Counter[tuple[int, ...]] = Counter()
    for way in range(27):
        cards = [0, 1, 2]
        for i, j in enumerate((way % 3, way // 3 % 3, way // 9)):
            cards[i], cards[j] = cards[j], cards[i]
        counts[tuple(cards)] += 1
    assert len(set(counts.values())) > 1


@given(st.binary(min_size=51, max_size=128))
def test_the_second_derivation_shuffles_alike(stream: bytes):
    expected = second.shuffled(stream)
    try:
        deck = shuffle(stream)
    except StreamUsedUpError:
        assert expected is None
    else:
        assert [card.number for card in deck] == expected
        assert sorted(deck, key=DECK.index) == list(DECK)


@given(st.lists(st.integers(200, 255), max_size=80), st.binary(min_size=60, max_size=128))
def test_streams_with_many_high_bytes_shuffle_alike(high: list[int], rest: bytes):
    stream = bytes(high) + rest
    expected = second.shuffled(stream)
    if expected is None:
        with pytest.raises(StreamUsedUpError):
            shuffle(stream)
    else:
        assert [card.number for card in shuffle(stream)] == expected


def test_the_chance_of_a_used_up_stream_is_below_2_to_the_minus_159():
    """Exact: the probability that fewer than 51 bytes of a stream count, as a whole number of 256**STREAM_SIZE."""
    ways = [0] * 52
    ways[0] = 1  # ways[d]: byte strings so far after which d draws are done
    for _ in range(STREAM_SIZE):
        after = [0] * 52
        for done, count in enumerate(ways):
            if done == 51:
                after[51] += count * 256
                continue
            counting = 256 - 256 % (52 - done)
            after[done + 1] += count * counting
            after[done] += count * (256 - counting)
        ways = after
    assert sum(ways) == 256**STREAM_SIZE
    assert sum(ways[:51]) * 2**159 < 256**STREAM_SIZE


def test_leaders_are_drawn_evenly_over_many_seeds():
    """A smoke test beside the enumeration: 3,000 seeds under one mix, each seat within five standard deviations."""
    source = random_from(7)
    for seats in (2, 3, 4):
        counts = Counter(
            draw_leader(seed=source.randbytes(32), mixed=bytes(32), round_id=bytes(32), seat_count=seats)
            for _ in range(3000)
        )
        spread = 5 * (3000 * (1 / seats) * (1 - 1 / seats)) ** 0.5
        assert set(counts) == set(range(seats))
        assert all(abs(count - 3000 / seats) < spread for count in counts.values())
