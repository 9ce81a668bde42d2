"""The list of what an audit must catch, each number with what catches it: run ``python -m tests.audit.table``.

A number is caught by fixtures, by tests of the implementation, or by both. Of each fixture the table has what was
changed, the code that the audit finds first, and the code that the TypeScript verifier finds first, read from its own
output where node and npm are installed and the verifier is built; ``-`` where it does not read that file.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT: Final = Path(__file__).parents[2]
VECTORS: Final = ROOT / "tests" / "vectors" / "audit"
VERIFIER: Final = ROOT / "clients" / "verifier"

MEANINGS: Final = (
    "server seed swapped",
    "commitment swapped in OPEN",
    "DEAL before OPEN",
    "two OPENs in a slot",
    "client seed edited, dropped, swapped",
    "default, zero, repeated, equal client seeds: the level drops",
    "client commitment of another round",
    "server seed used twice",
    "never revealed after the deadline",
    "stake, Ante or Trips in the transcript unlike the header",
    "M over other fields, header edited",
    "a seed field in the production API",
    "two cards swapped",
    "biased mapping",
    "duplicate hidden in an unopened section",
    "deck_root differs",
    "certificate forged, of the wrong role, type, key, round or section, expired",
    "two certificates or DEALs that disagree",
    "card not in hand, played twice",
    "wrong section size",
    "Merkle tricks: node as leaf, proof long or short, index beyond the size",
    "another section's key or the seed in an export",
    "low-entropy section keys",
    "seed or section key released early",
    "a street opened before its receipt",
    "illegal event accepted, wrong result, wrong ruleset digest",
    "events edited, reordered, dropped, doubled",
    "two receipts, one index",
    "settled twice, or for another round",
    "signed by the wrong role",
    "type confusion",
    "non-canonical bytes",
    "signature malleability, length",
    "small-order and non-canonical keys",
    "dealt again",
    "next round before the terminal leaf",
    "gap or wrong previous hash",
    "throw-away tables",
    "selective abort by hand quality",
    "withholding by seat",
    "deadline passed without ABORT and REVEAL",
    "leaf edited in place",
    "history rewritten and signed again",
    "split view",
    "truncation",
    "freeze",
    "receipt promised, leaf absent",
    "wrong origin, key, note lines",
    "cosignature missing or forged, quorum unmet, one key under two names",
    "tile and entries disagree",
    "crash at every step of an append",
    "two sequencers",
    "card by position, serial, duplicate decks",
    "win rates outside exact bounds",
)
"""Meaning of each number, from 1."""

TESTS: Final[dict[int, tuple[str, ...]]] = {
    12: (
        "tests/audit/test_audit_surface.py::test_no_request_has_a_field_for_the_servers_randomness",
        "tests/audit/test_audit_surface.py::test_field_that_gave_it_would_be_seen",
    ),
    14: (
        "tests/dealing/test_dealing_deck.py::test_each_draw_of_the_shuffle_is_unbiased",
        "tests/dealing/test_dealing_deck.py::test_the_remainder_alone_is_biased",
        "tests/dealing/test_dealing_vectors.py::test_shuffle_vectors",
    ),
    21: (
        "tests/audit/test_audit_promise.py::test_receipt_of_every_leaf_of_every_small_tree_holds_and_no_trick_does",
        "tests/audit/test_audit_promise.py::test_no_inner_node_of_a_small_tree_passes_for_a_leaf",
    ),
    22: ("tests/audit/test_audit_secrecy.py::test_every_secret_is_found_in_every_spelling",),
    38: ("tests/audit/test_audit_population.py::test_tables_given_up_after_one_bad_round_are_found",),
    39: (
        "tests/audit/test_audit_population.py::test_aborts_of_a_seats_worst_hands_are_found",
        "tests/audit/test_audit_population.py::test_aborts_of_rounds_the_house_would_lose_are_found",
    ),
    40: ("tests/audit/test_audit_population.py::test_seat_that_withholds_is_found_and_many_that_do_are_not",),
    51: ("tests/storage/test_storage_crash.py::test_killed_at_any_step_the_log_is_whole_and_the_round_goes_on",),
    52: ("tests/storage/test_storage_crash.py::test_processes_that_write_at_once_make_one_log",),
    53: ("tests/audit/test_audit_population.py::test_shuffles_known_to_be_bad_are_found",),
    54: ("tests/audit/test_audit_population.py::test_seat_that_is_dealt_the_best_hand_too_often_is_found",),
}
"""Tests that catch a number in the implementation, or over more rounds than a fixture holds."""


class Row(NamedTuple):
    """A line of the table; a test has no mutation and no codes."""

    number: int
    meaning: str
    caught_by: str
    mutation: str
    code: str
    typescript: str


def fixtures() -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield every fixture of an attack with the name of its file."""
    for file in sorted(VECTORS.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            fixture = json.loads(line)
            if fixture["expected"]:
                yield file.name, fixture


def test_exists(name: str) -> bool:
    """Return whether a test of this name is in its file."""
    file, _, function = name.partition("::")
    path = ROOT / file
    return (
        path.is_file()
        and re.search(rf"^def {re.escape(function)}\(", path.read_text("utf-8"), re.MULTILINE) is not None
    )


test_exists.__test__ = False  # type: ignore[attr-defined] # it asks about tests and is none


def rows() -> list[Row]:
    """Yield the table, by number; fixtures before tests."""
    typescript = verifier_codes()
    table = []
    for file, fixture in fixtures():
        number, name = fixture["expected"]["number"], fixture["id"]
        table.append(
            Row(
                number,
                MEANINGS[number - 1],
                f"{file.removesuffix('.jsonl')}: {name}",
                fixture["why"],
                fixture["expected"]["code"],
                typescript.get(name, "-"),
            )
        )
    for number, names in TESTS.items():
        table += [Row(number, MEANINGS[number - 1], name, "", "", "") for name in names if test_exists(name)]
    return sorted(table, key=lambda row: (row.number, not row.code, row.caught_by))


def uncaught() -> list[int]:
    """List the numbers that nothing catches, and those whose test does not exist."""
    caught = {fixture["expected"]["number"] for _, fixture in fixtures()}
    caught |= {number for number, names in TESTS.items() if all(map(test_exists, names))}
    missing = {number for number, names in TESTS.items() if not all(map(test_exists, names))}
    return sorted({*range(1, len(MEANINGS) + 1)} - caught | missing)


def verifier_codes() -> dict[str, str]:
    """Return by fixture the code that the TypeScript verifier finds first; empty if it cannot run."""
    if shutil.which("npm") is None or not (VERIFIER / "node_modules").is_dir():
        return {}
    ran = subprocess.run(
        ["npm", "run", "--silent", "fixtures"],  # noqa: S607 - npm is found on the path
        cwd=VERIFIER,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    words = [line.split(maxsplit=3) for line in ran.stdout.splitlines()]
    return {line[1]: line[3].partition(" ")[0] for line in words if len(line) == len(("number", "id", "code", "found"))}


def main() -> int:
    """Print the table; return 1 if a number is not caught."""
    last = 0
    for row in rows():
        if row.number != last:
            sys.stdout.write(f"\n{row.number:>2}  {row.meaning}\n")
            last = row.number
        if row.code:
            sys.stdout.write(f"    {row.caught_by:<64} {row.code:<24} {row.typescript:<24} {row.mutation}\n")
        else:
            sys.stdout.write(f"    {row.caught_by}\n")
    missing = uncaught()
    sys.stdout.write(f"\nnot caught: {', '.join(map(str, missing)) or 'none'}\n")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
