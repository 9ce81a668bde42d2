"""Search the tree for words that the project's English has retired.

Run ``python -m tests.style.retired_words [--list] [PATH ...]``: print the number of uses by room, or each use with
its line, and exit with 1 where there is one. ``make check`` runs it over the whole tree. A reader must not have to
learn a dialect: each of these words has a plain one beside it below.
"""

# ruff: noqa: T201 - a script that prints

import argparse
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

RETIRED: Final = {
    "told|mistold": "reported, stated, given; the inputs of a transcript",
    r"(?<!\.)tell|tells|telling": "say, state, report, show",
    "stands|stood": "is, holds, counts",
    "standing|standings": "state, result",
    "comes to|come to|came to": "is, amounts to, results in",
    "hear|hears|heard": "receive",
    "docket": "report",
    "slip": "record",
    "gathered": "collected",
    "patience": "timeout",
    "crew": "processes",
    "correspondent": "client",
    "whoever": "the caller, a client, each seat that",
    "anybody": "anyone",
    "household": "plain",
    "refuses? to know": "does not depend on",
    "the law of this|the law(?=:)": "(say the rule itself)",
    "nothing, (?:where|unless|while|once)": "verify, check; raise",
    "is to be said": "report",
}
"""A pattern of retired words, and what to write instead."""

SUFFIXES: Final = frozenset(
    f".{name}"
    for name in [
        "css",
        "go",
        "html",
        "j2",
        "js",
        "json",
        "md",
        "mjs",
        "proto",
        "py",
        "rb",
        "svelte",
        "toml",
        "ts",
        "yaml",
    ]
)
GENERATED: Final = re.compile(r"_pb2|_pb\.|/dist/|/gen/|package-lock|\.vi\.toml$|^tests/style/")
_PATTERNS: Final = {
    words: re.compile(rf"(?<![A-Za-z])(?i:{words})(?![A-Za-z])|(?:{words.title()})(?=[A-Z])") for words in RETIRED
}
"""Each as a word, as a part of an identifier (``told_at``) or of a class name (``ToldEvent``)."""


class Use(NamedTuple):
    """One use of a retired word: file, line (from 1), the word, what to write instead, and the whole line."""

    path: str
    line: int
    word: str
    instead: str
    text: str


def uses_in(path: str, text: str) -> Iterator[Use]:
    """Yield the uses of retired words in a text, line by line."""
    for number, line in enumerate(text.splitlines(), start=1):
        for words, pattern in _PATTERNS.items():
            for match in pattern.finditer(line):
                yield Use(path, number, match[0], RETIRED[words], line.strip())


def tracked_files(paths: list[str]) -> list[str]:
    """Return the text files of the project below some paths, generated ones excluded."""
    listed = subprocess.run(["git", "ls-files", "-z", *paths], capture_output=True, text=True, check=True)  # noqa: S607 - the checkout's own git
    return [path for path in listed.stdout.split("\0") if Path(path).suffix in SUFFIXES and not GENERATED.search(path)]


def room_of(path: str) -> str:
    """Return the first two folders of a path."""
    parts = Path(path).parts
    return "/".join(parts[:2]) if len(parts) > 2 else parts[0]


def main() -> int:
    """Print the uses below the paths given; return 1 where there is one."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--list", action="store_true", help="print each use")
    parser.add_argument("paths", nargs="*", metavar="PATH")
    asked = parser.parse_args()
    found = [
        use
        for path in tracked_files(asked.paths)
        if Path(path).is_file()
        for use in uses_in(path, Path(path).read_text(encoding="utf-8"))
    ]
    if asked.list:
        for use in found:
            print(f"{use.path}:{use.line}: {use.word!r} -> {use.instead}: {use.text[:100]}")
    for room, count in sorted(Counter(room_of(use.path) for use in found).items()):
        print(f"{count:5} {room}")
    print(f"{len(found)} uses of retired words")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
