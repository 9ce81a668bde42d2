"""The TypeScript verifier: its own tests pass, and it agrees with the audit on randomly changed logs."""

import json
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from referee.audit import MemoryLog
from referee.finding import Code, Finding
from referee.rulesets import load_builtin
from tests.audit import findings_table as list_of_54
from tests.audit.audit_builder import FAR, NOW, LogBuilder, Table, abort, healthy_tables
from tests.audit.auditing import audited
from tests.randomness import random_from
from tests.verifier.verifier_bundles import bundle_of, log_row, round_ids
from tests.verifier.verifier_mutations import Seen, apart, listed_alike, mutate
from tests.verifier.verifier_project import PROJECT, run

Verdicts = Callable[[Iterable[dict[str, Any]]], list[dict[str, Any]]]

ONLY_IN_THE_AUDIT = {
    Code.ILLEGAL_EVENT: "requires the rules of the game",
    Code.EVENT_NOT_RECEIVED: "requires the rules of the game",
    Code.SEEN_TOO_LOW: "requires the rules of the game",
    Code.TIMEOUT_TOO_EARLY: "requires the rules of the game",
    Code.TERMS_FORBIDDEN: "requires the rules of the game",
    Code.INSTANT_WIN_GIVEN_UP: "requires the rules of the game",
    Code.LAW_FAILED: "requires the rules of the game",
    Code.ABORTED_FOR_KEY: "requires statistics over many rounds",
    Code.TABLES_THROWN_AWAY: "requires statistics over many rounds",
    Code.TABLES_UNSEEDED: "requires statistics over many rounds",
    Code.ABORTED_BY_QUALITY: "requires statistics over many rounds",
    Code.WITHHELD_BY_SEAT: "requires statistics over many rounds",
    Code.CARDS_BY_PLACE_UNEVEN: "requires statistics over many rounds",
    Code.DECKS_CORRELATED: "requires statistics over many rounds",
    Code.DECK_REPEATED: "requires statistics over many rounds",
    Code.WINS_BEYOND_CHANCE: "requires statistics over many rounds",
    Code.WIN_RATE_UNUSUAL: "requires statistics over many rounds",
    Code.ANSWERED: "requires statistics over many rounds",
    Code.LEFT_OUT: "requires statistics over many rounds",
    Code.SUPERUSER: "requires statistics over many rounds",
    Code.UNLIKELY_BY_CHANCE: "requires statistics over many rounds",
}
"""Codes that the verifier does not have, with the reason."""
TABLES = (
    Table(name="binh", ruleset_id="mau_binh.classic", seats=3),
    Table(name="lon", ruleset_id="tien_len.mien_nam", seats=3, keyed=True),
    Table(name="texas", ruleset_id="ultimate_texas.casino", seats=2),
    Table(name="seal", ruleset_id="mau_binh.classic", seats=2, keyed=True, sealed=True),
    Table(name="free", ruleset_id="mau_binh.classic", seats=2, keyed=True, signs_seeds=False),
)


def played(*tables: Table, rounds: int) -> LogBuilder:
    log = LogBuilder.founded()
    for table in tables:
        for _ in range(rounds):
            log.play(table)
    return log


def audit_findings(log: MemoryLog, *, now: int) -> tuple[Finding, ...]:
    return audited(log, now=now, as_of=None).findings


@pytest.mark.slow("builds or checks a Node project")
def test_its_own_tests_pass(project: Path) -> None:
    tested = run("npm", "test")
    assert tested.returncode == 0, tested.stdout[-5000:]
    assert int(re.findall(r"^# pass (\d+)$", tested.stdout, re.MULTILINE)[0]) > 300
    assert project.is_dir()


@pytest.mark.usefixtures("project")
def test_table_of_what_an_audit_must_catch_names_its_findings() -> None:
    fixtures = {fixture["id"] for _, fixture in list_of_54.fixtures()}
    codes = list_of_54.verifier_codes(is_built=True)
    assert fixtures <= codes.keys()
    assert codes["server_seed_swapped"] == "SERVER_SEED_MISMATCH"
    assert codes["tile_missing"] == "TILE_MISMATCH"


def codes_in(text: str) -> list[str]:
    """Return the codes of ``finding.ts``, in their order."""
    return re.findall(r"^  (\w+): ", text.partition("const FINDINGS = {")[2].partition("}")[0], re.MULTILINE)


def test_codes_are_in_the_order_of_the_audit() -> None:
    """Findings of one leaf are listed in this order."""
    text = (PROJECT / "src" / "finding.ts").read_text("utf-8")
    codes = codes_in(text)
    assert len(codes) > 90
    assert codes == [code.value for code in Code if code.value in codes]


@pytest.mark.slow("builds or checks a Node project")
@pytest.mark.usefixtures("project")
def test_its_type_check_and_formatting_pass() -> None:
    checked = run("npm", "run", "check")
    assert checked.returncode == 0, checked.stdout


def test_its_dependencies_are_locked_and_from_no_named_registry(project: Path) -> None:
    """Tools are pinned; a library's users may take later minor versions of the two, this tree takes the locked ones."""
    package = json.loads((project / "package.json").read_text(encoding="utf-8"))
    assert all(re.fullmatch(r"\d+\.\d+\.\d+", version) for version in package["devDependencies"].values())
    assert set(package["dependencies"]) == {"@noble/curves", "@noble/hashes"}
    lock = json.loads((project / "package-lock.json").read_text(encoding="utf-8"))
    assert all(
        re.fullmatch(r"\d+\.\d+\.\d+", lock["packages"][f"node_modules/{name}"]["version"])
        for name in package["dependencies"]
    )
    assert all("resolved" not in entry for entry in lock["packages"].values())


def test_its_library_needs_nothing_of_node(project: Path) -> None:
    """The library runs in a browser; only the command reads files."""
    sources = {path.name: path.read_text(encoding="utf-8") for path in (project / "src").glob("*.ts")}
    assert {name for name, text in sources.items() if re.search(r'from "node:|\bprocess\.|\bBuffer\b', text)} == {
        "cli.ts"
    }


def test_its_codes_are_those_of_the_audit(project: Path) -> None:
    text = (project / "src" / "finding.ts").read_text(encoding="utf-8")
    assert set(codes_in(text)) == {code.value for code in set(Code) - set(ONLY_IN_THE_AUDIT)}
    readme = (project / "README.md").read_text(encoding="utf-8")
    assert [code for code in ONLY_IN_THE_AUDIT if code.value not in readme] == []


def test_rounds_of_every_ruleset_verify(verdicts: Verdicts) -> None:
    log = played(*healthy_tables([ruleset.id for ruleset in load_builtin()]), *TABLES, rounds=2).bundle()
    rounds = [{"bundle": bundle_of(log, round_id), "now": NOW} for round_id in round_ids(log.entries)]
    whole, *each = verdicts([log_row(log, now=NOW), *rounds])
    assert whole["rounds"] == len(rounds)
    assert {(one["code"], one["table_id"]) for one in whole["findings"]} == {("CLIENT_SEED_UNSIGNED", "free")}
    assert {one["code"] for result in each for one in result["findings"]} == {"CLIENT_SEED_UNSIGNED"}
    sealed = [result for result in each if result["table_id"] == "seal"]
    assert {(result["dealing_level"], result["event_level"], outcome(result, "SEAL")) for result in sealed} == {
        ("L2", "E2", "PASSED")
    }
    assert {outcome(result, "SEED_SIGNATURES") for result in sealed} == {"PASSED"}
    assert all(result["passed"] for result in each)
    for code in ("SERVER_SEED", "DECK", "CARDS", "MONEY", "EVENT_CHAIN", "SETTLED_HEADER", "PREVIOUS_LEAF", "RULESET"):
        assert {outcome(result, code) for result in each} == {"PASSED"}, code


def outcome(result: dict[str, Any], code: str) -> str:
    return {check["code"]: str(check["outcome"]) for check in result["checks"]}[code]


def test_last_winner_is_found_behind_aborted_rounds(verdicts: Verdicts) -> None:
    table = Table(name="lon", ruleset_id="tien_len.mien_nam", seats=4, keyed=True)
    log = played(table, rounds=1)
    for _ in range(2):
        parts = log.lay_out(table)
        abort(parts, stage="DEALT", reason="DEADLINE")
        log.append(parts)
    log.play(table)
    bundle = log.bundle()
    last = bundle_of(bundle, round_ids(bundle.entries)[-1])
    dropped = [leaf for leaf in last["leaves"] if leaf["index"] != min(one["index"] for one in last["leaves"][3:])]
    whole, proved, unproved = verdicts(
        [
            log_row(bundle, now=NOW),
            {"bundle": last, "now": NOW},
            {"bundle": {**last, "leaves": dropped}, "now": NOW},
        ]
    )
    assert whole["findings"] == proved["findings"] == unproved["findings"] == []
    assert [outcome(proved, "LEADER"), outcome(unproved, "LEADER")] == ["PASSED", "NOT_CHECKED"]


@pytest.mark.slow("builds or checks a Node project")
@pytest.mark.parametrize("seed", range(3))
def test_audit_and_verifier_agree_on_random_changes(seed: int, verdicts: Verdicts) -> None:
    """Both report the same findings in the same order, except those that require the rules of a game."""
    chance = random_from(seed)
    logs = [played(table, rounds=3).entries for table in TABLES]
    changed = [LogBuilder(mutate(chance.choice(logs), chance)).bundle() for _ in range(150)]
    times = [chance.choice([NOW, FAR]) for _ in changed]
    answers = verdicts([log_row(log, now=now) for log, now in zip(changed, times, strict=True)])
    seen = set()
    for log, now, answer in zip(changed, times, answers, strict=True):
        ours: list[Seen] = [(finding.code.value, finding.leaf_index) for finding in audit_findings(log, now=now)]
        theirs: list[Seen] = [(finding["code"], finding.get("leaf_index")) for finding in answer["findings"]]
        seen |= {code for code, _ in ours}
        assert apart({*ours}, {*theirs}) == set(), (ours, theirs)
        assert listed_alike(ours, theirs), (ours, theirs)
    assert len(seen) > 15


def test_round_alone_and_round_in_its_log_agree(verdicts: Verdicts) -> None:
    """If a log holds exactly one round, the round's bundle has the same findings as the log."""
    chance = random_from(7)
    entries = played(TABLES[0], rounds=1).entries
    changed = [LogBuilder(mutate(entries, chance)).bundle() for _ in range(60)]
    whole = [log for log in changed if is_one_round(log)]
    logs = verdicts([log_row(log, now=NOW) for log in whole])
    alone = verdicts([{"bundle": bundle_of(log, round_ids(log.entries)[0]), "now": NOW} for log in whole])
    assert len(whole) > 10
    for log, bundle in zip(logs, alone, strict=True):
        codes = [[finding["code"] for finding in result["findings"]] for result in (log, bundle)]
        assert codes[0] == codes[1] or "HEADER_REFUSED" in codes[0]
        assert log["passed"] == bundle["passed"]


def is_one_round(log: MemoryLog) -> bool:
    """Return whether every leaf is readable and belongs to the only round, so that its bundle equals the log."""
    try:
        ids = round_ids(log.entries)
        return len(ids) == 1 and len(bundle_of(log, ids[0])["leaves"]) == len(log.entries)
    except (ValueError, KeyError):
        return False
