"""The fairness report: proofs by exhaustive count, measures, controls, and the verdict.

The same seed and numbers of decks give the same report, byte for byte, with any number of processes. Of a fair shuffle
at most one report in a hundred has a measure that is not ordinary: all measures of decks, bytes and leaders are one
family, and their p-values are adjusted together by Holm's method, which does not need them to be independent. These
must also hold, with practical certainty: the proofs, no stream used up, no deck dealt twice, no deck that differs from
``deal_order``'s, every control found. Floats have six digits.

>>> adjusted([0.01, 0.5, 0.004])
[0.02, 0.5, 0.012]
"""

from collections.abc import Callable, Sequence
from math import comb, factorial
from typing import Final

import msgspec
import numpy as np

from referee.dealing.deck import STREAM_SIZE
from referee.lab.fairness.control import CONTROLS, Control
from referee.lab.fairness.law import bytes_used_law
from referee.lab.fairness.measure import Judgement, chi_square
from referee.lab.fairness.proof import Proof, prove
from referee.lab.fairness.survey import (
    LEADER_SEATS,
    MEASURES,
    Survey,
    count_decks_dealt_twice,
    count_duplicates,
    survey_controls,
    survey_decks,
)

ALPHA: Final = 0.01
"""Largest chance that a report of a fair shuffle has a measure that is not ordinary."""

FORMAT: Final = 1
NAMED_CATCHES: Final = 3

Progress = Callable[[str, int], object]
"""Callback; its arguments are the current part, and the number of decks done in it since the last call."""


class Line(msgspec.Struct, frozen=True):
    """One measure: its statistic, the expected value, the p-value, and the p-value adjusted for all measures."""

    measure: str
    statistic: float
    expected: float
    p_value: float
    adjusted: float

    @property
    def holds(self) -> bool:
        """Whether the adjusted p-value is ordinary, at least ``ALPHA``."""
        return self.adjusted >= ALPHA


class ControlLine(msgspec.Struct, frozen=True):
    """Result of a control: its fault, the measures that found it, and the exact count that excludes it.

    ``caught_by`` names at most three of the ``catches`` measures that found the fault, the least likely first.
    ``decks_needed`` estimates the number of decks with which statistics would find a fault that they need not find; 0
    if they must find it. ``found`` says that a measure found the fault, or need not.
    """

    control: str
    fault: str
    catches: int
    caught_by: tuple[str, ...]
    counted: str
    decks_needed: float
    found: bool


class FairnessReport(msgspec.Struct, frozen=True, kw_only=True):
    """A fairness report, as it is written to JSON."""

    format: int
    seed: str
    decks: int
    control_decks: int
    alpha: float
    proofs: tuple[Proof, ...]
    lines: tuple[Line, ...]
    used_up: int
    duplicates: int
    duplicates_expected: float
    compared: int
    differing: int
    controls: tuple[ControlLine, ...]

    @property
    def holds(self) -> bool:
        """Whether no fault was found in the shuffle, and every control was found."""
        exact = not (self.used_up or self.duplicates or self.differing)
        return (
            exact
            and all(proof.holds for proof in self.proofs)
            and all(line.holds for line in self.lines)
            and all(control.found for control in self.controls)
        )


def examine(
    seed: bytes, *, decks: int, control_decks: int, workers: int, progress: Progress = lambda _part, _decks: None
) -> FairnessReport:
    """Make the report over ``decks`` decks, and ``control_decks`` of each control, from a seed of 32 bytes."""
    proofs = prove()
    survey = survey_decks(seed, decks=decks, workers=workers, progress=lambda done: progress("decks", done))
    controls = survey_controls(
        seed, decks=control_decks, workers=workers, progress=lambda done: progress("controls", done)
    )
    return FairnessReport(
        format=FORMAT,
        seed=seed.hex(),
        decks=decks,
        control_decks=control_decks,
        alpha=ALPHA,
        proofs=proofs,
        lines=lines_of(survey),
        used_up=survey.used_up,
        duplicates=count_decks_dealt_twice(seed, survey),
        duplicates_expected=_rounded(comb(decks, 2) / factorial(52)),
        compared=survey.compared,
        differing=survey.differing,
        controls=tuple([control_line(*pair) for pair in zip(CONTROLS, controls, strict=True)]),
    )


def lines_of(survey: Survey) -> tuple[Line, ...]:
    """Judge the measures of decks, then of streams, then of leaders in a survey."""
    values, used = survey.byte_values.tolist(), survey.bytes_used.tolist()
    used_law, decks = bytes_used_law(STREAM_SIZE), survey.decks + survey.used_up
    judged = [
        *_of_decks(survey),
        ("bytes of the streams", chi_square(values, (1,) * 256, decks=sum(values))),
        ("bytes used by a deck", chi_square(used, used_law, decks=decks)),
    ]
    for seats, row in zip(LEADER_SEATS, survey.leaders.tolist(), strict=True):
        judged.append((f"leaders of {seats} seats", chi_square(row[:seats], (1,) * seats, decks=sum(row))))
    return _adjusted_lines(judged)


def control_line(control: Control, survey: Survey) -> ControlLine:
    """Judge a control by the survey of its decks."""
    lines = _adjusted_lines(_of_decks(survey)) if survey.decks else ()
    caught = sorted([line for line in lines if not line.holds], key=lambda line: (line.p_value, -line.statistic))
    names = [line.measure for line in caught]
    if survey.used_up:
        names.insert(0, "streams used up")
    if count_duplicates(np.concatenate(survey.fingerprints)):
        names.insert(0, "decks dealt twice")
    return ControlLine(
        control=control.name,
        fault=control.fault,
        catches=len(names),
        caught_by=tuple(names[:NAMED_CATCHES]),
        counted=control.counted,
        decks_needed=_rounded(control.decks_needed if not control.is_seen else 0.0),
        found=bool(names) or not control.is_seen,
    )


def adjusted(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values by Holm's method; return them in the same order.

    If an adjusted p-value is below a level, its hypothesis is rejected, with at most that chance of any false
    rejection.
    """
    found = [0.0] * len(p_values)
    least = 0.0
    for rank, place in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        least = max(least, min(1.0, (len(p_values) - rank) * p_values[place]))
        found[place] = least
    return found


def _adjusted_lines(judged: Sequence[tuple[str, Judgement]]) -> tuple[Line, ...]:
    all_adjusted = adjusted([judgement.p_value for _, judgement in judged])
    return tuple(
        [
            Line(name, *map(_rounded, (found.statistic, found.expected, found.p_value, together)))
            for (name, found), together in zip(judged, all_adjusted, strict=True)
        ]
    )


def _of_decks(survey: Survey) -> list[tuple[str, Judgement]]:
    return [
        (measure.name, measure.judge(counts, decks=survey.decks))
        for measure, counts in zip(MEASURES, survey.counts, strict=True)
    ]


def _rounded(number: float) -> float:
    return float(f"{number:.6g}")
