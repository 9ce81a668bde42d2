"""What houses ask for: commission, cóng, the price of leaving, who leads. Each against a second writing of the rule."""

import math
import random
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from msgspec.structs import replace

from referee.cards import HOUSE, Card, Seat, parse_cards
from referee.games import LeaderBy
from referee.games.commission import Commission, NoCommission
from referee.games.lead import Leading
from referee.games.tien_len import (
    GAME,
    Event,
    Leave,
    Pass,
    State,
    TienLenRules,
    Timeout,
    apply,
    begin,
    legal_plays,
    settle,
)
from referee.games.tien_len.combination import combinations_in
from referee.games.tien_len.rules import DrawnLead, LeavingTimes, LowestCardLead, Untouched, max_units
from referee.games.tien_len.settlement import encode_results
from referee.money import house_net
from referee.rulesets import load_examples
from tests.budget import examples
from tests.builtin import rules_as
from tests.games.rounds import at_stake, hands_deal, led_by
from tests.games.tien_len import second_implementation as second
from tests.games.tien_len.scenes import variant
from tests.games.tien_len.test_tien_len_rounds import choose, debts, follow

Dealing = Callable[[random.Random, int], tuple[tuple[Card, ...], ...]]
Debts = Counter[tuple[int, int, str, str]]
HANDS = (
    parse_cards("5S 6C 7D 8H 9S TC JD QH KS 3S AS AC AD"),
    parse_cards("3C 4S 4C 5C 6S 7S 8S 9C TS JS QS KC 2S"),
    parse_cards("3D 5D 6D 7C 8C 9D TD JC QC KD AH 2C 2D"),
)
"""Three hands of which none wins at the deal."""
COMMISSION, UNTOUCHED, TIMES, STAKE = (370, 6), 16, 3, 7


def leading() -> Leading:
    assert GAME.lead is not None
    return GAME.lead


@pytest.fixture(name="house")
def house_fixture() -> TienLenRules:
    permille, cap = COMMISSION
    return variant(
        {
            "commission": {"kind": "OF_WINNINGS", "permille": permille, "cap_units": cap, "reason": "test"},
            "leftover": {"kind": "UNTOUCHED", "untouched_units": UNTOUCHED, "reason": "test"},
            "leaving": {"kind": "MULTIPLIED", "multiplier": TIMES, "reason": "test"},
        }
    )


def commission_by_the_sheet(owed: Debts, *, stake: int) -> Debts:
    """Return what the seats that won on balance pay the house."""
    won = Counter[int]()
    for (payer, payee, _, _), amount in owed.items():
        won[payee] += amount
        won[payer] -= amount
    parts = {
        (seat, 255, "COMMISSION", ""): min(math.floor(Fraction(net * COMMISSION[0], 1000)), COMMISSION[1] * stake)
        for seat, net in won.items()
        if net > 0
    }
    return +Counter(parts)


def by_the_sheet(slow: Any, *, stake: int) -> Debts:  # noqa: ANN401 - a SlowRound
    """Return what is owed in minor units: the plain round's debts, changed by the sheet's words on the three knobs."""
    seats = range(len(slow.hands))
    owed = Counter({debt: units * stake for debt, units in slow.debts.items()})
    for loser in seats:
        lines = [debt for debt in owed if debt[0] == loser and debt[2] == "LEFTOVER"]
        if lines and len(slow.hands[loser]) == 13 and sum(owed[debt] for debt in lines) < UNTOUCHED * stake:
            for debt in lines:
                del owed[debt]
            owed[loser, slow.winner, "UNTOUCHED", ""] = UNTOUCHED * stake
    for leaver in set(seats) - slow.stay:
        for payee in seats:
            at_the_end = [debt for debt in owed if debt[:2] == (leaver, payee) and not debt[2].startswith("CHOP")]
            if more := sum(owed[debt] for debt in at_the_end):
                owed[leaver, payee, "LEAVING", ""] = (TIMES - 1) * more
    owed.update(commission_by_the_sheet(owed, stake=stake))
    return owed


def test_random_rounds_pay_what_the_sheet_says_of_the_knobs(
    house: TienLenRules, dealing: Dealing, chance: random.Random
) -> None:
    reasons, capped = Counter[str](), 0
    rounds = examples(200)
    for number in range(rounds):
        seats = 2 + number % 3
        hands, leader = dealing(chance, seats), Seat(chance.randrange(seats))
        state = begin(house, hands_deal(hands, leader=leader))
        slow = second.SlowRound([[card.text for card in hand] for hand in hands], leader)
        while not state.is_over and state.event_count < 120:
            event = choose(chance, state, keep_three=number % 2 == 0, leaving=(0.06, 0.01, 0.2)[number // 3 % 3])
            follow(slow, event)
            state = apply(state, event)
        if not state.is_over:
            continue
        stake = STAKE * (1 + number % 40)
        outcome = settle(at_stake(state, stake))
        assert by_the_sheet(slow, stake=stake) == debts(outcome.transfers)
        assert sum(outcome.net) + house_net(outcome.transfers) == 0
        assert max(map(abs, outcome.net)) <= max_units(house, seat_count=seats) * stake
        reasons.update(paid.reason for paid in outcome.transfers)
        capped += any(paid.payee == HOUSE and paid.amount == COMMISSION[1] * stake for paid in outcome.transfers)
    assert {"COMMISSION", "UNTOUCHED", "LEAVING", "LEFTOVER"} <= set(reasons)
    assert 0 < capped < rounds


@pytest.mark.parametrize("counts", [(True, False), (False, True), (False, False)])
def test_rounds_without_a_rule_of_three_of_spades_go_as_the_second_implementation_says(
    dealing: Dealing, chance: random.Random, counts: tuple[bool, bool]
) -> None:
    """Seats keep 3♠ for the end, so the rules that are off would often have counted."""
    last, stopped = counts
    knobs = {"last_three_of_spades": last, "stopped_three_of_spades": stopped}
    tables = {
        name: {"units": 26 * applies, "applies": applies, "source": "s", "quote": "q"}
        for name, applies in knobs.items()
    }
    rules, endings, rounds = variant(tables | {"instant_wins": []}), Counter[str](), examples(120)
    for number in range(rounds):
        seats = 2 + number % 3
        hands = dealing(chance, seats)
        state = begin(rules, hands_deal(hands, leader=0))
        slow = second.SlowRound(
            [[card.text for card in hand] for hand in hands], 0, instant_wins=False, three_counts=counts
        )
        without = False
        while not state.is_over and state.event_count < 120:
            event = choose(chance, state, keep_three=True, leaving=0.002)
            without |= state.trying is None and state.to_beat_seat is not None and is_last(state, "3S")
            follow(slow, event)
            state = apply(state, event)
            assert state.is_over or slow.turn == state.turn
        if state.ending is None:
            continue
        assert (slow.winner, slow.ending) == (state.ending.winner, state.ending.kind)
        assert Counter({debt: units for debt, units in slow.debts.items() if units}) == debts(settle(state).transfers)
        endings[state.ending.kind] += 1
        endings["3♠ alone"] += without
    assert last or not endings["LAST_THREE_OF_SPADES"], endings
    assert stopped or not endings["STOPPED_THREE_OF_SPADES"], endings
    tries = endings["LAST_THREE_OF_SPADES"] + endings["STOPPED_THREE_OF_SPADES"] + endings["3♠ alone"]
    assert tries >= 3, endings


def test_rounds_led_by_the_lowest_card_go_as_the_second_implementation_says(
    dealing: Dealing, chance: random.Random
) -> None:
    """In every state each combination of the hand is lawful in both or in neither; some leaders leave or wait first."""
    rules = variant({"lead": {"first": "LOWEST_CARD", "reason": "test"}, "instant_wins": []})
    assert leading().first_leader(rules) is LeaderBy.LOWEST_CARD
    seen = Counter[str]()
    for number in range(examples(60)):
        seats = 2 + number % 3
        hands = dealing(chance, seats)
        lowest, leader = min((second.weight(card.text), seat) for seat in range(seats) for card in hands[seat])
        assert leading().lowest_dealt(hands) == leader
        by = (LeaderBy.LOWEST_CARD, LeaderBy.LOWEST_CARD, LeaderBy.LOWEST_CARD, LeaderBy.WINNER)[number % 4]
        card = second.RANKS[lowest[0]] + second.SUITS[lowest[1]] if by is LeaderBy.LOWEST_CARD else ""
        state = begin(rules, led_by(hands_deal(hands, leader=leader), by))
        slow = second.SlowRound([[card.text for card in hand] for hand in hands], leader, instant_wins=False)
        slow.first_card = card
        while not state.is_over and state.event_count < 120:
            everything = {play.cards for play in combinations_in(state.held[state.turn])}
            lawful = {play.cards for play in legal_plays(state)}
            texts = {cards: frozenset(one.text for one in cards) for cards in everything}
            assert lawful == {cards for cards in everything if slow.is_legal(texts[cards])}
            seen["bound"] += bool(state.bound_card)
            seen["free lead"] += state.to_beat is None and lawful == everything
            leaving = 0.4 if state.event_count < 2 and number % 5 == 0 else 0.01
            event = choose(chance, state, keep_three=number % 2 == 0, leaving=leaving)
            if state.bound_card and isinstance(event, Leave | Timeout):
                seen[f"{type(event).__name__} of the leader" if event.seat == leader else "Leave of another"] += 1
            follow(slow, event)
            state = apply(state, event)
            assert state.is_over or slow.turn == state.turn
        if state.ending is not None:
            assert (slow.winner, slow.ending) == (state.ending.winner, state.ending.kind)
            owed = Counter({debt: units for debt, units in slow.debts.items() if units})
            assert owed == debts(settle(state).transfers)
    wanted = {"bound", "free lead", "Leave of the leader", "Leave of another", "Timeout of the leader"}
    assert wanted <= set(+seen), seen


def is_last(state: State, card: str) -> bool:
    """Whether a card is the only one of the seat whose play is to be beaten."""
    return state.to_beat_seat is not None and state.cards_of(state.to_beat_seat) == parse_cards(card)


def played(rules: TienLenRules, *events: Event) -> State:
    state = begin(rules, hands_deal(HANDS, leader=0, stake=100))
    for event in events:
        state = apply(state, event)
    return state


def test_card_played_because_time_was_up_counts_as_played(house: TienLenRules) -> None:
    """The clock played 3♠ for seat 0, which pays for twelve cards; seat 1 played nothing and pays for that."""
    leaving = Leave(Seat(0), 30_001), Leave(Seat(1), 30_002)
    left = settle(played(house, Timeout(Seat(0), 30_000), *leaving, Pass(Seat(2), 30_003)))
    assert [(paid.payer, paid.amount, paid.reason) for paid in left.transfers] == [
        (0, 1200, "LEFTOVER"),
        (0, 2400, "LEAVING"),
        (1, 1600, "UNTOUCHED"),
        (1, 3200, "LEAVING"),
        (2, 600, "COMMISSION"),
    ]


def test_cards_that_cost_more_than_an_untouched_hand_are_paid_for(house: TienLenRules) -> None:
    ours = parse_cards("5S 6C 7D 8H 9S TC JD QH KS 3H AS AC AD")
    hands = (ours, parse_cards("3C 3D 4S 4C 5C 5D TS TD TH JS 2D 2S 2C"))
    outcome = settle(apply(begin(house, hands_deal(hands, leader=0)), Leave(Seat(1), 1)))
    paid = [(paid.amount, paid.reason, paid.subject) for paid in outcome.transfers if paid.payer == 1]
    assert sorted(paid) == [
        (4, "LEFTOVER", "BLACK_TWO"),
        (4, "LEFTOVER", "CARD"),
        (4, "LEFTOVER", "RED_TWO"),
        (6, "LEFTOVER", "PAIR_RUN_3"),
        (36, "LEAVING", ""),
    ]


def test_seat_that_leaves_to_one_with_a_cheap_three_of_spades_pays_for_its_cards(house: TienLenRules) -> None:
    """Where 3♠ costs 5 and thirteen cards cost 16 untouched, leaving must not save 11."""
    cheap = replace(house, last_three_of_spades=replace(house.last_three_of_spades, units=5))
    outcome = settle(apply(begin(cheap, hands_deal(HANDS[:2], leader=0)), Leave(Seat(1), 1)))
    paid = [(paid.amount, paid.reason) for paid in outcome.transfers if paid.payer == 1]
    assert paid == [(UNTOUCHED, "UNTOUCHED"), (UNTOUCHED * (TIMES - 1), "LEAVING")]


def test_seat_that_leaves_to_one_with_the_three_of_spades_pays_for_it_many_times(house: TienLenRules) -> None:
    outcome = settle(apply(begin(house, hands_deal(HANDS[:2], leader=0)), Leave(Seat(1), 1)))
    paid = [(paid.amount, paid.reason) for paid in outcome.transfers if paid.payer == 1]
    assert paid == [(26, "LAST_THREE_OF_SPADES"), (26 * (house.leaving_multiplier - 1), "LEAVING")]


def test_results_show_the_part_of_the_house_only_where_it_has_one(rules: TienLenRules, house: TienLenRules) -> None:
    events = Leave(Seat(0), 1), Leave(Seat(1), 2)
    plain, ours = played(rules, *events), played(house, *events)
    assert "house" not in encode_results(plain, settle(plain))
    results = encode_results(ours, settle(ours))
    assert results["house"] == {"net": house_net(settle(ours).transfers)}
    assert house_net(settle(ours).transfers) > 0


def test_example_uses_every_knob_of_the_game() -> None:
    rules = rules_as(TienLenRules, load_examples().get("tien_len.house_example"))
    assert isinstance(rules.commission, Commission)
    assert isinstance(rules.leftover, Untouched)
    assert isinstance(rules.leaving, LeavingTimes)
    assert isinstance(rules.lead, LowestCardLead)
    assert not rules.last_three_of_spades.applies
    assert not rules.stopped_three_of_spades.applies


def test_built_in_ruleset_has_no_knob_on(rules: TienLenRules) -> None:
    assert isinstance(rules.commission, NoCommission)
    assert (rules.untouched_units, rules.leaving_multiplier) == (0, 1)
    assert isinstance(rules.lead, DrawnLead)
    assert leading().first_leader(rules) is LeaderBy.DRAW
    assert rules.last_three_of_spades.applies
    assert rules.stopped_three_of_spades.applies
