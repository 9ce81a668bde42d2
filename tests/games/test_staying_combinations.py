"""No fault pays a seat under any combination of knobs that the loader takes, but where a sheet's own words allow it."""

import random
from collections import Counter
from typing import Any, Final

import msgspec

from referee.cards import DECK, Seat
from referee.games.commission import NoCommission
from referee.games.mau_binh import MauBinhRules
from referee.games.mau_binh.bounds import Fault
from referee.games.mau_binh.penalties import NoWinnerSweep
from referee.games.ultimate_texas import Decision, UltimateTexasRules
from referee.games.ultimate_texas.game import GAME as TEXAS
from referee.games.ultimate_texas.state import Event as TexasEvent
from referee.games.ultimate_texas.state import State as TexasState
from referee.rulesets import load_builtin
from referee.rulesets.shape import newest_schema, spelled_out
from tests.budget import examples
from tests.games import combinations, combinations_tien_len
from tests.games.combinations import FOULED, LATER, LAWFUL, LEFT, SHUT, Table
from tests.games.rounds import open_texas, texas_deal
from tests.randomness import random_from

NO_FAULT_OF_PARTNERS: Final = {"a sweep by every seat", "all others"}
"""Rules under which two partners win nothing by a fault; the others' own words make one pay."""


def mau_binh_rules(luck: random.Random, count: int) -> list[MauBinhRules]:
    """Return the rules of some drawn combinations that the loader takes."""
    drawn = [rules for _, rules in combinations.combinations(luck, count) if rules is not None]
    assert len(drawn) > count // 20
    return drawn


def test_no_fault_pays_a_seat_of_mau_binh_but_by_a_sheets_words() -> None:
    """On every deal, whatever the others do: leaving, stalling, fouling, keeping shut, leaving while a chi is shown."""
    luck, tried = random_from(21), Counter[str]()
    for rules in mau_binh_rules(luck, examples(400)):
        for table in combinations.tables_of(rules, luck, 5):
            for gain in combinations.gains(rules, table, luck):
                if gain.fault not in combinations.allowed(rules):
                    assert gain.more <= 0, (gain, table, rules)
                    tried[gain.fault] += 1
                    tried["winner's sweep"] += not isinstance(rules.winner_sweep, NoWinnerSweep)
    assert min(tried[fault] for fault in (*combinations.FAULTS, "winner's sweep")) >= 100, tried


def test_fault_that_the_loader_refuses_would_pay() -> None:
    """Most combinations that are refused for a cheap fault let it win more on some deal of a few."""
    luck, better, refused = random_from(22), 0, 0
    for data, rules in combinations.combinations(luck, examples(400)):
        taken = combinations.unasked(data) if rules is None else None
        if taken is None or not any(taken.losses.is_cheap(fault) for fault in Fault):
            continue
        refused += 1
        better += any(
            gain.more > 0
            for table in combinations.tables_of(taken, luck, 12)
            for gain in combinations.gains(taken, table, luck)
        )
    assert refused > 100
    assert better > refused // 2


def test_fault_of_a_partner_neither_makes_nor_saves_a_third_seats_winner_sweep() -> None:
    """What lawful third seats owe is what they owe without the winner's sweep, and partners win nothing by a fault."""
    luck, seen = random_from(23), Counter[str]()
    for drawn in mau_binh_rules(luck, examples(500)):
        rules = msgspec.structs.replace(drawn, commission=NoCommission())
        unasked = msgspec.structs.replace(
            rules.leaving, allowed_by=None
        )  # for it is not asked whether a fault is cheap
        plain = msgspec.structs.replace(rules, winner_sweep=NoWinnerSweep(), leaving=unasked)
        for table in combinations.tables_of(rules, luck, 4):
            if rules.winner_sweep != plain.winner_sweep:
                seen += third_seats(rules, plain, table)
            if len(table.hands) > 2 and combinations.kind_of(rules) in NO_FAULT_OF_PARTNERS:  # else partners are all
                for fault, more in combinations.partners_gains(rules, table):
                    assert fault == LATER or more <= 0, (fault, more, table, rules)
                    seen["partners"] += 1
    assert min(seen[case] for case in (LEFT, FOULED, SHUT, "partners", "a price that was not made")) >= 20, seen


def third_seats(rules: MauBinhRules, plain: MauBinhRules, table: Table) -> Counter[str]:
    """Compare what lawful seats win from a fault with and without a winner's sweep, the seat that won all apart."""
    seen, seats = Counter[str](), range(len(table.hands))
    for at_fault in seats:
        for fault in (LEFT, FOULED, SHUT):
            ways = [fault if seat == at_fault else LAWFUL for seat in seats]
            won, without = combinations.net(rules, table, ways), combinations.net(plain, table, ways)
            if won is None or without is None:
                continue
            changed = [seat for seat in seats if won[seat] != without[seat]]
            assert not changed or at_fault in changed, (fault, at_fault, table, rules)
            assert len(changed) in {0, 2}, (fault, changed, table, rules)
            seen[fault] += 1
            seen["a price that was not made"] += len(changed) == 2 and len(seats) > 2
    return seen


def test_leaving_never_pays_a_seat_of_tien_len_that_sees_all_cards() -> None:
    luck, tried = random_from(24), Counter[str]()
    for _ in range(examples(150)):
        rules = combinations.rules_of("tien_len", combinations_tien_len.drawn_tien_len(luck))
        assert rules is not None, "no knob of this game makes leaving pay, so the loader takes every combination"
        for position in combinations_tien_len.positions(rules, luck, cards=3):
            assert position.left <= position.stayed, (position, rules)
            tried["as much" if position.left == position.stayed else "less"] += 1
    assert min(tried["as much"], tried["less"]) >= 50, tried


def test_leaving_ultimate_texas_is_checking_and_folding() -> None:
    """So is letting every clock run; a seat can do that itself, whatever the limits and the rule of hands."""
    luck, streets = random_from(25), Counter[int]()
    for _ in range(examples(60)):
        rules = combinations.rules_of("ultimate_texas", drawn_ultimate_texas(luck))
        assert rules is not None
        cards = tuple(luck.sample(DECK, 9))
        bets = luck.choice([(20, 4), (200, 0), (100, 100)])
        state = open_texas(
            TEXAS.begin(rules, texas_deal([bets])), hands=(cards[:2],), house=cards[2:4], board=cards[4:]
        )
        for street in range(3):
            folded = [Decision.CHECK] * (2 - street) + [Decision.FOLD]
            won = net_of(state, folded)
            assert won == -2 * bets[0] - bets[1]
            assert net_of(state, [Decision.LEAVE]) == net_of(state, [Decision.TIMEOUT] * (3 - street)) == won
            streets[street] += 1
            if street < 2:
                state = decided(state, Decision.CHECK)
    assert min(streets.values()) >= 20


def drawn_ultimate_texas(luck: random.Random) -> dict[str, Any]:
    sheet = luck.choice([one for one in load_builtin() if one.game == "ultimate_texas"])
    data: Any = spelled_out(sheet.rules, schema=newest_schema(UltimateTexasRules))
    limits = {"smallest_ante": 20, "largest_ante": 400, "smallest_trips": 4, "largest_trips": 100, "reason": "a test"}
    return data | {"limits": luck.choice([{"kind": "NONE"}, {"kind": "BOUNDED", **limits}])}


def decided(state: TexasState, decision: Decision) -> TexasState:
    assert state.deadline_time is not None
    time = state.deadline_time if decision is Decision.TIMEOUT else state.last_time
    return TEXAS.apply(state, TexasEvent(Seat(0), decision, time))


def net_of(state: TexasState, decisions: list[Decision]) -> int:
    """Return what the seat wins, in minor units."""
    for decision in decisions:
        state = decided(state, decision)
    assert not TEXAS.check_closing(state, state.last_time)
    return sum(one.amount if one.payee == 0 else -one.amount for one in TEXAS.settle(state).transfers)
