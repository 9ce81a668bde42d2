"""A second, slow settlement from the rules of ``RULES.md`` alone: no tables, no shared code, one law per ruleset."""

import itertools
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, TypeAlias

import pytest

from referee.cards import DECK, Card
from referee.games.mau_binh import GAME, Arrange, Event, MauBinhRules
from referee.games.mau_binh.code import Pattern
from referee.games.mau_binh.instant_win import patterns_of
from referee.rulesets import Ruleset
from tests.budget import examples
from tests.builtin import rules_as
from tests.games.rounds import hands_deal, settled
from tests.randomness import random_from

RoundMaker: TypeAlias = Callable[[MauBinhRules, int], Any]

STAKE = 7
RANKING = ["mậu thầu", "đôi", "thú", "sám cô", "sảnh", "thùng", "cù lũ", "tứ quý", "thùng phá sảnh"]
Hand = Sequence[Card]

# --- ranking


def shape(cards: Hand) -> tuple[str, list[int]]:
    """Name a hand and list its ranks (2-14), the most frequent and highest first."""
    counts = Counter(card.rank + 2 for card in cards)
    ranks = sorted(counts, key=lambda rank: (counts[rank], rank), reverse=True)
    sizes = sorted(counts.values(), reverse=True)
    if len(cards) == 5 and len(counts) == 5:
        flush = len({card.suit for card in cards}) == 1
        low = set(ranks) == {14, 2, 3, 4, 5}
        straight = low or ranks[0] - ranks[4] == 4
        if low:
            ranks = [5, 4, 3, 2, 1]
        name = {(1, 1): "thùng phá sảnh", (1, 0): "thùng", (0, 1): "sảnh", (0, 0): "mậu thầu"}[flush, straight]
        return name, ranks
    names = {(4,): "tứ quý", (3, 2): "cù lũ", (3,): "sám cô", (2, 2): "thú", (2,): "đôi", (): "mậu thầu"}
    return names[tuple(size for size in sizes if size > 1)], ranks


def strength(ruleset: str, cards: Hand) -> tuple[int, list[int]]:
    name, ranks = shape(cards)
    place = RANKING.index(name)
    if ruleset == "maubinh_com":
        if name == "tứ quý" and ranks[0] == 14:
            return 99, ranks
        if name == "thùng phá sảnh":
            return place + {14: 2, 5: 1}.get(ranks[0], 0), ranks
    return place, ranks


def is_stronger_front(ruleset: str, front: Hand, middle: Hand) -> bool:
    three, five = strength(ruleset, front), strength(ruleset, middle)
    if three[0] != five[0]:
        return three[0] > five[0]
    for mine, theirs in zip(three[1], five[1], strict=False):
        if mine != theirs:
            return mine > theirs
    return False


def is_foul(ruleset: str, chi: Sequence[Hand]) -> bool:
    return strength(ruleset, chi[1]) > strength(ruleset, chi[0]) or is_stronger_front(ruleset, chi[2], chi[1])


def worth(ruleset: str, chi: int, cards: Hand) -> int:
    name, ranks = shape(cards)
    special = {
        ("sám cô", 2): {"maubinh_com": 3, "classic": 3, "chi_2020": 8},
        ("cù lũ", 1): {"maubinh_com": 2, "classic": 2, "chi_2020": 4},
        ("tứ quý", 0): {"maubinh_com": 20 if ranks[0] == 14 else 4, "classic": 4, "chi_2020": 8},
        ("tứ quý", 1): {"maubinh_com": 8, "classic": 8, "chi_2020": 16},
    }
    if name == "thùng phá sảnh":
        if ruleset == "maubinh_com":
            return {14: 12, 5: 10}.get(ranks[0], 5) * (chi + 1)
        return {"classic": 5, "chi_2020": 10}[ruleset] * (chi + 1)
    return special.get((name, chi), {}).get(ruleset, 1)


# --- instant wins, by trying


def splits(cards: Hand, fits: Callable[[Hand], bool]) -> bool:
    """Whether thirteen cards split into 5, 5 and 3 that all fit."""
    for front in itertools.combinations(cards, 3):
        if fits(front):
            ten = [card for card in cards if card not in front]
            first, *rest = ten
            for four in itertools.combinations(rest, 4):
                if fits((first, *four)) and fits([card for card in rest if card not in four]):
                    return True
    return False


RUNS = {frozenset("A23456789TJQKA"[low : low + size]) for size in (3, 5) for low in range(15 - size)}


def is_run(cards: Hand) -> bool:
    ranks = frozenset([card.text[0] for card in cards])
    return len(ranks) == len(cards) and ranks in RUNS


def is_one_suit(cards: Hand) -> bool:
    return len({card.suit for card in cards}) == 1


@cache
def all_patterns(cards: Hand) -> set[str]:
    found = set()
    counts = Counter(card.rank for card in cards)
    pairs = sum(count // 2 for count in counts.values())
    reds = sum(card.suit >= 2 for card in cards)
    if len(counts) == 13:
        found.add("SUITED_DRAGON" if is_one_suit(cards) else "DRAGON")
    if any(count == 3 for count in counts.values()) and pairs == 6:
        found.add("FIVE_PAIRS_ONE_TRIPLE")
    elif pairs == 6:
        found.add("SIX_PAIRS")
    colours = {13: "THIRTEEN_RED", 12: "TWELVE_RED_ONE_BLACK", 1: "TWELVE_BLACK_ONE_RED", 0: "THIRTEEN_BLACK"}
    if reds in colours:
        found.add(colours[reds])
    if len({card.suit for card in cards}) < 4 and splits(cards, is_one_suit):
        found.add("THREE_FLUSHES")
    if len(counts) > 4 and max(counts.values()) < 4 and splits(cards, is_run):
        found.add("THREE_STRAIGHTS")
    return found


LISTS = {
    "maubinh_com": [
        *[("SUITED_DRAGON", 99, 1), ("DRAGON", 39, 2), ("THIRTEEN_RED", 26, 3), ("THIRTEEN_BLACK", 26, 4)],
        *[("FIVE_PAIRS_ONE_TRIPLE", 6, 5), ("TWELVE_BLACK_ONE_RED", 13, 6), ("TWELVE_RED_ONE_BLACK", 13, 7)],
        *[("SIX_PAIRS", 6, 8), ("THREE_FLUSHES", 6, 9), ("THREE_STRAIGHTS", 6, 10)],
    ],
    "classic": [
        *[("SUITED_DRAGON", 26, 1), ("DRAGON", 26, 2), ("FIVE_PAIRS_ONE_TRIPLE", 8, 3), ("SIX_PAIRS", 6, 4)],
        *[("THREE_FLUSHES", 6, 5), ("THREE_STRAIGHTS", 6, 6)],
    ],
    "chi_2020": [
        *[("SUITED_DRAGON", 100, 1), ("DRAGON", 50, 2), ("THIRTEEN_RED", 30, 3), ("THIRTEEN_BLACK", 30, 3)],
        *[("THREE_STRAIGHTS", 24, 4), ("THREE_FLUSHES", 24, 4), ("SIX_PAIRS", 24, 4)],
        ("FIVE_PAIRS_ONE_TRIPLE", 24, 4),
    ],
}


def best_win(ruleset: str, cards: Hand) -> tuple[str, int, int] | None:
    patterns = all_patterns(cards)
    wins = [win for win in LISTS[ruleset] if win[0] in patterns]
    return next((win for win in wins if win[1] == max(pays for _, pays, _ in wins)), None)


# --- the round


def timeline(seats: int, events: Sequence[Event], deadline: int) -> tuple[dict[int, Arrange], list[int]]:
    """Last submissions, and until which chi each seat was there: -1 left before, 0-2 that chi was shown, 3 stayed."""
    last: dict[int, Arrange] = {}
    there = [3] * seats
    start, begun = deadline, False
    for event in events:
        begun = begun or event.time >= deadline
        if isinstance(event, Arrange):
            last[event.seat] = event
        elif begun:
            there[event.seat] = (event.time - start) // 5000
        else:
            there[event.seat] = -1
        if not begun and all(seat in last or there[seat] == -1 for seat in range(seats)):
            start, begun = event.time, True
    return last, there


def slow_settle(  # noqa: C901, PLR0912, PLR0913, PLR0915 - the whole law in one place, as ``RULES.md`` lists it
    ruleset: str,
    hands: Sequence[Hand],
    events: Sequence[Event],
    dealt: int,
    *,
    unopened: frozenset[int] = frozenset(),
    departure_is_sweep: bool = False,
) -> dict[str, Any]:
    """Settle; ``departure_is_sweep``: a house's variant of the maubinh.com sheet, the other two have it so."""
    seats = range(len(hands))
    owed: dict[tuple[int, int], int] = defaultdict(int)  # (payer, payee) -> units
    wins = [best_win(ruleset, hand) for hand in hands]
    if any(wins):
        for payer, payee in itertools.permutations(seats, 2):
            theirs, mine = wins[payer], wins[payee]
            if mine and (theirs is None or mine[2] < theirs[2]):
                owed[payer, payee] += mine[1]
        top = min(win[2] for win in wins if win)
        winners = [s for s in seats if (wins[s] or (0, 0, 99))[2] == top]
        return {"owed": dict(owed), "fouled": set(), "winners": winners, "swept": set()}
    deadline = dealt + {"maubinh_com": 90_000, "classic": 60_000, "chi_2020": 60_000}[ruleset]
    last, there = timeline(len(hands), events, deadline)
    if ruleset != "maubinh_com":
        there = [-1 if chi == -1 else 3 for chi in there]
    chi_of = []
    for seat in seats:
        arranged = last.get(seat)
        chi_of.append(
            [arranged.back, arranged.middle, arranged.front]
            if arranged
            else [hands[seat][:5], hands[seat][5:10], hands[seat][10:]]
        )
    stayed = [seat for seat in seats if there[seat] >= 0]
    fouled = {seat for seat in stayed if seat in unopened or is_foul(ruleset, chi_of[seat])}
    last_chi = [min(chi, 2) for chi in there]  # the last chi that a seat was there for, -1 for none
    chi_won: dict[tuple[int, int], list[int]] = defaultdict(list)  # (winner, loser) -> chi
    for a, b in itertools.combinations(seats, 2):
        if a in fouled and b in fouled:
            continue
        for chi in range(3):
            for winner, loser in ((a, b), (b, a)):
                if winner in fouled or last_chi[winner] < chi:
                    continue
                gives_it_up = loser in fouled or last_chi[loser] < chi
                if gives_it_up or strength(ruleset, chi_of[winner][chi]) > strength(ruleset, chi_of[loser][chi]):
                    chi_won[winner, loser].append(chi)
    left_while_shown = {seat for seat in seats if 0 <= there[seat] <= 2}
    lawful = [seat for seat in stayed if seat not in fouled]
    swept_village = {
        seat for seat in stayed if all(len(chi_won.get((other, seat), ())) == 3 for other in seats if other != seat)
    }
    for (winner, loser), lost in list(chi_won.items()):
        units = sum(worth(ruleset, one, chi_of[winner][one]) for one in lost)
        all_three = len(lost) == 3
        if ruleset == "maubinh_com":
            aces = strength("maubinh_com", chi_of[winner][0])[0] == 99
            others = [seat for seat in (seats if departure_is_sweep else stayed) if seat != winner]
            village = bool(others) and all(len(chi_won[winner, other]) == 3 for other in others)
            if aces and village:
                units += 60 if loser in others else 0
            elif (departure_is_sweep and loser not in stayed) or loser in fouled:
                units *= 1 if winner in left_while_shown else 3
            elif loser in swept_village:
                units *= 3
        elif ruleset == "classic":
            if loser in fouled:
                units = max(3, units + 2) if loser in unopened else 3
            elif all_three:
                units += 2
        elif all_three:
            units *= 3
        if units:
            owed[loser, winner] += units
    won = {seat: sum(len(lost) for (winner, _), lost in chi_won.items() if winner == seat) for seat in lawful}
    winners = [seat for seat in lawful if won[seat] == max(won.values())]
    swept = {pair for pair, lost in chi_won.items() if len(lost) == 3}
    plain = [sum(worth(ruleset, chi, chi_of[seat][chi]) for chi in range(3)) for seat in seats]
    left = set(seats) - set(stayed)
    return {"owed": dict(owed), "fouled": fouled, "winners": winners, "swept": swept, "plain": plain, "left": left}


def winner_sweep_added(ruleset: str, slow: dict[str, Any], times: int) -> dict[str, Any]:
    """Add a winner's sweep to a slow settlement, and what seats at fault owe in place of others (*đền*).

    ``owed`` has what pairs owe for their own cards, ``instead`` what seats at fault pay the winner for others.
    """
    owed, instead = dict(slow["owed"]), defaultdict[int, int](int)
    seats = range(len(slow.get("plain", ())))
    winners = [seat for seat in seats if all((seat, other) in slow["swept"] for other in seats if other != seat)]
    if not winners:
        return {"owed": owed, "instead": {}, "winner": None}
    (winner,) = winners
    losers = [*seats[winner + 1 :], *seats[:winner]]
    at_fault = [seat for seat in losers if seat in slow["fouled"] | slow["left"]]
    price = times * (slow["plain"][winner] + (2 if ruleset == "classic" else 0))
    turn = itertools.cycle(at_fault)
    for loser in losers:
        more = max(0, price - owed[loser, winner])
        if loser in at_fault or not at_fault:
            owed[loser, winner] += more
        else:
            for _ in range(more):  # one unit after the other, so the parts are equal and the first has the odd one
                instead[next(turn)] += 1
    return {"owed": owed, "instead": dict(instead), "winner": winner}


SHEETS = {"mau_binh.maubinh_com": "maubinh_com", "mau_binh.classic": "classic", "mau_binh.chi_2020": "chi_2020"}


def test_settlement_agrees_with_the_slow_one(ruleset: Ruleset, rules: MauBinhRules, make_round: RoundMaker) -> None:
    """Every pair's total, the fouls and the winners agree over random rounds in which everything rare is common."""
    seen = agreed(SHEETS[ruleset.id], rules, make_round, range(examples(500)))
    expected = {"BACK", "MIDDLE", "FRONT", "SWEEP", "INSTANT_WIN", "LEFT", "STRAIGHT_FLUSH", "FOUR_OF_A_KIND"}
    if ruleset.id == "mau_binh.maubinh_com":
        expected |= {"FOUR_ACES_SWEEP", "ROYAL_FLUSH", "LOW_STRAIGHT_FLUSH"}
    assert all(seen[reason] >= 10 for reason in expected), seen


@pytest.mark.exhaustive("settles thousands of rounds twice")
def test_settlement_agrees_with_the_slow_one_at_length(
    ruleset: Ruleset, rules: MauBinhRules, make_round: RoundMaker
) -> None:
    agreed(SHEETS[ruleset.id], rules, make_round, range(100_000, 108_000))


def agreed(sheet: str, rules: MauBinhRules, make_round: RoundMaker, seeds: Iterable[int]) -> Counter[str]:
    """How often each reason and subject was paid over rounds in which both settlements agree."""
    seen: Counter[str] = Counter()
    for seed in seeds:
        sample = make_round(rules, seed)
        is_over = any(best_win(sheet, hand) for hand in sample.hands)
        deal = hands_deal(sample.hands, stake=STAKE, dealt_time=sample.dealt_time)
        played = settled(GAME, rules, deal, () if is_over else sample.events, closed_time=sample.closed_time)
        assert played.violations == (), seed
        outcome = played.outcome
        slow = slow_settle(sheet, sample.hands, sample.events, sample.dealt_time)
        paid: dict[tuple[int, int], int] = defaultdict(int)
        for transfer in outcome.transfers:
            paid[transfer.payer, transfer.payee] += transfer.amount
            seen[transfer.reason] += 1
            seen[transfer.subject] += 1
        assert {pair: units * STAKE for pair, units in slow["owed"].items()} == dict(paid), seed
        assert slow["fouled"] == {foul.seat for foul in outcome.fouls}, seed
        assert slow["winners"] == list(outcome.winners), seed
    return seen


def test_patterns_agree_with_splitting_the_cards(make_round: RoundMaker) -> None:
    """The patterns of each hand dealt are those that trying every split finds, and each is seen."""
    rules = rules_as(MauBinhRules, "mau_binh.classic")
    seen: Counter[str] = Counter()
    for seed in range(10_000, 10_000 + examples(800)):
        for hand in make_round(rules, seed).hands:
            patterns = {str(pattern) for pattern in patterns_of(hand)}
            assert all_patterns(hand) == patterns, seed
            seen.update(patterns)
    assert all(seen[pattern] >= 3 for pattern in Pattern), seen


def plain_chi(sheet: str, hand: Hand) -> tuple[Hand, Hand, Hand]:
    """Lay out the strongest five, then the strongest five of the rest, the first of equal ones."""
    chi: list[Hand] = []
    rest = list(hand)
    for _ in range(2):
        chi.append(max(itertools.combinations(rest, 5), key=lambda five: strength(sheet, five)))
        rest = [card for card in rest if card not in chi[-1]]
    return chi[0], chi[1], rest


def test_plain_outcomes_are_the_chi_of_the_strongest_hands_first(ruleset: Ruleset, rules: MauBinhRules) -> None:
    """Chi won less chi lost against each other seat; all three chi won or lost count double."""
    assert GAME.questions is not None
    outcomes = getattr(GAME.questions, "outcomes")  # noqa: B009 - of this game's kind of questions
    sheet, source, seen = SHEETS[ruleset.id], random_from(3), set()
    for _ in range(examples(6)):
        deck = source.sample(DECK, 39)
        hands = [tuple(deck[place : place + 13]) for place in (0, 13, 26)]
        shown = [[strength(sheet, chi) for chi in plain_chi(sheet, hand)] for hand in hands]
        expected = [0, 0, 0]
        for one, other in itertools.permutations(range(3), 2):
            won = sum((mine > theirs) - (mine < theirs) for mine, theirs in zip(shown[one], shown[other], strict=True))
            expected[one] += {3: 6, -3: -6}.get(won, won)
            seen.add(abs(won))
        assert outcomes(rules, [bytes([card.number for card in hand]) for hand in hands]) == tuple(expected)
    assert {1, 3} <= seen
