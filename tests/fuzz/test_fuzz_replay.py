"""Kept inputs of the fuzzing, verified again: a sample by two verifiers, all by three in the slow suite."""

import pytest

from tests.fuzz.fuzz_bases import MADE, base, names
from tests.fuzz.fuzz_corpus import load
from tests.fuzz.fuzz_log import build, read
from tests.fuzz.fuzz_verdicts import TypeScript, Verdicts, difference, python_findings, third_findings, verdicts
from tests.node_project import build as build_project
from tests.node_project import install
from tests.verifier.verifier_project import PROJECT

KEPT = load()
SAMPLE = [one for one in KEPT[::12] if not any(edit[1] == ["bundle"] for edit in one.edits)]


def test_kept_inputs_are_of_known_bases():
    assert len(KEPT) > 50
    assert {one.base for one in KEPT} <= {*names()}


@pytest.mark.parametrize("name", sorted(MADE))
def test_log_that_is_taken_apart_is_put_together_again(name: str):
    row = build(base(name))
    assert build(read(row)) == row


@pytest.mark.parametrize("one", SAMPLE, ids=lambda one: one.base)
def test_audit_and_third_verifier_agree_on_kept_inputs(one):
    row = one.row
    python, third = python_findings(row), third_findings(row)
    assert difference(Verdicts(python, third, third)) is None, one.line


@pytest.mark.slow("asks the TypeScript verifier in a Node process")
def test_three_verifiers_agree_on_all_kept_inputs():
    if why := install(PROJECT):
        pytest.skip(f"the TypeScript verifier is not asked: {why}")
    build_project(PROJECT, "build:test")
    with TypeScript() as typescript:
        found = {one.line: difference(verdicts(one.row, typescript)) for one in KEPT}
    assert {line: differs for line, differs in found.items() if differs is not None} == {}
