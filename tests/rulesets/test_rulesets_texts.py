"""The words for violations: every code has them, in both languages, with the facts filled in."""

import re
import string

import pytest

from referee.cards import Seat, parse_cards
from referee.games import StakeFault, mau_binh, tien_len, ultimate_texas
from referee.games.mau_binh import ViolationCode
from referee.rulesets import Language, Ruleset, get, load_builtin, load_texts
from referee.verdict import Violation

FACTS = {"seat", "cards", "against", "expected", "found", "late_seconds"}
NAMES = {f"chi[{chi}]" for chi in ("BACK", "MIDDLE", "FRONT")}
GAMES = sorted({ruleset.game for ruleset in load_builtin()})


def fields_of(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name is not None}


CODES = {"mau_binh": mau_binh.ViolationCode, "tien_len": tien_len.Fault, "ultimate_texas": ultimate_texas.ViolationCode}


@pytest.mark.parametrize("game", GAMES)
def test_every_code_of_a_violation_has_words(game: str) -> None:
    """Faults of the table's stake have the same words in every game."""
    assert set(load_texts(game).violations) == {str(code) for code in (*CODES[game], *StakeFault)}


@pytest.mark.parametrize("game", GAMES)
def test_words_use_facts_that_exist_and_the_same_in_both_languages(game: str) -> None:
    for code, name in load_texts(game).violations.items():
        assert fields_of(name.vi) <= FACTS | NAMES, code
        assert fields_of(name.vi) == fields_of(name.en), code


def test_facts_are_filled_in() -> None:
    texts = load_texts("mau_binh")
    late = Violation(code=ViolationCode.DEADLINE_PASSED, seat=Seat(0), deadline_time=60_000, received_time=61_001)
    assert texts.say(late, Language.EN) == "The arranging time is up; this came 2 s late."
    foul = Violation(
        code=ViolationCode.FOULED_FRONT, cards=parse_cards("2S 2C 2D"), against=parse_cards("3S 3C 4D 5D 6D")
    )
    assert (
        texts.say(foul, Language.VI, get("mau_binh.classic").names)
        == "Binh lủng: chi 3 (2♠ 2♣ 2♦) mạnh hơn chi 2 (3♠ 3♣ 4♦ 5♦ 6♦)."
    )
    size = Violation(code=ViolationCode.BACK_WRONG_SIZE, expected=5, found=4)
    said = [texts.say(size, Language.VI, get(f"mau_binh.{sheet}").names) for sheet in ("maubinh_com", "classic")]
    assert said == ["Chi đầu có 4 lá; cần 5 lá.", "Chi 1 có 4 lá; cần 5 lá."]
    assert texts.say(Violation(code=ViolationCode.ROUND_NOT_OVER, seat=Seat(2)), Language.VI).startswith("Ghế 2 ")


def test_code_without_words_is_said_as_it_is() -> None:
    assert load_texts("mau_binh").say(Violation(code="NEW_CODE"), Language.EN) == "NEW_CODE"


@pytest.mark.parametrize("ruleset", [pytest.param(ruleset, id=ruleset.id) for ruleset in load_builtin()])
def test_names_are_vietnamese_and_english(ruleset: Ruleset) -> None:
    """English names are plain letters; nothing is blank, nothing is only a code."""
    for table in ruleset.names.values():
        for code, name in table.items():
            assert name.vi.strip() == name.vi != code
            assert re.fullmatch(r"[A-Za-z0-9 ,:'-]+", name.en), (code, name.en)
