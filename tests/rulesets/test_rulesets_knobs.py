"""Faults of the knobs that houses ask for: all at once, each with its line and what to write."""

import contextlib
import hashlib
import re

import pytest

from referee.rulesets import Ruleset, RulesetError, get, load_builtin, load_examples, parse_ruleset
from referee.rulesets.catalogue import EXAMPLES
from referee.rulesets.shape import newest_schema

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
    schema = newest_schema(next(one.rules for one in OWN if one.game == game).__class__)
    reasons = [reason for _, reason in faults_of(text.replace(f"schema = {schema}", "schema = 1", 1))]
    assert {int(re.findall("belongs to schema ([0-9]+); this file says schema = 1", one)[0]) for one in reasons} == set(
        range(2, schema + 1)
    )


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


CLASSIC_WORDS = 'allowed_by = "Thắng binh lủng: Thắng 3 lần tiền cược/ 1 người  chơi thua"'
NO_FLAT = ('kind = "FLAT"\nunits = 3\n', 'kind = "{}"\n'), (CLASSIC_WORDS + "\n", "")
PLUS = 'kind = "BETWEEN_TWO_PLUS"\nunits = 2'
BY_EVERY_SEAT = PLUS, 'kind = "BY_EVERY_SEAT"\nmultiplier = 3'
LEAVES = ('before_showdown = "SWEPT"', 'before_showdown = "LOSES_CHI"')
COM_WORDS = 'allowed_by = ""', 'allowed_by = "Thua cả 3 chi."'
TIMES = 'kind = "MULTIPLIED"\nmultiplier = 2', 'kind = "MULTIPLIED"\nmultiplier = {}'


def of_kind(kind: str) -> tuple[tuple[str, str], ...]:
    return tuple((old, new.format(kind)) for old, new in NO_FLAT)


def reasons_of(*edits: tuple[str, str]) -> list[str]:
    """Return the reasons for refusing an edited example, without what to write; empty if it loads."""
    text = edited("mau_binh", *edits)
    with contextlib.suppress(RulesetError):
        parse_ruleset(text.encode(), file="house.toml")
        return []
    ((_, reason),) = faults_of(text)
    causes = [part for part in reason.split("; ") if not part.startswith("write ")]
    return [re.split(", so |, for ", cause)[0] for cause in causes]


CHEAP_FOUL = "a foul of the kind {} can cost less than being swept by the same winner (up to {})"
CHEAP_LEAVING = "leaving before the showdown can cost less than being swept by the same winner (up to {})"
CHEAP_SHUT = "an arrangement that is not opened can cost less than being swept by the same winner (up to {})"


@pytest.mark.parametrize(
    ("edits", "reasons"),
    [
        pytest.param([(CLASSIC_WORDS, 'allowed_by = ""')], [CHEAP_FOUL.format("FLAT", 20)], id="flat foul, no words"),
        pytest.param([("units = 3\nunopened", "units = 2\nunopened")], [CHEAP_FOUL.format("FLAT", 20)], id="flat 2"),
        pytest.param([(PLUS, PLUS.replace("2", "3"))], [CHEAP_FOUL.format("FLAT", 21)], id="beside a plus of 3"),
        pytest.param([("FOUL_OR_SWEEP", "FOUL")], [CHEAP_SHUT.format(20)], id="shut at the price of a flat foul"),
        pytest.param(of_kind("SWEPT"), [], id="foul that is a sweep"),
        pytest.param([*of_kind("SWEPT"), ("FOUL_OR_SWEEP", "FOUL")], [], id="foul that is a sweep, so is shut"),
        pytest.param(of_kind("LOSES_CHI"), [CHEAP_FOUL.format("LOSES_CHI", 20)], id="foul that is no sweep"),
        pytest.param(
            [*of_kind("LOSES_CHI"), ("FOUL_OR_SWEEP", "FOUL"), LEAVES],
            [CHEAP_FOUL.format("LOSES_CHI", 20), CHEAP_LEAVING.format(20), CHEAP_SHUT.format(20)],
            id="all of them at once",
        ),
        pytest.param(
            [*of_kind("LOSES_CHI"), LEAVES, ("FOUL_OR_SWEEP", "FOUL"), (PLUS, 'kind = "NONE"')],
            [],
            id="without a sweep",
        ),
        pytest.param(
            [("units = 3\nunopened", "units = 20\nunopened")], ["foul.allowed_by allows nothing"], id="words in vain"
        ),
        pytest.param([LEAVES], [CHEAP_LEAVING.format(20)], id="leaving without words"),
        pytest.param([LEAVES, COM_WORDS], [CHEAP_LEAVING.format(20)], id="words beside another sheet's sweep"),
        pytest.param([COM_WORDS], ["leaving.allowed_by allows nothing"], id="words for a departure that is a sweep"),
        pytest.param([BY_EVERY_SEAT, *of_kind("SWEPT"), LEAVES, COM_WORDS], [], id="leaving on maubinh.com's sweep"),
        pytest.param(
            [(PLUS, BY_EVERY_SEAT[1].replace("3", "4")), *of_kind("SWEPT"), LEAVES, COM_WORDS],
            [CHEAP_LEAVING.format(72)],
            id="beside a sweep of four times",
        ),
        pytest.param(
            [BY_EVERY_SEAT], [CHEAP_FOUL.format("FLAT", 54)], id="the classic sheet's words beside another's sweep"
        ),
        pytest.param(
            [(CLASSIC_WORDS, 'allowed_by = ""'), ("maximum = 4", "maximum = 2"), ("COMPENSATION = {", "#")],
            [],
            id="between two seats a flat foul costs the winner's sweep",
        ),
    ],
)
def test_fault_cheaper_than_a_sweep_is_refused_unless_a_sheet_allows_it(
    edits: list[tuple[str, str]], reasons: list[str]
) -> None:
    assert reasons_of(*edits) == reasons


def test_fault_of_a_file_of_an_earlier_schema_is_taken_as_it_is() -> None:
    lines = edited("mau_binh", ("schema = 3", "schema = 2")).split("\n")
    text = "\n".join(line for line in lines if not line.startswith("allowed_by"))
    assert parse_ruleset(text.encode(), file="house.toml").id == example("mau_binh").id


def test_errors_say_what_to_write() -> None:
    ((_, reason),) = faults_of(edited("mau_binh", (CLASSIC_WORDS, 'allowed_by = ""')))
    assert reason == (
        "a foul of the kind FLAT can cost less than being swept by the same winner (up to 20), so a weak hand would"
        ' foul on purpose; write foul.kind = "SWEPT", or FLAT with units = 20 or more. A flat foul of 3 or more may'
        " cost less beside a sweep BETWEEN_TWO_PLUS of 2 or less: then write the sheet's own words as foul.allowed_by"
    )


@pytest.mark.parametrize(
    ("edits", "smallest"),
    [
        pytest.param([], 2, id="classic"),
        pytest.param(
            [(PLUS, 'kind = "BETWEEN_TWO_TIMES"\nmultiplier = 3'), *of_kind("SWEPT")], 4, id="three times a pair"
        ),
        pytest.param(
            [
                (PLUS, 'kind = "BETWEEN_TWO_TIMES"\nmultiplier = 3'),
                *of_kind("SWEPT"),
                ("ARRANGEMENT_COUNTS", "LOSES_LATER_CHI"),
            ],
            2,
            id="a winner that left while the last chi was shown is paid the chi alone for a foul",
        ),
        pytest.param([BY_EVERY_SEAT, *of_kind("SWEPT")], 2, id="by every seat, one of three lost to two of them"),
        pytest.param(
            [BY_EVERY_SEAT, *of_kind("SWEPT"), ("maximum = 4", "maximum = 2"), ("COMPENSATION = {", "#")],
            4,
            id="by every seat, between two",
        ),
        pytest.param(
            [
                (PLUS, 'kind = "BETWEEN_TWO_TIMES"\nmultiplier = 9'),
                *of_kind("SWEPT"),
                (
                    '"FOUR_OF_A_KIND",\n  "STRAIGHT_FLUSH",\n',
                    '"FOUR_OF_A_KIND",\n  "STRAIGHT_FLUSH",\n  "FOUR_ACES",\n',
                ),
                (
                    '[four_aces_sweep]\nkind = "NONE"',
                    '[four_aces_sweep]\nkind = "BACK_BECOMES_WORTH"\nunits = 4',
                ),
                ("FOUR_OF_A_KIND = { vi", 'FOUR_ACES = { vi = "tứ quý A", en = "four aces" }\nFOUR_OF_A_KIND = { vi'),
            ],
            2,
            id="four aces that are no sweep",
        ),
    ],
)
def test_multiplier_that_can_never_change_an_amount_is_refused(edits: list[tuple[str, str]], smallest: int) -> None:
    for multiplier in range(2, smallest):
        (reason,) = reasons_of(*edits, (TIMES[0], TIMES[1].format(multiplier)))
        assert reason == f"winner_sweep.multiplier {multiplier} never changes an amount"
        text = edited("mau_binh", *edits, (TIMES[0], TIMES[1].format(multiplier)))
        assert f'write {smallest} or more, or kind = "NONE"' in faults_of(text)[0][1]
    assert reasons_of(*edits, (TIMES[0], TIMES[1].format(smallest))) == []
