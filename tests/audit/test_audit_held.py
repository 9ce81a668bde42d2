"""Documents that people kept: classified by their content, and audited by the command."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from referee.audit import Code, Documents
from referee.audit.documents import DocumentError, KeptReceipt, parse_documents
from referee.cli.main import app
from referee.evidence.merkle import inclusion_path, leaf_hash
from tests.audit.audit_attacks_promises import promise
from tests.audit.audit_attacks_secrecy import opening
from tests.audit.audit_builder import (
    LOG,
    ORIGIN,
    ROOT,
    Auditor,
    LogBuilder,
    Parts,
    Table,
    codes,
    course_of,
    receipt_of,
)
from tests.audit.audit_tiles import publish, served

TABLE = Table(name="felt", ruleset_id="mau_binh.classic", seats=2)


def laid_out() -> tuple[LogBuilder, Parts]:
    log = LogBuilder.of(TABLE)
    parts = log.prepare(TABLE)
    log.append(parts)
    return log, parts


def bundle(log: LogBuilder, **more: object) -> bytes:
    """Make the bundle of the log's second round."""
    hashes = [leaf_hash(entry) for entry in log.entries]
    leaves = [
        {"index": index, "leaf": entry.decode(), "proof": [node.hex() for node in inclusion_path(hashes, index)]}
        for index, entry in enumerate(log.entries)
    ]
    whole = {"format": 1, "origin": ORIGIN, "checkpoint": log.checkpoint().decode(), "leaves": leaves, **more}
    return json.dumps(whole, indent=2).encode()


def test_files_are_classified_by_their_content():
    log, parts = laid_out()
    proof, certificate = promise(log, 5), opening(parts, 0)
    receipt = receipt_of(parts, 1, course_of(parts))
    held = parse_documents(
        [(proof.receipt, None), (proof.receipt, b"leaf"), (certificate, None), (receipt + b"\n", None)]
    )
    assert held == Documents(
        certificates=(certificate,),
        event_receipts=(receipt,),
        log_receipts=(KeptReceipt(receipt=proof.receipt), KeptReceipt(receipt=proof.receipt, leaf=b"leaf")),
        exports=(certificate, receipt + b"\n"),
    )


def test_bundle_is_a_receipt_for_each_of_its_leaves(audit: Auditor):
    log, parts = laid_out()
    data = bundle(log, certificates=[opening(parts, 0, 1).decode()])
    held = parse_documents([(data, None)])
    assert held.log_receipts == tuple(promise(log, index) for index in range(len(log.entries)))
    assert held.exports == (data,)
    assert audit(log.bundle(), documents=held).findings == ()


def test_bundle_with_the_seed_of_an_unrevealed_round_is_found(audit: Auditor):
    log, parts = laid_out()
    revealed = log.entries.pop()
    held = parse_documents([(bundle(log, note=parts.server_seed.hex()), None)])
    log.entries.append(revealed)
    assert codes(audit(log.bundle(), documents=held)) == [Code.SECRET_EXPOSED]


@pytest.mark.parametrize("data", [b"", b"{}", b"[" * 5_000, b"\xff", b'{"checkpoint":"x","leaves":[{"index":0}]}'])
def test_file_of_nothing_is_refused(data: bytes):
    with pytest.raises(DocumentError, match="file 1 "):
        parse_documents([(promise(laid_out()[0], 0).receipt, None), (data, None)])


def test_leaf_that_was_handed_over_alone_is_refused():
    """It proves nothing without its receipt."""
    log, _ = laid_out()
    with pytest.raises(DocumentError, match="not of a certificate or an event receipt"):
        parse_documents([(log.entries[0], None)])


def test_bundle_with_a_spoilt_proof_is_refused():
    data = json.loads(bundle(laid_out()[0]))
    data["leaves"][0]["proof"] = ["no hash"]
    with pytest.raises(DocumentError, match="no list of hashes"):
        parse_documents([(json.dumps(data).encode(), None)])


def run(folder: Path, *arguments: object) -> tuple[int, str]:
    keys = ("--log-key", LOG.text, "--root-key", ROOT.text)
    result = CliRunner().invoke(app, ["audit", str(folder), *keys, *map(str, arguments)])
    return result.exit_code, result.output


def published(log: LogBuilder, folder: Path) -> Path:
    return publish(served(log), folder)


def test_command_holds_receipts_against_a_log(tmp_path: Path):
    """A receipt with its leaf beside it: kept by the log that gave it, broken by one whose REVEAL was cut off."""
    log, _ = laid_out()
    held = promise(log, 10)
    assert held.leaf is not None
    file = tmp_path / "round.tlog-proof"
    file.write_bytes(held.receipt)
    file.with_suffix(".leaf").write_bytes(held.leaf)
    whole = published(log, tmp_path / "whole")
    del log.entries[-1:]
    cut = published(log, tmp_path / "cut")
    assert run(whole, "--receipt", file)[0] == 0
    code, output = run(cut, "--receipt", file, "--json")
    report = json.loads(output)
    assert (code, {one["code"] for one in report["findings"]}) == (1, {"PROMISED_LEAF_ABSENT", "UNFINISHED_IN_COPY"})


def test_command_refuses_a_file_that_is_no_receipt(tmp_path: Path):
    log, _ = laid_out()
    file = tmp_path / "letter"
    file.write_bytes(b"Dear auditor")
    code, output = run(published(log, tmp_path / "log"), "--receipt", file)
    assert code == 2
    assert "file 0 is no receipt" in output
