"""Sound logs of every ruleset and every way to end a round have nothing that fails, and are counted rightly."""

from collections.abc import Sequence
from dataclasses import replace

import msgspec
import pytest

from referee.audit import Report
from referee.audit.report import DealingLevel
from referee.rulesets import load_builtin
from referee.suspicion.report import CountedReport
from referee.transcript.proof import EventLevel
from tests.audit.audit_builder import (
    FAR,
    Auditor,
    LogBuilder,
    Parts,
    Table,
    abort,
    dealt_of,
    healthy_tables,
    settle,
)
from tests.audit.audit_players import play_mau_binh
from tests.randomness import random_from

RULESETS = [ruleset.id for ruleset in load_builtin()]
BINH = Table(name="binh", ruleset_id="mau_binh.maubinh_com", seats=4)


def played(table: Table, *, rounds: int = 2) -> LogBuilder:
    return LogBuilder.of(table, rounds=rounds)


def settled_with(*, silent: tuple[int, ...] = (), leaving: tuple[int, ...] = (), table: Table = BINH) -> LogBuilder:
    log = LogBuilder.founded()
    parts = log.lay_out(table)
    chance = random_from(1)
    settle(parts, play=play_mau_binh(dealt_of(parts), chance, silent=silent, leaving=leaving))
    log.append(parts)
    return log


def check_clean(report: Report) -> None:
    assert report.findings == ()
    assert report.rounds.settled == report.checked.replayed
    assert report.rounds.dealt == report.checked.redealt


@pytest.mark.parametrize("ruleset_id", RULESETS)
def test_rounds_of_every_ruleset_hold(ruleset_id: str, audit: Auditor):
    log = LogBuilder.founded()
    for table in healthy_tables([ruleset_id]):
        for _ in range(4):
            log.play(table)
    report = audit(log.bundle())
    check_clean(report)
    assert report.rounds.settled == 12
    assert report.tables[f"{ruleset_id}.3"].settled == 4


def test_rounds_with_an_instant_win_hold(audit: Auditor):
    """Among 400 rounds some end at the deal: the ruleset's own counts make one in some forty."""
    log = LogBuilder.of(replace(BINH, received=False), rounds=400)
    report = audit(log.bundle())
    check_clean(report)
    assert report.event_levels[EventLevel.NONE] > 0


@pytest.mark.parametrize("silent", [(0,), (1, 2), (0, 1, 2, 3)])
def test_seats_that_never_arrange_are_settled_as_dealt(silent: tuple[int, ...], audit: Auditor):
    check_clean(audit(settled_with(silent=silent).bundle()))


@pytest.mark.parametrize("leaving", [(0,), (1, 2), (0, 1, 2, 3)])
def test_seats_that_leave_are_settled(leaving: tuple[int, ...], audit: Auditor):
    check_clean(audit(settled_with(leaving=leaving).bundle()))


@pytest.mark.parametrize(
    ("received", "keyed", "level"),
    [
        (False, False, EventLevel.E0),
        (False, True, EventLevel.E0),
        (True, False, EventLevel.E1),
        (True, True, EventLevel.E2),
    ],
)
def test_event_level_is_how_events_are_attested(level: EventLevel, audit: Auditor, *, received: bool, keyed: bool):
    report = audit(played(replace(BINH, received=received, keyed=keyed)).bundle())
    check_clean(report)
    assert report.event_levels[level] == 2


def test_winner_with_a_key_leads_from_its_seat(audit: Auditor):
    table = Table(name="lead", ruleset_id="tien_len.mien_nam", seats=3, keyed=True)
    check_clean(audit(played(table, rounds=6).bundle()))


def test_dealing_level_without_commitments_of_seats_is_one(audit: Auditor):
    report = audit(played(replace(BINH, commits=False)).bundle())
    check_clean(report)
    assert report.dealing_levels[DealingLevel.L1] == 2


def test_one_player_against_the_house_needs_no_commitment_for_level_two(audit: Auditor):
    table = Table(name="solo", ruleset_id="ultimate_texas.casino", seats=1, commits=False)
    report = audit(played(table).bundle())
    check_clean(report)
    assert report.dealing_levels[DealingLevel.L2] == 2


def aborted(log: LogBuilder, table: Table, *, stage: str, reason: str, missing: Sequence[int] | None = None) -> Parts:
    parts = log.lay_out(table)
    abort(parts, stage=stage, reason=reason, missing=missing)
    log.append(parts, steps="OER" if stage == "OPENED" else "ODER")
    return parts


def test_aborted_rounds_are_counted_by_stage_and_seats_at_fault(audit: Auditor):
    log = LogBuilder.founded()
    aborted(log, BINH, stage="OPENED", reason="SEED_MISSING", missing=(2,))
    aborted(log, BINH, stage="OPENED", reason="SEED_MISSING", missing=(2,))
    aborted(log, BINH, stage="OPENED", reason="OPERATOR")
    aborted(log, BINH, stage="DEALT", reason="DEADLINE")
    log.play(BINH)
    report = audit(log.bundle(), now=FAR)
    assert report.findings == ()
    assert report.tables["binh"].aborted_before_deal == {"2": 2, "NOBODY": 1}
    assert report.tables["binh"].aborted_after_deal == {"NOBODY": 1}
    assert (report.rounds.opened, report.rounds.dealt, report.rounds.settled) == (5, 2, 1)
    assert report.checked.redealt == 2  # an aborted deck is dealt again too


def test_seed_may_be_shown_after_the_next_round_was_opened(audit: Auditor):
    log = LogBuilder.founded()
    first = log.prepare(BINH)
    log.append(first, steps="ODE")
    second = log.prepare(BINH)
    log.append(second, steps="OD")
    log.entries += [first.reveal_leaf, second.ended, second.reveal_leaf]
    check_clean(audit(log.bundle(), now=FAR))


def test_rounds_of_many_tables_may_interleave(audit: Auditor):
    log = LogBuilder.founded()
    tables = [replace(BINH, name=f"table-{number}") for number in range(5)]
    laid_out = [log.lay_out(table) for table in tables]
    for parts in laid_out:
        settle(parts)
    for step in "ODER":
        for parts in laid_out:
            log.append(parts, steps=step)
    report = audit(log.bundle(), now=FAR)
    check_clean(report)
    assert sorted(report.tables) == [table.name for table in tables]


def test_rounds_under_way_are_no_finding_before_their_deadline(audit: Auditor):
    log = played(BINH)
    log.append(log.lay_out(BINH), steps="OD")
    report = audit(log.bundle())
    assert report.findings == ()
    assert (report.rounds.running, report.rounds.unrevealed) == (1, 0)


def test_report_survives_json(audit: Auditor):
    report = audit(played(BINH).bundle())
    assert msgspec.json.decode(msgspec.json.encode(report), type=CountedReport) == report


def test_empty_log_is_clean(audit: Auditor):
    report = audit(LogBuilder().bundle())
    assert report.is_clean
    assert report.size == 0


def test_several_processes_find_the_same(audit: Auditor):
    log = LogBuilder.founded()
    for table in healthy_tables(["mau_binh.classic", "ultimate_texas.casino"]):
        for _ in range(12):
            log.play(table)
    bad = log.prepare(BINH)
    bad.judge = bad.dealer
    log.append(bad)
    alone, together = audit(log.bundle()), audit(log.bundle(), workers=2)
    assert alone == together
    assert len(alone.findings) == 1


def test_progress_ends_with_the_whole_log(audit: Auditor):
    reported: list[tuple[int, int]] = []
    log = played(BINH)
    audit(log.bundle(), progress=lambda done, size: reported.append((done, size)))
    assert reported[-1] == (len(log.entries), len(log.entries))
