"""Advice is lawful in every position, blind to hidden cards, the same every time, and never without a reason."""

from fractions import Fraction

import msgspec
import pytest

from referee.advice.tien_len.control import HoldChances
from referee.advice.tien_len.policy import choose
from referee.advice.tien_len.suggestion import MAX_SUGGESTIONS, AdviceReason, suggest
from referee.advice.tien_len.view import EVERYTHING, View
from referee.cards import DECK, Seat, parse_cards, spell
from referee.games import LeaderBy
from referee.games.tien_len import (
    GAME,
    Leave,
    Pass,
    Play,
    TienLenRules,
    apply,
    begin,
    check,
    legal_plays,
    may_pass,
    read_combination,
    set_of,
)
from referee.games.tien_len.chop import beats
from referee.games.tien_len.combination import combinations_in
from referee.games.tien_len.grouping import group_plays, whole_plays
from referee.games.tien_len.order import cards_of
from referee.games.tien_len.structure import cost_of
from referee.rulesets import load_examples
from tests.advice.tien_len import endgames
from tests.games.rounds import hands_deal, led_by
from tests.randomness import random_from


@pytest.fixture(scope="module")
def positions(rules, chain_rules, play_at_random):
    """Return some thousand positions of rounds played at random, a few seats having left."""
    chance = random_from(12)
    found = []
    for number in range(60):
        seats = 2 + number % 3
        gone = None
        for state, _ in play_at_random((rules, chain_rules)[number % 2], chance, seats):
            found.append(state)
            if gone is None and seats > 2 and chance.random() < 0.05:
                gone = Seat(chance.choice([seat for seat in range(seats) if seat != state.turn]))
                left = apply(state, Leave(gone, 0))
                if not left.is_over:
                    found.append(left)
    assert len(found) > 1000
    return found


def test_every_suggestion_is_lawful(positions):
    for state in positions:
        suggestions = suggest(View.of(state), count=MAX_SUGGESTIONS)
        assert 1 <= len(suggestions) <= MAX_SUGGESTIONS
        for one in suggestions:
            event = Pass(state.turn, 0) if one.play is None else Play(state.turn, one.play.cards, 0)
            assert check(state, event) == ()


def test_suggestions_differ_and_have_reasons(positions):
    for state in positions:
        suggestions = suggest(View.of(state), count=MAX_SUGGESTIONS)
        assert len({one.play for one in suggestions}) == len(suggestions)
        assert all(one.advice for one in suggestions)
        assert [one.play for one in suggestions].count(None) <= may_pass(state)


def test_a_view_lists_the_plays_of_the_law(positions):
    for state in positions:
        assert tuple(View.of(state).plays()) == legal_plays(state)


@pytest.mark.parametrize("samples", [0, 6])
def test_who_leads_by_the_lowest_card_is_advised_to_play_it(samples):
    rules, chance = load_examples().get("tien_len.house_example").rules, random_from(5)
    assert isinstance(rules, TienLenRules)
    for _ in range(4 if samples else 25):
        cards = chance.sample(DECK, 39)
        hands = [tuple(cards[13 * seat : 13 * seat + 13]) for seat in range(3)]
        assert GAME.lead is not None
        leader = GAME.lead.lowest_dealt(hands)
        state = begin(rules, led_by(hands_deal(hands, leader=leader), LeaderBy.LOWEST_CARD))
        if state.is_over:
            continue
        view, lowest = View.of(state), state.cards_of(state.turn)[0]
        assert tuple(view.plays()) == legal_plays(state)
        for count in (1, 5):
            advised = suggest(view, count=count, samples=samples)
            assert all(one.play is not None and lowest in one.play.cards for one in advised)
        free = begin(rules, led_by(hands_deal(hands, leader=leader), LeaderBy.WINNER))
        assert len(legal_plays(free)) > len(legal_plays(state))
        assert suggest(View.of(apply(state, Play(state.turn, (lowest,), 1))), count=1)


def test_hidden_cards_change_nothing(positions):
    """The other hands are dealt anew from what the seat cannot see: same view, same advice."""
    chance = random_from(13)
    for state in positions[::5]:
        hidden = [card for card in DECK if View.of(state).unseen & set_of([card])]
        chance.shuffle(hidden)
        held, dealt = list(state.held), list(state.dealt)
        for seat in range(state.seat_count):
            if seat != state.turn:
                taken = [hidden.pop() for _ in range(held[seat].bit_count())]
                dealt[seat] = dealt[seat] ^ held[seat] | set_of(taken)
                held[seat] = set_of(taken)
        other = msgspec.structs.replace(state, held=tuple(held), dealt=tuple(dealt))
        assert View.of(other) == View.of(state)
        assert suggest(View.of(other), count=3) == suggest(View.of(state), count=3)


def test_playing_out_gives_the_same_answer_every_time(positions):
    for state in positions[::400]:
        first = suggest(View.of(state), count=3, samples=6)
        assert first == suggest(View.of(state), count=3, samples=6)
        if len(suggest(View.of(state), count=3)) > 1:
            assert first[0].samples
            assert first[0].advice[-1].reason is AdviceReason.PLAYED_OUT


def position(rules, mine: str, *, others: tuple[int, ...], unseen: str = "", to_beat: str = "") -> View:
    """Build a view of seat 0; seat 1 played what is to be beaten."""
    hand = set_of(parse_cards(mine))
    hidden = set_of(parse_cards(unseen)) if unseen else EVERYTHING ^ hand
    beaten = read_combination(set_of(parse_cards(to_beat))) if to_beat else None
    hidden &= ~(beaten.card_set if beaten else 0)
    counts = (hand.bit_count(), *others)
    return View(rules, 0, hand, hidden, counts, beaten, 1 if beaten else 0, 0, 0, 0, 0)


def chosen(view: View) -> str:
    play = choose(view)
    return "pass" if play is None else spell(play.cards)


@pytest.mark.parametrize(
    ("mine", "others", "to_beat", "wanted"),
    [
        ("7S 7C", (5, 5), "6S 6C", "7S 7C"),  # the last cards win
        ("4S 4C 5S 5C 6S 6C TS KD", (8, 8, 8), "2H", "4S 4C 5S 5C 6S 6C"),  # a chop
        ("8S 8C 8D 8H 9S JD", (8, 8, 8), "2D 2H", "8S 8C 8D 8H"),  # a chop of a pair of twos
        ("3C 5S 9D TC JH QS KD", (9, 9, 9), "4S", "5S"),  # the single that is in no run
    ],
)
def test_plays_that_no_player_would_miss(rules, mine: str, others: tuple[int, ...], to_beat: str, wanted: str):
    assert chosen(position(rules, mine, others=others, to_beat=to_beat)) == wanted


def test_three_of_spades_is_kept_behind_a_sure_card(rules):
    """With 2H and 3S left to lead, 2H goes first: only a chop beats it, and 3S then pays 26 from each."""
    view = position(rules, "3S 2H", others=(5, 6), unseen="4S 4C 7D 9D 9H TC JS QC QD KD AS")
    assert chosen(view) == "2H"


def test_three_of_spades_is_not_left_alone_behind_a_weak_card(rules):
    """Of 3S and 4S the seat leads 3S: 4S would surely be beaten, and that costs 26 to each."""
    view = position(rules, "3S 4S", others=(5, 6), unseen="4C 7D 9D 9H TC JS QC QD KD AS AC")
    assert chosen(view) == "3S"


def test_highest_of_two_singles_beside_three_of_spades_is_kept_for_it(rules):
    """Against one card 9D goes before 2S: where 9D holds, so does 2S, and 3S then pays 26."""
    view = position(rules, "3S 9D 2S", others=(1,), unseen="4C 5C 6D 7S TH JD QC KS 2H")
    assert chosen(view) == "9D"


@pytest.mark.parametrize(
    ("mine", "others", "to_beat", "wanted"),
    [
        ("5S 9D KS", (9, 1), "4S", "5S"),  # the seat between may block the last card itself
        ("5S 9D KS", (1, 9), "4S", "KS"),  # nobody else does
        ("5S 9D KS", (1,), "4S", "KS"),
    ],
)
def test_last_card_that_follows_at_once_is_answered_by_the_highest(
    rules: TienLenRules, mine: str, others: tuple[int, ...], to_beat: str, wanted: str
) -> None:
    assert chosen(position(rules, mine, others=others, to_beat=to_beat)) == wanted


def test_last_seat_stops_or_chops_a_seat_that_left(rules: TienLenRules) -> None:
    """The other seats have left, so a chop is free, and 3♠ may be stopped; its own 3♠ is worth more than any play."""
    alone = position(rules, "4S 4C 5S 5C 6S 6C KS KD 9H", others=(7, 8), to_beat="2S")._replace(gone=0b110)
    stop = position(rules, "5S 9D KS", others=(1, 8), to_beat="4S")._replace(gone=0b110)
    keep = position(rules, "3S 3H 9D KS", others=(7, 8), unseen="4C 5D", to_beat="4D 4H")._replace(gone=0b110)
    advised = [suggest(view, count=1)[0].play for view in (alone, stop, keep)]
    assert [play and spell(play.cards) for play in advised] == ["4S 4C 5S 5C 6S 6C", "5S", None]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_only_singles_are_led_from_the_highest_against_a_last_card(rules, seats: int):
    """In rounds of the quick advice with itself; without the rule it leads a lower one in every fourth and more."""
    counted = endgames.count(rules, seats=seats, rounds=120, seed=seats)
    assert counted.positions >= 10
    assert counted.lower_without_three == 0
    assert counted.worse == 0
    without = endgames.count(rules, seats=seats, rounds=120, seed=seats, weights=endgames.WITHOUT)
    assert 4 * without.lower_without_three >= without.positions


@pytest.mark.slow("plays thousands of rounds")
def test_best_single_is_led_against_a_last_card_at_a_table_of_two(rules):
    """Compare with every order of the leads, priced by the rules alone; whether to go for 3S is judged roughly."""
    counted = endgames.count(rules, seats=2, rounds=2_000, seed=9)
    assert counted.positions > 300
    assert counted.lower_without_three == 0
    assert 100 * counted.worse < counted.positions
    assert counted.lost < Fraction(1, 100)


def test_order_of_leads_is_priced_by_hand(rules):
    """Of 9D and 4C against one of 5C, TC, 2H: 9D first wins 1 of 3 rounds; 4C first none. Left are one card or two."""
    hand, unseen = set_of(parse_cards("4C 9D")), set_of(parse_cards("5C TC 2H"))
    high, low = (set_of(parse_cards(text)) for text in ("9D", "4C"))
    assert endgames.value_of(rules, hand, unseen, lead=high) == Fraction(1 - 1 - 1, 3)
    assert endgames.value_of(rules, hand, unseen, lead=low) == Fraction(-1 - 1 - 1, 3)


def test_single_holds_against_a_last_card_as_often_as_it_is_higher():
    """One of four unseen cards beats the queen; a pair no single card beats."""
    unseen = set_of(parse_cards("4S 9D TH KS"))
    plays = [read_combination(set_of(parse_cards(text))) for text in ("QS", "3S 3C")]
    control = HoldChances(unseen=unseen, rivals=(1,))
    assert [control.hold(play) for play in plays if play is not None] == [0.75, 1]


def test_certain_plays_hold_and_hopeless_ones_do_not():
    unseen = set_of(parse_cards("4S 4C 7D 9D 9H TC JS QC QD KD AS"))
    control = HoldChances(unseen=unseen, rivals=(5, 6))
    hold = {}
    for text in ("AH", "3H", "QS QH", "KS KC"):
        combination = read_combination(set_of(parse_cards(text)))
        assert combination is not None
        hold[text] = control.hold(combination)
    assert hold["AH"] == 1
    assert hold["3H"] < 0.01
    assert hold["KS KC"] == 1, "nobody can hold a pair above it"
    assert hold["QS QH"] == 1


def test_the_more_rivals_can_beat_a_play_the_less_it_holds():
    """More unseen cards above it, or more rivals, never help."""
    chance = random_from(3)
    for _ in range(300):
        unseen = sum(1 << place for place in chance.sample(range(52), 30))
        play = next(iter(combinations_in(EVERYTHING ^ unseen)))
        fewer = HoldChances(unseen=unseen, rivals=(8,)).hold(play)
        assert HoldChances(unseen=unseen, rivals=(8, 8)).hold(play) <= fewer
        assert 0 <= fewer <= 1


def test_groups_hold_each_play_once_and_in_order(positions):
    for state in positions:
        plays = legal_plays(state)
        groups = group_plays(state, plays)
        assert [place for group in groups for place in group.plays] == list(range(len(plays)))
        for group in groups:
            assert {(plays[place].kind, plays[place].length) for place in group.plays} == {(group.kind, group.length)}


def test_groups_chop_what_their_plays_chop(positions):
    """Compare with the game's payments: the chop is played, and the round's chops show what was taken."""
    chopped = 0
    for state in positions:
        plays = legal_plays(state)
        for group in group_plays(state, plays):
            after = apply(state, Play(state.turn, plays[group.plays[0]].cards, 0))
            taken = after.chops[-1].price if len(after.chops) > len(state.chops) else None
            assert group.chops == taken
            chopped += taken is not None
    assert chopped > 20


def test_whole_plays_are_those_that_cost_the_plan_nothing(positions):
    for state in positions[::7]:
        plays = legal_plays(state)
        hand = state.held[state.turn]
        expected = [
            place
            for place, play in enumerate(plays)
            if cost_of(hand ^ play.card_set) + cost_of(play.card_set) == cost_of(hand)
        ]
        assert list(whole_plays(state, plays)) == expected


def test_reasons_state_facts(positions):
    """Each reason's facts against the position."""
    met = set()
    for state in positions:
        rest = state.held[state.turn]
        for one in suggest(View.of(state), count=MAX_SUGGESTIONS):
            reasons = {advice.reason: advice for advice in one.advice}
            met |= set(reasons)
            assert (AdviceReason.NOTHING_BEATS in reasons) == (one.play is None and not legal_plays(state))
            if one.play is None:
                continue
            assert (AdviceReason.LAST_CARDS in reasons) == (one.play.card_set == rest)
            if AdviceReason.CHOPS in reasons:
                after = apply(state, Play(state.turn, one.play.cards, 0))
                assert len(after.chops) == len(state.chops) + 1
            if AdviceReason.BREAKS_GROUP in reasons:
                assert AdviceReason.KEEPS_GROUPS not in reasons
            if AdviceReason.HIGHEST_FIRST in reasons:
                seat = reasons[AdviceReason.HIGHEST_FIRST].seat
                assert one.play.cards == cards_of(rest)[-1:]
                assert state.to_beat is None
                assert seat is not None
                assert state.held[seat].bit_count() == 1
            if AdviceReason.WEAKEST in reasons:
                assert one.play == legal_plays(state)[0]
                assert beats(state.rules.chops, one.play, than=state.to_beat)
    assert met >= set(AdviceReason) - {
        AdviceReason.MAY_BE_LAST_THREE,
        AdviceReason.GOES_FOR_THREE,
        AdviceReason.PLAYED_OUT,
    }
