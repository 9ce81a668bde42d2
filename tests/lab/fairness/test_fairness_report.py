"""Fairness reports: equal for every way of counting, clean for a fair shuffle, and failing for an unfair one."""

import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np
import pytest

from referee.lab.fairness.bounds import FEWEST_CONTROL_DECKS, FEWEST_DECKS
from referee.lab.fairness.control import CONTROLS
from referee.lab.fairness.decks import Decks, shuffled
from referee.lab.fairness.proof import bytes_by_index, chance_used_up, orders_counted_out, prove
from referee.lab.fairness.report import ALPHA, FairnessReport, adjusted, lines_of
from referee.lab.fairness.rounds import deck_of
from referee.lab.fairness.survey import (
    BATCH,
    Batch,
    Survey,
    count_decks_dealt_twice,
    count_duplicates,
    fingerprints_of,
    survey_decks,
    tally,
)
from referee.lab.fairness.text import WIDTH, report_lines
from tests.randomness import number_from

SEED = bytes(31) + b"\x2a"
DECKS = FEWEST_DECKS
AT_LENGTH = pytest.mark.slow("counts the hundred thousand decks that a report takes")


@pytest.fixture(scope="module")
def survey() -> Survey:
    return survey_decks(SEED, decks=DECKS, workers=1)


@dataclass(frozen=True)
class Printed:
    """What ``referee fairness-report --json`` printed, and what it wrote to its file."""

    output: bytes
    file: bytes


def print_report(folder: Path, *, workers: int) -> Printed:
    """Run the command with as few decks as it takes."""
    asked = [
        "--decks",
        str(FEWEST_DECKS),
        "--control-decks",
        str(FEWEST_CONTROL_DECKS),
        "--seed",
        SEED.hex(),
        "--workers",
        str(workers),
    ]
    command = [sys.executable, "-m", "referee", "fairness-report", *asked, "--json", "--out", str(folder / "report")]
    done = subprocess.run(command, capture_output=True, timeout=250, check=False)
    assert done.returncode == 0, done.stderr
    return Printed(done.stdout, (folder / "report").read_bytes())


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Printed:
    return print_report(tmp_path_factory.mktemp("report"), workers=2)


@pytest.fixture(scope="module")
def report(printed: Printed) -> FairnessReport:
    return msgspec.json.decode(printed.output, type=FairnessReport)


@AT_LENGTH
def test_command_writes_what_it_prints(printed: Printed, report: FairnessReport):
    assert printed.file == printed.output
    assert (report.seed, report.decks, report.control_decks) == (SEED.hex(), FEWEST_DECKS, FEWEST_CONTROL_DECKS)


@AT_LENGTH
def test_same_seed_gives_the_same_report_with_any_workers(printed: Printed, tmp_path: Path):
    assert print_report(tmp_path, workers=1) == printed


@AT_LENGTH
def test_a_fair_shuffle_holds(report: FairnessReport):
    assert report.holds
    assert report.proofs
    assert all(proof.holds for proof in report.proofs)
    assert report.compared == 32 * DECKS // BATCH
    assert (report.used_up, report.duplicates, report.differing) == (0, 0, 0)


@AT_LENGTH
def test_every_control_is_found_with_the_fewest_decks_allowed(report: FairnessReport):
    assert [line.control for line in report.controls] == [control.name for control in CONTROLS]
    assert [line.control for line in report.controls if not line.found] == []
    assert all(line.catches for line, control in zip(report.controls, CONTROLS, strict=True) if control.is_seen)


def test_workers_change_nothing():
    """One process counts what two count, byte for byte in the report."""
    alone, shared = (survey_decks(SEED, decks=2 * BATCH + 1, workers=workers) for workers in (1, 2))
    assert lines_of(alone) == lines_of(shared)
    assert np.array_equal(np.concatenate(alone.fingerprints), np.concatenate(shared.fingerprints))


@AT_LENGTH
def test_the_text_of_a_report_keeps_to_eighty_columns_and_names_its_command(report: FairnessReport):
    lines = list(report_lines(report))
    assert max(map(len, lines)) <= WIDTH
    assert any(f"--decks {FEWEST_DECKS} --control-decks {FEWEST_CONTROL_DECKS}" in line for line in lines)
    assert any(SEED.hex() in line for line in lines)
    assert any("dieharder -g 200" in line for line in lines)
    assert lines[-1].startswith("HOLDS")


@AT_LENGTH
@pytest.mark.parametrize("change", ["used_up", "duplicates", "differing"])
def test_a_certainty_that_fails_fails_the_report(report: FairnessReport, change: str):
    changed = msgspec.structs.replace(report, **{change: 1})
    assert not changed.holds
    assert list(report_lines(changed))[-1].startswith("DOES NOT HOLD")


@AT_LENGTH
def test_a_measure_far_out_fails_the_report(report: FairnessReport):
    line = msgspec.structs.replace(report.lines[0], adjusted=ALPHA / 2)
    changed = msgspec.structs.replace(report, lines=(line, *report.lines[1:]))
    assert not changed.holds
    assert [text for text in report_lines(changed) if text.startswith("! ")]


@AT_LENGTH
def test_a_control_not_found_fails_the_report(report: FairnessReport):
    control = msgspec.structs.replace(report.controls[0], found=False)
    assert not msgspec.structs.replace(report, controls=(control, *report.controls[1:])).holds


def test_bytes_and_leaders_that_are_off_are_found(survey: Survey):
    favoured = survey.leaders.copy()
    favoured[2] += [400, 0, 0, 0]
    assert [line.measure for line in lines_of(replace(survey, leaders=favoured)) if not line.holds] == [
        "leaders of 4 seats"
    ]
    heavy = survey.byte_values.copy()
    heavy[0] += 2_000
    assert [line.measure for line in lines_of(replace(survey, byte_values=heavy)) if not line.holds] == [
        "bytes of the streams"
    ]
    later = np.roll(survey.bytes_used, 1)
    assert [line.measure for line in lines_of(replace(survey, bytes_used=later)) if not line.holds] == [
        "bytes used by a deck"
    ]


def test_a_deck_dealt_twice_is_counted():
    """Fingerprints raise the suspicion, dealing again settles it: equal ones of different decks are no duplicate."""
    made = tally(Batch(seed=SEED, first=0, count=100))
    prints = made.fingerprints[0].copy()
    assert count_duplicates(prints) == 0
    prints[7] = prints[3]
    assert count_duplicates(prints) == 1
    assert count_decks_dealt_twice(SEED, replace(made, fingerprints=(prints,))) == 0
    assert deck_of(SEED, number=7) != deck_of(SEED, number=3)


def test_fingerprints_differ_where_two_cards_change_places():
    source = np.random.default_rng(number_from(9))
    decks = shuffled(source.integers(0, 256, (1, 128), dtype=np.uint8))
    prints = {int(fingerprints_of(decks)[0])}
    for first in range(52):
        for second in range(first):
            cards = decks.cards.copy()
            cards[[first, second]] = cards[[second, first]]
            prints.add(int(fingerprints_of(Decks(cards, decks.used))[0]))
    assert len(prints) == 1 + 52 * 51 // 2


def test_holm_is_as_in_the_textbook():
    """Holm 1979: the k-th smallest of m times m - k + 1, never below one before it, at most one."""
    assert adjusted([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert adjusted([0.9, 0.8]) == [1.0, 1.0]


def test_proofs_hold_and_their_counts_are_right():
    assert all(proof.holds for proof in prove())
    assert orders_counted_out(5) == (120, 120)
    assert bytes_by_index(52) == dict.fromkeys(range(52), 4) | {None: 48}
    assert chance_used_up() * 2**159 < 1
    assert chance_used_up(51) > 0.9
