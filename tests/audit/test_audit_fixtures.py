"""The fixtures, as any verifier would run them: from the files alone."""

from pathlib import Path
from typing import Any

import pytest

from referee.audit import Code
from tests.audit import audit_attacks_bytes, generate_fixtures
from tests.audit.auditing import audited, log_of, options_of
from tests.vectors.reading import read

ANY_BYTES = audit_attacks_bytes.NUMBER
"""Place in the list that no code has: what is found in such a leaf has a number of its own."""
FOLDER = Path(__file__).parents[1] / "vectors" / "audit"


FIXTURES = [one for name in generate_fixtures.FILES for one in read(f"audit/{name.removesuffix('.jsonl')}")]
ATTACKS = [one for one in FIXTURES if "leaves" in one and one["expected"]]
SOUND = [one for one in FIXTURES if "leaves" in one and not one["expected"]]


@pytest.mark.parametrize("fixture", SOUND, ids=lambda fixture: fixture["id"])
def test_healthy_log_has_no_finding(fixture: dict[str, Any]):
    report = audited(log_of(fixture), **options_of(fixture))
    assert report.findings == ()
    levels = {level.value: count for level, count in report.dealing_levels.items() if count}
    assert levels == fixture.get("levels", levels)


@pytest.mark.parametrize("fixture", ATTACKS, ids=lambda fixture: fixture["id"])
def test_each_attack_is_named_first(fixture: dict[str, Any]):
    report = audited(log_of(fixture), **options_of(fixture))
    first = report.findings[0]
    number = ANY_BYTES if fixture["expected"]["number"] == ANY_BYTES else first.number
    assert fixture["expected"] == {"code": first.code, "number": number, "severity": first.severity}
    assert (first.severity == "NOTE") == report.is_clean


@pytest.mark.parametrize("name", generate_fixtures.FILES)
def test_fixtures_are_what_their_script_writes(name: str):
    assert list(generate_fixtures.lines(name)) == (FOLDER / name).read_text(encoding="utf-8").splitlines()


def test_every_code_has_a_fixture():
    found = {fixture["expected"]["code"] for fixture in FIXTURES if fixture["expected"]}
    statistics = {Code.ANSWERED, Code.LEFT_OUT, Code.SUPERUSER}  # of hundreds of rounds: tests/answered
    left_out = {code.value for code in Code} - found - statistics
    assert left_out == {Code.LAW_FAILED}, "no log makes the law of a built-in game fail"


def test_ids_of_fixtures_are_unique():
    ids = [fixture["id"] for fixture in FIXTURES]
    assert len(ids) == len(set(ids))
