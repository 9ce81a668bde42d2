"""Kept inputs of the fuzzing, verified again: a sample in the fast suite, all in the slow one."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fuzz.fuzz_bases import MADE, base, names
from tests.fuzz.fuzz_corpus import Input, load
from tests.fuzz.fuzz_log import build, read
from tests.fuzz.fuzz_verdicts import TypeScript, difference, verdicts

KEPT = load()
SAMPLE = KEPT[::12]


def test_kept_inputs_are_of_known_bases():
    assert len(KEPT) > 50
    assert {one.base for one in KEPT} <= {*names()}


@pytest.mark.parametrize("name", sorted(MADE))
def test_log_that_is_taken_apart_is_put_together_again(name: str):
    row = build(base(name))
    assert build(read(row)) == row


@pytest.fixture(name="typescript", scope="module")
def typescript_fixture(project: Path) -> Iterator[TypeScript]:
    assert project.is_dir()
    with TypeScript() as typescript:
        yield typescript


@pytest.mark.parametrize("one", SAMPLE, ids=lambda one: one.base)
def test_audit_and_verifier_agree_on_a_sample_of_kept_inputs(one: Input, typescript: TypeScript):
    assert difference(verdicts(one.row, typescript)) is None, one.line


@pytest.mark.slow("asks the TypeScript verifier about every input")
def test_audit_and_verifier_agree_on_all_kept_inputs(typescript: TypeScript):
    found = {one.line: difference(verdicts(one.row, typescript)) for one in KEPT}
    assert {line: differs for line, differs in found.items() if differs is not None} == {}
