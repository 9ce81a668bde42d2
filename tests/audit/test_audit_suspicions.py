"""What the audit makes of suspicions: findings under its own codes."""

import pytest

from referee.audit.finding import Code, Severity
from referee.suspicion.score import Measure, Subject
from referee.suspicion.suspicion import SuspicionCode


@pytest.mark.parametrize("code", SuspicionCode)
def test_suspicion_is_a_finding_of_the_same_weight(code: SuspicionCode):
    assert (Code[code].severity is Severity.NOTE) == code.is_note


@pytest.mark.parametrize("measure", Measure)
def test_measure_has_the_number_of_its_finding(measure: Measure):
    subject = Subject(measure)
    if subject.code is not SuspicionCode.UNLIKELY_BY_CHANCE:
        assert subject.number == Code[subject.code].number
