"""A copy of a log is audited as of its own newest time, a running log at the auditor's clock: both verifiers."""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest

from referee.audit import Code
from referee.audit.as_of import AsOfError
from referee.audit.bundle import prove_round
from referee.audit.dispute.case import case_of_bundle, case_of_log
from referee.audit.dispute.dispute import Dispute, Verdict, settle_dispute
from referee.audit.dispute.held import read_all
from referee.audit.page.text import report_lines
from referee.cli.audited_log import audited_log
from referee.evidence.dsse import Envelope
from referee.server.folder_lock import lock_folder
from referee.suspicion.report import CountedReport
from tests.audit.audit_attack import receipt
from tests.audit.audit_builder import LOG, ORIGIN, ROOT, STRANGER, LogBuilder, Parts, Table, abort, sign
from tests.audit.audit_bundles import bundle_of, rounds_of
from tests.audit.audit_tiles import files_of
from tests.audit.audit_watched import FIRST, SECOND, cosigned, vkey
from tests.audit.auditing import audited, log_of, options_of
from tests.driver.auditing import terms_of
from tests.driver.running import Running
from tests.fuzz.fuzz_bases import row_of
from tests.verifier.built import Verdicts
from tests.verifier.verifier_serving import served

HOUR: Final = 3_600_000
LATER: Final = {"an hour": HOUR, "a day": 24 * HOUR, "a year": 365 * 24 * HOUR}
TABLE: Final = Table(name="club.felt", ruleset_id="tien_len.mien_nam", seats=2, keyed=True)
STEPS: Final = {"O": "OPENED", "OD": "DEALT", "ODE": "ended"}
KEYS: Final[dict[str, Any]] = {
    "origin": ORIGIN,
    "log_key": LOG.text,
    "root_key": ROOT.text,
}
Row: TypeAlias = dict[str, Any]
Ask: TypeAlias = Callable[[Row], CountedReport]


@pytest.fixture(name="ask")
def ask_fixture(verdicts: Verdicts) -> Ask:
    """Return a function that audits a row by both verifiers, which must agree, and returns the audit's report."""

    def ask(row: Row) -> CountedReport:
        report = audited(log_of(row), **options_of(row), former=row.get("former", 0))
        (other,) = verdicts([row])
        assert other["as_of"] == report.as_of
        assert sorted(one["code"] for one in other["findings"]) == sorted(one.code for one in report.findings)
        assert other["passed"] == report.is_clean
        return report

    return ask


def copied(steps: str, *, rounds: int = 1) -> tuple[LogBuilder, Parts]:
    """Make a log that ends within a round: opened, dealt, or aborted and not revealed."""
    log = LogBuilder.of(TABLE, rounds=rounds)
    parts = log.lay_out(TABLE) if steps == "ODE" else log.prepare(TABLE)
    if steps == "ODE":
        abort(parts, stage="DEALT", reason="DEADLINE")
    log.append(parts, steps=steps)
    return log, parts


def later(log: LogBuilder, ms: int, **more: Any) -> Row:  # noqa: ANN401 - members of a row
    """Return a log's row with a clock so long after its newest leaf."""
    return row_of(log) | {"now": log.time + ms} | more


@pytest.mark.parametrize("name", LATER)
@pytest.mark.parametrize("steps", STEPS)
def test_copy_made_while_a_round_ran_is_not_broken_later(ask: Ask, steps: str, name: str) -> None:
    log, parts = copied(steps)
    report = ask(later(log, LATER[name]))
    (note,) = report.findings
    assert (note.code, note.severity) == (Code.UNFINISHED_IN_COPY, "NOTE")
    assert (note.table_id, note.round_number) == (TABLE.name, 2)
    deadline = parts.header.deal_deadline if steps == "O" else parts.header.round_deadline
    assert STEPS[steps] in note.detail
    assert str(deadline) in note.detail
    assert report.as_of == log.time
    first, second, third, *_, verdict = report_lines(report)
    question = "1 round had not ended that should have by now: ask the service for it"
    assert third == question
    assert second.startswith("as of ")
    assert verdict.startswith("nothing broken as of ")
    assert verdict.endswith(f"; {question}, 1 noted")
    assert first.startswith(ORIGIN)


@pytest.mark.parametrize("steps", STEPS)
def test_copy_whose_rounds_are_in_time_says_nothing(ask: Ask, steps: str) -> None:
    log, _ = copied(steps)
    report = ask(later(log, 1_000))
    assert report.findings == ()
    assert list(report_lines(report))[-1] == "nothing failed"


@pytest.mark.parametrize(
    ("steps", "code"), [("O", Code.DEADLINE_PASSED), ("OD", Code.DEADLINE_PASSED), ("ODE", Code.NEVER_REVEALED)]
)
def test_running_log_that_an_operator_stops_is_broken(ask: Ask, steps: str, code: Code) -> None:
    log, _ = copied(steps)
    row = later(log, HOUR)
    report = ask(row | {"as_of": row["now"]})
    assert [one.code for one in report.findings] == [code]
    assert report.as_of == report.now


def test_time_of_a_quorum_moves_the_deadlines_of_a_copy(ask: Ask) -> None:
    """Both witnesses saw the log with the round unfinished after its deadline; one of them alone does not count."""
    log, parts = copied("OD")
    seen = (parts.header.round_deadline + 60_000) // 1000 + 1
    row = later(log, HOUR) | {"witnesses": [vkey(FIRST), vkey(SECOND)], "quorum": 2, "max_age": None, "outgrown": []}
    both = ask(row | {"cosigned": [cosigned(log, len(log.entries), FIRST, SECOND, time=seen).decode()]})
    assert ([one.code for one in both.findings], both.as_of) == ([Code.DEADLINE_PASSED], 1000 * seen)
    one = ask(row | {"cosigned": [cosigned(log, len(log.entries), FIRST, time=seen).decode()]})
    assert [one.code for one in one.findings] == [Code.QUORUM_UNMET, Code.UNFINISHED_IN_COPY]
    assert one.as_of == log.time


def test_time_of_a_receipt_of_this_log_moves_the_deadlines_of_a_copy(ask: Ask) -> None:
    """A receipt by the referee's key of the log counts, and one by a stranger's does not."""
    log, parts = copied("OD")
    held = receipt(parts, 1)
    assert parts.inputs.events[0].time > log.time
    report = ask(later(log, HOUR, event_receipts=[base64.b64encode(held).decode()]))
    assert report.as_of == parts.inputs.events[0].time
    own = receipt_by_a_stranger(held)
    forged = ask(later(log, HOUR, event_receipts=[base64.b64encode(own).decode()]))
    assert forged.as_of == log.time


def receipt_by_a_stranger(held: bytes) -> bytes:
    """Return a receipt signed by a key that the log never named."""
    envelope = Envelope.parse(held)
    return sign(envelope.payload_type, envelope.payload, STRANGER)


def test_former_audit_moves_the_deadlines_of_a_copy(ask: Ask) -> None:
    log, _ = copied("OD")
    row = later(log, 3 * HOUR)
    assert ask(row).is_clean
    assert [one.code for one in ask(row | {"former": log.time + HOUR}).findings] == [Code.DEADLINE_PASSED]


@pytest.mark.parametrize("wanted", ["before the newest leaf", "before a former audit", "after the auditor's clock"])
def test_time_outside_of_what_is_held_and_the_clock_is_refused(verdicts: Verdicts, wanted: str) -> None:
    log, _ = copied("OD")
    row = later(log, HOUR)
    refused = {
        "before the newest leaf": row | {"as_of": log.time - 1},
        "before a former audit": row | {"as_of": log.time, "former": log.time + 1},
        "after the auditor's clock": row | {"as_of": row["now"] + 1},
    }[wanted]
    with pytest.raises(AsOfError, match="so give"):
        audited(log_of(row), **options_of(refused), former=refused.get("former", 0))
    assert [one.get("error") for one in verdicts([refused])] == ["AsOfError"]


def test_leaves_are_held_against_the_auditors_own_clock(ask: Ask) -> None:
    """A leaf dated ahead of the auditor is a failure of a copy too, and makes the copy no newer."""
    log, _ = copied("OD")
    report = ask(row_of(log) | {"now": log.time - 120_001})
    assert Code.TIME_AHEAD in [one.code for one in report.findings]
    assert report.as_of < log.time


def test_dealt_round_that_had_not_ended_counts_as_given_up(ask: Ask) -> None:
    log, _ = copied("OD", rounds=19)
    report = ask(later(log, HOUR))
    assert [one.code for one in report.findings] == [
        Code.GIVEN_UP_BY_YOUNG_KEYS,
        Code.ROUNDS_GIVEN_UP,
        Code.UNFINISHED_IN_COPY,
    ]
    assert report.given_up.tables[TABLE.name].given_up == 1
    opened, _ = copied("O", rounds=19)
    assert [one.code for one in ask(later(opened, HOUR)).findings] == [Code.UNFINISHED_IN_COPY]


@pytest.mark.parametrize("steps", STEPS)
@pytest.mark.parametrize("form", ["bundle", "log"])
def test_dispute_of_a_copy_is_unfinished_and_asks_the_service(steps: str, form: str) -> None:
    log, _ = copied(steps)
    answer = disputed(log, form)
    assert answer.verdict is Verdict.UNFINISHED
    assert [one.code for one in answer.findings] == [Code.UNFINISHED_IN_COPY]


def disputed(log: LogBuilder, form: str) -> Dispute:
    """Answer a quarrel about the newest round of a copy a day later."""
    now = log.time + 24 * HOUR
    if form == "log":
        return settle_dispute(case_of_log(log.bundle(), (TABLE.name, 0), *terms_of(**KEYS, now=now)), ())
    bundle = bundle_of(log.entries, log.checkpoint(), list(rounds_of(log.entries))[-1])
    return settle_dispute(case_of_bundle(bundle, *terms_of(**KEYS, now=now)), read_all([]))


def test_leaf_left_out_of_a_bundle_blames_nobody_and_a_given_time_does() -> None:
    """Who makes a bundle can leave out the settlement: only a time that the court gives is held against the log."""
    log = LogBuilder.of(TABLE, rounds=2)
    bundle = bundle_of(log.entries, log.checkpoint(), list(rounds_of(log.entries))[-1])
    said = json.loads(bundle)
    dropped = json.dumps({**said, "leaves": said["leaves"][:-1]}).encode()
    now = log.time + HOUR
    assert [one.code for one in prove_round(dropped, *terms_of(**KEYS, now=now)).findings] == [Code.UNFINISHED_IN_COPY]
    judged = terms_of(**KEYS, now=now, as_of=now)
    assert [one.code for one in prove_round(dropped, *judged).findings] == [Code.NEVER_REVEALED]
    with pytest.raises(AsOfError):
        prove_round(dropped, *terms_of(**KEYS, now=now, as_of=now + 1))


def test_folder_and_service_are_audited_as_running_while_the_server_runs(tmp_path: Path) -> None:
    running = Running(tmp_path / "data")
    address = f"127.0.0.1:{running.app.port}"

    def as_of(place: str) -> int | None:
        with audited_log(place, None) as log:
            return log.time(HOUR).as_of

    with lock_folder(tmp_path / "data"):  # as the process of a server does
        assert as_of(str(tmp_path / "data")) == as_of(address) == HOUR
    running.close()
    assert as_of(str(tmp_path / "data")) is None


def test_tiles_under_a_url_are_audited_as_running_and_those_in_a_folder_as_a_copy(tmp_path: Path) -> None:
    log = LogBuilder.of(TABLE)
    for path, data in files_of(log.entries, log.checkpoint()).items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(data)
    given: dict[str, Any] = {"log_key": LOG.text, "root_key": ROOT.text}
    with served(tmp_path) as url, audited_log(url, None, **given) as running:
        assert running.time(HOUR).as_of == HOUR
        assert running.grace > HOUR
    with audited_log(str(tmp_path), None, **given) as copy:
        assert copy.time(HOUR).as_of is None
        assert copy.grace < HOUR
