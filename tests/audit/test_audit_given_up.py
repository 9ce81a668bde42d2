"""Decks given up before the deal: dealt from the seeds that ABORT has, and those that people hand in."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from referee.audit import Code, Documents
from referee.audit.documents import DocumentError, parse_seeds
from referee.cli.main import app
from referee.suspicion.report import CountedReport
from referee.suspicion.score import Measure
from tests.audit.audit_builder import LOG, ROOT, Auditor, LogBuilder, Parts, Table, abort, codes, digest
from tests.audit.audit_tiles import publish, served

TABLE = Table(name="felt", ruleset_id="mau_binh.classic", seats=3)


def given_up(*missing: int, table: Table = TABLE) -> tuple[LogBuilder, Parts]:
    """Make a log whose only round was given up for want of these seats' seeds."""
    log = LogBuilder.founded()
    parts = log.lay_out(table)
    abort(parts, stage="OPENED", reason="SEED_MISSING", missing=missing)
    log.append(parts, steps="OER")
    return log, parts


def lines(parts: Parts, *seats: int, **changes: object) -> str:
    """Write the seeds of these seats as they are handed in."""
    seeds = [
        {"round_id": parts.header.round_id.hex(), "seat": seat, "seed": parts.client_seeds[seat].hex()}
        for seat in seats
    ]
    return "\n".join(json.dumps(one | changes) for one in seeds)


def held(parts: Parts, *seats: int, **changes: object) -> Documents:
    return Documents(seeds=parse_seeds(lines(parts, *seats, **changes).encode()))


def scored(report: CountedReport) -> int:
    """Count the hands of decks that were kept or given up, as far as the audit knows them."""
    scores = [score for score in report.statistics.scores if score.subject.measure is Measure.CHOSEN_DECKS]
    assert scores
    return sum(score.trials for score in scores)


def test_deck_whose_seed_nobody_hands_in_is_not_scored(audit: Auditor):
    log, parts = given_up(1, 2)
    assert scored(audit(log.bundle())) == 0
    report = audit(log.bundle(), documents=held(parts, 1))
    assert scored(report) == 0
    assert codes(report) == [Code.SEED_HELD]


def test_deck_whose_every_seed_is_known_is_scored(audit: Auditor):
    """With a note for each seed, and as no deck that was dealt again."""
    log, parts = given_up(1, 2)
    report = audit(log.bundle(), documents=held(parts, 1, 2, 2))
    assert scored(report) == 3
    assert [(one.code, one.leaf_index) for one in report.findings] == [(Code.SEED_HELD, 4), (Code.SEED_HELD, 4)]
    assert (report.is_clean, report.checked.redealt, report.statistics.decks) == (True, 0, 0)


def test_seed_that_the_log_has_too_shows_nothing_new(audit: Auditor):
    log, parts = given_up(2)
    assert audit(log.bundle(), documents=held(parts, 0)).findings == ()


@pytest.mark.parametrize(
    "changes",
    [{"seed": digest("another").hex()}, {"seat": 2}, {"seat": 3}, {"seat": 2**53 - 1}],
    ids=["seed", "seat", "no seat", "far seat"],
)
def test_seed_that_opens_no_commitment_is_refused_and_not_scored(audit: Auditor, changes: dict[str, object]):
    log, parts = given_up(1)
    report = audit(log.bundle(), documents=held(parts, 1, **changes))
    assert [(one.code, one.leaf_index) for one in report.findings] == [(Code.HELD_SEED_REFUSED, 3)]
    assert scored(report) == 0


def test_seed_of_a_seat_that_committed_to_none_is_refused(audit: Auditor):
    """Otherwise any seed at all could be made up for it."""
    log, parts = given_up(1, table=Table(name="felt", ruleset_id="mau_binh.classic", seats=3, commits=False))
    assert codes(audit(log.bundle(), documents=held(parts, 1))) == [Code.HELD_SEED_REFUSED]


@pytest.mark.parametrize(
    ("line", "match"),
    [
        ('{"round_id":"00","seat":0,"seed":"00"}', "length"),
        (f'{{"round_id":"{"zz" * 32}","seat":0,"seed":"{"00" * 32}"}}', "hex"),
        (f'{{"round_id":"{"00" * 32}","seat":-1,"seed":"{"00" * 32}"}}', "-1|>= 0"),
        (f'{{"round_id":"{"00" * 32}","seat":0,"seed":"{"00" * 32}","more":1}}', "more"),
        ("[" * 5_000, "line 2"),
        ("seed", "line 2"),
    ],
)
def test_line_that_is_no_seed_is_refused_with_its_place(line: str, match: str):
    with pytest.raises(DocumentError, match="line 2 is no seed") as refused:
        parse_seeds(f"\n{line}\n".encode())
    assert refused.match(match)


def test_command_scores_decks_with_the_seeds_of_a_file(tmp_path: Path):
    log, parts = given_up(1)
    folder = tmp_path / "log"
    publish(served(log), folder)
    seeds = tmp_path / "seeds.jsonl"
    seeds.write_text(lines(parts, 1))
    keys = ("--log-key", LOG.text, "--root-key", ROOT.text)
    ran = CliRunner().invoke(app, ["audit", str(folder), *keys, "--seeds", str(seeds)])
    assert ran.exit_code == 0
    assert "NOTE 65 SEED_HELD: table felt, round 1" in ran.output
    assert "without a seed: table felt, seat 1: 1" in ran.output
    seeds.write_text("{}")
    refused = CliRunner().invoke(app, ["audit", str(folder), *keys, "--seeds", str(seeds)])
    assert (refused.exit_code, "line 1 is no seed" in refused.output) == (2, True)
