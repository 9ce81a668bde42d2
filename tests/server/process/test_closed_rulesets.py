"""An operator closes a ruleset while the server runs: no further round of it is opened, and open rounds go on."""

import itertools
from pathlib import Path

import pytest

from referee.rulesets import get
from referee.v1 import shuffler_pb2
from tests.driver.opening import Asked, open_round, opening, terms_of
from tests.driver.refusal import ending_of
from tests.server.processes import calling
from tests.waiting import until

CLASSIC = get("mau_binh.classic")


@pytest.mark.parametrize("name", [CLASSIC.id, CLASSIC.digest.hex()])
def test_closed_ruleset_opens_no_round_until_it_is_open_again(tmp_path: Path, name: str) -> None:
    file, numbers = tmp_path / "closed", itertools.count()
    file.touch()
    with calling(data=tmp_path / "data", closed=file) as (_, caller):

        def reason(asked: Asked | None = None) -> str:
            """Open a round, at a new table unless it is given; return why it is refused."""
            return ending_of(open_round, caller.shuffler, asked or f"t-{next(numbers)}")[1]

        running = caller.play("running")
        before = opening(terms_of("before"))
        first = caller.shuffler.OpenRound(before)
        prepared = caller.shuffler.PrepareRound(shuffler_pb2.PrepareRoundRequest(terms=terms_of("prepared")))
        file.write_text(f"{name}  # for repairs\n", encoding="ascii")
        until(lambda: reason() == "RULESET_CLOSED", "the file is not read again")
        assert reason(prepared.header) == "RULESET_CLOSED"
        assert reason(terms_of("other", ruleset_id="mau_binh.chi_2020")) == ""
        repeated = caller.shuffler.OpenRound(before)
        assert repeated.log_receipt.leaf == first.log_receipt.leaf
        assert caller.referee.SettleRound(running.request).log_receipt.leaf
        file.write_text("", encoding="ascii")
        until(lambda: reason() == "", "the file is not read again")
