"""Scripted decks: each seed gives one deck, and each deck has exactly ``COPIES`` numbered seeds."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.cards import DECK, Card
from referee.dealing.commitment import SeedError
from referee.dealing.deck import COPIES, DECKS, scripted_order, seed_for_order

seeds = st.binary(min_size=32, max_size=32)
orders = st.permutations(DECK).map(tuple)


def rank_by_counting(order: tuple[Card, ...]) -> int:
    """Compute a deck's number independently by undoing its exchanges from the last to the first.

    Exchange i moved the card at place j to place i; j is one digit of the number, with the weight 52!/(i+1)!.
    """
    number, deck = 0, list(DECK)
    for i in range(51, 0, -1):
        j = next(place for place, card in enumerate(deck) if card is order[i])
        number += j * (DECKS // math.factorial(i + 1))
        deck[i], deck[j] = deck[j], deck[i]
    return number


@given(orders, st.integers(0, COPIES - 1))
def test_each_seed_of_a_deck_gives_that_deck(order: tuple[Card, ...], copy: int):
    seed = seed_for_order(order, copy=copy)
    assert order == scripted_order(seed)
    assert divmod(int.from_bytes(seed, "big"), DECKS) == (copy, rank_by_counting(order))


@given(seeds)
def test_any_seed_gives_a_deck_and_is_one_of_its_seeds(seed: bytes):
    order = scripted_order(seed)
    assert set(order) == set(DECK)
    copy = int.from_bytes(seed, "big") // DECKS
    if copy < COPIES:  # the last, incomplete round of decks has no copy of its own
        assert seed == seed_for_order(order, copy=copy)


def test_all_decks_fit_into_a_seed():
    assert COPIES * math.factorial(52) <= 2**256 < (COPIES + 1) * math.factorial(52)


@pytest.mark.parametrize("order", [DECK[:51], (*DECK[:51], DECK[0]), (*DECK, DECK[0]), ()])
def test_order_without_each_card_once_has_no_seed(order: tuple[Card, ...]):
    with pytest.raises(ValueError, match="each card once"):
        seed_for_order(order, copy=0)


@pytest.mark.parametrize("copy", [-1, COPIES])
def test_copy_out_of_range_has_no_seed(copy: int):
    with pytest.raises(ValueError, match="copy"):
        seed_for_order(DECK, copy=copy)


@pytest.mark.parametrize("size", [0, 31, 33])
def test_seed_of_another_size_is_refused(size: int):
    with pytest.raises(SeedError):
        scripted_order(bytes(size))
