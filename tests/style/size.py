"""The code's size: ``python -m tests.style.size`` prints lines by feature, then figures and how each is counted."""

import ast
import dataclasses
import logging
import re
import sys
from collections.abc import Iterator
from typing import Final

import structlog

from referee.games.game import Game
from tests.bench.trace_settle import trace
from tests.style.features import GENERATED, ROOT, lines, paths, table

OPENS_ROUND: Final = re.compile(r"OpenRoundRequest\(|\.OpenRound\(")
"""A file that matches opens rounds by hand: it builds the request, or calls the method on a stub."""
Row = tuple[str, str, str]


def trees(names: list[str]) -> Iterator[tuple[str, ast.Module]]:
    return ((name, ast.parse((ROOT / name).read_bytes())) for name in names)


def repeated_classes(names: list[str]) -> list[str]:
    """Return the public class names of several files; a lifecycle name of the games, such as ``State``, may repeat."""
    places: dict[str, set[str]] = {}
    for name, tree in trees(names):
        for node in tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, set()).add(name)
    return sorted(name for name, files in places.items() if len(files) > 1 and not is_lifecycle_name(files))


def is_lifecycle_name(files: set[str]) -> bool:
    """Say whether all definitions are in ``games``, at most one of them outside the games' own folders."""
    return all(file.startswith("referee/games/") for file in files) and sum(file.count("/") == 2 for file in files) < 2


def rows() -> Iterator[Row]:
    """Yield the rows of the table: what, its figure, and how it is counted."""
    code = [name for name in paths("referee") if name.endswith(".py") and not GENERATED.search(name)]
    tests = [name for name in paths("tests") if name.endswith(".py")]
    statements = sum(isinstance(node, ast.stmt) for _, tree in trees(code) for node in ast.walk(tree))
    yield "statements under referee/", f"{statements:,}", "ast.stmt nodes, v1 not counted"
    rooms = {name.split("/")[1] for name in code if name.count("/") > 1}
    yield "rooms of referee/", str(len(rooms)), "folders with code, v1 not counted"
    yield "members of Game", str(len(dataclasses.fields(Game))), "fields of the class"
    audit = [name for name in code if name.startswith("referee/audit/") and "/page/" not in name]
    yield "files of audit/", str(len(audit)), "*.py, its page not counted"
    traces = {game: (len(unseen.files), len(seen.files)) for game, (unseen, seen) in trace().items()}
    files = ", ".join(f"{game} {seen} ({unseen} unseen)" for game, (unseen, seen) in traces.items())
    yield "files a settlement of a seen round enters", str(max(seen for _, seen in traces.values())), files
    yield "conftests", str(sum(name.endswith("conftest.py") for name in tests)), "conftest.py under tests/"
    by_hand = [name for name in tests if OPENS_ROUND.search((ROOT / name).read_text(encoding="utf-8"))]
    yield "test files that open rounds by hand", str(len(by_hand)), OPENS_ROUND.pattern
    repeated = repeated_classes(code)
    yield "class names defined more than once", str(len(repeated)), ", ".join(repeated)
    fourth = [name for name in paths("tests/fourth_game/src") if name.endswith(".py") and not GENERATED.search(name)]
    yield "lines of Python of a fourth game", str(lines(fourth)), "tests/fourth_game/src, v1 not counted"
    if "--list" in sys.argv:
        yield from (("opens by hand", "", name) for name in by_hand)


def main() -> None:
    """Print both tables, without the log lines of the servers that are traced."""
    sys.stdout.write("\n".join(table()) + "\n\n")
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.CRITICAL))
    for what, figure, how in rows():
        sys.stdout.write(f"{what:<44}{figure:>9}  {how}\n")


if __name__ == "__main__":
    main()
