"""What a report, its lines and its page say of the answers."""

import msgspec

from referee.audit.page.page import PageOptions, render_page
from referee.audit.page.text import report_lines
from referee.finding import Code, Severity
from referee.rulesets import load_builtin
from referee.suspicion.answers import Answer, AnswerKind, Answers, log_anywhere, needed
from referee.suspicion.chance import log10
from referee.suspicion.report import CountedReport
from tests.audit.audit_builder import LogBuilder


def answer(log_e: float, *, kind: AnswerKind = AnswerKind.ANSWERED, asked: int = 3) -> Answer:
    who = {AnswerKind.ANSWERED: ("key aa", "key bb"), AnswerKind.LEFT_OUT: ("key aa", "key bb", "key cc")}
    return Answer(
        kind=kind,
        who=who.get(kind, ("key aa",)),
        rounds=150,
        log10_e=log10(log_e),
        log10_anywhere=log10(log_anywhere(log_e, asked=asked)),
        leaves=(7, 9),
        won={"CHIP": -40},
        path=(0.5, -1.0, log10(log_e)),
    )


def reported(*found: Answer) -> CountedReport:
    report = CountedReport.empty(origin="log.example/1", now=0)
    report.answered = Answers(
        rounds=150, asked={one.kind: 3 for one in found}, needed={one.kind: needed(3) for one in found}, answers=found
    )
    return report


def test_answer_is_a_note_until_the_bound_and_then_a_finding_of_statistics():
    bound = needed(3) * 2.302585093
    found = reported(answer(bound + 0.02), answer(bound - 0.02), answer(5.0)).answered
    assert found is not None
    assert [(one.code, one.severity, one.number) for one in found.findings] == [
        (Code.ANSWERED, Severity.FAIL, 74),
        (Code.UNLIKELY_BY_CHANCE, Severity.NOTE, 74),
    ]
    detail = found.findings[0].detail
    assert "key aa arranged as if it knew the cards of key bb: 150 rounds" in detail
    assert "key bb may be the one whose cards leak" in detail
    assert "leaves 7, 9" in detail
    assert found.findings[0].leaf_index is None


def test_chance_is_corrected_for_all_questions_of_three_kinds():
    assert log_anywhere(20.0, asked=1) < log_anywhere(20.0, asked=10) < 0
    assert needed(1_000_000) - needed(1) == 6
    assert needed(1) == round(9 + 0.4771, 2)


def test_money_is_beside_the_answer():
    lines = [line for line in report_lines(reported(answer(40.0))) if line.startswith("answered: key")]
    assert len(lines) == 1
    assert "the first won -40 CHIP from it" in lines[0]


def test_report_that_was_not_asked_is_as_it_was():
    report = CountedReport.empty(origin="log.example/1", now=0)
    assert "answered" not in msgspec.to_builtins(report)
    assert not [line for line in report_lines(report) if "answered" in line]
    assert 'id="answered"' not in page(report)


def test_page_draws_the_path_of_each_answer_against_the_bound():
    html = page(reported(answer(40.0), answer(60.0, kind=AnswerKind.LEFT_OUT), answer(2.0, kind=AnswerKind.SUPERUSER)))
    part = html.partition('id="answered"')[2].partition("<h2")[0]
    assert part.count('<polyline class="curve"') == 3
    assert part.count('class="bound"') == 1
    assert part.count("<li>") == 2
    assert "key aa, key bb and key cc arranged as if they knew the cards of the fourth seat" in part


def page(report: CountedReport) -> str:
    options = PageOptions(language="en")
    return render_page(report, LogBuilder.founded().bundle(), catalogue=load_builtin(), options=options)
