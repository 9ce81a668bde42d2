"""The rulesets, and twelve arrangements that lose to and win from one another in every way that pays."""

from dataclasses import dataclass

import msgspec
import pytest

from referee.advice.mau_binh.population import HandPopulation, Origin
from referee.cards import parse_cards
from referee.games.mau_binh import Arrangement, MauBinhRules
from referee.games.mau_binh.penalties import (
    FourAcesFullSweep,
    NoFourAcesSweep,
    NoSweep,
    SweptByAll,
    SweptPairTimes,
    WinnerSweepTimes,
)
from referee.rulesets import Ruleset, get
from tests.builtin import rules_as

RULESETS = ("mau_binh.maubinh_com", "mau_binh.classic", "mau_binh.chi_2020")
ORIGIN = Origin(
    ruleset_id="mau_binh.test", ruleset_version="1.0.0", ruleset_digest="00" * 32, sweep="", rounds=0, seed=0
)

ARRANGED = (
    "AS AC AD AH 2S / KS KC KD 3S 3C / QS QC QD",
    "AS AC AD AH 9S / KS KC QD QH 3C / TS JC 2D",
    "AS AC AD AH KS / QS QC 4D 3H 2C / TS 9C 8D",
    "TS JS QS KS AS / 9C 9D 9H 9S 2C / 8S 8C 8D",
    "AS 2S 3S 4S 5S / 7C 8C 9C TC KC / KS KH QD",
    "7S 7C 7D 7H 2S / 6S 6C 6D 5H 5C / 4S 4C 4D",
    "9S 9C 9D 8H 8C / JS JC TD TH 2C / AS AC KD",
    "AS JS 9S 6S 3S / 8H 8D 7C 6H 2C / KH JC TC",
    "5S 6C 7D 8H 9C / AS 2C 3D 4H 5C / QS QC 2D",
    "KS KC QD QH 3C / TS TC 9D 7H 2C / AH 5C 4C",
    "7S 5C 4D 3H 2C / 7C 5D 4H 3S 2D / 6S 4C 2H",
    "8S 8C 8D 4H 2C / 7H 7S 5C 3D 2H / 6S 6C 9D",
)


@dataclass(frozen=True, slots=True)
class Few:
    """Some arrangements under some rules, and the population that they are. All strengths differ, so bins hold one."""

    rules: MauBinhRules
    arrangements: tuple[Arrangement, ...]
    population: HandPopulation

    @property
    def hangs_together(self) -> bool:
        """Whether two sweeps that depend on all hands pay at one table: by every seat, of four aces, of the winner."""
        has_another = isinstance(self.rules.four_aces_sweep, FourAcesFullSweep) or isinstance(
            self.rules.winner_sweep, WinnerSweepTimes
        )
        return has_another and isinstance(self.rules.sweep, SweptByAll)

    def strengths(self, arrangement: Arrangement) -> tuple[int, int, int]:
        """Of back, middle and front."""
        ranker = self.rules.ranker
        back, middle, front = arrangement.chi
        return ranker.five_strength(back), ranker.five_strength(middle), ranker.three_strength(front)


def few_of(rules: MauBinhRules) -> Few:
    """Return the twelve arrangements under these rules."""
    made = [Arrangement(*(parse_cards(chi) for chi in text.split("/"))) for text in ARRANGED]
    few = Few(rules, tuple(made), HandPopulation.counted(rules.ranker, [(1, 1, 1)], origin=ORIGIN))
    counted = HandPopulation.counted(rules.ranker, [few.strengths(one) for one in made], origin=ORIGIN)
    return Few(rules, few.arrangements, counted)


@pytest.fixture(params=RULESETS, scope="session")
def ruleset(request: pytest.FixtureRequest) -> Ruleset:
    return get(request.param)


@pytest.fixture(scope="session")
def rules(ruleset: Ruleset) -> MauBinhRules:
    return rules_as(MauBinhRules, ruleset)


VARIANTS = (
    *("no sweep", "no four aces", "four aces and a sweep between two"),
    *(f"{name} and a winner's sweep" for name in (*RULESETS, "no sweep", "no four aces")),
)


@pytest.fixture(params=[*RULESETS, *VARIANTS], scope="session")
def few(request: pytest.FixtureRequest) -> Few:
    """Return the twelve under each ruleset, and under variants of a house."""
    sheet = request.param.partition(" ")[0]
    rules = rules_as(MauBinhRules, sheet if sheet in RULESETS else RULESETS[0])
    if request.param.startswith("no sweep"):
        rules = msgspec.structs.replace(rules, sweep=NoSweep(source="a test", quote="nothing"))
    elif request.param.startswith("no four aces"):
        rules = msgspec.structs.replace(rules, four_aces_sweep=NoFourAcesSweep(source="a test", quote="nothing"))
    elif request.param == "four aces and a sweep between two":
        rules = msgspec.structs.replace(rules, sweep=SweptPairTimes(multiplier=2, source="a test", quote="twice"))
    if " and a winner's sweep" in request.param:
        rules = msgspec.structs.replace(rules, winner_sweep=WinnerSweepTimes(multiplier=5, reason="test"))
    return few_of(rules)
