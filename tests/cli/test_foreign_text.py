"""Text by others cannot move, hide or colour anything in a terminal, a page or a line of JSON, in any command."""

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import structlog

from referee.audit.page.page import PageOptions, render_page
from referee.audit.page.text import report_lines
from referee.audit.report import TableCounts
from referee.audit.source import MemoryLog
from referee.dealing.leaf import DEAL_TYPE
from referee.evidence.dsse import Envelope
from referee.evidence.printable import ascii_json, printable, readable
from referee.finding import Code, Difference, Finding
from referee.rulesets import load_builtin
from referee.server.process.log_lines import configure
from referee.suspicion.report import CountedReport
from referee.transcript.inputs import MEDIA_TYPE
from tests.command import Done, referee
from tests.demo_log import DemoLog

EVIL = "\u202e\x1b[31m\x07\x9b\u2066\u200b[red]"
OBEYED = "\u202e\x1b\x07\x9b\u2066\u200b"
"""Characters that a terminal or a page obeys, each of which is in ``EVIL``."""
TABLE = "demo.tien_len.mien_nam"


def obeyed_in(text: str) -> set[str]:
    return {letter for letter in text if letter in OBEYED}


def is_safe(done: Done) -> bool:
    """Whether nothing in the output is obeyed, and what was written is shown escaped."""
    text = done.stdout + done.stderr
    return not obeyed_in(text) and "\\u202e" in text


def signed_by_another(checkpoint: str) -> str:
    """Return a checkpoint with the line of a signer whose name a terminal obeys."""
    text, _, signature = checkpoint.partition("\n\n")
    return f"{text}\n\n\u2014 evil\u202e\u200b {signature.rpartition(' ')[2]}"


@pytest.fixture
def settled(bundle: Path) -> dict[str, Any]:
    """Return the transcript of a round of the demo."""
    leaves = [Envelope.parse(one["leaf"].encode()) for one in json.loads(bundle.read_text("utf-8"))["leaves"]]
    found: dict[str, Any] = [json.loads(leaf.payload) for leaf in leaves if leaf.payload_type == MEDIA_TYPE][-1]
    return found


def test_characters_outside_printable_ascii_are_escaped() -> None:
    assert printable(EVIL + "\n\x7f") == "\\u202e\\x1b[31m\\x07\\x9b\\u2066\\u200b[red]\\n\\x7f"
    assert readable("Mậu Binh\u202e") == "Mậu Binh\\u202e"
    value = {"a": EVIL + "\U0001f0a1\x7f"}
    assert json.loads(ascii_json(json.dumps(value, ensure_ascii=False))) == value
    assert ascii_json(json.dumps(value, ensure_ascii=False)).isascii()


def test_replay_shows_a_transcript_by_others_escaped(settled: dict[str, Any], tmp_path: Path) -> None:
    """A table, a currency, events, reasons and names of members are text that a stranger's file may say."""
    results = settled["results"]
    transfers = [{**one, "reason": EVIL, "subject": EVIL} for one in results["transfers"]]
    changes: list[dict[str, Any]] = [
        {"inputs": {**settled["inputs"], "closed_time": settled["inputs"]["closed_time"] + 1}, "round_id": EVIL},
        {"results": {**results, EVIL: 1}},
        {"results": {**results, "transfers": transfers}},
        {EVIL: 1},
    ]
    for change in changes:
        file = tmp_path / "transcript.json"
        # canonical order of members, so that the file begins as a bare transcript does
        text = json.dumps({**settled, **change}, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        file.write_text(text[:1] + '"format":1,' + text[1:].replace('"format":1,', "", 1), "utf-8")
        done = referee("replay", "--file", file)
        assert done.returncode in {1, 2}
        assert not obeyed_in(done.stdout + done.stderr)
        assert "\\u202e" in done.stdout + done.stderr or list(change) == [EVIL]
        assert not obeyed_in(referee("replay", "--file", file, "--json").stdout)


def test_rulesets_by_others_are_shown_readable_and_escaped(tmp_path: Path) -> None:
    source = load_builtin().get("tien_len.mien_nam").source.decode()
    own = source.replace("tien_len.mien_nam", "tien_len.house")
    own = own.replace('vi = "Tiến Lên', 'vi = "Tiến\u202e\u200b Lên', 1)
    assert own.count("\u202e") == 1
    (tmp_path / "house.toml").write_text(own, "utf-8")
    listed = referee("rulesets", "list", "--rulesets", tmp_path)
    assert is_safe(listed)
    assert "Tiến" in listed.stdout
    assert not obeyed_in(referee("rulesets", "list", "--json", "--rulesets", tmp_path).stdout)
    (tmp_path / "house.toml").write_text(own.replace("minimum = 2", 'minimum = "\u202e"', 1), "utf-8")
    for done in (referee("rulesets", "check", tmp_path), referee("replay", TABLE, "--rulesets", tmp_path)):
        assert done.returncode == 2
        assert not obeyed_in(done.stdout + done.stderr)


def test_bundle_by_others_is_reported_escaped(demo_log: DemoLog, keys: list[str], bundle: Path, tmp_path: Path) -> None:
    shown = json.loads(bundle.read_text("utf-8"))
    other = signed_by_another(shown["checkpoint"])
    for change in (
        {"checkpoint": EVIL},
        {"consistency": [{"checkpoint": EVIL, "proof": []}]},
        {"leaves": [{**shown["leaves"][0], "leaf": EVIL}, *shown["leaves"][1:]]},
        {"round_id": EVIL},
        {EVIL: EVIL},
        {"checkpoint": other},
    ):
        bundle.write_text(json.dumps({**shown, **change}), "utf-8")
        for form in ([], ["--json"]):
            done = referee("verify", bundle, *keys, *form)
            assert done.stdout.strip() or done.stderr.strip()
            assert not obeyed_in(done.stdout + done.stderr), change
    assert is_safe(referee("verify", bundle, *keys))
    kept = tmp_path / "kept"
    kept.write_text(other, "utf-8")
    for option in ("--witnessed", "--receipt"):
        done = referee("audit", demo_log.data, option, kept)
        assert done.returncode in {1, 2}
        assert not obeyed_in(done.stdout + done.stderr)


@pytest.mark.parametrize("line", ["", "evil\u202e\u200b\n"], ids=["a note", "no checkpoint"])
def test_exported_text_of_a_leaf_is_ascii(demo_log: DemoLog, tmp_path: Path, line: str) -> None:
    """A leaf of the store carries a note in whose lines somebody wrote what a terminal obeys."""
    data = tmp_path / "data"
    shutil.copytree(demo_log.data, data)
    head = json.loads(referee("export", TABLE, "--data", data).stdout)["checkpoint"]
    origin, _, root = head.partition("\n\n")[0].split("\n")
    note = f"{origin}\n1\n{root}\n{line}\n\u2014 evil\u202e AAAAAAAA\n"
    with closing(sqlite3.connect(data / "log.sqlite3")) as store, store:
        for index, stored in store.execute("select position, data from leaf").fetchall():
            leaf = Envelope.parse(bytes(stored))
            if leaf.payload_type == DEAL_TYPE:
                payload = json.loads(leaf.payload) | {"cosigned_checkpoint": note.encode().hex()}
                spelled = json.dumps(payload, sort_keys=True, separators=(",", ":")).encode()
                changed = Envelope(DEAL_TYPE, spelled).to_bytes()
                store.execute("update leaf set data = ? where position = ?", (changed, index))
    for form in ([], ["--out", tmp_path / "round.json"]):
        exported = referee("export", TABLE, "--data", data, *form)
        assert exported.returncode == (2 if line else 0)
        assert is_safe(exported) or form
    if not line:
        assert (tmp_path / "round.json").read_bytes().isascii()
    unknown = referee("export", EVIL, "--data", data)
    assert unknown.returncode == 2
    assert is_safe(unknown)


def test_report_by_every_form_is_escaped() -> None:
    """Everything that others wrote in the report says what a terminal obeys."""
    report = CountedReport.empty(origin=f"log{EVIL}", now=0)
    report.tables = {EVIL: TableCounts(opened=1)}
    difference = Difference(EVIL, f"one\n\u2014 {EVIL}", EVIL)
    finding = Finding.of(Code.WRONG_RESULT, f"it says {EVIL}", slot=(EVIL, 1), difference=difference)
    report.findings, report.finding_counts = (finding,), {Code.WRONG_RESULT: 1}
    report.checkpoint = f"{EVIL}\n"
    report.statistics.without_seed = {EVIL: 1}
    lines = "\n".join(report_lines(report, with_tables=True))
    log, options = MemoryLog(checkpoint=b"", entries=()), PageOptions(command=EVIL, log_key=EVIL)
    page = render_page(report, log, catalogue=load_builtin(), options=options)
    for text in (lines, page):
        assert not obeyed_in(text)
        assert "\\u202e" in text
    assert "Tiếng Việt" in page


def test_lines_of_a_servers_own_log_are_ascii(capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    kept = structlog.get_config()
    try:
        configure(quiet=False)
        structlog.get_logger("referee.test").warning("failed", caller=EVIL)
    finally:
        structlog.configure(**kept)

    written = capfdbinary.readouterr().err
    line = next(line for line in written.splitlines() if b"caller" in line)
    assert json.loads(line)["caller"] == EVIL
    assert line.isascii()
    assert not obeyed_in(line.decode())


@pytest.mark.slow("builds a Node project")
def test_typescript_verifier_prints_text_by_others_escaped(bundle: Path, typescript) -> None:
    shown = json.loads(bundle.read_text("utf-8"))
    for change in (
        {"checkpoint": signed_by_another(shown["checkpoint"])},
        {"origin": EVIL},
        {"root_key": EVIL},
        {"leaves": [{**shown["leaves"][0], "leaf": EVIL}, *shown["leaves"][1:]]},
    ):
        bundle.write_text(json.dumps({**shown, **change}), "utf-8")
        for form in ([], ["--json"]):
            done = typescript(str(bundle), *form)
            assert done.returncode in {1, 2}
            assert not obeyed_in(done.stdout + done.stderr), change
