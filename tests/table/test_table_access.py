"""A table server towards a referee with access control: with a token over TLS, and by a certificate of its own."""

import time
from pathlib import Path

import pytest
from referee_client import tls_credentials
from referee_harness import Clock, Harness
from referee_table.play import Pace
from referee_table.serving import Plan, serving

from referee.server.settings.access import AccessSettings, Certified, Issuer
from referee.server.settings.caller_role import CallerRole
from referee.server.settings.tls import TlsSettings
from tests.server.access.mint import Mint
from tests.server.tls.authority import Authority
from tests.table.scripted_player import Player, play_anything

DAY = 86_400


@pytest.mark.parametrize("door", ["token", "certificate"])
async def test_table_is_a_frontend_like_any_other(tmp_path: Path, door: str) -> None:
    """It plays a whole round; without what the referee asks for it is refused."""
    authority, mint, now = Authority("authority"), Mint(), int(time.time())
    authority.server().write(tmp_path)
    authority.paper.write(tmp_path, "callers")
    own = authority.caller("frontend" if door == "certificate" else "nobody")
    access = AccessSettings(
        issuers=(Issuer(key=mint.key),),
        certificates=(Certified(name="CN=frontend", role=CallerRole.FRONTEND, tenant="acme"),),
    )
    tls = TlsSettings(
        certificate=str(tmp_path / "server.pem"),
        key=str(tmp_path / "server.key"),
        client_ca=str(tmp_path / "callers.pem"),
    )
    with Harness(clock=Clock(is_running=True), access=access, tls=tls) as referee:
        plan = Plan(
            referee=referee.grpc,
            tenant="acme",
            token=mint.token("frontend", nbf=now - 60, exp=now + DAY) if door == "token" else "",
            credentials=tls_credentials(authorities=authority.paper.pem, certificate=own.pem, key=own.key_pem),
            pace=Pace(bot_ms=0, is_brisk=True),
            folder=tmp_path / "table",
        )
        async with serving(plan) as (address, _):
            player = Player("An")
            player.script = play_anything
            await player.come(address)
            await player.ask("create", ruleset="tien_len.mien_nam", stake_minor=1000, bots=1)
            await player.until(lambda view: len(view.get("persons", ())) == 2)
            await player.ask("ready", is_ready=True)
            last = (await player.until(lambda view: view["last"] is not None))["last"]
            await player.go()
    assert last["end"] == "SETTLED"
    assert last["table"].startswith("acme.")
