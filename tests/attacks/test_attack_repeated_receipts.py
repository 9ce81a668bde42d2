"""Receipts of one number shown to an audit: a repeated call's are no finding, those of two courses are a note."""

import json
import time
from pathlib import Path
from typing import Any

from referee.v1 import ultimate_texas_pb2
from tests.command import referee
from tests.service.courses import payload_of, take
from tests.service.house import House
from tests.service.table import Table


class LateClock:
    """The machine's clock, and ``late`` milliseconds more."""

    late = 0

    def __call__(self) -> int:
        """Return the time in milliseconds since 1970 UTC."""
        return int(time.time() * 1000) + self.late


def receipt_of(table: Table, decision: int) -> tuple[Any, bytes]:
    """Ask the referee to accept seat 0's first decision; return the answer and the seat's signature."""
    event = table.event(0, decision=decision)
    signature = table.sign(event)
    request = ultimate_texas_pb2.UltimateTexasServiceAcceptEventRequest(
        round=table.message, event=event, signature=signature
    )
    answer = table.referee.AcceptEvent(request)
    assert answer.event_number == 1
    return answer, signature


def audited(house: House, folder: Path, *receipts: bytes) -> list[str]:
    """Show these receipts to ``referee audit`` of the server's folder; return the codes of its findings."""
    options = []
    for place, data in enumerate(receipts):
        path = folder / f"receipt-{place}.json"
        path.write_bytes(data)
        options += ["--receipt", path]
    done = referee("audit", "--data", house.folder, "--json", *options)
    assert done.returncode == 0, done.stdout + done.stderr
    return [finding["code"] for finding in json.loads(done.stdout)["findings"]]


def test_repeated_acceptance_is_no_fork_and_another_event_is(tmp_path: Path) -> None:
    clock = LateClock()
    house = House(tmp_path / "data", clock=clock)
    try:
        table = house.table("ultimate_texas", seats=1).play()
        other, _ = receipt_of(table, ultimate_texas_pb2.DECISION_CHECK)
        first, signature = receipt_of(table, ultimate_texas_pb2.DECISION_PLAY_4X)
        clock.late += 50
        again, _ = receipt_of(table, ultimate_texas_pb2.DECISION_PLAY_4X)
        one, two = payload_of(first.receipt), payload_of(again.receipt)
        assert one["event_hash"] == two["event_hash"]
        assert (one["received_time"], one["history"]) != (two["received_time"], two["history"])
        take(table.message, again.event, receipt=again.receipt, signature=signature)
        table.open_section()
        assert table.settle().outcome.seats
        table.reveal()
        assert audited(house, tmp_path, first.receipt, again.receipt) == []
        assert audited(house, tmp_path, first.receipt, other.receipt) == ["FORKED_RECEIPTS"]
    finally:
        house.close()
