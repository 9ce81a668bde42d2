"""Calls that are refused whatever they ask: by limits, access, what the server lacks, and advice."""

import base64
import os
import signal
import socket
import sqlite3
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import Any

from referee.cards import parse_cards
from referee.evidence.ed25519 import SignerUnavailableError
from referee.rulesets import Catalogue, get, load_builtin, parse_ruleset
from referee.server.access.token import Claims, issue
from referee.server.keys.private_key import KeySigner
from referee.server.settings.access import AccessSettings, Issuer
from referee.server.settings.caller_role import CallerRole
from referee.server.settings.limits import LimitSettings
from referee.server.settings.provider import Provider
from referee.storage import Cosigned
from referee.v1 import advice_pb2, log_pb2, ruleset_pb2, shuffler_pb2
from tests.server.observing import Quiet
from tests.service.house import House
from tests.service.opening import open_round, opening
from tests.service.refused_rounds import CASES, Call, refused
from tests.waiting import until

__all__ = ["CASES", "server_with_another_sealing_key"]


@refused("MESSAGE_TOO_LARGE")
def message_of_a_megabyte_and_a_byte(house: House) -> Call:
    return lambda: house.raw("ShufflerService/OpenRound", bytes(1024 * 1024 + 1))


@refused("OVERLOADED")
def more_calls_than_may_wait(house: House) -> Call:
    def open_while_full() -> object:
        room, house.app.pool.queue = house.app.pool.queue, 0
        try:
            return house.open()
        finally:
            house.app.pool.queue = room

    return open_while_full


def restarted(house: House, **settings: Any) -> None:  # noqa: ANN401 - what Settings takes
    """Restart the server with other settings."""
    house._settings |= settings  # noqa: SLF001 - there is no other way to change them
    house.restart()


def bearing(house: House, role: str, **claims: Any) -> list[tuple[str, str]]:  # noqa: ANN401 - claims of any type
    """Restart the server with authentication; return the metadata of a caller of this role, valid for a minute."""
    issuer = KeySigner("issuer.example", bytes(32))
    revoked = house.folder / "revoked"
    revoked.write_text("stolen", encoding="ascii")
    access = AccessSettings(issuers=(Issuer(key=issuer.verifier_key),), revoked=str(revoked))
    restarted(house, access=access)
    members: dict[str, Any] = {
        "id": "kept",
        "not_before": house.clock.now // 1000,
        "expires": house.clock.now // 1000 + 60,
    } | claims
    made = Claims(issuer=issuer.name, name="an", role=CallerRole(role), tenant="acme", **members)
    return [("authorization", f"Bearer {issue(made, issuer)}")]


@refused("RULESET_LOST")
def round_whose_ruleset_file_is_gone(house: House) -> Call:
    catalogue = Catalogue(load_builtin())
    restarted(house, catalogue=catalogue)
    played = house.play()
    del catalogue._by_digest[played.header.ruleset_digest]  # noqa: SLF001 - as in a server that never had the file
    return played.deal_again


@refused("RULESET_CLOSED", "terms")
def ruleset_that_the_operator_has_closed(house: House) -> Call:
    closed = house.folder / "closed"
    closed.write_text("mau_binh.classic  # for repairs\n", encoding="ascii")
    restarted(house, closed=closed)
    return house.open


@refused("CREDENTIALS_MISSING")
def caller_who_proves_nothing(house: House) -> Call:
    bearing(house, "frontend")
    return house.open


@refused("CREDENTIALS_INVALID")
def token_of_nobody_who_counts(house: House) -> Call:
    bearing(house, "frontend")
    request = log_pb2.ListEntriesRequest()
    return lambda: house.log.ListEntries(request, metadata=[("authorization", "Bearer e30.AA")])


@refused("CREDENTIALS_EXPIRED")
def token_whose_time_is_over(house: House) -> Call:
    """Let the token expire: a minute and the thirty seconds that clocks may differ."""
    shown = bearing(house, "auditor")
    house.clock.now += 90_000
    return lambda: house.log.ListEntries(log_pb2.ListEntriesRequest(), metadata=shown)


@refused("CREDENTIALS_REVOKED")
def token_that_was_revoked(house: House) -> Call:
    shown = bearing(house, "auditor", id="stolen")
    return lambda: house.log.ListEntries(log_pb2.ListEntriesRequest(), metadata=shown)


@refused("PROVIDER_UNAVAILABLE")
def token_of_a_provider_that_never_answered(house: House) -> Call:
    """Ask with a token whose key set is at a port where nothing listens."""
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    provider = Provider(
        issuer="i", audience="a", jwks=f"http://127.0.0.1:{port}", roles={"r": CallerRole.AUDITOR}, tenant="acme"
    )
    restarted(house, access=AccessSettings(providers=(provider,)))
    parts = (b'{"alg":"RS256","kid":"1"}', b'{"iss":"i"}', b"no signature")
    token = ".".join(base64.urlsafe_b64encode(part).decode("ascii").rstrip("=") for part in parts)
    shown = [("authorization", f"Bearer {token}")]
    return lambda: house.log.ListEntries(log_pb2.ListEntriesRequest(), metadata=shown)


@refused("ROLE_FORBIDDEN")
def auditor_who_opens_a_round(house: House) -> Call:
    shown = bearing(house, "auditor")
    request = opening(house.terms("acme.1"))
    return lambda: open_round(house.shuffler, request, metadata=shown)


@refused("TABLE_FORBIDDEN")
def frontend_at_another_tenants_table(house: House) -> Call:
    shown = bearing(house, "frontend")
    request = opening(house.terms("bcme.1"))
    return lambda: open_round(house.shuffler, request, metadata=shown)


@refused("SEAT_FORBIDDEN")
def seat_that_asks_for_another_hand(house: House) -> Call:
    shown = bearing(house, "seat", table="acme.1", round=1, seat=0)
    request = shuffler_pb2.OpenHandRequest(round={"table_id": "acme.1", "round_number": 1}, seat=1, token=bytes(32))
    return lambda: house.shuffler.OpenHand(request, metadata=shown)


@refused("RATE_LIMITED")
def caller_who_asks_too_often(house: House) -> Call:
    restarted(house, limits=LimitSettings(calls_per_second=0.001, burst=10))
    shown = bearing(house, "auditor")
    for _ in range(10):
        house.log.GetKeys(log_pb2.GetKeysRequest(), metadata=shown)
    return lambda: house.log.GetKeys(log_pb2.GetKeysRequest(), metadata=shown)


class Held(Quiet):
    """A watcher that keeps calls of one method from ending."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.came, self.go = threading.Event(), threading.Event()

    def ended(self, call: Any) -> None:  # noqa: ANN401 - a call
        """Hold the method's call open."""
        if call.name == self.name:
            self.came.set()
            assert self.go.wait(30)


@refused("TOO_MANY_CALLS")
def caller_whose_last_call_is_still_under_way(house: House) -> Call:
    held = Held("ListRulesets")
    restarted(house, limits=LimitSettings(calls_at_once=1), observers=[held])

    def ask_meanwhile() -> object:
        with ThreadPoolExecutor(1) as other:
            first = other.submit(house.rulesets.ListRulesets, ruleset_pb2.ListRulesetsRequest())
            assert held.came.wait(30)
            try:
                return house.log.GetKeys(log_pb2.GetKeysRequest())
            finally:
                held.go.set()
                first.result(30)

    return ask_meanwhile


@refused("LOG_BUSY")
def log_that_takes_no_more(house: House) -> Call:
    """Close the writer, as happens while the server stops."""
    opened = house.open()
    assert house.app.log.writer is not None
    house.app.log.writer.close()
    return lambda: house.deal(opened)


@refused("SIGNER_UNAVAILABLE")
def shuffler_whose_signer_is_away(house: House) -> Call:
    """As where another process holds the key and does not answer."""
    opened = house.open()

    def sign(_message: bytes) -> bytes:
        raise SignerUnavailableError("the signer cannot be asked")

    house.app.keys.signer("shuffler").sign = sign  # type: ignore[method-assign,assignment] # as above
    return lambda: house.deal(opened)


@refused("LOG_DAMAGED")
def log_whose_head_was_changed(house: House) -> Call:
    """Somebody writes another root into the database while the server runs."""
    opened = house.open()
    with closing(sqlite3.connect(house.folder / "log.sqlite3")) as database, database:
        database.execute("UPDATE head SET root = zeroblob(32)")
    return lambda: house.deal(opened)


@refused("NOT_COSIGNED")
def checkpoint_that_witnesses_have_not_seen_yet(house: House) -> Call:
    """Grow the log beyond its cosigned checkpoint."""
    note = house.checkpoint().encode()
    house.app.log.store.keep_cosigned(3, lambda _: Cosigned(size=3, note=note, is_quorate=True))
    house.open()
    return lambda: house.log.GetCheckpoint(log_pb2.GetCheckpointRequest(cosigned_size=4))


@refused("NO_ADVICE")
def ruleset_without_suggestions(house: House) -> Call:
    """Restart with an operator's classic ruleset that forbids advice."""
    source = get("mau_binh.classic").source
    source = source.replace(b"mau_binh.classic", b"mau_binh.alone").replace(b"allowed = true", b"allowed = false")
    house._settings["catalogue"] = Catalogue([parse_ruleset(source, file="alone.toml")])  # noqa: SLF001 - another house
    house.restart()
    thirteen: list[Any] = list(range(1, 14))
    hand = advice_pb2.FreeHand(cards=thirteen, ruleset_id="mau_binh.alone", seat_count=2)
    return lambda: house.advice.SuggestArrangement(advice_pb2.SuggestArrangementRequest(free=hand))


def advise(house: House) -> object:
    """Ask for advice about an ordinary hand."""
    cards: list[Any] = [card.number for card in parse_cards("AS AC AD 2S 2C KH QH JC 9D 8D 7S 5H 4C")]
    hand = advice_pb2.FreeHand(cards=cards, ruleset_id="mau_binh.classic", seat_count=2)
    return house.advice.SuggestArrangement(advice_pb2.SuggestArrangementRequest(free=hand))


def with_stopped_adviser(house: House, **settings: Any) -> int:  # noqa: ANN401 - what server_options takes
    """Restart with a process for advice, which the system has stopped; return its id."""
    restarted(house, advise=None, **settings)
    advise(house)
    pid = house.app.advice.pid
    assert pid is not None
    os.kill(pid, signal.SIGSTOP)
    return pid


@refused("ADVICE_BUSY")
def more_questions_than_a_quarter_of_the_threads(house: House) -> Call:
    pid = with_stopped_adviser(house, threads=4)

    def ask_second() -> object:
        with ThreadPoolExecutor(1) as other:
            first = other.submit(advise, house)
            until(lambda: house.app.advice.under_way)
            try:
                return advise(house)
            finally:
                os.kill(pid, signal.SIGCONT)
                first.result(60)

    return ask_second


@refused("ADVICE_TOO_LONG")
def advice_that_takes_longer_than_it_may(house: House) -> Call:
    with_stopped_adviser(house)
    front: Any = house.app.advice
    front.seconds, front.grace = 0.3, 0.0  # the first question may take longer
    return lambda: advise(house)


@refused("ADVICE_LOST")
def adviser_that_the_system_killed(house: House) -> Call:
    pid = with_stopped_adviser(house)

    def ask() -> object:
        with ThreadPoolExecutor(1) as other:
            asked = other.submit(advise, house)
            until(lambda: house.app.advice.under_way)
            os.kill(pid, signal.SIGKILL)
            return asked.result(60)

    return ask


@refused("INTERNAL")
def server_with_another_sealing_key(house: House) -> Call:
    """Make a fault that no caller can repair: the seed in the log cannot be unsealed."""
    opened = house.open()
    house.close()
    (house.folder / "keys" / "sealing.key").write_text("0" * 64 + "\n", encoding="ascii")
    house.start()
    return lambda: house.deal(opened)
