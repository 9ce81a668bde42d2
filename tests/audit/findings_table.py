"""The list of what an audit must catch, each number with what catches it: run ``python -m tests.audit.findings_table``.

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

MEANINGS: Final = {
    1: "server seed swapped",
    2: "commitment swapped in OPEN",
    3: "DEAL before OPEN",
    4: "two OPENs in a slot",
    5: "client seed edited, dropped, swapped",
    6: "default, zero, repeated, equal client seeds: the level drops",
    7: "client commitment of another round",
    8: "server seed used twice",
    9: "never revealed after the deadline",
    10: "stake, Ante or Trips in the transcript unlike the header",
    11: "M over other fields, header edited",
    12: "a seed field in the production API",
    13: "two cards swapped",
    14: "biased mapping",
    15: "duplicate hidden in an unopened section",
    16: "deck_root differs",
    17: "certificate forged, of the wrong role, type, key, round or section, expired",
    18: "two certificates or DEALs that disagree",
    19: "card not in hand, played twice",
    20: "wrong section size",
    21: "Merkle tricks: node as leaf, proof long or short, index beyond the size",
    22: "another section's key or the seed in an export",
    23: "low-entropy section keys",
    24: "seed or section key released early",
    25: "a street opened before its receipt",
    26: "illegal event accepted, wrong result, wrong ruleset digest",
    27: "events edited, reordered, dropped, doubled",
    28: "two receipts, one index: a note",
    29: "settled twice, or for another round",
    30: "signed by the wrong role",
    31: "type confusion",
    32: "non-canonical bytes",
    33: "signature malleability, length",
    34: "small-order and non-canonical keys",
    35: "dealt again",
    36: "next round before the terminal leaf",
    37: "gap or wrong previous hash",
    38: "throw-away tables; a note where no seed was received",
    39: "selective abort by hand quality",
    40: "withholding by seat",
    41: "deadline passed without ABORT and REVEAL",
    42: "leaf edited in place",
    43: "history rewritten and signed again",
    44: "split view",
    45: "truncation",
    46: "freeze",
    47: "receipt promised, leaf absent",
    48: "wrong origin, key, note lines",
    49: "cosignature missing or forged, quorum unmet, one key under two names",
    50: "tile and entries disagree",
    51: "crash at every step of an append",
    52: "two sequencers",
    53: "card by position, serial, duplicate decks",
    54: "win rates outside exact bounds",
    55: "UNSEAL whose history is not in the settled course",
    56: "cards opened without UNSEAL, or UNSEAL without the referee's receipt",
    57: "a sealed COMMIT or a keyed seat's TIMEOUT that was only reported, or whose clock a report started",
    58: "an event of a keyed seat that its newest signature does not cover",
    59: "seen below what the game needs",
    60: "a time or flag changed under a receipt",
    61: "a TIMEOUT before its clock ran out",
    62: "a deadline out of bounds",
    63: "times out of order, overlapping rounds, after now, or against a cosigned head",
    64: "an abort by the operator after the first seed",
    65: "a deck given up whose missing seed somebody holds",
    66: "aborts chosen by the cards for one key that changes tables and seats",
    67: "one key in two seats, or a server's key in a seat",
    68: "a seat's token hash changed after its seed was signed",
    69: "bytes of any kind in any leaf: a finding, never an exception",
    70: "a leader other than the log and the redeal give",
    71: "rounds given up after a seed, or by an unopened arrangement; by young keys; an instant win given up: notes",
    72: "a move that the referee received is dropped, and its seat's timeout settled: of the tenant, not the operator",
    73: "an OPEN whose stake, seats or bets its ruleset forbids; an unknown ruleset: a note",
    74: "arrangements that answer hands they should not know, over many rounds",
}
"""Meaning of each number."""

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
    38: ("tests/suspicion/test_suspicion_population.py::test_tables_given_up_after_one_bad_round_are_found",),
    39: (
        "tests/suspicion/test_suspicion_population.py::test_aborts_of_a_seats_worst_hands_are_found",
        "tests/suspicion/test_suspicion_population.py::test_aborts_of_rounds_the_house_would_lose_are_found",
    ),
    40: ("tests/suspicion/test_suspicion_population.py::test_seat_that_withholds_is_found_and_many_that_do_are_not",),
    65: (
        "tests/suspicion/test_suspicion_owners.py::test_decks_given_up_are_scored_with_the_seeds_that_are_handed_in",
        "tests/suspicion/test_suspicion_owners.py::test_seeds_that_are_chosen_by_the_cards_accuse_nobody",
    ),
    70: (
        "tests/audit/test_audit_leaders.py::test_reason_that_the_ruleset_does_not_give_is_found",
        "tests/attacks/test_attack_choose_the_leader.py::test_no_frontend_chooses_who_leads",
    ),
    66: ("tests/suspicion/test_suspicion_owners.py::test_key_that_changes_tables_and_seats_is_found",),
    51: ("tests/storage/test_storage_crash.py::test_killed_at_any_step_the_log_is_whole_and_the_round_goes_on",),
    52: ("tests/storage/test_storage_crash.py::test_processes_that_write_at_once_make_one_log",),
    53: ("tests/suspicion/test_suspicion_population.py::test_shuffles_known_to_be_bad_are_found",),
    54: ("tests/suspicion/test_suspicion_population.py::test_seat_that_is_dealt_the_best_hand_too_often_is_found",),
    74: ("tests/answered/test_answered_reader.py::test_planted_pair_and_triple_are_found_and_their_friends_are_not",),
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
                MEANINGS[number],
                f"{file.removesuffix('.jsonl')}: {name}",
                fixture["why"],
                fixture["expected"]["code"],
                typescript.get(name, "-"),
            )
        )
    for number, names in TESTS.items():
        table += [Row(number, MEANINGS[number], name, "", "", "") for name in names if test_exists(name)]
    return sorted(table, key=lambda row: (row.number, not row.code, row.caught_by))


def uncaught() -> list[int]:
    """List the numbers that nothing catches, and those whose test does not exist."""
    caught = {fixture["expected"]["number"] for _, fixture in fixtures()}
    caught |= {number for number, names in TESTS.items() if all(map(test_exists, names))}
    missing = {number for number, names in TESTS.items() if not all(map(test_exists, names))}
    return sorted({*MEANINGS} - caught | missing)


def verifier_codes(*, is_built: bool = False) -> dict[str, str]:
    """Return by fixture the code that the TypeScript verifier finds first; empty if it cannot run."""
    command = ["node", "build/test/fixture-table.js"] if is_built else ["npm", "run", "--silent", "fixtures"]
    if shutil.which("npm") is None or not (VERIFIER / "node_modules").is_dir():
        return {}
    ran = subprocess.run(
        command,
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
