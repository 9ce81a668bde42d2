"""Fixture that audits a log with the test keys."""

from typing import Any

import pytest

from referee.audit import MemoryLog, Report, audit_log
from referee.rulesets import load_builtin
from tests.audit.audit_builder import LOG, ORIGIN, ROOT, Auditor, newest_time


@pytest.fixture(scope="session")
def audit() -> Auditor:
    """Return a function that audits a log with the test keys; ``now`` defaults to the time of its newest leaf."""

    def run(bundle: MemoryLog, **more: Any) -> Report:  # noqa: ANN401 - what audit_log takes
        now = newest_time(bundle.leaves(0, 10**9))
        given: dict[str, Any] = {
            "origin": ORIGIN,
            "log_key": LOG.text,
            "root_key": ROOT.text,
            "now": now,
            "catalogue": load_builtin(),
        }
        return audit_log(bundle, **(given | more))

    return run
