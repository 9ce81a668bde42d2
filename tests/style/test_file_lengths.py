"""No file of code has more than 400 lines, generated ones excepted."""

import re
import subprocess
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
MOST: Final = 400
SUFFIXES: Final = (".py", ".ts", ".svelte", ".mjs", ".js", ".go", ".rb")
GENERATED: Final = re.compile(r"_pb2|_pb\.|/dist/|/gen/")
EXCEPTIONS: Final = {
    "tests/audit/audit_builder.py": "builds each kind of leaf with the same secrets",
    "tests/audit/audit_watched.py": "a log and all that its witnesses said of it",
    "tests/server/keys/test_key_rotation.py": "a case a change of keys",
    "tests/vectors/independent_audit.py": "the third verifier's audit, to be read from top to bottom",
    "tests/vectors/independent_round.py": "the third verifier's round, to be read from top to bottom",
    "tests/vectors/test_independent_verifier.py": "a test a file of vectors",
}
"""Files that may be longer, each with the reason: lists of cases and the verifier that is meant to be one text."""


def long_files() -> dict[str, int]:
    """Return the tracked files of code with more lines than allowed."""
    listed = subprocess.run(["git", "ls-files", "-z"], capture_output=True, text=True, check=True, cwd=ROOT).stdout  # noqa: S607 - the checkout's own git
    paths = [path for path in listed.split("\0") if path.endswith(SUFFIXES) and not GENERATED.search(path)]
    assert len(paths) > len(EXCEPTIONS)
    lines = {path: len((ROOT / path).read_bytes().splitlines()) for path in paths if (ROOT / path).is_file()}
    return {path: count for path, count in lines.items() if count > MOST}


def test_no_file_of_code_is_too_long() -> None:
    assert {path: count for path, count in long_files().items() if path not in EXCEPTIONS} == {}


def test_every_exception_is_needed() -> None:
    assert sorted(EXCEPTIONS) == sorted(path for path in long_files() if path in EXCEPTIONS)


def test_no_file_of_the_product_is_excepted() -> None:
    assert all(path.startswith("tests/") for path in EXCEPTIONS)
