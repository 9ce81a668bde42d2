"""The picture of what grows with the log: a line for each operation over the sizes, both axes logarithmic."""

import math
from collections.abc import Mapping
from html import escape
from typing import Final

_WIDTH: Final = 640
_HEIGHT: Final = 560
_LEFT: Final = 70
_LABELS: Final = 220
_COLOURS: Final = ("#1864ab", "#c92a2a", "#2b8a3e", "#e67700", "#862e9c", "#0b7285", "#5f3dc4", "#495057")


def draw(by_size: Mapping[int, Mapping[str, float]]) -> str:
    """Return SVG of the CPU seconds of each operation by the log's size in leaves; what is in MB is left out.

    Every line ends with the operation and how many times dearer it is at the last size than at the first.
    """
    sizes = list(by_size)
    lines = {name: [by_size[size][name] for size in sizes] for name in by_size[sizes[0]] if not name.endswith("MB")}
    low = math.floor(min(math.log10(value) for values in lines.values() for value in values))
    high = math.ceil(max(math.log10(value) for values in lines.values() for value in values))

    def x(size: int) -> float:
        return _LEFT + _WIDTH * math.log(size / sizes[0]) / math.log(sizes[-1] / sizes[0])

    def y(seconds: float) -> float:
        return 40 + _HEIGHT * (high - math.log10(seconds)) / (high - low)

    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_LEFT + _WIDTH + _LABELS} {_HEIGHT + 90}" '
            'font-family="sans-serif" font-size="13" fill="#212529">'
        ),
        "<title>CPU seconds of an operation by leaves of the log</title>",
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        '<text x="8" y="22">CPU seconds of an operation, by leaves of the log</text>',
    ]
    for power in range(low, high + 1):
        height = y(10.0**power)
        parts.append(f'<path d="M{_LEFT} {height:.0f}h{_WIDTH}" stroke="#dee2e6"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{height + 4:.0f}" text-anchor="end">{10.0**power:g} s</text>')
    parts += [f'<text x="{x(size):.0f}" y="{_HEIGHT + 62}" text-anchor="middle">{size:,}</text>' for size in sizes]
    below = 0.0
    for place, (name, values) in enumerate(sorted(lines.items(), key=lambda line: -line[1][-1])):
        colour = _COLOURS[place % len(_COLOURS)]
        path = "L".join(f"{x(size):.0f} {y(value):.0f}" for size, value in zip(sizes, values, strict=True))
        below = max(y(values[-1]) + 4, below + 15)
        parts.append(f'<path d="M{path}" fill="none" stroke="{colour}" stroke-width="2"/>')
        words = f"{escape(name)}: {values[-1] / values[0]:.1f}x"
        parts.append(f'<text x="{_LEFT + _WIDTH + 8}" y="{below:.0f}" fill="{colour}">{words}</text>')
    return "\n".join([*parts, "</svg>", ""])
