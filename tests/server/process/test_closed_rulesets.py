"""An operator closes a ruleset while the server runs: no further round of it is opened, and open rounds go on."""

import itertools
from pathlib import Path

import pytest

from referee.rulesets import get
from tests.driver.driver import settle
from tests.driver.refusal import ending_of
from tests.server.processes import calling
from tests.waiting import until

CLASSIC = get("mau_binh.classic")


@pytest.mark.parametrize("name", [CLASSIC.id, CLASSIC.digest.hex()])
def test_closed_ruleset_opens_no_round_until_it_is_open_again(tmp_path: Path, name: str) -> None:
    file, numbers = tmp_path / "closed", itertools.count()
    file.touch()
    with calling(data=tmp_path / "data", closed=file) as (_, caller):

        def reason(**terms: str) -> str:
            """Open a round at a new table; return why it is refused."""
            return ending_of(caller.driver.open, f"t-{next(numbers)}", **terms)[1]

        running = caller.driver.play("running")
        before, prepared = caller.driver.prepare("before"), caller.driver.prepare("prepared")
        first = before.open()
        prepared.prepare()
        file.write_text(f"{name}  # for repairs\n", encoding="ascii")
        until(lambda: reason() == "RULESET_CLOSED", "the file is not read again")
        assert ending_of(prepared.open)[1] == "RULESET_CLOSED"
        assert reason(ruleset="mau_binh.chi_2020") == ""
        assert before.open().leaf == first.leaf
        assert settle(running).leaf
        file.write_text("", encoding="ascii")
        until(lambda: reason() == "", "the file is not read again")
