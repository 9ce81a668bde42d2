"""Rulesets of a house whose clocks outlast restarts on a busy machine."""

import re
from pathlib import Path
from typing import Final

import referee.rulesets

SHIPPED: Final = Path(referee.rulesets.__file__).parent
SLOW: Final = {
    "mau_binh.slow": "mau_binh.classic",
    "tien_len.slow": "tien_len.mien_nam",
    "ultimate_texas.slow": "ultimate_texas.casino",
}
"""Each ruleset, and the shipped one that it is a copy of but for its clocks."""


def write_slow_rulesets(folder: Path) -> None:
    """Write the rulesets as files of a new folder."""
    folder.mkdir()
    for name, shipped in SLOW.items():
        text = (SHIPPED / f"{shipped}.toml").read_text(encoding="utf-8").replace(shipped, name)
        text = re.sub(
            r"(\[(?:clocks\.(?:ready|arranging|opening|street)|turn)\]\n(?:\w+ = .*\n)*?seconds = )\d+",
            r"\g<1>600",
            text,
        )
        text = re.sub(r"(shortest_seconds = )\d+", r"\g<1>2400", text)
        text = re.sub(r"(longest_seconds = )\d+", r"\g<1>86400", text)
        (folder / f"{name}.toml").write_text(text, encoding="utf-8")
