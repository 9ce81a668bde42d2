"""A move that the referee received is dropped by the frontend, and its seat's timeout settled in its place.

The player's file of the move fails the round. It convicts neither party: the operator, which has the referee's key,
could make such a file after an honest round, together with the player.
"""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from referee.audit import Code
from referee.audit.documents import parse_documents
from referee.audit.page.text import report_lines
from referee.cli.main import app
from referee.suspicion.report import CountedReport
from referee.transcript.receipted import ReceiptedEvent
from referee.v1 import tien_len_pb2, ultimate_texas_pb2
from tests.attacks.courses import continuation
from tests.service.courses import event_bytes
from tests.service.house import House
from tests.service.table import Table

TABLE = "club.felt-7"
STREET_MS = 30_000
TURN_MS = 30_000


def kept(table: Table) -> bytes:
    """Make the file that the player of the newest event keeps, from what its frontend showed."""
    message = table.message
    newest = message.events[-1]
    return ReceiptedEvent(
        events=tuple([event_bytes(event).decode() for event in message.events]),
        receipt=message.receipt.decode(),
        signature=message.signatures[newest.seat].hex() if newest.HasField("seen") else "",
    ).to_bytes()


def bet_dropped(house: House, *, keyed: bool) -> tuple[Table, bytes]:
    """Have seat 0 bet before the flop, forget its bet, and settle the round with its timeouts."""
    table: Table = house.table("ultimate_texas", seats=2, keyed=keyed, name=TABLE).play()
    house.clock.now += 1_000
    player = continuation(table)
    player.accept(0, decision=ultimate_texas_pb2.DECISION_PLAY_4X)
    while not table.preview().outcome.seats:
        house.clock.now += STREET_MS
        for seat in range(2):
            table.accept(seat, decision=ultimate_texas_pb2.DECISION_TIMEOUT)
        table.open_section()
    return table, kept(player)


def asked(table: Table) -> tien_len_pb2.ListPlaysResponse:
    """Return whose turn it is, and all legal plays."""
    answer: tien_len_pb2.ListPlaysResponse = table.referee.ListPlays(tien_len_pb2.ListPlaysRequest(round=table.message))
    return answer


def turn_dropped(house: House) -> tuple[Table, bytes]:
    """Have the leader play, forget that, and settle the round in which everybody's time runs out."""
    while True:
        table: Table = house.table("tien_len", seats=2, name=TABLE).play()
        if not table.preview().outcome.seats:
            break
        table.settle()
    house.clock.now += 1_000
    player = continuation(table)
    listed = asked(table)
    player.accept(listed.turn, play=tien_len_pb2.Play(cards=listed.plays[0].cards))
    while not table.preview().outcome.seats:
        house.clock.now += TURN_MS
        table.accept(asked(table).turn, timeout=True)
    return table, kept(player)


def settled(house: House, table: Table, *files: bytes) -> CountedReport:
    """Settle and reveal the round, and audit it with what people kept."""
    table.settle()
    table.reveal()
    report: CountedReport = house.audit(documents=parse_documents([(one, None) for one in files]))
    return report


@pytest.mark.parametrize("keyed", [True, False])
def test_dropped_bet_fails_the_round_and_names_both_parties(house: House, *, keyed: bool) -> None:
    table, file = bet_dropped(house, keyed=keyed)
    report = settled(house, table, file)
    (finding,) = report.findings
    assert (finding.code, finding.number, finding.severity) == (Code.MOVE_DROPPED, 72, "FAIL")
    assert (finding.table_id, report.is_clean) == (TABLE, False)
    text = "\n".join(report_lines(report))
    for words in ("frontend may have dropped", "operator may have made the receipt afterwards", "neither is proved"):
        assert words in text
    assert text.endswith("\n1 failed")


def test_dropped_turn_fails_the_round(house: House) -> None:
    table, file = turn_dropped(house)
    assert [finding.code for finding in settled(house, table, file).findings] == [Code.MOVE_DROPPED]


def test_bare_receipt_alone_is_a_note(house: House) -> None:
    """It does not say which move was received, nor of which seat."""
    table, file = bet_dropped(house, keyed=True)
    receipt = json.loads(file)["receipt"].encode()
    assert [finding.code for finding in settled(house, table, receipt).findings] == [Code.FORKED_RECEIPTS]


def test_move_that_was_settled_is_no_finding(house: House) -> None:
    table: Table = house.table("ultimate_texas", seats=1, name=TABLE).play()
    table.accept(0, decision=ultimate_texas_pb2.DECISION_PLAY_4X)
    file = kept(table)
    table.open_section()
    assert settled(house, table, file).findings == ()


def test_command_takes_the_file(house: House, tmp_path: Path) -> None:
    table, file = bet_dropped(house, keyed=True)
    settled(house, table)
    kept_file = tmp_path / "move.receipt.json"
    kept_file.write_bytes(file + b"\n")
    house.close()
    audited = CliRunner().invoke(app, ["audit", "--data", str(house.folder), "--receipt", str(kept_file), "--json"])
    house.start()
    assert audited.exit_code == 1, audited.output
    failures = [one for one in json.loads(audited.stdout)["findings"] if one["severity"] == "FAIL"]
    assert [one["code"] for one in failures if one["code"] != "TIME_AHEAD"] == ["MOVE_DROPPED"]  # it is dated next year
    assert all("tenant" not in one for one in failures)
