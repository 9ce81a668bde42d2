"""Attacks on secrecy: what was handed out holds more than it opens, weak keys, and streets that open early."""

import base64
import json
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from types import MappingProxyType

import msgspec

from referee.audit import Code, Documents
from referee.dealing import certificate
from referee.dealing.deal import Deal
from referee.dealing.lead import read_lead
from tests.audit import audit_attack
from tests.audit.audit_attack import (
    TABLE,
    Attacked,
    adopt,
    begun,
    certified,
    ended,
    redealt,
)
from tests.audit.audit_builder import SHUFFLER, LogBuilder, Parts, Table, course_of, receipt_of, settle

attack = partial(audit_attack.attack, file="held.jsonl")
mutation = partial(audit_attack.mutation, file="held.jsonl")
log_attack = partial(audit_attack.log_attack, file="held.jsonl")
BOARD = Table(name="table-1", ruleset_id="ultimate_texas.casino", seats=2)
HOUSE, FLOP = 2, 3
ARRANGING_MS = 60_000


def opening(parts: Parts, *sections: int, times: Mapping[int, int] = MappingProxyType({})) -> bytes:
    """Make the shuffler's certificate of some sections, opened at these times."""
    return certificate.issue(
        parts.deal,
        parts.header,
        sections=sections,
        dealt_time=parts.dealt.dealt_time,
        lead=read_lead(parts.dealt.leader, parts.dealt.leader_by),
        signer=SHUFFLER,
        unsealed_times=times,
    )


def handed_out(parts: Parts, **members: object) -> bytes:
    """Make a file about a round as an export could be."""
    return json.dumps({"round_id": parts.header.round_id.hex(), **members}).encode()


@log_attack(Code.SECRET_EXPOSED, "a bundle made before the seed was shown holds the seed")
def seed_in_an_export(log: LogBuilder, parts: Parts) -> None:
    leaves = [leaf.decode() for leaf in parts.leaves[:3]]
    log.documents = Documents(exports=(handed_out(parts, leaves=leaves, debug=parts.server_seed.hex()),))


@log_attack(
    Code.SECRET_EXPOSED,
    "a file handed out while the round is played holds its seed, in base64 within base64",
    steps="OD",
)
def seed_hidden_in_an_export_of_a_live_round(log: LogBuilder, parts: Parts) -> None:
    inner = base64.b64encode(b"state of the shuffler: " + base64.b64encode(parts.server_seed.hex().encode()))
    log.documents = Documents(exports=(handed_out(parts, blob=inner.decode()),))


@log_attack(Code.SECRET_EXPOSED, "a file holds one seat's certificate and the key of the other seat's hand")
def another_sections_key_in_an_export(log: LogBuilder, parts: Parts) -> None:
    mine = opening(parts, 0).decode()
    log.documents = Documents(exports=(handed_out(parts, certificate=mine, key=parts.deal.keys[1].hex()),))


@log_attack(Code.SECRET_EXPOSED, "a file holds the certificate of all hands and, in base64, the key of the stock")
def key_of_the_stock_in_an_export(log: LogBuilder, parts: Parts) -> None:
    key = base64.b64encode(parts.deal.keys[2]).decode()
    log.documents = Documents(exports=(handed_out(parts, certificate=opening(parts, 0, 1).decode(), key=key),))


@log_attack(Code.SECRET_EXPOSED, "a certificate opens the stock, the cards that were not dealt")
def certificate_of_the_stock(log: LogBuilder, parts: Parts) -> None:
    log.documents = Documents(certificates=(opening(parts, 0, 1, 2),))


def with_keys(parts: Parts, keys: tuple[bytes, ...]) -> Deal:
    """Make the deal with other section keys, with a valid commitment to them."""
    parts.deal = msgspec.structs.replace(parts.deal, keys=keys)
    deal = redealt(parts, parts.deal.sections)
    adopt(parts, deal)
    return deal


@log_attack(
    Code.SECTION_KEY_WEAK,
    "a section's key is zeros, so its cards can be found by trying before they are shown",
    steps="OD",
)
def section_key_of_zeros(log: LogBuilder, parts: Parts) -> None:
    with_keys(parts, (bytes(32), *parts.deal.keys[1:]))
    log.documents = Documents(certificates=(certified(parts),))


@log_attack(
    Code.SECTION_KEY_WEAK, "two hands share one key, so a seat that opens its own can open the other", steps="OD"
)
def one_key_for_two_hands(log: LogBuilder, parts: Parts) -> None:
    with_keys(parts, (parts.deal.keys[0], *parts.deal.keys[:-1]))
    log.documents = Documents(certificates=(certified(parts),))


@mutation(
    Code.SECTION_KEY_WEAK,
    "a round's keys are those of the round before, so its hands are open before it begins",
)
def keys_of_the_round_before() -> Attacked:
    log, first = begun()
    log.append(first, steps="OD")
    second = log.prepare(replace(TABLE, name="table-2"))
    with_keys(second, first.deal.keys)
    log.documents = Documents(certificates=(certified(first), certified(second)))
    log.append(second, steps="OD")
    return ended(log)


def streets() -> tuple[LogBuilder, Parts]:
    """Make a round of the board game in which each street opens by an event of its own."""
    log, parts = begun(BOARD)
    seed = 0
    while len(parts.unseals) < 3:
        seed += 1
        settle(parts, seed=seed)
    return log, parts


@attack(Code.STREET_OPENED_EARLY, "the house's cards are opened with the flop, before turn and river", on=streets)
def house_opened_with_the_flop(parts: Parts) -> None:
    flop, *others = parts.unseals
    parts.unseals = (msgspec.structs.replace(flop, sections=(HOUSE, FLOP)), *others)


@attack(Code.STREET_OPENED_EARLY, "the flop is opened before the event that opens it", on=streets)
def flop_opened_before_its_event(parts: Parts) -> None:
    flop, *others = parts.unseals
    parts.unseals = (msgspec.structs.replace(flop, unsealed_time=flop.received_time - 1), *others)


@log_attack(
    Code.STREET_OPENED_EARLY, "the referee signs that the event that opens the flop opens the house's cards", on=streets
)
def house_opened_by_another_receipt(log: LogBuilder, parts: Parts) -> None:
    number = parts.unseals[0].number
    other = replace(parts, opens={number: HOUSE})
    log.documents = Documents(event_receipts=(receipt_of(other, number, course_of(parts)),))


@log_attack(
    Code.OPENED_WITHOUT_UNSEAL,
    "somebody holds a certificate of the flop, and the log does not open it",
    on=BOARD,
    steps="OD",
)
def flop_without_an_unseal(log: LogBuilder, parts: Parts) -> None:
    log.documents = Documents(certificates=(opening(parts, 0, 1, FLOP),))


@log_attack(Code.CERTIFICATES_DISAGREE, "somebody was shown the flop before the log opened it", on=streets)
def flop_shown_before_its_unseal(log: LogBuilder, parts: Parts) -> None:
    times = {FLOP: parts.unseals[0].unsealed_time - 1}
    log.documents = Documents(certificates=(opening(parts, 0, 1, FLOP, times=times),))
