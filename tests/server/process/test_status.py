"""What GetStatus and ``referee status`` say of a server: what is under way, what is late, and whether it writes."""

import json
from pathlib import Path
from typing import Final

import pytest

from referee.server.clock import system_clock
from referee.server.settings.access import AccessSettings, Issuer
from referee.storage import WriteTrouble
from referee.v1 import log_pb2
from tests.command import referee
from tests.driver.driver import play, settle
from tests.server.access.guarded import guard
from tests.server.access.mint import Mint
from tests.server.processes import calling
from tests.waiting import until

ASK: Final = log_pb2.GetStatusRequest()
METHOD: Final = "/referee.v1.LogService/GetStatus"


def test_rounds_are_counted_by_stage_and_late_ones_named_by_deadline(tmp_path: Path) -> None:
    """Two wait for the deal, three were dealt, one of which ends; then the deadlines of all pass."""
    ahead = [0]
    with calling(data=tmp_path, clock=lambda: system_clock() + ahead[0], sweep=False) as (app, caller):
        for number in (1, 2):
            caller.driver.open(f"undealt-{number}")
        tables = [caller.driver.deal(f"dealt-{number}") for number in (1, 2, 3)]
        settle(play(tables[0]))
        found = caller.log.GetStatus(ASK)
        assert (found.opened_count, found.dealt_count, found.late_count, found.late_rounds) == (2, 2, 0, [])
        until(lambda: caller.log.GetStatus(ASK).log_size == app.log.store.head().size)  # the seed follows at any time
        assert (found.instance, found.is_writer, found.HasField("problem")) == ("referee", True, False)
        assert not found.HasField("cosigned_size")

        ahead[0] = 10**10
        found = caller.log.GetStatus(ASK)
        assert found.late_count == 4
        assert {late.round.table_id for late in found.late_rounds} == {"undealt-1", "undealt-2", "dealt-2", "dealt-3"}
        deadlines = [late.deadline_time for late in found.late_rounds]
        assert deadlines == sorted(deadlines)
        dealt = next(late for late in found.late_rounds if late.round.table_id == "dealt-2")
        assert dealt.stage == log_pb2.ROUND_STAGE_DEALT
        assert dealt.deadline_time == tables[1].header.round_deadline


def test_server_that_cannot_write_says_why(tmp_path: Path) -> None:
    with calling(data=tmp_path) as (app, caller):
        trouble = WriteTrouble(kind="DISK", cause="the disk is full", remedy="free space")
        app._report_writing(trouble)  # noqa: SLF001 - what the watch of the log calls
        assert caller.log.GetStatus(ASK).problem == "NOT_SERVING: the log cannot be written: the disk is full"
        done = referee("status", app.address)
        assert (done.returncode, "REFUSES CALLS: NOT_SERVING: the log cannot" in done.stdout) == (1, True)
        app._report_writing(None)  # noqa: SLF001
        assert not caller.log.GetStatus(ASK).HasField("problem")


def test_server_without_the_log_key_only_reads(tmp_path: Path) -> None:
    with calling(data=tmp_path):
        pass
    (tmp_path / "keys" / "log.key").unlink()
    with calling(data=tmp_path, services=("log",)) as (_, caller):
        assert not caller.log.GetStatus(ASK).is_writer


def test_command_prints_late_rounds_as_text_and_as_json(tmp_path: Path) -> None:
    ahead = [0]
    with calling(data=tmp_path, clock=lambda: system_clock() + ahead[0], sweep=False) as (app, caller):
        caller.driver.open("vip-7")
        quiet = referee("status", app.address)
        assert (quiet.returncode, "late: 0 rounds" in quiet.stdout) == (0, True)
        ahead[0] = 10**8
        text, made = referee("status", app.address), referee("status", app.address, "--json")
        assert (text.returncode, made.returncode) == (1, 1)
        assert "late: 1 round\n  vip-7 round 1: opened, deadline " in text.stdout
        [late] = json.loads(made.stdout[made.stdout.index("{\n") :])[
            "late_rounds"
        ]  # lines of the server's own log are before it
        assert (late["table_id"], late["round_number"], late["stage"]) == ("vip-7", 1, "opened")


@pytest.mark.parametrize("is_public", [False, True])
def test_only_an_admin_of_every_tenant_may_ask(tmp_path: Path, *, is_public: bool) -> None:
    """Where the log is public, too: which rounds run is nobody else's business."""
    access = AccessSettings(issuers=(Issuer(key=Mint().key),), public_log=is_public)
    with guard(tmp_path, access=access) as house:
        token = house.mint.token
        answers = {role: house.ask(METHOD, token=token(role, "*"))[0] for role in ("frontend", "auditor", "admin")}
        assert answers == {"frontend": "PERMISSION_DENIED", "auditor": "PERMISSION_DENIED", "admin": "OK"}
        assert house.ask(METHOD, token=token("admin", "acme"))[0] == "PERMISSION_DENIED"
        assert house.ask(METHOD)[0] == "UNAUTHENTICATED"


def test_command_says_whose_token_it_needs(tmp_path: Path) -> None:
    with guard(tmp_path) as house:
        token = tmp_path / "auditor.token"
        token.write_text(house.mint.token("auditor", "*"))
        done = referee("status", f"127.0.0.1:{house.app.port}", "--token-file", token)
        assert done.returncode == 2
        assert "a token of role admin, of every tenant, may ask this" in done.stderr.replace("\n", " ")
