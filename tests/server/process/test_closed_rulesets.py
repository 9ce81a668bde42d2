"""An operator closes a ruleset while the server runs: no further round of it is opened, and open rounds go on."""

import time
from pathlib import Path
from typing import Any

import grpc
import pytest

from referee.rulesets import get
from referee.server.process.app import Application
from referee.v1 import shuffler_pb2
from tests.chaos.ledger import status_of
from tests.driver.opening import open_round, opening, terms_of
from tests.server.options import server_options

CLASSIC = get("mau_binh.classic")


def refusal(shuffler: Any, request: Any) -> str:  # noqa: ANN401 - a stub, and what it takes
    """Return the reason with which an opening is refused, empty if it is answered."""
    try:
        open_round(shuffler, request)
    except grpc.RpcError as error:
        return status_of(error).partition("/")[2]
    return ""


def until(shuffler: Any, table: str, expected: str) -> None:  # noqa: ANN401 - a stub
    """Open rounds until the file was read again, for at most 10 s."""
    end = time.monotonic() + 10
    for number in range(100):
        if refusal(shuffler, f"{table}-{number}") == expected:
            return
        assert time.monotonic() < end
        time.sleep(0.2)
    pytest.fail("the file is not read again")


@pytest.mark.parametrize("name", [CLASSIC.id, CLASSIC.digest.hex()])
def test_closed_ruleset_opens_no_round_until_it_is_open_again(tmp_path: Path, caller_type: Any, name: str) -> None:  # noqa: ANN401 - a class
    file = tmp_path / "closed"
    file.touch()
    with (
        Application(server_options(data=tmp_path / "data", closed=file)) as app,
        grpc.insecure_channel(f"127.0.0.1:{app.port}") as channel,
    ):
        caller = caller_type(channel)
        running = caller.play("running")
        before = opening(terms_of("before"))
        first = caller.shuffler.OpenRound(before)
        prepared = caller.shuffler.PrepareRound(shuffler_pb2.PrepareRoundRequest(terms=terms_of("prepared")))
        file.write_text(f"{name}  # for repairs\n", encoding="ascii")
        until(caller.shuffler, "closing", "RULESET_CLOSED")
        assert refusal(caller.shuffler, prepared.header) == "RULESET_CLOSED"
        assert refusal(caller.shuffler, terms_of("other", ruleset_id="mau_binh.chi_2020")) == ""
        repeated = caller.shuffler.OpenRound(before)
        assert repeated.log_receipt.leaf == first.log_receipt.leaf
        assert caller.referee.SettleRound(running.request).log_receipt.leaf
        file.write_text("", encoding="ascii")
        until(caller.shuffler, "opening", "")
