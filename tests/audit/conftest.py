"""The builder of logs and the attacks on them, importable by the tests beside them, and a short way to audit."""

from typing import Any

import pytest

from referee.audit import MemoryLog, Report, audit_log
from referee.rulesets import load_builtin
from tests.audit.audit_builder import LOG, ORIGIN, ROOT, START, Auditor


@pytest.fixture(scope="session")
def audit() -> Auditor:
    """Audits a bundle with the test keys; ``now`` is before every deadline where none is given."""

    def run(bundle: MemoryLog, **more: Any) -> Report:  # noqa: ANN401 - what audit_log takes
        given: dict[str, Any] = {"origin": ORIGIN, "log_key": LOG.text, "root_key": ROOT.text, "now": START}
        return audit_log(bundle, catalogue=load_builtin(), **(given | more))

    return run
