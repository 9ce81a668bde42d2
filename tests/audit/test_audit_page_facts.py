"""The page says who audited what: auditor, program, keys, period, rulesets, money by currency, and its own words."""

import json
from collections import Counter
from pathlib import Path
from typing import Literal

import msgspec
import pytest
from typer.testing import CliRunner

from referee import __version__
from referee.audit import Code
from referee.audit.cause import Cause, cause_of
from referee.audit.page.faults import faults_by_cause
from referee.audit.page.page import PageOptions, render_page
from referee.audit.page.words import load_words
from referee.audit.report import DealingLevel, Money, MoneyRow
from referee.audit.round_leaves import RoundMoney
from referee.audit.totals import MAX_ROWS, MoneyBook
from referee.cli.main import app
from referee.evidence.dsse import Envelope
from referee.evidence.vkey import Algorithm, VerifierKey
from referee.finding import Finding, Severity
from referee.rulesets import Catalogue, load_builtin
from referee.suspicion.report import CountedReport
from referee.transcript.proof import EventLevel
from tests.audit.audit_builder import LOG, ROOT, Auditor, LogBuilder, Table, abort, healthy_tables
from tests.audit.audit_tiles import publish, served
from tests.audit.test_audit_page import HOSTILE, played, read

WORDS = load_words().page


def text_of(html: str) -> str:
    return "".join(read(html).text)


def spaced(number: int) -> str:
    return f"{number:,}".replace(",", "\u202f")


def rendered(
    report: CountedReport, log: LogBuilder, catalogue: Catalogue | None = None, *, language: Literal["vi", "en"] = "en"
) -> str:
    return render_page(
        report, log.bundle(), catalogue=catalogue or load_builtin(), options=PageOptions(language=language)
    )


def test_money_is_that_of_the_transcripts_by_ruleset_and_currency(audit: Auditor):
    """Counted again from the settled transcripts themselves; an aborted round has no money."""
    log, staked, transferred, house = LogBuilder.founded(), Counter[str](), Counter[str](), Counter[str]()
    for table in healthy_tables([ruleset.id for ruleset in load_builtin()], seats=(2, 3)):
        transcript = json.loads(log.play(table).transcript)
        header = transcript["inputs"]["header"]
        bets = [amount for seat in header["seat_stakes"] for amount in seat]
        staked[table.ruleset_id] += sum(bets) or header["stake"] * table.seats
        transferred[table.ruleset_id] += sum(one["amount"] for one in transcript["results"]["transfers"])
        house[table.ruleset_id] += transcript["results"].get("house", {}).get("net", 0)
    parts = log.lay_out(Table(name="felt", ruleset_id="tien_len.mien_nam", seats=2))
    abort(parts, stage="DEALT", reason="DEADLINE")
    log.append(parts)
    report = audit(log.bundle())
    rows = {row.ruleset_id: row for row in report.money.rows}
    assert {name: row.staked for name, row in rows.items()} == staked
    assert {name: row.transferred for name, row in rows.items()} == transferred
    assert {name: row.house for name, row in rows.items()} == house
    assert any(house.values())
    assert (rows["tien_len.mien_nam"].opened, rows["tien_len.mien_nam"].settled) == (3, 2)
    text = text_of(rendered(report, log))
    assert {row.currency for row in rows.values()} == {"CHIP"}
    assert spaced(staked.total()) in text
    assert spaced(transferred.total()) in text


def test_settlement_that_does_not_replay_has_no_money(audit: Auditor):
    log = played()
    honest = audit(log.bundle())
    name = honest.money.rows[0].ruleset_id
    without = Catalogue([ruleset for ruleset in load_builtin() if ruleset.id != name])
    report = audit(log.bundle(), catalogue=without)
    assert (report.money.rows[0].ruleset_id, report.money.rows[0].settled) == (name, 0)
    assert report.money.rows[0].transferred == 0
    assert report.money.rows[1:] == honest.money.rows[1:]
    assert WORDS["ruleset_unknown"].en in text_of(rendered(report, log, without))
    assert WORDS["ruleset_unknown"].en not in text_of(rendered(honest, log))


def test_two_currencies_are_never_added():
    rows = tuple(
        MoneyRow(
            ruleset_id=name,
            ruleset_version="1.0.0",
            ruleset_digest=64 * "0",
            currency=currency,
            opened=1,
            settled=1,
            staked=staked,
            transferred=1,
        )
        for name, currency, staked in (("one.game", "VND", 10_001), ("one.game", "XU", 10_002), ("two.game", "VND", 3))
    )
    report = CountedReport.empty(origin="log.example/1", now=0)
    report.money = Money(rows=rows)
    text = text_of(rendered(report, LogBuilder.founded()))
    assert text.count(spaced(10_004)) == 1
    assert spaced(20_006) not in text
    assert msgspec.json.decode(msgspec.json.encode(report), type=CountedReport) == report


def test_rows_of_money_are_bounded_and_the_rest_is_counted():
    book = MoneyBook()
    for number in range(3 * MAX_ROWS):
        book.add(RoundMoney(terms=("a.b", "1.0.0", "00", f"C{number}"), is_recomputed=True, staked=2, transferred=1))
    money = book.close()
    assert (len(money.rows), money.left_out) == (MAX_ROWS, 2 * MAX_ROWS)


def test_period_is_from_the_first_to_the_last_time_of_a_leaf(audit: Auditor):
    log = played()
    times: list[int] = []
    for data in log.bundle().leaves(0, 10**9):
        payload = json.loads(Envelope.parse(data).payload)
        times += [payload[name] for name in ("opened_time", "dealt_time", "unsealed_time") if name in payload]
        times += [payload["inputs"]["closed_time"]] if "inputs" in payload else []
    report = audit(log.bundle())
    assert (report.first_time, report.last_time) == (min(times), max(times))
    assert min(times) < max(times)
    assert WORDS["no_period"].en not in text_of(rendered(report, log))
    empty = LogBuilder.founded()
    assert WORDS["no_period"].en in text_of(rendered(audit(empty.bundle()), empty))


def test_rulesets_are_named_with_version_and_digest(audit: Auditor):
    log = played()
    text = text_of(rendered(audit(log.bundle()), log))
    catalogue = load_builtin()
    assert len(list(catalogue)) > 2
    for ruleset in catalogue:
        assert ruleset.id in text
        assert ruleset.version in text
        assert ruleset.digest.hex() in text


def test_findings_are_grouped_by_cause_each_cause_once():
    report = CountedReport.empty(origin="log.example/1", now=0)
    report.findings = tuple(Finding.of(code, "detail") for code in reversed(list(Code)))
    report.finding_counts = dict.fromkeys(Code, 1)
    groups = faults_by_cause(report)
    assert [cause for cause, _ in groups] == sorted({cause_of(code) for code in Code})
    for cause, faults in groups:
        assert {cause_of(fault.code) for fault in faults} == {cause}
        notes = [fault.severity is Severity.NOTE for fault in faults]
        assert notes == sorted(notes)
    text = text_of(rendered(report, LogBuilder.founded()))
    places = [text.index(load_words().of("cause", cause.name).en) for cause in Cause]
    assert places == sorted(places)


def test_causes_and_terms_have_words_in_both_languages():
    words = load_words()
    for cause in Cause:
        phrase = words.of("cause", cause.name)
        assert phrase.vi != phrase.en, cause
    assert len(words.glossary) > 10
    for term, meaning in words.glossary:
        assert term.vi != term.en
        assert meaning.vi[-1] == meaning.en[-1] == "."


@pytest.mark.parametrize("language", ["vi", "en"])
def test_glossary_explains_terms_and_levels(language: Literal["vi", "en"], audit: Auditor):
    log, words = played(), load_words()
    html = rendered(audit(log.bundle()), log, language=language)
    text = text_of(html).partition(getattr(WORDS["rerun_intro"], language))[2]
    wanted = {"leaf", "round", "seed", "receipt", "witness", "checkpoint"}
    english = {term.en: getattr(meaning, language) for term, meaning in words.glossary}
    assert wanted <= set(english)
    for meaning in english.values():
        assert meaning in text
    for table, levels in (("dealing", DealingLevel), ("event_level", EventLevel)):
        for level in levels:
            assert level is EventLevel.NONE or getattr(words.of(table, level.value), language) in text


def test_command_names_auditor_program_keys_and_witnesses(tmp_path: Path):
    publish(served(played()), tmp_path / "log")
    page, keys = tmp_path / "page.html", ("--log-key", LOG.text, "--root-key", ROOT.text)
    command = ["audit", str(tmp_path / "log"), *keys]
    result = CliRunner().invoke(
        app, [*command, "--html", str(page), "--language", "en", "--auditor", f"Trần Ánh {HOSTILE}"]
    )
    assert result.exit_code == 0, result.output
    html = page.read_text("utf-8")
    about = text_of(html).partition(WORDS["proved"].en)[2]
    assert html.count("<script") == 0
    assert "Trần Ánh" in about
    assert f"referee {__version__}" in about
    assert LOG.text in about
    assert ROOT.text in about
    assert WORDS["keys_given"].en in about
    assert WORDS["no_witnesses"].en in about
    witness = VerifierKey("witness.example/1", LOG.public_key, Algorithm.COSIGNATURE_V1).text
    asked = (*command, "--html", str(page), "--language", "en", "--witness", witness)
    assert CliRunner().invoke(app, asked).exit_code == 1  # the witness never cosigned
    html = page.read_text("utf-8")
    assert f"1 of 1 {WORDS['quorum_needed'].en}{witness}" in text_of(html)
    assert f"--witness {witness} --quorum 1" in text_of(html)
    assert WORDS["no_auditor"].en in text_of(html)
    alone = CliRunner().invoke(app, [*command, "--auditor", "Ánh"])
    assert (alone.exit_code, "--html" in alone.output) == (2, True)
