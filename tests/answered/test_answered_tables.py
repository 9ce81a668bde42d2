"""Card tables: what they count, what is refused, and rulesets without them."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from referee.advice.mau_binh.card_tables import CardTables, read_tables
from referee.advice.mau_binh.population import PopulationError
from referee.advice.mau_binh.populations import Populations
from referee.answered.tables import valuer_of
from referee.answered.values import Valuer
from referee.cards import parse_cards
from referee.games.mau_binh import MauBinhRules
from referee.rulesets import get

DATA = Path(__file__).parents[2] / "referee" / "advice" / "mau_binh" / "data"
FILES = sorted(DATA.glob("*.cards"))
IDS = [file.stem for file in FILES]


def learned(rounds: int) -> CardTables:
    ruleset = get("mau_binh.classic")
    rules: MauBinhRules = ruleset.rules  # type: ignore[assignment] # the ruleset is of this game
    population = Populations.builtin().population_for(rules, digest=ruleset.digest)
    return CardTables.learn(rules, population, rounds=rounds)


def test_hand_counts_once_for_each_of_its_cards():
    tables = learned(40)
    sizes = [one.size for one in tables.by_rank]
    hands, left_over = divmod(sum(sizes), 13)
    assert left_over == 0
    assert 80 < hands <= 160
    for chi in range(3):
        assert not np.any(sum(one.counts[chi] for one in tables.by_rank) % 13)
    assert CardTables.read(tables.to_bytes()).to_bytes() == tables.to_bytes() == learned(40).to_bytes()


@pytest.mark.parametrize("file", FILES, ids=IDS)
def test_tables_that_come_with_the_referee_are_of_their_ruleset_and_small(file: Path):
    assert FILES
    assert file.stat().st_size <= 2_000_000
    (digest,) = read_tables([file])
    assert digest == get(file.stem).digest.hex()
    assert valuer_of(get(file.stem), 4) is not None


def test_known_aces_make_the_others_weaker():
    """A pair of kings in the front wins more often if the other player holds the aces."""
    ruleset = get("mau_binh.classic")
    values = valuer_of(ruleset, 4)
    assert isinstance(values, Valuer)
    hand = values.hand(parse_cards("KS KC 9S 9C 9D 5S 5C 7H 6H 3D 2D 8C TD"))
    aces = values.hand(parse_cards("AS AC AD AH 2S 3S 4S 6C 7C 8D 9H JD QC"))
    low = values.hand(parse_cards("2S 2C 2H 3S 3C 3H 4S 4C 4D 4H 6S 6C 7S"))
    arranged = hand.candidates
    with_aces, with_low = values.by_cards(hand, arranged, [aces, low])
    assert (with_aces > with_low).all()


def test_file_that_is_no_table_is_refused_and_named(tmp_path: Path):
    file = tmp_path / "house.cards"
    whole = FILES[0].read_bytes()
    for data in (whole[:-1], whole[: len(whole) // 2], b"", whole + whole):
        file.write_bytes(data)
        with pytest.raises(PopulationError, match=r"house\.cards"):
            read_tables([file])


def test_ruleset_without_tables_is_not_valued():
    assert valuer_of(replace(get("mau_binh.classic"), digest=bytes(32)), 4) is None
