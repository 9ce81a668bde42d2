"""A fairness report as one HTML page that loads nothing."""

import math
from dataclasses import dataclass
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined

from referee.lab.fairness.report import FairnessReport, Line
from referee.lab.fairness.text import short

_HEIGHT: Final = 255
"""Ordinate of probability 1, in the picture's units; each factor of a tenth is 40 units higher."""
_DECADE: Final = 40
_DECADES: Final = 6.0


@dataclass(frozen=True, slots=True)
class _Dot:
    """A measure in the picture: negative decimal logarithms of its p-value and of the p-value expected at its rank."""

    line: Line
    expected: float
    observed: float


def render_page(report: FairnessReport) -> str:
    """Render the page of a report."""
    environment = Environment(
        loader=PackageLoader("referee.lab.fairness", "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"counted": lambda number: f"{number:,}", "short": short}
    environment.globals |= {
        "mark": lambda holds: "✓" if holds else "✗",
        "up": lambda unlikely: round(_HEIGHT - _DECADE * unlikely, 1),
    }
    bound = _unlikely(report.alpha / max(1, len(report.lines)))
    return environment.get_template("page.html.j2").render(report=report, dots=_dots(report), bound=bound)


def _dots(report: FairnessReport) -> list[_Dot]:
    ranked = sorted(report.lines, key=lambda line: line.p_value)
    return [
        _Dot(line, round(_unlikely(rank / (len(ranked) + 1)), 3), round(_unlikely(line.p_value), 3))
        for rank, line in enumerate(ranked, 1)
    ]


def _unlikely(probability: float) -> float:
    """Return the negative decimal logarithm of a probability, at most 6, the top of the picture."""
    return _DECADES if probability <= 0 else min(_DECADES, -math.log10(min(1.0, probability)))
