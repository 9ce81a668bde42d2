"""What the terminal draws from the examples of the protocol: every view, in both languages, and what a key changes."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from referee_terminal import betting, scores
from referee_terminal.arranging import Arrangement
from referee_terminal.faces import FOUR_COLOURS, face, number_of, row, with_glyphs
from referee_terminal.gateway import card_of, enum_of
from referee_terminal.rules import draw as draw_rules
from referee_terminal.seat import Keeping, binding, commitment
from referee_terminal.shedding import Hand, Look
from referee_terminal.showdown import draw_instant_wins
from referee_terminal.words import LANGUAGES, WORDS, say

EXAMPLES = Path(__file__).parents[2] / "clients" / "table" / "examples"
DECK = [rank + suit for rank in "23456789TJQKA" for suit in "SCDH"]


def example(name: str) -> dict[str, Any]:
    given: dict[str, Any] = json.loads((EXAMPLES / f"{name}.json").read_text(encoding="utf-8"))
    return given


VIEWS = sorted(path.stem for path in EXAMPLES.glob("view.*.json"))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", VIEWS)
def test_every_example_can_be_drawn(name: str, language: str):
    view = example(name)
    look, given = Look(language), view.get("round") or {}
    names = {seat: one["name"] for seat, one in enumerate(given.get("seats") or ()) if one}
    drawn = ""
    if "tien_len" in given:
        hand = Hand()
        hand.show(given.get("hand") or ())
        drawn = hand.draw(given["tien_len"], names, given.get("you"), look).plain
        assert all(face(card) in drawn for card in given["hand"])
    if "ultimate_texas" in given:
        drawn = betting.draw(given["ultimate_texas"], given.get("hand") or (), names, given.get("you"), look).plain
        assert all(name in drawn for name in names.values())
    if view.get("last"):
        drawn = scores.draw(view["last"], look).plain
        for one in view["last"].get("transfers", ()):
            assert f"{one['amount_minor']:,}" in drawn
            assert one["reason_name"][language] in drawn


def test_no_sentence_for_people_has_a_raw_card():
    """Cards in messages are glyphs in every example, as the referee words them and as the terminal shows them."""
    sentences: list[str] = []

    def walk(value: Any) -> None:  # noqa: ANN401 - JSON
        if isinstance(value, dict):
            sentences.extend(value[language] for language in LANGUAGES if isinstance(value.get(language), str))
            for inner in value.values():
                walk(inner)
        elif isinstance(value, list):
            for inner in value:
                walk(inner)

    for path in EXAMPLES.glob("*.json"):
        walk(json.loads(path.read_text(encoding="utf-8")))
    assert len(sentences) > 100
    assert [one for one in sentences if re.search(r"\b[2-9TJQKA][SCDH]\b", one)] == []
    assert with_glyphs({"en": "Not placed: TH, 2S."}) == {"en": "Not placed: 10♥, 2♠."}


@pytest.mark.parametrize("language", LANGUAGES)
def test_rules_are_drawn_with_every_row_and_word(language: str):
    rules = example("done.rules")["result"]
    drawn = draw_rules(rules, Look(language)).plain
    rows = [row for section in rules["sections"] for row in section["rows"]]
    assert len(rows) > 20
    assert all(one["label"][language] in drawn and one["value"][language] in drawn for one in rows)
    assert all(one["means"][language] in drawn for one in rules["terms"])


def test_hand_that_won_at_the_deal_is_drawn_in_its_groups():
    wins = [
        {"seat": 1, "pattern": "SIX_PAIRS", "name": {"vi": "lục phé bôn", "en": "six pairs"}, "groups": [["AS", "AH"]]}
    ]
    drawn = draw_instant_wins(wins, {1: "An"}, Look("vi")).plain
    assert "An thắng ngay khi chia: lục phé bôn" in drawn
    assert "A♠   A♥" in drawn


def test_every_sentence_has_both_languages_with_the_same_fields():
    for key, (vi, en) in WORDS.items():
        assert vi, key
        assert en, key
        assert {part.partition("}")[0] for part in vi.split("{")[1:]} >= {
            part.partition("}")[0] for part in en.split("{")[1:]
        }, key


def test_every_decision_and_phase_of_the_examples_has_words():
    said = set(WORDS)
    for name in VIEWS:
        view = example(name)
        assert view["phase"] in said
        assert set(((view.get("round") or {}).get("ultimate_texas") or {}).get("legal") or ()) <= said


def test_cards_can_be_distinguished_without_colour():
    assert len({face(card) for card in DECK}) == 52
    assert len({number_of(card) for card in DECK}) == 52
    assert all(card_of(enum_of(card)) == card for card in DECK)
    assert len(set(FOUR_COLOURS.values())) == 4


def test_a_cursor_and_a_choice_move_nothing():
    cards = ["AS", "TH", "2C"]
    assert {len(row(cards, cursor=at, picked=(0, 2)).plain) for at in (None, 0, 1, 2)} == {len(row(cards).plain)}


def test_arranging_only_changes_places():
    laid = Arrangement(DECK[:13])
    for key in ("left", "up", "up", "right", "down", "left", "up"):
        laid.pick()
        laid.move(key)
        laid.pick()
        assert sorted(laid.cards) == sorted(DECK[:13])
    laid.sort()
    assert [card[0] for card in laid.cards] == sorted((card[0] for card in laid.cards), key="AKQJT98765432".index)
    laid.lay({"back": DECK[13:18], "middle": DECK[18:23], "front": DECK[23:26]})
    assert sorted(laid.cards) == sorted(DECK[:13])


def test_two_picks_change_two_cards():
    laid = Arrangement(DECK[:13])
    laid.pick()
    laid.move("right")
    assert laid.pick()
    assert laid.cards[:2] == [DECK[1], DECK[0]]


def test_only_what_can_still_be_played_with_the_choice_is_lit():
    hand = Hand()
    hand.show(["3S", "3C", "4D", "9H"])
    legal = {"plays": [{"kind": "PAIR", "cards": ["3S", "3C"]}, {"kind": "SINGLE", "cards": ["9H"]}]}
    assert hand.reachable(legal) == {0, 1, 3}
    hand.pick()
    assert hand.reachable(legal) == {0, 1}
    assert hand.play_of(legal) is None
    hand.move("right")
    hand.pick()
    assert hand.play_of(legal) == legal["plays"][0]


def test_hashes_that_a_seat_sends_are_those_of_the_protocol():
    given = example("sealing")
    kept = {"seed": given["seed"], "token": given["token"]}
    bound = binding(given["round_id"], given["seat"], kept, is_sealed=True)
    assert bound == {"seed_commitment": given["seed_commitment"], "token_hash": given["token_hash"]}
    rows = {name: given["arrangement"][name] for name in ("back", "middle", "front")}
    assert commitment(given["round_id"], given["seat"], rows, given["nonce"]) == given["commitment"]


def test_secrets_outlive_the_terminal_and_not_the_round(tmp_path: Path):
    file = tmp_path / "deep" / "seat.json"
    keeping = Keeping(file)
    secret, kept = keeping.secret(), keeping.of("ab" * 32)
    keeping.bind("ab" * 32, {"back": ["AS"], "middle": ["KS"], "front": ["QS"]})
    again = Keeping(file)
    assert (again.secret(), again.of("ab" * 32)["seed"]) == (secret, kept["seed"])
    assert again.of("ab" * 32)["bound"]["rows"]["back"] == ["AS"]
    assert file.stat().st_mode & 0o077 == 0
    again.forget("ab" * 32)
    assert Keeping(file).of("ab" * 32)["seed"] != kept["seed"]


def test_a_spoilt_file_of_secrets_is_begun_anew(tmp_path: Path):
    (tmp_path / "seat.json").write_text("[", encoding="utf-8")
    assert len(Keeping(tmp_path / "seat.json").secret()) >= 22


def test_an_unknown_code_is_shown_as_it_is():
    assert say("vi", "A_CODE_OF_TOMORROW") == "A_CODE_OF_TOMORROW"
