"""The fixtures, as any verifier would run them: from the files alone."""

import base64
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from referee.audit import Code, Documents, MemoryLog, Report, audit_log
from referee.audit.documents import HeldSeed, KeptReceipt
from referee.rulesets import load_builtin
from tests.audit import audit_attacks_bytes, generate_fixtures

ANY_BYTES = audit_attacks_bytes.NUMBER
"""Place in the list that no code has: what is found in such a leaf has a number of its own."""
FOLDER = Path(__file__).parents[1] / "vectors" / "audit"


def read(name: str) -> list[dict[str, Any]]:
    rows = [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]
    assert rows, name
    return rows


ATTACKS = [one for name in generate_fixtures.FILES[1:] for one in read(name)]


def audited(fixture: dict[str, Any]) -> Report:
    return audit_log(
        MemoryLog(
            checkpoint=fixture["checkpoint"].encode(), entries=tuple(leaf.encode() for leaf in fixture["leaves"])
        ),
        origin=fixture["origin"],
        log_key=fixture["log_key"],
        root_key=fixture["root_key"],
        catalogue=load_builtin(),
        now=fixture["now"],
        witnessed=[note.encode() for note in fixture["witnessed"]],
        documents=Documents(
            certificates=tuple(base64.b64decode(one) for one in fixture["certificates"]),
            event_receipts=tuple(base64.b64decode(one) for one in fixture["event_receipts"]),
            log_receipts=tuple(promise(one) for one in fixture.get("log_receipts", ())),
            exports=tuple(base64.b64decode(one) for one in fixture.get("exports", ())),
            seeds=msgspec.convert(fixture.get("seeds", []), tuple[HeldSeed, ...]),
        ),
    )


def promise(held: dict[str, str]) -> KeptReceipt:
    leaf = held.get("leaf")
    return KeptReceipt(receipt=held["receipt"].encode(), leaf=None if leaf is None else base64.b64decode(leaf))


@pytest.mark.parametrize("fixture", read("healthy.jsonl"), ids=lambda fixture: fixture["id"])
def test_healthy_log_has_no_finding(fixture: dict[str, Any]):
    assert audited(fixture).findings == ()


@pytest.mark.parametrize("fixture", ATTACKS, ids=lambda fixture: fixture["id"])
def test_each_attack_is_named_first(fixture: dict[str, Any]):
    report = audited(fixture)
    first = report.findings[0]
    number = ANY_BYTES if fixture["expected"]["number"] == ANY_BYTES else first.number
    assert fixture["expected"] == {"code": first.code, "number": number, "severity": first.severity}
    assert (first.severity == "NOTE") == report.is_clean


@pytest.mark.parametrize("name", generate_fixtures.FILES)
def test_fixtures_are_what_their_script_writes(name: str):
    assert list(generate_fixtures.lines(name)) == (FOLDER / name).read_text(encoding="utf-8").splitlines()


def test_every_code_has_a_fixture():
    fixtures = [one for file in sorted(FOLDER.glob("*.jsonl")) for one in read(file.name) if one["expected"]]
    found = {fixture["expected"]["code"] for fixture in fixtures}
    assert {code.value for code in Code} - found == {Code.LAW_FAILED}, "no log makes the law of a built-in game fail"


def test_ids_of_fixtures_are_unique():
    ids = [fixture["id"] for fixture in ATTACKS]
    assert len(ids) == len(set(ids))
