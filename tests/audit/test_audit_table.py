"""The list of what an audit must catch: an existing fixture or test catches every number."""

import re

from tests.audit import findings_table


def test_every_number_is_caught_by_a_fixture_or_a_named_test():
    assert findings_table.uncaught() == []


def test_every_test_that_is_named_is_there():
    assert [
        name for names in findings_table.TESTS.values() for name in names if not findings_table.test_exists(name)
    ] == []
    assert not findings_table.test_exists("tests/audit/test_audit_table.py::test_that_is_not_there")
    assert not findings_table.test_exists("tests/audit/no_such_file.py::test_that_is_not_there")


def test_each_number_has_a_meaning_of_its_own():
    assert {*range(1, 75)} == {*findings_table.MEANINGS}
    assert len(set(findings_table.MEANINGS.values())) == len(findings_table.MEANINGS)
    assert all(re.match(r"[\w ]", meaning) for meaning in findings_table.MEANINGS.values())


def test_table_has_a_row_for_every_fixture_and_named_test(monkeypatch):
    monkeypatch.setattr(findings_table, "verifier_codes", lambda: {"dealt_again": "DEALT_TWICE"})
    rows = findings_table.rows()
    caught = [row.caught_by for row in rows]
    assert len(caught) == len({*caught}) + sum(len(names) for names in findings_table.TESTS.values()) - len(
        {name for names in findings_table.TESTS.values() for name in names}
    )
    assert {row.typescript for row in rows if row.caught_by == "mutations: dealt_again"} == {"DEALT_TWICE"}
    assert [row.number for row in rows] == sorted(row.number for row in rows)
