"""Each reason of a refusal and each finding of the audit is produced by what the index names."""

from tests.cases.index import INSTEAD, findings, reasons


def test_every_reason_is_produced() -> None:
    assert [reason for reason, producers in reasons().items() if not producers] == []


def test_every_finding_is_produced() -> None:
    """That a call which would cause it is refused produces no finding."""
    produced = {code: [one for one in by if not one.endswith(INSTEAD)] for code, by in findings().items()}
    assert [code for code, producers in produced.items() if not producers] == []
