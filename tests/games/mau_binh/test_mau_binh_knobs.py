"""What houses ask for of Mậu Binh, against a second writing of the rule; the plain settlement is the slow one's."""

import math
from collections import Counter, defaultdict
from collections.abc import Callable
from fractions import Fraction
from typing import Any, TypeAlias

import msgspec
import pytest

from referee.games.commission import Commission
from referee.games.mau_binh import GAME, MauBinhRules
from referee.games.mau_binh.rules import max_units
from referee.games.mau_binh.showdown import showdown
from referee.money import house_net
from referee.rulesets import Ruleset, load_examples
from tests.budget import examples
from tests.games.mau_binh.test_mau_binh_slow_settlement import SHEETS, best_win, slow_settle
from tests.games.rounds import hands_deal, settled

RoundMaker: TypeAlias = Callable[[MauBinhRules, int], Any]

PERMILLE, CAP = 370, 6


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
    rules = load_examples().get("mau_binh.house_example").rules
    assert isinstance(rules, MauBinhRules)
    assert isinstance(rules.commission, Commission)
