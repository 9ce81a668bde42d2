"""Logs that an attacker with every key would write, verified by the audit and by the verifier in TypeScript.

They are drawn anew, and kept ones are verified again. ``make fuzz`` draws many, with the seed that it prints; a
difference is shown as a line for ``corpus.jsonl``.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from tests.budget import examples
from tests.fuzz.fuzz_bases import MADE, base, names
from tests.fuzz.fuzz_corpus import Input, load
from tests.fuzz.fuzz_edits import edits_of
from tests.fuzz.fuzz_log import build, read
from tests.fuzz.fuzz_verdicts import TypeScript, difference, verdicts

KEPT = load()
SAMPLE = KEPT[::12]
STARTS = [*map(Input, MADE), *map(Input, names()), *(one for one in KEPT if len(one.edits) < 6)]
EXAMPLES = int(os.environ.get("FUZZ_EXAMPLES") or examples(20))


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


@pytest.mark.timeout(24 * 3600)
@given(st.data())
@settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck))
def test_audit_and_verifier_agree_on_edited_logs(typescript: TypeScript, data: st.DataObject):
    start = data.draw(st.sampled_from(STARTS))
    one = Input(start.base, (*start.edits, *data.draw(edits_of(start.tree))))
    row = built(one)
    assert difference(verdicts(row, typescript)) is None, one.line


def built(one: Input) -> dict[str, Any]:
    """Return the row of an input; what cannot be built is not asked about."""
    try:
        return one.row
    except Exception:  # noqa: BLE001 - an edited tree may break anything
        reject()
