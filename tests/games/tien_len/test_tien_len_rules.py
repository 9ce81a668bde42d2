"""The rules are data: what the docstring prints, what has a name and a text, and what a file may not say."""

import itertools
import string
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from referee.cards import Seat, parse_cards
from referee.games.tien_len import Fault, Kind, TienLenRules, chop, read_combination, set_of
from referee.games.tien_len.chop import beats, chopped_by, takes, victim_of
from referee.games.tien_len.code import Pattern, Victim
from referee.games.tien_len.instant_win import find_instant_win, top_of_pattern
from referee.games.tien_len.rules import LeadRule, Leaving, Leftover
from referee.rulesets import Language, load_texts
from referee.verdict import Violation
from tests.builtin import rules_as
from tests.games.tien_len.scenes import variant


def test_the_chop_table_in_the_docstring_is_the_data(rules: TienLenRules) -> None:
    assert chop.__doc__ is not None
    rows = [line.strip("| ").split(" | ") for line in chop.__doc__.splitlines() if line.startswith("|")]
    header, _, *body = rows
    assert ["chops with", *Victim] == header
    assert [row[0] for row in body] == ["PAIR_RUN_3", "QUAD", "PAIR_RUN_4"]
    for name, *cells in body:
        kind = Kind(name)
        words = [
            "smaller" if victim.value == kind.value else "yes" if victim in takes(rules.chops, kind) else "-"
            for victim in Victim
        ]
        assert words == cells


def test_only_three_kinds_chop_and_only_five_things_are_chopped(rules: TienLenRules) -> None:
    assert {kind for kind in Kind if takes(rules.chops, kind)} == {Kind.PAIR_RUN_3, Kind.QUAD, Kind.PAIR_RUN_4}
    found = {
        text: victim_of(play)
        for text in ("2S", "2S 2H", "2S 2H 2D", "AS", "AS AH", "3S 4S 5S", "2S 2C 2D 2H", "3S 3H 4S 4H 5S 5H")
        if (play := read_combination(set_of(parse_cards(text)))) is not None
    }
    assert found == {
        "2S": Victim.TWO,
        "2S 2H": Victim.PAIR_OF_TWOS,
        "2S 2H 2D": None,
        "AS": None,
        "AS AH": None,
        "3S 4S 5S": None,
        "2S 2C 2D 2H": Victim.QUAD,
        "3S 3H 4S 4H 5S 5H": Victim.PAIR_RUN_3,
    }


def test_no_play_beats_itself_nor_chops_itself(rules: TienLenRules) -> None:
    """What is put on another has a higher top card; what a chop of its own kind takes is smaller."""
    texts = ("3S", "2H", "4S 4C", "2D 2H", "5S 5C 5D", "6S 6C 6D 6H", "3S 4S 5S", "3S 3H 4S 4H 5S 5H")
    for text in (*texts, "3S 3H 4S 4H 5S 5H 6S 6H"):
        play = read_combination(set_of(parse_cards(text)))
        assert play is not None
        assert not beats(rules.chops, play, than=play)
        assert chopped_by(rules.chops, play, victim=play) is None


@pytest.mark.parametrize(("pattern", "length"), [(Pattern.PAIR_RUN_5, 5), (Pattern.PAIR_RUN_6, 6)])
def test_pairs_in_a_row_begin_at_any_rank_and_hold_no_twos(pattern: Pattern, length: int) -> None:
    """From the threes on; a hand with one pair fewer in the row has none."""
    ranks = "3456789TJQKA2"
    for low in range(14 - length):
        pairs = ranks[low : low + length]
        hand = set_of(parse_cards(" ".join(f"{rank}C {rank}H" for rank in pairs)))
        top = top_of_pattern(pattern, hand)
        assert (top and top.text) == (None if "2" in pairs else f"{pairs[-1]}H")
        assert top_of_pattern(pattern, hand & ~set_of(parse_cards(f"{pairs[0]}C"))) is None


@pytest.mark.parametrize(
    ("hand", "top"),
    [
        ("3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC 2H", "AC"),
        ("3C 4C 5C 6C 7C 8C 9C TC JC QC KC 2C AH", "2C"),
        ("3C 4C 5C 6C 7C 8C 9C TC JC QC KC AH 2H", None),
    ],
)
def test_top_of_twelve_cards_of_a_suit_is_the_best_of_them(hand: str, top: str | None) -> None:
    """A better card of another suit does not count, nor one of the suit that is not held."""
    found = top_of_pattern(Pattern.TWELVE_OF_A_SUIT, set_of(parse_cards(hand)))
    assert (found and found.text) == top


@pytest.mark.parametrize("language", list(Language))
def test_every_fault_has_words_that_use_only_facts_it_has(language: Language) -> None:
    texts = load_texts("tien_len")
    violation = Violation(
        code="", seat=Seat(1), cards=parse_cards("3S"), against=parse_cards("4S"), expected=5, found=6
    )
    for fault in Fault:
        said = texts.say(replace(violation, code=fault), language)
        assert said.endswith(".")
        assert not set("{}?") & set(said)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"seats": {"minimum": 4, "maximum": 2}}, "more than seats.maximum"),
        ({"seats": {"minimum": 2, "maximum": 5}}, "<= 4"),
        ({"chops": {"quad": ["TWO", "TWO"]}}, "chops.quad lists TWO more than once"),
        ({"chops": {"quad": ["THREE_TWOS"]}}, "THREE_TWOS"),
        ({"chops": {"chain": "NOBODY_PAYS"}}, "NOBODY_PAYS"),
        ({"chop_prices": {"quad": 1.5}}, "int"),
        ({"chop_prices": {"quad": -1}}, ">= 0"),
        ({"chop_prices": {"triple": 1}}, "unknown field `triple`"),
        ({"turn": {"quote": ""}}, "length >= 1"),
    ],
)
def test_a_file_that_contradicts_itself_is_refused(rules: TienLenRules, change: dict[str, Any], reason: str) -> None:
    data = msgspec.to_builtins(rules)
    for table, values in change.items():
        data[table].update(values)
    with pytest.raises(msgspec.ValidationError, match=reason):
        msgspec.convert(data, TienLenRules)


@pytest.mark.parametrize(
    ("card", "black_two", "red_two", "least"),
    [(1, 2, 3, 13), (5, 3, 4, 59), (5, 3, 9, 61), (5, 9, 3, 61), (2, 0, 1, 20), (0, 0, 0, 0)],
)
def test_untouched_hand_costs_more_than_thirteen_cards_may(card: int, black_two: int, red_two: int, least: int) -> None:
    """The cheapest thirteen cards hold the twos of each colour that cost less than other cards."""
    prices = {"card": card, "black_two": black_two, "red_two": red_two}

    def with_untouched(units: int) -> TienLenRules:
        data = msgspec.to_builtins(rules_as(TienLenRules, "tien_len.mien_nam"))
        data["leftover_prices"].update(prices)
        data["leftover"] = {"kind": "UNTOUCHED", "untouched_units": units, "reason": "test"}
        return msgspec.convert(data, TienLenRules)

    assert with_untouched(least + 1).untouched_units == least + 1
    if least:
        with pytest.raises(msgspec.ValidationError, match=f"thirteen cards left cost {least} or more"):
            with_untouched(least)


@pytest.mark.parametrize(
    ("rule", "members"),
    [
        (Leaving, {"kind": "NONE"}),
        (Leaving, {"kind": "MULTIPLIED", "multiplier": 2, "reason": "test"}),
        (LeadRule, {"first": "DRAWN"}),
        (LeadRule, {"first": "LOWEST_CARD", "reason": "test"}),
        (Leftover, {"kind": "NONE"}),
        (Leftover, {"kind": "UNTOUCHED", "untouched_units": 16, "reason": "test"}),
    ],
)
def test_knob_has_no_other_members(rule: Any, members: dict[str, Any]) -> None:  # noqa: ANN401 - a union of types
    assert msgspec.to_builtins(msgspec.convert(members, rule)) == members
    with pytest.raises(msgspec.ValidationError, match="unknown field `other`"):
        msgspec.convert(members | {"other": 1}, rule)


def test_a_pattern_listed_twice_is_refused(rules: TienLenRules) -> None:
    data = msgspec.to_builtins(rules)
    data["instant_wins"] = [*data["instant_wins"], data["instant_wins"][0]]
    with pytest.raises(msgspec.ValidationError, match="instant_wins lists DRAGON_RUN more than once"):
        msgspec.convert(data, TienLenRules)


def test_the_order_of_patterns_is_the_files(rules: TienLenRules) -> None:
    """A house that puts six pairs first has them win over a dragon run."""
    turned = list(reversed(msgspec.to_builtins(rules)["instant_wins"]))
    hands = tuple(
        set_of(parse_cards(text))
        for text in ("3S 4D 5H 6C 7H 8D 9D TS JH QS KC AC 2H", "4C 4H 5D 5C 6S 6H 9C 9H JS JD KS KD 3C")
    )
    as_released = find_instant_win(rules.instant_wins, hands)
    as_turned = find_instant_win(variant({"instant_wins": turned}).instant_wins, hands)
    assert as_released is not None
    assert as_turned is not None
    assert (as_released.seat, as_released.units) == (0, 9)
    assert (as_turned.seat, as_turned.units) == (1, 2)


def test_every_price_of_a_file_is_among_those_proved_whole(rules: TienLenRules) -> None:
    """Each number is made another: fourteen prices, eight patterns, two penalties and that of a hand never played."""
    data = msgspec.to_builtins(rules)
    data["leftover"] = {"kind": "UNTOUCHED", "untouched_units": 10_000, "reason": "a house's own"}
    tables = [data["chop_prices"], data["leftover_prices"], *data["instant_wins"]]
    tables += [data["last_three_of_spades"], data["stopped_three_of_spades"]]
    numbers = itertools.count(100)
    for table in tables:
        table.update({key: next(numbers) for key, value in table.items() if type(value) is int})
    payouts = msgspec.convert(data, TienLenRules).payouts
    assert sorted(payouts) == [*range(100, 100 + 14 + 8 + 2), 10_000]


def test_codes_are_ascii_in_capitals() -> None:
    allowed = set(string.ascii_uppercase + string.digits + "_")
    assert all(set(code.value) <= allowed for code in (*Fault, *Kind, *Victim))


def test_without_six_pairs_in_a_row_the_better_five_of_them_win(rules: TienLenRules) -> None:
    """A house variant; of 4 to 9 the pairs from 5 to 9 are the higher run of five."""
    fewer = [win for win in msgspec.to_builtins(rules)["instant_wins"] if win["pattern"] != "PAIR_RUN_6"]
    hand = set_of(parse_cards("4D 4H 5D 5H 6C 6H 7C 7H 8C 8D 9C 9D KS"))
    found = find_instant_win(variant({"instant_wins": fewer}).instant_wins, (hand,))
    assert found is not None
    assert (found.pattern, found.top_card.text) == ("PAIR_RUN_5", "9D")
