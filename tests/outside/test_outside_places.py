"""Bytes from outside: each place that reads them refuses the hostile corpus in its own words; none is missing."""

import itertools

import pytest

from referee.evidence.outside import OutsideError, read_json, read_text, read_toml
from referee.rulesets import load_builtin
from referee.rulesets.ruleset import MAX_FAULTS, RulesetError, parse_ruleset
from tests.outside.hostile_bytes import DEEP, hostile
from tests.outside.places import PLACES
from tests.outside.source_scan import counting, parsing, reading
from tests.outside.trusted import COUNTING, PARSING


@pytest.mark.parametrize("where", PLACES)
def test_place_reads_hostile_bytes_or_refuses_them(where):
    """No other error leaves the place: not RecursionError, nor ValueError of a number that is too long."""
    place = PLACES[where]
    refused = []
    for name, data in hostile(place.sample):
        try:
            place.feed(data)
        except place.refusals:
            refused.append(name)
        except Exception as error:  # noqa: BLE001 - whatever it is
            pytest.fail(f"{where}: {name}: {type(error).__name__}: {str(error)[:300]}")
    assert bool(refused) is bool(place.refusals)


def test_every_function_that_parses_is_a_place_or_trusted():
    trusted = set(itertools.chain.from_iterable(PARSING.values()))
    found = reading() | parsing()
    assert found - set(PLACES) - trusted == set()
    assert trusted - found == set()
    assert set(PLACES) & trusted == set()


def test_every_function_that_makes_an_integer_is_a_place_or_trusted():
    trusted = set(itertools.chain.from_iterable(COUNTING.values()))
    found = counting()
    assert found - set(PLACES) - trusted == set()
    assert trusted - found == set()


def test_every_place_is_in_the_sources():
    assert set(PLACES) <= reading() | parsing() | counting()


def test_brackets_in_texts_are_no_depth():
    assert read_json(b'["%b"]' % (b"[" * DEEP)) == ["[" * DEEP]
    assert read_toml(b"a = '%b' # %b" % (b"[" * DEEP, b"{" * DEEP)) == {"a": "[" * DEEP}


def test_byte_order_mark_is_no_part_of_a_text():
    assert read_text(b"\xef\xbb\xbfa", most=4) == "a"
    assert read_toml(b"\xef\xbb\xbfa = 1") == {"a": 1}


def test_error_names_the_line():
    with pytest.raises(OutsideError) as error:
        read_toml(b"a = '''\n\n'''\nb = 1\nb = 2\n")
    assert error.value.line == 5


def test_ruleset_with_many_faults_names_the_first_of_them():
    tables = b"".join(b"[t%d]\n" % number for number in range(3_000))
    with pytest.raises(RulesetError) as error:
        parse_ruleset(next(iter(load_builtin())).source + tables, file="a.toml")
    assert len(error.value.faults) == MAX_FAULTS + 1
    assert error.value.faults[-1][1].endswith("more faults; mend these first")
