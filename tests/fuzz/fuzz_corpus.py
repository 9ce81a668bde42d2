"""Inputs that are kept: a base and edits each, one JSON object a line, with what the audit says of them."""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.fuzz.fuzz_bases import base
from tests.fuzz.fuzz_changes import Edit, Tree, apply
from tests.fuzz.fuzz_log import build

CORPUS: Final = Path(__file__).parent / "corpus.jsonl"


class Input(NamedTuple):
    """A log to verify: a base and the edits that change it."""

    base: str
    edits: tuple[Edit, ...]

    @property
    def tree(self) -> Tree:
        """The edited tree."""
        return apply(base(self.base), self.edits)

    @property
    def row(self) -> dict[str, Any]:
        """The row that verifiers read."""
        return build(self.tree)

    @property
    def line(self) -> str:
        """The input as a line of a file."""
        return json.dumps({"base": self.base, "edits": self.edits}, separators=(",", ":"))


def load(file: Path = CORPUS) -> list[Input]:
    """Read inputs; an empty list where there is no file."""
    if not file.exists():
        return []
    rows = [json.loads(line) for line in file.read_text("utf-8").splitlines()]
    return [Input(row["base"], tuple(row["edits"])) for row in rows]


def save(inputs: Iterable[Input], file: Path = CORPUS) -> None:
    """Write inputs, in the order of their text."""
    file.write_text("".join(f"{one.line}\n" for one in sorted(inputs, key=lambda one: one.line)), "utf-8")
