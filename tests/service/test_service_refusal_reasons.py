"""Every documented reason for refusing a call: produced by a real call, with the status its documentation names."""

import os
import re
import signal
import sqlite3
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, TypeAlias

import pytest
from google.rpc import code_pb2
from nacl.signing import SigningKey

from referee.cards import Card, parse_cards
from referee.dealing.commitment import deck_root, section_root
from referee.evidence.ed25519 import SignerUnavailableError
from referee.log import SlotReason
from referee.rulesets import Catalogue, get, parse_ruleset
from referee.server.access.caller import CallerRole
from referee.server.access.settings import AccessSettings, Issuer
from referee.server.access.token import Claims, issue
from referee.server.advice_settings import AdviceSettings
from referee.server.keys import KeySigner
from referee.server.limits import LimitSettings
from referee.service.status import CODES
from referee.storage import Cosigned
from referee.v1 import log_pb2, mau_binh_pb2, ruleset_pb2, shuffler_pb2
from referee.v1.error_reason_pb2 import DESCRIPTOR, ErrorReason
from referee.wire import round as wire_round
from tests.service.courses import steps_of

House: TypeAlias = Any
Played: TypeAlias = Any  # both are made by fixtures, and have their classes in conftest
Call: TypeAlias = Callable[[], object]

PROTO: Final = Path(__file__).parents[2] / "protos" / "referee" / "v1" / "error_reason.proto"
DOCUMENTED: Final = {
    name: status
    for status, name in re.findall(
        r"^  // ([A-Z_]+)\. [^\n]*\n(?:  //[^\n]*\n)*  ERROR_REASON_([A-Z_]+) = \d+;",
        PROTO.read_text(encoding="utf-8"),
        re.MULTILINE,
    )
}
"""The status code of each reason, as its comment says."""


@dataclass(frozen=True, slots=True)
class Case:
    """A call that is refused: why, and which field is at fault. ``prepare`` makes it ready on a new server."""

    reason: str
    field: str
    prepare: Callable[[House], Call]


CASES: list[Case] = []


def refused(reason: str, field: str = "") -> Callable[[Callable[[House], Call]], Callable[[House], Call]]:
    """Register a function that prepares a call refused with this reason and field."""

    def register(prepare: Callable[[House], Call]) -> Callable[[House], Call]:
        CASES.append(Case(reason, field, prepare))
        return prepare

    return register


@refused("MISSING_FIELD", "terms.table_id")
def table_without_a_name(house: House) -> Call:
    terms = house.terms()
    terms.ClearField("table_id")
    return lambda: house.shuffler.OpenRound(shuffler_pb2.OpenRoundRequest(terms=terms))


@refused("INVALID_FIELD", "terms.seat_count")
def seven_seats(house: House) -> Call:
    return lambda: house.open(seat_count=7)


@refused("UNKNOWN_RULESET", "terms.ruleset_id")
def ruleset_nobody_knows(house: House) -> Call:
    return lambda: house.open(ruleset_id="mau_binh.unheard_of")


@refused("INVALID_CARD", "arrangement.middle[2]")
def card_of_number_99(house: House) -> Call:
    played = house.play()
    hand = played.hands[0]
    return lambda: played.check(0, house.arranged(hand[:5], [*hand[5:7], 99, *hand[8:10]], hand[10:]))


@refused("DUPLICATE_CARD", "round.certificates")
def card_in_two_hands(house: House) -> Call:
    """Have the shuffler itself sign two hands that share a card, each in a certificate of its own."""
    header = house.open().header
    deal = house.derive(header)
    first, other, stock = deal.sections
    sections = (first, (first[0], *other[1:]), stock)
    roots = tuple(
        [
            section_root(key=key, round_id=deal.round_id, section=index, cards=cards)
            for index, (key, cards) in enumerate(zip(deal.keys, sections, strict=True))
        ]
    )
    root = deck_root(
        round_id=deal.round_id, commitment=deal.commitment, mixed=deal.mixed, layout=tuple(header.layout), roots=roots
    )
    doubled = replace(deal, sections=sections, roots=roots, deck_root=root)
    message = mau_binh_pb2.MauBinhRound(
        header=header, certificates=[house.certify(header, doubled, sections=[seat]) for seat in (0, 1)]
    )
    assert Card(first[0]) in sections[1]
    return lambda: house.referee.SettleRound(mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=message))


@refused("INVALID_FIELD", "round.certificates[2]")
def certificate_twice(house: House) -> Call:
    opened = house.open().header
    deal = house.derive(opened)
    first, other = (house.certify(opened, deal, sections=sections) for sections in ([0], [1]))
    message = mau_binh_pb2.MauBinhRound(header=opened, certificates=[first, other, first])
    return lambda: house.referee.PreviewRound(mau_binh_pb2.MauBinhServicePreviewRoundRequest(round=message))


@refused("INVALID_FIELD", "round.certificates")
def more_certificates_than_sections(house: House) -> Call:
    """Refuse a thousand before any of them is read."""
    header = house.open().header
    message = mau_binh_pb2.MauBinhRound(header=header, certificates=[b"%d" % index for index in range(1000)])
    return lambda: house.referee.PreviewRound(mau_binh_pb2.MauBinhServicePreviewRoundRequest(round=message))


@refused("INVALID_SEAT", "seat")
def third_of_two_seats(house: House) -> Call:
    played = house.play()
    return lambda: played.check(2, house.as_dealt(played.hands[0]))


@refused("INVALID_STAKE", "terms.stake_minor")
def stake_of_zero(house: House) -> Call:
    return lambda: house.open(stake_minor=0)


@refused("INVALID_HEADER", "round.header.origin")
def header_of_another_log(house: House) -> Call:
    played = house.play()
    played.message.header.origin = "log.example/2"
    return played.settle


@refused("MALFORMED", "round.certificates[0]")
def certificate_of_garbage(house: House) -> Call:
    played = house.play()
    played.message.certificates[0] = b"{}"
    return played.settle


@refused("FORGED", "round.certificates[0]")
def certificate_by_somebody(house: House) -> Call:
    played = house.play()
    played.message.certificates[0] = house.certify(played.header, house.derive(played.header), signer=Somebody())
    return played.settle


class Somebody:
    """A key that nobody named."""

    def __init__(self) -> None:
        self._key = SigningKey(b"s" * 32)
        self.public_key = bytes(self._key.verify_key)

    def sign(self, message: bytes) -> bytes:
        """Return the signature."""
        return self._key.sign(message).signature


@refused("FOREIGN", "round.header")
def certificate_of_another_round(house: House) -> Call:
    played, other = house.play(), house.play()
    played.message.certificates[0] = other.dealt.certificate
    return played.settle


@refused("EXPIRED", "round.certificates")
def certificate_after_the_round(house: House) -> Call:
    played = house.play()
    house.clock.now = played.header.round_deadline_time + 1
    return lambda: played.check(0, house.as_dealt(played.hands[0]))


@refused("SECTION_MISSING", "round.certificates")
def hand_that_no_certificate_opens(house: House) -> Call:
    header = house.open().header
    message = mau_binh_pb2.MauBinhRound(
        header=header, certificates=[house.certify(header, house.derive(header), sections=[0])]
    )
    return lambda: house.referee.SettleRound(mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=message))


@refused("NOT_OPENED")
def deal_of_a_round_that_is_not(house: House) -> Call:
    request = shuffler_pb2.DealRoundRequest(table_id="t", round_number=1, client_seeds=house.seeds_of(2))
    return lambda: house.shuffler.DealRound(request)


@refused("NOT_DEALT")
def settlement_of_a_round_never_dealt(house: House) -> Call:
    """Settle with a certificate of the shuffler's though the log has no deal."""
    return settlement_of_made_up_deal(house, house.open())


def settlement_of_made_up_deal(house: House, opened: shuffler_pb2.OpenRoundResponse) -> Call:
    header = opened.header
    message = mau_binh_pb2.MauBinhRound(header=header, certificates=[house.certify(header, house.derive(header))])
    house.clock.now += house.ARRANGING_MS
    return lambda: house.referee.SettleRound(mau_binh_pb2.MauBinhServiceSettleRoundRequest(round=message))


@refused("ALREADY_OPENED")
def round_opened_with_other_terms(house: House) -> Call:
    header = house.open("t").header
    header.stake_minor += 1
    return lambda: house.shuffler.OpenRound(shuffler_pb2.OpenRoundRequest(header=header))


@refused("ALREADY_DEALT", "client_seeds[0]")
def table_that_deals_again(house: House) -> Call:
    played = house.play()
    return lambda: played.deal_again(name="better luck")


@refused("ALREADY_SETTLED")
def round_settled_otherwise(house: House) -> Call:
    played = house.play().report_all()
    played.settle()
    played.reveal()
    played.message.events[1].time += 1
    house.clock.now += 1
    return played.settle


@refused("ABORTED")
def settlement_of_an_aborted_round(house: House) -> Call:
    played = house.play().report_all()
    played.abort()
    played.reveal()
    return played.settle


@refused("DEADLINE_NOT_PASSED")
def abort_of_a_dealt_round_before_its_deadline(house: House) -> Call:
    played = house.play()
    request = shuffler_pb2.AbortRoundRequest(**played.name, reason=shuffler_pb2.ABORT_REASON_OPERATOR)
    return lambda: house.shuffler.AbortRound(request)


@refused("PREVIOUS_ROUND_OPEN")
def next_round_before_the_end(house: House) -> Call:
    house.play("t")
    return lambda: house.open("t", stake_minor=1)


@refused("WRONG_PREVIOUS")
def header_that_follows_another_leaf(house: House) -> Call:
    house.play("t").report_all().settle()
    header = house.shuffler.PrepareRound(shuffler_pb2.PrepareRoundRequest(terms=house.terms("t"))).header
    header.previous_leaf_hash = b"p" * 32
    house.shuffler.RevealRound(shuffler_pb2.RevealRoundRequest(table_id="t", round_number=header.round_number - 1))
    return lambda: house.shuffler.OpenRound(shuffler_pb2.OpenRoundRequest(header=header))


@refused("DEAL_MISMATCH")
def settlement_over_another_deck(house: House) -> Call:
    """Have the shuffler sign a second deck for a round whose first deck is in the log."""
    return settlement_of_made_up_deal(house, house.play().opened)


@refused("DEADLINE_PASSED")
def deal_after_the_deadline(house: House) -> Call:
    opened = house.open()
    house.clock.now = opened.header.deal_deadline_time + 1
    return lambda: house.deal(opened)


@refused("DEADLINE_OUT_OF_BOUNDS", "terms.deal_deadline_time")
def deal_in_an_hour(house: House) -> Call:
    return lambda: house.open(deal_deadline_time=house.clock.now + 3_600_000)


@refused("CLOCK_BEHIND")
def clock_that_was_set_back(house: House) -> Call:
    opened = house.open()
    house.clock.now -= 120_001
    return lambda: house.deal(opened)


@refused("SEED_MISMATCH", "client_seeds[1]")
def seed_that_opens_nothing(house: House) -> Call:
    prepared = house.shuffler.PrepareRound(shuffler_pb2.PrepareRoundRequest(terms=house.terms()))
    request = shuffler_pb2.OpenRoundRequest(header=prepared.header, client_commitments=[b"", b"c" * 32])
    opened = house.shuffler.OpenRound(request)
    return lambda: house.deal(opened)


@refused("NOT_TERMINAL")
def seed_before_the_end(house: House) -> Call:
    return house.play().reveal


@refused("TOO_MANY_EVENTS", "round.events")
def sixty_five_events(house: House) -> Call:
    played = house.play()
    for _ in range(65):
        played.message.events.add(time=house.clock.now, seat=0, arrange=house.as_dealt(played.hands[0]))
    return played.settle


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


@refused("ROLE_FORBIDDEN")
def auditor_who_opens_a_round(house: House) -> Call:
    shown = bearing(house, "auditor")
    request = shuffler_pb2.OpenRoundRequest(terms=house.terms("acme.1"))
    return lambda: house.shuffler.OpenRound(request, metadata=shown)


@refused("TABLE_FORBIDDEN")
def frontend_at_another_tenants_table(house: House) -> Call:
    shown = bearing(house, "frontend")
    request = shuffler_pb2.OpenRoundRequest(terms=house.terms("bcme.1"))
    return lambda: house.shuffler.OpenRound(request, metadata=shown)


@refused("SEAT_FORBIDDEN")
def seat_that_asks_for_another_hand(house: House) -> Call:
    shown = bearing(house, "seat", table="acme.1", round=1, seat=0)
    request = shuffler_pb2.OpenHandRequest(table_id="acme.1", round_number=1, seat=1, token=bytes(32))
    return lambda: house.shuffler.OpenHand(request, metadata=shown)


@refused("RATE_LIMITED")
def caller_who_asks_too_often(house: House) -> Call:
    restarted(house, limits=LimitSettings(calls_per_second=0.001, burst=10))
    shown = bearing(house, "auditor")
    for _ in range(10):
        house.log.GetKeys(log_pb2.GetKeysRequest(), metadata=shown)
    return lambda: house.log.GetKeys(log_pb2.GetKeysRequest(), metadata=shown)


class Held:
    """A watcher that keeps calls of one method from ending."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.came, self.go = threading.Event(), threading.Event()

    def began(self, call: object) -> None:
        """Nothing."""

    def ended(self, call: Any) -> None:  # noqa: ANN401 - a call
        """Hold the method's call open."""
        if call.name == self.name:
            self.came.set()
            assert self.go.wait(30)

    def probe(self, step: str) -> None:
        """Nothing."""

    def committed(self, requests: int) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""


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
    house.app.log.writer.close()
    return lambda: house.deal(opened)


@refused("SIGNER_UNAVAILABLE")
def shuffler_whose_signer_is_away(house: House) -> Call:
    """As where another process holds the key and does not answer."""
    opened = house.open()

    def sign(_message: bytes) -> bytes:
        msg = "the signer cannot be asked"
        raise SignerUnavailableError(msg)

    house.app.keys.signer("shuffler").sign = sign
    return lambda: house.deal(opened)


@refused("LOG_DAMAGED")
def log_whose_head_was_changed(house: House) -> Call:
    """Somebody writes another root into the database while the server runs."""
    opened = house.open()
    with closing(sqlite3.connect(house.folder / "log.sqlite3")) as database, database:
        database.execute("UPDATE head SET root = zeroblob(32)")
    return lambda: house.deal(opened)


@refused("BEYOND_LOG", "start")
def leaves_beyond_the_end(house: House) -> Call:
    return lambda: house.log.ListEntries(log_pb2.ListEntriesRequest(start=house.head().size + 1))


@refused("NOT_COSIGNED")
def checkpoint_that_witnesses_have_not_seen_yet(house: House) -> Call:
    """Grow the log beyond its cosigned checkpoint."""
    note = house.checkpoint().encode()
    house.app.log.store.keep_cosigned(3, lambda _: Cosigned(size=3, note=note, is_quorate=True))
    house.open()
    return lambda: house.log.GetCheckpoint(log_pb2.GetCheckpointRequest(cosigned_size=4))


@refused("NO_WITNESSES")
def cosigned_checkpoint_of_a_log_without_witnesses(house: House) -> Call:
    return lambda: house.log.GetCheckpoint(log_pb2.GetCheckpointRequest(cosigned_size=1))


@refused("SECTION_CLOSED", "receipt")
def section_that_no_receipt_names(house: House) -> Call:
    played = house.play()
    played.accept(0, played.arrangement(0))
    request = shuffler_pb2.OpenSectionRequest(
        **played.name, steps=steps_of(played.message), receipt=played.message.receipt
    )
    return lambda: house.shuffler.OpenSection(request)


def committed(house: House) -> Any:  # noqa: ANN401 - a table
    """Deal a sealed table whose seat 0 has committed."""
    table = house.sealed()
    table.accept(0, commit=mau_binh_pb2.Commit(commitment=bytes(32)))
    return table


@refused("COURSE_FORKED")
def hands_opened_after_another_course(house: House) -> Call:
    """Let seat 1 leave to see the hands, and say afterwards that it committed in time."""
    table = committed(house)
    other = table.message.FromString(table.message.SerializeToString())
    table.accept(1, leave=True)
    table.open_section()
    table.message.CopyFrom(other)
    table.accept(1, commit=mau_binh_pb2.Commit(commitment=bytes(32)))
    return lambda: table.shuffler.OpenSection(table.section_request())


@refused("NOT_RECEIVED", "round.events[1]")
def commitment_with_the_frontends_time(house: House) -> Call:
    table = committed(house)
    table.report(1, commit=mau_binh_pb2.Commit(commitment=bytes(32)))
    preview: Call = table.preview
    return preview


@refused("NOT_SEEN", "event")
def event_after_one_that_is_not_there(house: House) -> Call:
    table = committed(house)
    event = table.event(1, commit=mau_binh_pb2.Commit(commitment=bytes(32)), seen=2)
    return lambda: table.ask(event)


@refused("SIGNATURE_MISSING", "signature")
def departure_that_its_seat_did_not_sign(house: House) -> Call:
    table = committed(house)
    event = table.event(1, leave=True)
    return lambda: table.ask(event, b"")


@refused("CLOCK_BEHIND", "round.events")
def referees_clock_set_back(house: House) -> Call:
    played = house.play()
    house.clock.now -= 2_001
    return lambda: played.accept(0)


@refused("NO_ADVICE")
def ruleset_without_suggestions(house: House) -> Call:
    """Restart with an operator's classic ruleset that forbids advice."""
    source = get("mau_binh.classic").source
    source = source.replace(b"mau_binh.classic", b"mau_binh.alone").replace(b"allowed = true", b"allowed = false")
    house._settings["catalogue"] = Catalogue([parse_ruleset(source, file="alone.toml")])  # noqa: SLF001 - another house
    house.restart()
    thirteen: list[Any] = list(range(1, 14))
    hand = mau_binh_pb2.FreeHand(cards=thirteen, ruleset_id="mau_binh.alone", seat_count=2)
    return lambda: house.referee.SuggestArrangement(mau_binh_pb2.SuggestArrangementRequest(free=hand))


def advise(house: House) -> object:
    """Ask for advice about an ordinary hand."""
    cards: list[Any] = [card.number for card in parse_cards("AS AC AD 2S 2C KH QH JC 9D 8D 7S 5H 4C")]
    hand = mau_binh_pb2.FreeHand(cards=cards, ruleset_id="mau_binh.classic", seat_count=2)
    return house.referee.SuggestArrangement(mau_binh_pb2.SuggestArrangementRequest(free=hand))


def with_stopped_adviser(house: House, **advice: Any) -> int:  # noqa: ANN401 - what AdviceSettings takes
    """Restart with one process for advice, which the system has stopped; return its id."""
    restarted(house, advice=AdviceSettings(processes=1, **advice))
    advise(house)
    (pid,) = house.app.advice.pids
    os.kill(pid, signal.SIGSTOP)
    return int(pid)


def until_asked(house: House) -> None:
    """Wait until a question has the process."""
    end = time.monotonic() + 60
    while not house.app.advice.running:
        assert time.monotonic() < end
        time.sleep(0.01)


@refused("ADVICE_BUSY")
def more_questions_than_may_wait(house: House) -> Call:
    with_stopped_adviser(house, queue=0)

    def ask_second() -> object:
        with ThreadPoolExecutor(1) as other:
            first = other.submit(advise, house)
            until_asked(house)
            try:
                return advise(house)
            finally:
                (pid,) = house.app.advice.pids
                os.kill(pid, signal.SIGCONT)
                first.result(60)

    return ask_second


@refused("ADVICE_TOO_LONG")
def advice_that_takes_longer_than_it_may(house: House) -> Call:
    with_stopped_adviser(house, seconds=30)
    house.app.advice._settings = AdviceSettings(seconds=0.3)  # noqa: SLF001 - the first question may take longer
    return lambda: advise(house)


@refused("ADVICE_LOST")
def adviser_that_the_system_killed(house: House) -> Call:
    pid = with_stopped_adviser(house)

    def ask() -> object:
        with ThreadPoolExecutor(1) as other:
            asked = other.submit(advise, house)
            until_asked(house)
            os.kill(pid, signal.SIGKILL)
            return asked.result(60)

    return ask


@refused("BAD_SIGNATURE", "signature")
def seed_that_its_seat_did_not_sign(house: House) -> Call:
    table = house.table().open()
    return lambda: table.shuffler.ContributeSeed(table.contribution(1, signature=bytes(64)))


@refused("WRONG_TOKEN", "token")
def hand_for_another_seats_token(house: House) -> Call:
    table = house.sealed()
    return lambda: table.open_hand(1, token=table.players[0].token)


@refused("NOT_SEALED")
def hand_of_an_open_table_for_a_token(house: House) -> Call:
    table = house.table().play()
    return lambda: table.open_hand(0)


@refused("SEED_MISSING", "client_seeds")
def deal_without_every_seats_seed(house: House) -> Call:
    table = house.table().open()
    table.contribute(1)
    return lambda: table.shuffler.DealRound(shuffler_pb2.DealRoundRequest(**table.slot))


@refused("ALREADY_CONTRIBUTED", "seed")
def another_seed_of_a_seat(house: House) -> Call:
    table = house.table(keyed=False, commits=False).open()
    table.contribute(0)
    return lambda: table.shuffler.ContributeSeed(table.contribution(0, seed=bytes(32)))


@refused("SEEDS_RECEIVED", "reason")
def round_given_up_after_a_seed(house: House) -> Call:
    table = house.table().open()
    table.contribute(0)
    request = shuffler_pb2.AbortRoundRequest(**table.slot, reason=shuffler_pb2.ABORT_REASON_OPERATOR)
    return lambda: table.shuffler.AbortRound(request)


@refused("INTERNAL")
def server_with_another_sealing_key(house: House) -> Call:
    """Make a fault that no caller can repair: the seed in the log cannot be unsealed."""
    opened = house.open()
    house.close()
    (house.folder / "keys" / "sealing.key").write_text("0" * 64 + "\n", encoding="ascii")
    house.start()
    return lambda: house.deal(opened)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.reason}-{case.prepare.__name__}")
def test_refused_call_says_why_and_writes_nothing(house: House, case: Case) -> None:
    """Status as documented, reason, the field's path; the log's checkpoint stays the same text."""
    call = case.prepare(house)
    before = house.checkpoint()
    refusal = house.refusal_of(call)
    assert (refusal.code, refusal.reason, refusal.field) == (DOCUMENTED[case.reason], case.reason, case.field)
    assert refusal.message
    assert house.checkpoint() == before


def test_every_reason_is_documented_and_produced() -> None:
    """The proto's comments, the table of codes and the cases above name the same reasons."""
    names = {
        name.removeprefix("ERROR_REASON_") for name in DESCRIPTOR.enum_types_by_name["ErrorReason"].values_by_name
    } - {"UNSPECIFIED"}
    assert set(DOCUMENTED) == names
    assert {case.reason for case in CASES} == names


def test_documented_status_is_the_one_that_is_sent() -> None:
    sent = {
        ErrorReason.Name(reason).removeprefix("ERROR_REASON_"): code_pb2.Code.Name(code)
        for reason, code in CODES.items()
    }
    assert sent == DOCUMENTED


def test_every_refusal_of_the_log_has_a_reason() -> None:
    assert set(wire_round._SLOT_REASONS) == set(SlotReason)  # noqa: SLF001 - the table has no other reader


def test_internal_fault_is_found_again_by_its_request_id(house: House) -> None:
    """The caller's own id comes back in the error, and nothing about the fault but that."""
    server_with_another_sealing_key(house)
    request = shuffler_pb2.DealRoundRequest(table_id="t-1", round_number=1, client_seeds=house.seeds_of(2))
    refusal = house.refusal_of(lambda: house.shuffler.DealRound(request, metadata=[("x-request-id", "a-b-c")]))
    assert refusal.facts == {"request_id": "a-b-c"}
    assert refusal.message == "the server failed; its log has the request id a-b-c"
