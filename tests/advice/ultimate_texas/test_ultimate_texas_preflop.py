"""Values before the flop: the tables that ship, what they say, and files of one's own."""

import hashlib
import itertools
from collections import Counter
from collections.abc import Iterable
from fractions import Fraction
from importlib import resources
from pathlib import Path

import pytest

from referee.advice.ultimate_texas.advice import NoTableError, advise
from referee.advice.ultimate_texas.option import best_of
from referee.advice.ultimate_texas.preflop import (
    KINDS,
    SHIPPED,
    WAYS,
    PreflopTable,
    PreflopTableError,
    PreflopTables,
    best_bet,
    kind_of,
    law_digest,
)
from referee.advice.ultimate_texas.price import Prices
from referee.cards import DECK, Card, parse_cards
from referee.games.ultimate_texas import Decision, Stake, UltimateTexasRules
from referee.money import Amount
from tests.builtin import rules_as

SHIPPED_IDS = ["ultimate_texas.casino", "ultimate_texas.two_plus_three"]


def shipped(ruleset_id: str) -> tuple[UltimateTexasRules, PreflopTable]:
    """Return a ruleset that comes with the referee, and its table."""
    rules = rules_as(UltimateTexasRules, ruleset_id)
    table = PreflopTables.builtin().table_for(rules)
    assert table is not None
    return rules, table


def test_kinds_are_all_hole_cards_once():
    assert sorted({kind_of(pair) for pair in itertools.combinations(DECK, 2)}) == sorted(KINDS)
    assert len(set(KINDS)) == 169


def test_large_bet_is_worth_most_with_the_hands_that_are_published():
    """38 % of hands: any pair but twos, any ace, K5 and K2s, Q8 and Q6s, JT and J8s upwards.

    Source: wizardofodds.com/games/ultimate-texas-hold-em, "Large Raise Strategy".
    """
    rules, table = shipped("ultimate_texas.casino")
    stake = Stake(ante=Amount(2), trips=Amount(0))
    bet = set()
    for pair in itertools.combinations(DECK, 2):
        options = advise(rules, stake, hole=pair, board=[], table=table)
        if best_of(options, stake).decision is Decision.PLAY_4X:
            bet.add(kind_of(pair))
        else:
            assert best_of(options, stake).decision is Decision.CHECK, "never three times"
    ranks = "23456789TJQKA"
    lowest = {"A": ("2", "2"), "K": ("2", "5"), "Q": ("6", "8"), "J": ("8", "T")}
    expected = {rank * 2 for rank in ranks[1:]}
    for high, (suited, unsuited) in lowest.items():
        below = ranks[: ranks.index(high)]
        expected |= {f"{high}{low}s" for low in below[ranks.index(suited) :]}
        expected |= {f"{high}{low}o" for low in below[ranks.index(unsuited) :]}
    assert expected == bet


def _alike(flop: Iterable[Card], own: Iterable[Card]) -> tuple[Card, ...]:
    """Return the first of the flops that differ from this one in the names of suits that are not in the hole."""
    held = {card.suit for card in own}
    free = [suit for suit in range(4) if suit not in held]
    renamed = [dict(zip(free, others, strict=True)) for others in itertools.permutations(free)]
    flops = [sorted(4 * card.rank + names.get(card.suit, card.suit) for card in flop) for names in renamed]
    return tuple(DECK[place] for place in min(flops))


@pytest.mark.exhaustive("counts every deal")
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("ruleset_id", SHIPPED_IDS)
@pytest.mark.parametrize("hole", ["6D 5D"])
def test_table_is_the_mean_over_all_19_600_flops(ruleset_id: str, hole: str):
    """What is worth most on each flop, counted showdown by showdown, is what the table was summed up to otherwise.

    Suits that are not in the hole are alike, so a flop counts for those that differ in the names of such suits.
    """
    rules, table = shipped(ruleset_id)
    own, sums = parse_cards(hole), table.kinds[kind_of(parse_cards(hole))]
    flops = Counter(_alike(flop, own) for flop in itertools.combinations([card for card in DECK if card not in own], 3))
    assert flops.total() == 19_600
    for stake, check in (
        (Stake(ante=Amount(1), trips=Amount(0)), sums.check),
        (Stake(ante=Amount(1), trips=Amount(1)), sums.check_sure),
    ):
        total, trips, bets = Fraction(0), Fraction(0), Fraction(0)
        for flop, count in flops.items():
            options = advise(rules, stake, hole=own, board=flop)
            best = best_of(options, stake)
            total, trips = total + count * best.antes, trips + count * best.trips
            bets += count * options[1].antes
        assert Fraction(check, WAYS * table.unit) == total / 19_600
        assert Fraction(sums.trips if stake.trips else sums.trips - sums.given_up, WAYS) == trips / 19_600
        assert Fraction(sums.stays + 2 * sums.play, WAYS * table.unit) == bets / 19_600


@pytest.mark.parametrize("ruleset_id", SHIPPED_IDS)
def test_check_with_light_trips_is_a_bound_that_decides_what_is_best(ruleset_id: str):
    """The exact value is convex in Trips: it lies under the line between those at 0 and a quarter.

    The bound is the higher of two lines, the bet is a line: it is enough to look at both ends and where those cross.
    """
    rules, table = shipped(ruleset_id)
    ways = WAYS * table.unit
    full = Prices.of(rules).sure_trips
    assert full == Fraction(1, 4)
    for sums in table.kinds.values():
        light = [Fraction(sums.check, ways), Fraction(sums.trips - sums.given_up, WAYS)]
        sure = [Fraction(sums.check_sure, ways), Fraction(sums.trips, WAYS)]
        bet = Fraction(best_bet(sums, Prices.of(rules))[1], ways)
        ends = light[0], sure[0] + full * sure[1]
        crossing = (light[0] - sure[0]) / (sure[1] - light[1]) if sums.given_up else Fraction(0)
        places = (Fraction(0), crossing, full)
        assert 0 <= crossing <= full
        lower = [max(light[0] + at * light[1], sure[0] + at * sure[1]) for at in places]
        upper = [ends[0] + (ends[1] - ends[0]) * at / full for at in places]
        bets = [bet + at * sure[1] for at in places]
        assert all(0 <= high - low < Fraction(1, 200) for low, high in zip(lower, upper, strict=True))
        is_bet_best = all(one >= high for one, high in zip(bets, upper, strict=True))
        is_check_best = all(one <= low for one, low in zip(bets, lower, strict=True))
        assert is_bet_best or is_check_best


@pytest.mark.parametrize(("trips", "is_lower_bound"), [(0, False), (1, True), (249, True), (250, False)])
def test_only_a_check_beside_light_trips_says_that_it_is_a_bound(trips: int, *, is_lower_bound: bool):
    rules, table = shipped("ultimate_texas.casino")
    options = advise(
        rules, Stake(ante=Amount(1_000), trips=Amount(trips)), hole=parse_cards("2S 7H"), board=[], table=table
    )
    assert [is_lower_bound, False, False] == [option.is_lower_bound for option in options]


def test_no_table_no_value_before_the_flop():
    with pytest.raises(NoTableError):
        advise(
            rules_as(UltimateTexasRules, "ultimate_texas.casino"),
            Stake(ante=Amount(2), trips=Amount(0)),
            hole=parse_cards("AS AH"),
            board=[],
        )


def test_shipped_files_are_those_named():
    folder = resources.files("referee.advice.ultimate_texas") / "data"
    found = {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in folder.iterdir()}
    assert found == SHIPPED
    assert {f"{ruleset_id}.preflop" for ruleset_id in SHIPPED_IDS} == set(found)


@pytest.mark.parametrize("ruleset_id", SHIPPED_IDS)
def test_table_reads_back_as_written(ruleset_id: str):
    rules, table = shipped(ruleset_id)
    assert table.law == law_digest(rules)
    assert PreflopTable.read(table.write()) == table


@pytest.mark.parametrize(
    ("old", "new"), [('"unit":2', '"unit":0'), ('"AKs"', '"AKx"'), ('"law"', '"lax"'), ("{", "{ ")]
)
def test_other_bytes_are_no_table(old: str, new: str):
    data = shipped("ultimate_texas.casino")[1].write().decode()
    assert old in data
    with pytest.raises(PreflopTableError):
        PreflopTable.read(data.replace(old, new, 1).encode())


def test_table_fits_a_house_ruleset_of_the_same_law_and_no_other(edited):
    """Seats, names and quotes do not matter to values; a price does."""
    same = edited(("maximum = 6", "maximum = 3"), ('order = "ANY"', 'order = "BY_SEAT"'))
    other = edited(('odds = "10/1"', 'odds = "9/1"'))
    assert PreflopTables.builtin().table_for(same) is shipped("ultimate_texas.casino")[1]
    assert PreflopTables.builtin().table_for(other) is None


def test_shelf_reads_the_tables_of_a_folder(tmp_path: Path, edited):
    other = edited(('odds = "10/1"', 'odds = "9/1"'))
    table = PreflopTable(law=law_digest(other), unit=2, kinds=shipped("ultimate_texas.casino")[1].kinds)
    (tmp_path / "ultimate_texas.house.preflop").write_bytes(table.write())
    assert PreflopTables.with_folder(tmp_path).table_for(other) == table
    (tmp_path / "ultimate_texas.worse.preflop").write_bytes(b"{}")
    with pytest.raises(PreflopTableError, match=r"ultimate_texas\.worse\.preflop"):
        PreflopTables.with_folder(tmp_path)
