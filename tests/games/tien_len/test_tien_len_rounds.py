"""Random rounds, with leavers, slow seats, chops and tries for 3♠, against the second implementation."""

import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest

from referee.cards import DECK, Card, Seat, parse_cards
from referee.games import DealError, RoundNotOverError, play
from referee.games.tien_len import (
    GAME,
    Event,
    Fault,
    Leave,
    Pass,
    Play,
    State,
    TienLenRules,
    Timeout,
    apply,
    begin,
    check,
    chop_transfers,
    legal_plays,
    may_pass,
    set_of,
    settle,
)
from referee.games.tien_len.code import Chain, EndKind, Reason
from referee.games.tien_len.leftover import price_leftover
from referee.games.tien_len.rules import max_units
from referee.games.tien_len.settlement import Outcome
from referee.money import MAX_AMOUNT, Amount, Transfer
from tests.budget import examples
from tests.games.rounds import at_stake, hands_deal
from tests.games.tien_len import second_implementation as second
from tests.games.tien_len.scenes import variant

Dealing = Callable[[random.Random, int], tuple[tuple[Card, ...], ...]]
QUIET = (
    parse_cards("5S 6C 7D 8H 9S TC JD QH KS 3S AS AC AD"),
    parse_cards("3C 4S 4C 5C 6S 7S 8S 9C TS JS QS KC 2S"),
    parse_cards("3D 5D 6D 7C 8C 9D TD JC QC KD AH 2C 2D"),
)
"""Three hands of which none wins at the deal."""


def choose(chance: random.Random, state: State, *, keep_three: bool, leaving: float) -> Event:
    """Choose a lawful event at random, seldom a leave or timeout; with ``keep_three`` 3♠ is kept for the end."""
    time = state.last_time + 1
    if chance.random() < leaving:
        staying = [Seat(seat) for seat in range(state.seat_count) if not state.has_left(Seat(seat))]
        return Leave(chance.choice(staying), time)
    if chance.random() < 0.05:
        return Timeout(state.turn, state.turn_time + 1000 * state.rules.turn.seconds)
    plays = legal_plays(state)
    if keep_three:
        plays = tuple(one for one in plays if Card.THREE_OF_SPADES not in one.cards) or plays
    if may_pass(state) and (not plays or chance.random() < 0.25):
        return Pass(state.turn, time)
    return Play(state.turn, chance.choice(plays).cards, time)


def follow(slow: Any, event: Event) -> None:  # noqa: ANN401 - a SlowRound of a module loaded by path
    """Apply an event in the second implementation."""
    match event:
        case Play():
            slow.play(frozenset(card.text for card in event.cards))
        case Pass():
            slow.pass_()
        case Leave():
            slow.leave(event.seat)
        case Timeout():
            slow.time_out()


def debts(transfers: tuple[Transfer, ...]) -> Counter[tuple[int, int, str, str]]:
    """Sum the payments by payer, payee, reason and subject."""
    found: Counter[tuple[int, int, str, str]] = Counter()
    for paid in transfers:
        found[paid.payer, paid.payee, paid.reason, paid.subject] += paid.amount
    return found


def play_beside(chance: random.Random, dealing: Dealing, rules: TienLenRules, number: int) -> State:
    """One round played by both implementations, which agree after every event, on the end and on every debt."""
    seats = 2 + number % 3
    hands, leader = dealing(chance, seats), Seat(chance.randrange(seats))
    state = begin(rules, hands_deal(hands, leader=leader))
    slow = second.SlowRound(
        [[card.text for card in hand] for hand in hands],
        leader,
        chain_to_last=rules.chops.chain is Chain.LAST_VICTIM_PAYS_ALL,
        instant_wins=bool(rules.instant_wins),
    )
    events: list[Event] = []
    leaving = (0.06, 0.005, 0, 0)[number // 3 % 4]
    while not state.is_over and state.event_count < 120:
        assert slow.turn == state.turn
        assert (slow.top is None) == (state.to_beat is None)
        events.append(choose(chance, state, keep_three=number // 12 % 2 == 0, leaving=leaving))
        follow(slow, events[-1])
        state = apply(state, events[-1])
    assert play(GAME, begin(rules, hands_deal(hands, leader=leader)), events) == (state, (), 0)
    if state.ending is not None:
        assert (slow.winner, slow.ending) == (state.ending.winner, state.ending.kind)
        sevenfold = Counter({debt: 7 * units for debt, units in slow.debts.items()})
        assert sevenfold == debts(settle(at_stake(state, 7)).transfers)
    return state


@pytest.mark.parametrize("chain", Chain)
def test_random_rounds_pay_what_the_second_implementation_says(
    dealing: Dealing, chance: random.Random, chain: Chain
) -> None:
    """Hundreds of rounds at two to four seats, with every ending among them, and every reason to pay.

    Every second stretch of rounds has no wins at the deal, so that the heaviest hands are played too.
    """
    kinds = (variant({"chain": chain}), variant({"chain": chain, "instant_wins": []}))
    endings: Counter[str] = Counter()
    reasons: set[str] = set()
    rounds = examples(300)
    for number in range(rounds):
        state = play_beside(chance, dealing, kinds[number // 24 % 2], number)
        if state.ending is None:
            continue
        endings[state.ending.kind] += 1
        transfers = settle(state).transfers
        reasons |= {paid.reason for paid in transfers}
        net = settle(state).net
        assert sum(net) == 0
        assert max(map(abs, net)) <= max_units(state.rules, seat_count=state.seat_count)
    assert {kind.value for kind in EndKind} == set(endings)
    assert endings.total() > 0.95 * rounds
    rare = {Reason.CHOP_CHAIN} if chain is Chain.EACH_VICTIM_PAYS or dealing.__name__ == "deal_evenly" else set()
    assert set(kinds[0].named_codes["reason"]) - reasons <= rare


def test_twice_the_stake_doubles_every_transfer(rules: TienLenRules, dealing: Dealing, chance: random.Random) -> None:
    for _ in range(50):
        state = begin(rules, hands_deal(dealing(chance, 3), leader=Seat(0)))
        while not state.is_over and state.event_count < 120:
            state = apply(state, choose(chance, state, keep_three=False, leaving=0.02))
        if state.is_over:
            once, twice = (settle(at_stake(state, stake)).transfers for stake in (50, 100))
            doubled = [
                Transfer(paid.payer, paid.payee, Amount(2 * paid.amount), paid.reason, paid.subject) for paid in once
            ]
            assert doubled == list(twice)


def test_turning_the_table_turns_the_result(rules: TienLenRules, dealing: Dealing, chance: random.Random) -> None:
    """Seats have no rank: with hands, leader and events moved on by one seat, so are the debts."""
    for _ in range(60):
        hands = dealing(chance, 4)
        state = begin(rules, hands_deal(hands, leader=Seat(0)))
        moved = begin(rules, hands_deal((hands[-1], *hands[:-1]), leader=Seat(1)))
        while not state.is_over and state.event_count < 120:
            event = choose(chance, state, keep_three=True, leaving=0.01)
            state = apply(state, event)
            seat = Seat((event.seat + 1) % 4)
            match event:
                case Play():
                    moved = apply(moved, Play(seat, event.cards, event.time))
                case _:
                    moved = apply(moved, type(event)(seat, event.time))
        if state.is_over:
            expected = {
                ((payer + 1) % 4, (payee + 1) % 4, reason, subject): units
                for (payer, payee, reason, subject), units in debts(settle(state).transfers).items()
            }
            assert expected == debts(settle(moved).transfers)


def events_of(seat: int, time: int) -> list[Event]:
    """One event of each kind."""
    return [Play(Seat(seat), (), time), Pass(Seat(seat), time), Leave(Seat(seat), time), Timeout(Seat(seat), time)]


@pytest.mark.parametrize("seat", [-2, -1, 3, 4])
def test_event_of_a_seat_that_the_table_has_not_is_refused_for_that_alone(rules: TienLenRules, seat: int) -> None:
    state = begin(rules, hands_deal(QUIET, leader=0, dealt_time=5))
    for event in events_of(seat, 0):
        assert [(fault.code, fault.expected, fault.found) for fault in check(state, event)] == [
            (Fault.UNKNOWN_SEAT, 3, seat)
        ]


def test_nothing_is_lawful_once_the_round_is_over(rules: TienLenRules) -> None:
    """Won at the deal or by the last seat: no play is listed, no clock runs, each event is refused for that alone."""
    left = begin(rules, hands_deal(QUIET, leader=0))
    assert legal_plays(left)
    for time, seat in enumerate((2, 0), 1):
        left = apply(left, Leave(Seat(seat), time))
    for over in (left, begin(rules, hands_deal([DECK[:13], DECK[13:26]], leader=1))):
        assert over.is_over
        assert (legal_plays(over), may_pass(over), GAME.clock(over)) == ((), False, None)
        for seat in range(over.seat_count):
            for event in events_of(seat, 0):
                assert [fault.code for fault in check(over, event)] == [Fault.ROUND_OVER]


def test_clock_of_the_seat_on_turn_runs_for_no_other(rules: TienLenRules) -> None:
    """A seat out of turn is not also late."""
    state = begin(rules, hands_deal(QUIET, leader=0))
    assert [fault.code for fault in check(state, Pass(Seat(1), 30_000))] == [Fault.OUT_OF_TURN]
    late = [fault.code for fault in check(state, Play(Seat(0), QUIET[0][:1], 30_000))]
    assert late == [Fault.DEADLINE_PASSED]


@pytest.mark.parametrize("seat", [0, 1, 2])
def test_each_seat_leaves_once_and_alone(rules: TienLenRules, seat: int) -> None:
    state = apply(begin(rules, hands_deal(QUIET, leader=0)), Leave(Seat(seat), 1))
    assert [state.has_left(Seat(other)) for other in range(3)] == [other == seat for other in range(3)]
    assert [fault.code for fault in check(state, Leave(Seat(seat), 2))] == [Fault.ALREADY_LEFT]


def test_a_round_that_goes_on_is_not_settled(dealing: Dealing, chance: random.Random) -> None:
    state = begin(variant({"instant_wins": []}), hands_deal(dealing(chance, 2), leader=Seat(1)))
    with pytest.raises(RoundNotOverError, match="seat 1 is on turn"):
        settle(state)
    with pytest.raises(RoundNotOverError, match="seat 1 is on turn"):
        GAME.encode_results(state, Outcome(transfers=(), winners=(), net=(0, 0)))
    assert chop_transfers(state) == ()


@pytest.mark.parametrize(
    ("leader", "reason"),
    [
        (2, "seat 2 cannot lead; the seats are 0 to 1$"),
        (-1, "seat -1 cannot lead; the seats are 0 to 1$"),
        (None, "the deal names no leader; the seats are 0 to 1$"),
    ],
)
def test_a_deal_without_a_leader_of_its_own_is_refused(rules: TienLenRules, leader: int | None, reason: str) -> None:
    with pytest.raises(DealError, match=f"^{reason}"):
        begin(rules, hands_deal((DECK[:13], DECK[13:26]), leader=leader))


def test_the_bound_on_a_rounds_money_lets_a_large_stake_stand(rules: TienLenRules) -> None:
    """Thirteen red twos at 4 and 24 for twos and 2 for each other card chopped: 52 a loser and 120 besides."""
    assert [max_units(rules, seat_count=seats) for seats in (2, 3, 4)] == [52 + 120, 2 * 52 + 120, 3 * 52 + 120]
    assert max_units(rules, seat_count=4) * 10**12 < MAX_AMOUNT


def test_leftovers_of_random_hands_agree_with_a_search_over_cards(
    rules: TienLenRules, dealing: Dealing, chance: random.Random
) -> None:
    """The second implementation tries every pair of suits; suits make no difference to what is owed."""
    grouped = 0
    for _ in range(150):
        for hand in dealing(chance, 2):
            left = chance.sample(hand, chance.randint(1, 13))
            items = price_leftover(rules.leftover_prices, set_of(left))
            counted: Counter[str] = Counter()
            for item in items:
                counted[item.price.value] += item.units
            units, parts = second.leftover([card.text for card in left])
            assert units == counted.total()
            assert parts == counted
            grouped += any(len(item.cards) > 3 and item.price not in {"CARD", "RED_TWO"} for item in items)
    assert grouped > 10 or dealing.__name__ == "deal_evenly"


@pytest.mark.parametrize("out_of_time", ["PASS_OR_LOWEST_SINGLE", "LEAVE"])
def test_every_event_counts_and_a_pass_is_no_departure(out_of_time: str) -> None:
    state = begin(variant({"out_of_time": out_of_time}), hands_deal(QUIET, leader=Seat(0)))
    time = state.last_time
    first, second = Play(Seat(0), parse_cards("5S"), time + 1), Play(Seat(2), parse_cards("6D"), time + 3)
    events: list[Event] = [first, Pass(Seat(1), time + 2), second, Pass(Seat(0), time + 4)]
    for number, event in enumerate(events, 1):
        state = apply(state, event)
        assert (state.event_count, state.turn_event, state.gone) == (number, number, 0)
    assert (state.turn, state.passed) == (2, 0)
    assert apply(state, Leave(Seat(1), state.last_time)).event_count == 5


def test_a_foreign_card_that_beats_is_only_not_held(rules: TienLenRules) -> None:
    state = begin(rules, hands_deal(QUIET, leader=Seat(0)))
    state = apply(state, Play(Seat(0), parse_cards("5S"), state.last_time))
    faults = check(state, Play(Seat(1), parse_cards("6D"), state.last_time))
    assert [fault.code for fault in faults] == [Fault.CARD_NOT_HELD]
