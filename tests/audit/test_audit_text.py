"""Text reports: every code is explained, and a difference prints the claimed value above the found one."""

from typing import Any

import orjson
from hypothesis import given
from hypothesis import strategies as st

from referee.audit import Code
from referee.audit.page.text import report_lines
from referee.finding import first_difference
from referee.suspicion.report import CountedReport
from tests.audit.audit_builder import Auditor
from tests.audit.audit_mutations import MUTATIONS

JSON = st.recursive(
    st.integers(-5, 5) | st.sampled_from(["", "a", "b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=12,
)


def report_of(audit: Auditor, name: str) -> CountedReport:
    attacked = next(one for one in MUTATIONS if one.id == name).attack()
    return audit(
        attacked.bundle,
        now=attacked.now,
        as_of=attacked.as_of,
        documents=attacked.documents,
        witnessed=attacked.witnessed,
    )


def test_rewritten_history_is_printed_with_both_notes(audit: Auditor):
    attacked = next(one for one in MUTATIONS if one.id == "history_rewritten").attack()
    text = "\n".join(report_lines(report_of(audit, "history_rewritten")))
    for note in (attacked.bundle.checkpoint, *attacked.witnessed):
        for line in note.decode().split("\n"):
            assert line.replace("\u2014", "\\u2014") in text  # no character but printable ASCII is shown as it is


def test_wrong_result_is_printed_claimed_above_found(audit: Auditor):
    lines = list(report_lines(report_of(audit, "transfer_added")))
    at = next(number for number, line in enumerate(lines) if "first difference at results.transfers" in line)
    assert lines[at + 1 : at + 3] == [
        '    claimed {"amount":100,"from":0,"reason":"BACK","subject":"PAIR","to":1}',
        "    found   absent",
    ]
    assert lines[-1] == "1 failed"


def test_notes_do_not_fail_a_log(audit: Auditor):
    lines = list(report_lines(report_of(audit, "client_seed_zero"), with_tables=True))
    assert lines[-1] == "nothing failed, 1 noted"
    assert any(line.startswith("table table-1: 2 opened") for line in lines)


def test_findings_that_are_not_listed_are_counted(audit: Auditor):
    report = report_of(audit, "client_seed_zero")
    report.finding_counts = {Code.CLIENT_SEED_TRIVIAL: 1_235}
    assert "1,234 more findings are counted and not listed" in report_lines(report)


@given(JSON, JSON)
def test_first_difference_is_none_for_equal_values_alone(one: Any, other: Any):  # noqa: ANN401 - any JSON
    difference = first_difference(orjson.dumps(one), orjson.dumps(other))
    assert (difference is None) == (orjson.dumps(one, option=orjson.OPT_SORT_KEYS) == _sorted(other))


@given(JSON, JSON)
def test_first_difference_shows_both_values_at_its_path(one: Any, other: Any):  # noqa: ANN401 - any JSON
    difference = first_difference(orjson.dumps(one), orjson.dumps(other))
    if difference is not None:
        assert (difference.claimed, difference.found) == (_at(one, difference.path), _at(other, difference.path))


def test_texts_that_are_no_json_differ_as_a_whole():
    difference = first_difference(b"{", b"{}")
    assert difference is not None
    assert difference.path == ""


def _sorted(value: Any) -> bytes:  # noqa: ANN401 - any JSON
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def _at(value: Any, path: str) -> str:  # noqa: ANN401 - any JSON
    """Return the value at a path as compact JSON."""
    for step in path.replace("]", "").replace("[", ".").split("."):
        if not step:
            continue
        try:
            value = value[int(step) if step.isdigit() else step]
        except LookupError:
            return "absent"
    return _sorted(value).decode()
