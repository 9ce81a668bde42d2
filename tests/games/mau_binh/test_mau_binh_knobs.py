"""What houses ask for of Mậu Binh, against a second writing of the rule; the plain settlement is the slow one's."""

import dataclasses
import math
from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

import msgspec
import pytest

from referee.cards import Seat
from referee.games.commission import Commission
from referee.games.mau_binh import GAME, Arrange, Event, Leave, MauBinhRules
from referee.games.mau_binh.bounds import Fault
from referee.games.mau_binh.penalties import LeavingBefore, WinnerSweepTimes
from referee.games.mau_binh.rules import max_units
from referee.games.mau_binh.showdown import showdown
from referee.money import house_net
from referee.rulesets import Ruleset, load_examples
from tests.budget import examples
from tests.builtin import rules_as
from tests.games.mau_binh.test_mau_binh_sealed import sealed_events
from tests.games.mau_binh.test_mau_binh_slow_settlement import (
    SHEETS,
    best_win,
    is_foul,
    slow_settle,
    winner_sweep_added,
)
from tests.games.rounds import hands_deal, settled
from tests.randomness import random_from

RoundMaker: TypeAlias = Callable[[MauBinhRules, int], Any]

PERMILLE, CAP = 370, 6
USELESS = {(2, "chi_2020")}
"""A multiplier that changes nothing on a sheet, and so is refused."""


@pytest.fixture(name="house")
def house_fixture(rules: MauBinhRules) -> MauBinhRules:
    return msgspec.structs.replace(rules, commission=Commission(permille=PERMILLE, cap_units=CAP, reason="test"))


def test_commission_is_what_the_sheet_says_over_random_rounds(
    ruleset: Ruleset, house: MauBinhRules, make_round: RoundMaker
) -> None:
    """Each seat that won on balance, instant wins among them, pays its thousandths, rounded down, at most the cap."""
    seen = Counter[str]()
    for seed in range(examples(200)):
        sample, stake = make_round(house, seed), 7 + seed
        is_over = any(best_win(SHEETS[ruleset.id], hand) for hand in sample.hands)
        deal = hands_deal(sample.hands, stake=stake, dealt_time=sample.dealt_time)
        played = settled(GAME, house, deal, () if is_over else sample.events, closed_time=sample.closed_time)
        won: dict[int, int] = defaultdict(int)
        slow = slow_settle(SHEETS[ruleset.id], sample.hands, sample.events, sample.dealt_time)
        for (payer, payee), units in slow["owed"].items():
            won[payee] += units * stake
            won[payer] -= units * stake
        parts = {
            seat: min(math.floor(Fraction(net * PERMILLE, 1000)), CAP * stake) for seat, net in won.items() if net > 0
        }
        transfers = played.outcome.transfers
        paid = {one.payer: one.amount for one in transfers if one.reason == "COMMISSION"}
        assert paid == parts, seed
        assert all(one.payee == 255 for one in transfers[len(transfers) - len(paid) :])
        seats = range(len(sample.hands))
        assert list(played.outcome.net) == [won[seat] - parts.get(seat, 0) for seat in seats], seed
        assert sum(played.outcome.net) + house_net(transfers) == 0
        assert max(map(abs, played.outcome.net)) <= max_units(house, seat_count=len(seats)) * stake
        shown = showdown(house, played.outcome, stake=stake, names=ruleset.names).summary
        assert [line.net_units * stake for line in shown] == [won[seat] for seat in seats]
        assert [line.net_units for line in shown] == [
            line.chi_units + line.added_units + line.instant_win_units for line in shown
        ]
        assert [(line.commission, line.net) for line in shown] == [
            (parts.get(seat, 0), won[seat] - parts.get(seat, 0)) for seat in seats
        ]
        seen["capped"] += CAP * stake in parts.values()
        seen["rounded"] += any(0 < part < CAP * stake and won[seat] * PERMILLE % 1000 for seat, part in parts.items())
        seen["at the deal"] += is_over
    assert min(seen[case] for case in ("capped", "rounded", "at the deal")) >= 5, seen


def lawful_round(sheet: str, house: MauBinhRules, make_round: RoundMaker, seed: int) -> Any:  # noqa: ANN401 - a round
    """Make a round in which nearly every arrangement is lawful, and in which seats leave while chi are shown."""
    sample, rng = make_round(house, seed), random_from(seed)
    events: list[Event] = []
    for seat, hand in enumerate(sample.hands):
        counts = Counter(card.rank for card in hand)
        cards = sorted(hand, key=lambda card: (counts[card.rank], card.rank), reverse=True)
        for _ in range(60):
            if not is_foul(sheet, (cards[:5], cards[5:10], cards[10:])):
                break
            rng.shuffle(cards)
        chi = tuple(cards[:5]), tuple(cards[5:10]), tuple(cards[10:])
        events.append(Arrange(Seat(seat), *chi, sample.dealt_time + 1 + seat))
    shown = events[-1].time
    leaving = sorted((shown + rng.randrange(1, 15_000), seat) for seat in range(len(events)) if rng.random() < 0.15)
    events += [Leave(Seat(seat), time) for time, seat in leaving]
    return dataclasses.replace(sample, events=tuple(events), closed_time=max(one.time for one in events))


def assert_is_settled_as_the_second_writing_says(
    played: Any,  # noqa: ANN401 - of tests.games.rounds
    slow: dict[str, Any],
    *,
    stake: int,
    note: object,
) -> Counter[str]:
    """Compare what pairs owe, and apart from it what is paid in others' place; return what was seen."""
    paid: dict[tuple[int, int], int] = defaultdict(int)
    instead: dict[int, int] = {}
    for transfer in played.outcome.transfers:
        if transfer.reason == "COMPENSATION":
            assert transfer.payee == slow["winner"], note
            assert transfer.payer not in instead, note
            instead[transfer.payer] = transfer.amount
        else:
            paid[transfer.payer, transfer.payee] += transfer.amount
    assert {pair: stake * units for pair, units in slow["owed"].items()} == dict(paid), note
    assert {seat: stake * units for seat, units in slow["instead"].items()} == instead, note
    shared = len(instead) > 1
    return Counter(
        {
            **Counter([transfer.reason for transfer in played.outcome.transfers]),
            "an odd unit": shared and len(set(instead.values())) > 1,
            "an even share": shared and len(set(instead.values())) == 1,
        }
    )


@pytest.mark.parametrize("departure_is_sweep", [False, True])
@pytest.mark.parametrize("times", [2, 5])
def test_winner_of_everything_is_paid_so_many_times(
    ruleset: Ruleset, rules: MauBinhRules, make_round: RoundMaker, times: int, *, departure_is_sweep: bool
) -> None:
    """The dearest price by each seat at fault, which pays for the lawful ones too; without a fault, by everybody."""
    sheet, seen = SHEETS[ruleset.id], Counter[str]()
    if departure_is_sweep:
        leaving = msgspec.structs.replace(rules.leaving, before_showdown=LeavingBefore.SWEPT)
        rules = msgspec.structs.replace(rules, leaving=leaving)
    if (times, sheet) in USELESS:
        times = 4
    house = msgspec.structs.replace(rules, winner_sweep=WinnerSweepTimes(multiplier=times, reason="test"))
    for seed in range(examples(200)):
        sample = lawful_round(sheet, house, make_round, seed) if seed % 3 else make_round(house, seed)
        if any(best_win(sheet, hand) for hand in sample.hands):
            continue
        deal = hands_deal(sample.hands, stake=3, dealt_time=sample.dealt_time)
        played = settled(GAME, house, deal, sample.events, closed_time=sample.closed_time)
        plain = slow_settle(
            sheet, sample.hands, sample.events, sample.dealt_time, departure_is_sweep=departure_is_sweep
        )
        slow = winner_sweep_added(sheet, plain, times)
        seen += assert_is_settled_as_the_second_writing_says(played, slow, stake=3, note=seed)
        if slow["winner"] is not None:
            has_fault = bool(plain["fouled"] | plain["left"])
            seen[f"{len(sample.hands)} seats, {'a' if has_fault else 'no'} fault"] += 1
            if has_fault and slow["owed"] != plain["owed"]:
                seen["paid by who is at fault"] += 1
        assert max(map(abs, played.outcome.net)) <= 3 * max_units(house, seat_count=len(sample.hands))
    assert min(seen[f"{count} seats, a fault"] for count in (2, 3, 4)) >= 3, seen
    assert min(seen[f"{count} seats, no fault"] for count in (2, 3)) >= 3, seen
    assert min(seen[case] for case in ("COMPENSATION", "WINNER_SWEEP", "paid by who is at fault")) >= 3, seen


@pytest.mark.parametrize("times", [2, 5])
def test_shut_hand_pays_the_winner_of_everything_as_the_second_writing_says(
    ruleset: Ruleset, rules: MauBinhRules, make_round: RoundMaker, times: int
) -> None:
    """On a sealed table a seat that does not open is at fault like one that fouled."""
    sheet, seen = SHEETS[ruleset.id], Counter[str]()
    if (times, sheet) in USELESS:
        times = 4
    house = msgspec.structs.replace(rules, winner_sweep=WinnerSweepTimes(multiplier=times, reason="test"))
    for seed in range(examples(250)):
        sample = lawful_round(sheet, house, make_round, seed)
        if any(best_win(sheet, hand) for hand in sample.hands):
            continue
        sealed, plain, shut = sealed_events(sample, house, random_from(seed))
        deal = hands_deal(sample.hands, stake=3, dealt_time=sample.dealt_time, is_sealed=True)
        played = settled(GAME, house, deal, sealed, closed_time=sealed[-1].time)
        found = slow_settle(sheet, sample.hands, plain, sample.dealt_time, unopened=shut)
        slow = winner_sweep_added(sheet, found, times)
        seen += assert_is_settled_as_the_second_writing_says(played, slow, stake=3, note=seed)
        seen["shut"] += slow["winner"] is not None and bool(shut)
        assert max(map(abs, played.outcome.net)) <= 3 * max_units(house, seat_count=len(sample.hands))
    assert min(seen[case] for case in ("shut", "COMPENSATION", "WINNER_SWEEP")) >= 3, seen


def test_results_show_the_part_of_the_house_only_where_it_has_one(
    rules: MauBinhRules, house: MauBinhRules, make_round: RoundMaker
) -> None:
    shown = []
    for one in (rules, house):
        sample = make_round(one, 3)
        deal = hands_deal(sample.hands, stake=1000, dealt_time=sample.dealt_time)
        played = settled(GAME, one, deal, sample.events, closed_time=sample.closed_time)
        shown.append(GAME.encode_results(played.state, played.outcome).get("house"))
    assert shown[0] is None
    assert shown[1] == {"net": house_net(played.outcome.transfers)}


def test_example_uses_every_knob_of_the_game() -> None:
    rules = rules_as(MauBinhRules, load_examples().get("mau_binh.house_example"))
    assert isinstance(rules.commission, Commission)
    assert isinstance(rules.winner_sweep, WinnerSweepTimes)
    assert rules.losses.allowed == (Fault.FOUL,)
