"""Rounds in the head go as the law goes: the same turns, ends and payments, over thousands of rounds at random."""

import pytest

from referee.advice.tien_len.playout import Playout, left_units
from referee.games.tien_len import Leave, Pass, TienLenRules, apply, read_combination, set_of, settle
from referee.games.tien_len.code import EndKind
from referee.games.tien_len.leftover import price_leftover
from referee.games.tien_len.structure import cost_of, plan_of
from referee.money import net_amounts
from tests.budget import examples
from tests.randomness import random_from


@pytest.mark.parametrize("seats", [2, 3, 4])
@pytest.mark.parametrize(
    "variant",
    ["rules", "house_rules", pytest.param("chain_rules", marks=pytest.mark.slow("plays thousands of rounds"))],
)
def test_rounds_in_the_head_are_those_of_the_law(request, play_at_random, seats: int, variant: str):
    rules: TienLenRules = request.getfixturevalue(variant)
    chance = random_from(seats)
    ended, chains, answered = set(), 0, 0
    for number in range(examples(250)):
        mine = None
        for state, event in play_at_random(rules, chance, seats, leaving=0.1 * (number % 3 == 0)):
            if mine is None:
                mine = Playout(rules, list(state.held), turn=state.turn)
            assert (mine.turn, mine.to_beat, mine.passed) == (state.turn, state.to_beat, state.passed)
            assert tuple(mine.held) == state.held
            if state.to_beat is not None:
                assert mine.to_beat_seat == state.to_beat_seat
            answered += state.to_beat_seat is not None and state.gone == (1 << seats) - 1 ^ 1 << state.turn
            if isinstance(event, Pass):
                mine.pass_turn()
            elif isinstance(event, Leave):
                mine.leave(event.seat)
            else:
                played = read_combination(set_of(event.cards))
                assert played is not None
                mine.play(played)
            last = apply(state, event)
        if mine is None:
            continue
        ending = last.ending
        assert ending is not None
        assert mine.winner == ending.winner
        assert mine.net == list(net_amounts(settle(last).transfers, seats))
        ended.add(ending.kind)
        chains += any(chop.link > 1 for chop in last.chops)
    assert EndKind.OUT_OF_CARDS in ended
    assert EndKind.STOPPED_THREE_OF_SPADES in ended or seats == 2 or variant == "house_rules"
    assert variant != "house_rules" or not any(kind.endswith("THREE_OF_SPADES") for kind in ended)
    assert chains > 5
    assert answered > 5, "last seats that answer a seat that left"


def test_what_is_left_costs_what_the_law_prices(rules):
    chance = random_from(4)
    for _ in range(500):
        hand = sum(1 << place for place in chance.sample(range(52), chance.randrange(14)))
        assert left_units(rules, hand) == sum(item.units for item in price_leftover(rules.leftover_prices, hand))


def hands(count: int, size: int, seed: int) -> list[int]:
    chance = random_from(seed)
    return [sum(1 << place for place in chance.sample(range(52), size)) for _ in range(count)]


@pytest.mark.parametrize("size", [1, 5, 9, 13])
def test_a_plan_splits_its_hand_into_combinations(size: int):
    for hand in hands(1500, size, size):
        together = 0
        for group in plan_of(hand).groups:
            assert group == read_combination(group.card_set)
            assert not together & group.card_set
            together |= group.card_set
        assert together == hand


def test_what_is_left_of_a_plan_costs_the_rest_of_it():
    """Playing a group leaves a plan of least cost: a better one for the rest would better the whole."""
    for hand in hands(400, 13, 6):
        plan = plan_of(hand)
        for group in plan.groups:
            alone = cost_of(group.card_set)
            assert cost_of(hand ^ group.card_set) <= plan.cost
            assert cost_of(hand ^ group.card_set) + alone >= plan.cost


def partitions(hand: int):
    """Every way to split a hand into combinations, by brute force."""
    if not hand:
        yield ()
        return
    lowest = hand & -hand
    rest = hand ^ lowest
    subset = rest
    while True:
        group = read_combination(subset | lowest)
        if group is not None:
            for others in partitions(rest ^ subset):
                yield (group, *others)
        if not subset:
            return
        subset = (subset - 1) & rest


def test_no_way_to_split_a_hand_costs_less():
    """Against every split of hands of eight cards of neighbouring ranks, each group priced alone."""
    chance = random_from(8)
    for _ in range(60):
        low = chance.randrange(6)
        near = [place for place in range(52) if low <= place >> 2 < low + 6]
        hand = sum(1 << place for place in chance.sample(near, 8))
        best = min(sum(cost_of_group(group) for group in split) for split in partitions(hand))
        assert cost_of(hand) == best


def cost_of_group(group) -> int:
    """Return the cost of a group by itself: its plan, if it is not cheaper split up."""
    plan = plan_of(group.card_set)
    return plan.cost
