"""The rules of a ranking are data, and data that contradicts itself is refused with its reason."""

from typing import Any, Final

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.cards import parse_cards
from referee.hands import AceLowStraight, Category, Ranking, RankingRules

NINE: Final = [category.value for category in Category][:9]
THREE: Final = ["HIGH_CARD", "PAIR", "THREE_OF_A_KIND"]


def _data(**changes: object) -> dict[str, Any]:
    return {"order": NINE, "three_card_order": THREE, "ace_low_straight": "LOWEST", **changes}


@given(st.permutations(list(Category)), st.sampled_from([AceLowStraight.LOWEST, AceLowStraight.SECOND_HIGHEST]))
def test_rules_survive_a_round_trip(order: list[Category], ace_low: AceLowStraight) -> None:
    rules = RankingRules(tuple(order), tuple(category for category in order if category in THREE), ace_low)
    encoded = msgspec.json.encode(rules)
    assert rules == msgspec.json.decode(encoded, type=RankingRules)
    assert encoded == msgspec.json.encode(msgspec.json.decode(encoded))


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (_data(order=NINE[1:]), "order does not list HIGH_CARD"),
        (_data(order=[*NINE, "PAIR"]), "order lists PAIR more than once"),
        (_data(order=[*NINE, "FIVE_OF_A_KIND"]), "Invalid enum value 'FIVE_OF_A_KIND'"),
        (_data(three_card_order=["HIGH_CARD"]), "three_card_order must be empty or HIGH_CARD, PAIR, THREE_OF_A_KIND"),
        (_data(three_card_order=[*THREE, "FLUSH"]), "three_card_order must be empty"),
        (_data(three_card_order=THREE[::-1]), "three_card_order must be empty"),
        (_data(order=[*NINE, "LOW_STRAIGHT_FLUSH"], ace_low_straight="NOT_A_STRAIGHT"), "A-2-3-4-5 is no straight"),
        (_data(ace_low_straight="MIDDLE"), "Invalid enum value 'MIDDLE'"),
        (_data(suit_order=[]), "unknown field `suit_order`"),
        ({"order": NINE, "three_card_order": THREE}, "missing required field `ace_low_straight`"),
    ],
)
def test_contradictory_rules_are_refused(data: dict[str, Any], reason: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=reason):
        msgspec.convert(data, RankingRules)


@pytest.mark.parametrize(
    ("ace_low", "straights", "weaker_to_stronger"),
    [
        (AceLowStraight.LOWEST, 4, ["AS 2C 3S 4S 5S", "2S 3C 4S 5S 6S", "9S TC JS QS KS", "TS JC QS KS AS"]),
        (AceLowStraight.SECOND_HIGHEST, 4, ["2S 3C 4S 5S 6S", "9S TC JS QS KS", "AS 2C 3S 4S 5S", "TS JC QS KS AS"]),
        (AceLowStraight.NOT_A_STRAIGHT, 1, ["AS 2C 3S 4S 5S", "AS 2C 3S 4S 6S", "2S 2C 3S 4S 5S", "2S 3C 4S 5S 6S"]),
    ],
)
def test_the_low_straight_ranks_where_the_rules_say(
    ace_low: AceLowStraight, straights: int, weaker_to_stronger: list[str]
) -> None:
    ranking = Ranking.of(msgspec.convert(_data(ace_low_straight=ace_low.value), RankingRules))
    values = [ranking.five(parse_cards(text)) for text in weaker_to_stronger]
    assert values == sorted(values)
    assert len(set(values)) == len(values)
    assert straights == [value.category for value in values].count(Category.STRAIGHT)
    suited = [ranking.five(parse_cards(text.replace("C", "S"))) for text in weaker_to_stronger if text[:2] != "2S"]
    assert suited == sorted(suited)


@pytest.mark.parametrize("text", ["KS AS 2S 3S 4C", "QS KS AS 2S 3C", "JS QS KS AS 2C"])
def test_no_straight_wraps_around_the_ace(classic: Ranking, text: str) -> None:
    assert classic.five(parse_cards(text)).category is Category.HIGH_CARD


def test_straight_flushes_of_the_maubinh_com_sheet_rank_plain_low_royal(maubinh_com: Ranking) -> None:
    """Strong to weak: four aces, 10-A, A-5, then the others by their top card, then four kings."""
    texts = ["AS AC AD AH 2S", "AS KS QS JS TS", "5S 4S 3S 2S AS", "KS QS JS TS 9S", "6S 5S 4S 3S 2S", "KS KC KD KH AS"]
    values = [maubinh_com.five(parse_cards(text)) for text in texts]
    assert values == sorted(values, reverse=True)
    assert [value.category.value for value in values] == [
        "FOUR_ACES",
        "ROYAL_FLUSH",
        "LOW_STRAIGHT_FLUSH",
        "STRAIGHT_FLUSH",
        "STRAIGHT_FLUSH",
        "FOUR_OF_A_KIND",
    ]
