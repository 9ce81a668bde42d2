"""Inputs that are kept: a base and edits each, one JSON object a line."""

import json
from pathlib import Path
from typing import Any, Final, NamedTuple

from tests.fuzz.fuzz_bases import base
from tests.fuzz.fuzz_changes import Edit, Tree, apply
from tests.fuzz.fuzz_log import build

CORPUS: Final = Path(__file__).parent / "corpus.jsonl"


class Input(NamedTuple):
    """A log to verify: a base and the edits that change it."""

    base: str
    edits: tuple[Edit, ...] = ()

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
        """The input as a line of the corpus."""
        return json.dumps({"base": self.base, "edits": self.edits}, separators=(",", ":"))


def load() -> list[Input]:
    """Read the corpus."""
    rows = [json.loads(line) for line in CORPUS.read_text("utf-8").splitlines()]
    return [Input(row["base"], tuple(row["edits"])) for row in rows]
