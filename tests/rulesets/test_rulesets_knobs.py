"""Faults of the knobs that houses ask for: all at once, each with its line and what to write."""

import hashlib

import pytest

from referee.rulesets import Ruleset, RulesetError, get, load_builtin, load_examples, parse_ruleset
from referee.rulesets.catalogue import EXAMPLES

OWN = [one for one in load_examples() if one.id not in {builtin.id for builtin in load_builtin()}]
GAMES = sorted({one.game for one in load_builtin()})


def example(game: str) -> Ruleset:
    return next(one for one in OWN if one.game == game)


def edited(game: str, *edits: tuple[str, str]) -> str:
    text = example(game).source.decode()
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def faults_of(text: str) -> list[tuple[str, str]]:
    """Return the line's text and the reason of each fault."""
    with pytest.raises(RulesetError) as caught:
        parse_ruleset(text.encode(), file="house.toml")
    lines = text.splitlines()
    return [("" if line is None else lines[line - 1], reason) for line, reason in caught.value.faults]


def test_each_game_has_one_example_that_no_server_loads_by_itself() -> None:
    assert sorted(one.game for one in OWN) == GAMES
    assert not {one.id for one in OWN} & {one.id for one in load_builtin()}
    files = {hashlib.sha256(file.read_bytes()).digest() for file in EXAMPLES.glob("*.toml")}
    assert {one.digest for one in OWN} == files


@pytest.mark.parametrize("game", GAMES)
def test_an_example_spells_out_every_field_that_schema_1_lacks(game: str) -> None:
    text = example(game).source.decode()
    reasons = [reason for _, reason in faults_of(text.replace("schema = 2", "schema = 1", 1))]
    assert reasons
    assert all("belongs to schema 2; this file says schema = 1" in reason for reason in reasons)


def test_numbers_out_of_range_are_reported_together() -> None:
    text = edited("tien_len", ("permille = 50", "permille = 1001"), ("untouched_units = 26", "untouched_units = 0"))
    text = text.replace('kind = "MULTIPLIED"\nmultiplier = 2', 'kind = "MULTIPLIED"\nmultiplier = 1')
    found = faults_of(text)
    assert [line for line, _ in found] == ["permille = 1001", "untouched_units = 0", "multiplier = 1"]
    assert [reason for _, reason in found] == [
        "Expected `int` <= 1000, found 1001",
        "Expected `int` >= 1, found 0",
        "Expected `int` >= 2, found 1",
    ]


def test_price_of_an_untouched_hand_that_never_counts_is_refused() -> None:
    ((_, reason),) = faults_of(edited("tien_len", ("untouched_units = 26", "untouched_units = 13")))
    assert reason == (
        "leftover.untouched_units 13 never counts, for thirteen cards left cost 13 or more;"
        ' write 14 or more, or kind = "NONE"'
    )


def test_lead_of_another_kind_is_refused() -> None:
    ((line, reason),) = faults_of(edited("tien_len", ('first = "LOWEST_CARD"', 'first = "LOSER"')))
    assert (line, reason) == ('first = "LOSER"', "'LOSER' is not allowed; write one of LOWEST_CARD, DRAWN")


def test_units_of_nothing_do_not_switch_a_rule_off() -> None:
    """Both penalties of a file of schema 1, and of one that says both."""
    text = get("tien_len.mien_nam").source.decode()
    reason = "units = 0 does not switch the rule off; write 1 or more, or applies = false, which schema 2 has"
    assert [found for _, found in faults_of(text.replace("units = 26", "units = 0"))] == [reason, reason]
    off = example("tien_len").source.decode()
    assert off.count("units = 0\napplies = false") == 2
    priced = off.replace("units = 0\napplies = false", "units = 7\napplies = false")
    needless = "the rule does not apply, so its units 7 would never be paid; write units = 0"
    assert [found for _, found in faults_of(priced)] == [needless, needless]


@pytest.mark.parametrize("game", ["mau_binh", "tien_len"])
def test_commission_has_a_name_in_both_languages_or_is_off(game: str) -> None:
    text = edited(game, ('COMMISSION = { vi = "tiền xâu", en = "commission" }\n', ""))
    assert [reason for _, reason in faults_of(text)] == ["names lacks reason.COMMISSION"]
    start = text.index("[commission]")
    off = text[:start] + '[commission]\nkind = "NONE"\n\n' + text[text.index("\n[", start) + 1 :]
    assert parse_ruleset(off.encode(), file="off.toml").id == example(game).id


def test_limits_that_no_bet_meets_are_reported_together() -> None:
    edits = ("smallest_ante = 100", "smallest_ante = 9000"), ("largest_trips = 2500", "largest_trips = 20")
    ((_, reason),) = faults_of(edited("ultimate_texas", *edits))
    assert reason == (
        "limits.smallest_ante 9000 is more than limits.largest_ante 5000, so no bet is lawful; exchange them;"
        " limits.smallest_trips 50 is more than limits.largest_trips 20, so no bet is lawful; exchange them"
    )


def test_limits_of_the_ante_are_multiples_of_the_bet_unit() -> None:
    edits = ("smallest_ante = 100", "smallest_ante = 101"), ("largest_ante = 5000", "largest_ante = 4999")
    message = "limits.{} {} is no multiple of the bet_unit 2, so nobody can bet it; write {} or {}"
    assert faults_of(edited("ultimate_texas", *edits)) == [
        ("smallest_ante = 101", message.format("smallest_ante", 101, 100, 102)),
        ("largest_ante = 4999", message.format("largest_ante", 4999, 4998, 5000)),
    ]
