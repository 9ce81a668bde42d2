"""Attacks on secrecy: what was handed out holds more than it opens, weak keys, and streets that open early."""

import base64
import json
from dataclasses import replace

from referee.audit import Code, Documents
from referee.dealing import certificate
from referee.dealing.deal import Deal
from referee.transcript.chain import chain_hashes
from tests.audit.audit_attack import TABLE, Attacked, adopt, begun, certified, ended, mutation, receipt, redealt
from tests.audit.audit_builder import SHUFFLER, Parts, Table, change_inputs, receipt_of, settle

FILE = "held.jsonl"
BOARD = Table(name="table-1", ruleset_id="ultimate_texas.casino", seats=2)
HOUSE, FLOP = 2, 3
ARRANGING_MS = 60_000


def opening(parts: Parts, *sections: int) -> bytes:
    """Make the shuffler's certificate of some sections."""
    return certificate.issue(
        parts.deal, parts.header, sections=sections, dealt_time=parts.dealt.dealt_time, signer=SHUFFLER
    )


def handed_out(parts: Parts, **members: object) -> bytes:
    """Make a file about a round as an export could be."""
    return json.dumps({"round_id": parts.header.round_id.hex(), **members}).encode()


@mutation(Code.SECRET_EXPOSED, "a bundle made before the seed was shown holds the seed", FILE)
def seed_in_an_export() -> Attacked:
    log, parts = begun()
    leaves = [leaf.decode() for leaf in parts.leaves[:3]]
    log.documents = Documents(exports=(handed_out(parts, leaves=leaves, debug=parts.server_seed.hex()),))
    return ended(log, parts)


@mutation(
    Code.SECRET_EXPOSED, "a file handed out while the round is played holds its seed, in base64 within base64", FILE
)
def seed_hidden_in_an_export_of_a_live_round() -> Attacked:
    log, parts = begun()
    inner = base64.b64encode(b"state of the shuffler: " + base64.b64encode(parts.server_seed.hex().encode()))
    log.documents = Documents(exports=(handed_out(parts, blob=inner.decode()),))
    log.append(parts, steps="OD")
    return ended(log)


@mutation(Code.SECRET_EXPOSED, "a file holds one seat's certificate and the key of the other seat's hand", FILE)
def another_sections_key_in_an_export() -> Attacked:
    log, parts = begun()
    mine = opening(parts, 0).decode()
    log.documents = Documents(exports=(handed_out(parts, certificate=mine, key=parts.deal.keys[1].hex()),))
    return ended(log, parts)


@mutation(Code.SECRET_EXPOSED, "a file holds the certificate of all hands and, in base64, the key of the stock", FILE)
def key_of_the_stock_in_an_export() -> Attacked:
    log, parts = begun()
    key = base64.b64encode(parts.deal.keys[2]).decode()
    log.documents = Documents(exports=(handed_out(parts, certificate=opening(parts, 0, 1).decode(), key=key),))
    return ended(log, parts)


@mutation(Code.SECRET_EXPOSED, "a certificate opens the stock, the cards that were not dealt", FILE)
def certificate_of_the_stock() -> Attacked:
    log, parts = begun()
    log.documents = Documents(certificates=(opening(parts, 0, 1, 2),))
    return ended(log, parts)


def with_keys(parts: Parts, keys: tuple[bytes, ...]) -> Deal:
    """Make the deal with other section keys, with a valid commitment to them."""
    parts.deal = replace(parts.deal, keys=keys)
    deal = redealt(parts, parts.deal.sections)
    adopt(parts, deal)
    return deal


@mutation(
    Code.SECTION_KEY_WEAK, "a section's key is zeros, so its cards can be found by trying before they are shown", FILE
)
def section_key_of_zeros() -> Attacked:
    log, parts = begun()
    with_keys(parts, (bytes(32), *parts.deal.keys[1:]))
    log.documents = Documents(certificates=(certified(parts),))
    log.append(parts, steps="OD")
    return ended(log)


@mutation(Code.SECTION_KEY_WEAK, "two hands share one key, so a seat that opens its own can open the other", FILE)
def one_key_for_two_hands() -> Attacked:
    log, parts = begun()
    with_keys(parts, (parts.deal.keys[0], *parts.deal.keys[:-1]))
    log.documents = Documents(certificates=(certified(parts),))
    log.append(parts, steps="OD")
    return ended(log)


@mutation(
    Code.SECTION_KEY_WEAK, "a round's keys are those of the round before, so its hands are open before it begins", FILE
)
def keys_of_the_round_before() -> Attacked:
    log, first = begun()
    log.append(first, steps="OD")
    second = log.lay_out(replace(TABLE, name="table-2"))
    settle(second)
    with_keys(second, first.deal.keys)
    log.documents = Documents(certificates=(certified(first), certified(second)))
    log.append(second, steps="OD")
    return ended(log)


def event_hashes(parts: Parts) -> list[bytes]:
    """Compute the hashes h_0 to h_n of a round as it was played."""
    assert parts.inputs is not None
    events = [bytes(event.event) for event in parts.inputs.events]
    root = bytes.fromhex(parts.dealt.deck_root)
    return chain_hashes(round_id=parts.header.round_id, deck_root=root, events=events)


@mutation(Code.STREET_OPENED_EARLY, "the referee signs that the first decision opens the house's cards", FILE)
def house_opened_by_the_first_decision() -> Attacked:
    log, parts = begun(BOARD)
    assert parts.inputs is not None
    hashes, first = event_hashes(parts), parts.inputs.events[0]
    early = receipt_of(parts, 1, hashes[1], time=first.time, opens_section=HOUSE)
    log.documents = Documents(event_receipts=(early,))
    return ended(log, parts)


@mutation(Code.STREET_OPENED_EARLY, "a decision of the first street is accepted after the flop was opened", FILE)
def decided_after_the_flop() -> Attacked:
    log, parts = begun(BOARD)
    hashes, time = event_hashes(parts), parts.dealt.dealt_time
    opened = receipt_of(parts, 2, hashes[2], time=time + 1_000, opens_section=FLOP)
    decided = receipt_of(parts, 1, hashes[1], time=time + 2_000)
    log.documents = Documents(event_receipts=(opened, decided))
    log.append(parts, steps="OD")
    return ended(log)


@mutation(Code.STREET_OPENED_EARLY, "the house's cards are opened before the flop", FILE)
def house_opened_before_the_flop() -> Attacked:
    log, parts = begun(BOARD)
    hashes, time = event_hashes(parts), parts.dealt.dealt_time
    house = receipt_of(parts, 1, hashes[1], time=time + 1_000, opens_section=HOUSE)
    flop = receipt_of(parts, 2, hashes[2], time=time + 2_000, opens_section=FLOP)
    log.documents = Documents(event_receipts=(house, flop))
    log.append(parts, steps="OD")
    return ended(log)


@mutation(Code.STREET_UNRECEIPTED, "somebody holds a certificate of the flop, and no receipt opens it", FILE)
def flop_without_a_receipt() -> Attacked:
    log, parts = begun(BOARD)
    log.documents = Documents(certificates=(opening(parts, 0, 1, FLOP),))
    log.append(parts, steps="OD")
    return ended(log)


@mutation(Code.EVENTS_ALTERED, "an event that the referee had accepted is left out at the end of the settlement", FILE)
def last_event_dropped() -> Attacked:
    log, parts = begun()
    assert parts.inputs is not None
    log.documents = Documents(event_receipts=(receipt(parts, len(parts.inputs.events)),))
    change_inputs(parts, events=parts.inputs.events[:-1], closed_time=parts.dealt.dealt_time + ARRANGING_MS)
    return ended(log, parts)
