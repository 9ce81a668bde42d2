"""Secrecy findings: a document that opens too much has one in any encoding; a permitted document has none."""

import base64
import itertools

import pytest

from referee.audit import Code, Documents, Report
from referee.audit.documents import hex_values, layers_of
from referee.transcript.chain import chain_hashes
from tests.audit.audit_attacks_secrecy import BOARD, FLOP, HOUSE, handed_out, opening
from tests.audit.audit_builder import Auditor, LogBuilder, Parts, Table, receipt_of, settle

LON = Table(name="felt", ruleset_id="tien_len.mien_nam", seats=3)
TURN_RIVER = 4


def laid_out(table: Table) -> tuple[LogBuilder, Parts]:
    log = LogBuilder.founded()
    parts = log.lay_out(table)
    settle(parts)
    return log, parts


def audited(audit: Auditor, log: LogBuilder, *, exports: tuple[bytes, ...]) -> Report:
    return audit(log.bundle(), documents=Documents(exports=exports))


def test_every_secret_is_found_in_every_spelling(audit: Auditor):
    log, parts = laid_out(LON)
    log.append(parts)
    secrets = [parts.server_seed, *parts.deal.keys]
    spellings = (
        lambda secret: secret.hex().encode(),
        lambda secret: secret.hex().upper().encode(),
        base64.b64encode,
        lambda secret: base64.b64encode(b"before" + secret + b"behind"),
        lambda secret: base64.b64encode(b"a" + base64.b64encode(b"bc" + secret.hex().encode())),
        lambda secret: secret,
    )
    for secret, spell in itertools.product(secrets, spellings):
        report = audited(audit, log, exports=(handed_out(parts) + b" " + spell(secret),))
        assert [one.code for one in report.findings] == [Code.SECRET_EXPOSED], spell


def test_leaves_before_the_reveal_and_a_bundle_after_it_are_no_leak(audit: Auditor):
    log, parts = laid_out(LON)
    log.append(parts)
    before = handed_out(parts, leaves=[leaf.decode() for leaf in parts.leaves[:3]])
    behind = handed_out(parts, leaves=[leaf.decode() for leaf in parts.leaves])
    assert audited(audit, log, exports=(before, behind)).findings == ()


def test_certificate_is_no_leak_of_what_it_opens(audit: Auditor):
    log, parts = laid_out(LON)
    log.append(parts)
    exports = tuple(opening(parts, *sections) for sections in ((), (0,), (1, 2), (0, 1, 2)))
    assert audited(audit, log, exports=exports).findings == ()
    assert audit(log.bundle(), documents=Documents(certificates=exports)).findings == ()


def test_seed_of_a_round_is_no_secret_of_another(audit: Auditor):
    log, first = laid_out(LON)
    log.append(first)
    second = log.lay_out(LON)
    settle(second)
    log.append(second)
    assert audited(audit, log, exports=(handed_out(second, other=first.server_seed.hex()),)).findings == ()


def test_receipts_in_the_order_of_play_open_the_board(audit: Auditor):
    """A settled round at a table with receipts: its own receipts, and certificates of each street."""
    log, parts = laid_out(BOARD)
    assert parts.inputs is not None
    events = [bytes(event.event) for event in parts.inputs.events]
    root = bytes.fromhex(parts.dealt.deck_root)
    hashes = chain_hashes(round_id=parts.header.round_id, deck_root=root, events=events)
    receipts = tuple(
        receipt_of(parts, number, hashes[number], time=event.time, opens_section=event.opens_section)
        for number, event in enumerate(parts.inputs.events, 1)
    )
    certificates = tuple(opening(parts, 0, 1, *board) for board in ((), (FLOP,), (FLOP, TURN_RIVER), (HOUSE, FLOP)))
    log.append(parts)
    documents = Documents(certificates=certificates, event_receipts=receipts)
    assert audit(log.bundle(), documents=documents).findings == ()


@pytest.mark.parametrize(("section", "is_due"), [(FLOP, True), (TURN_RIVER, False), (HOUSE, False)])
def test_receipt_of_the_flop_opens_the_flop_alone(audit: Auditor, section: int, *, is_due: bool):
    log, parts = laid_out(BOARD)
    time = parts.dealt.dealt_time + 1_000
    flop = receipt_of(parts, 2, parts.deal.deck_root, time=time, opens_section=FLOP)
    log.append(parts, steps="OD")
    documents = Documents(certificates=(opening(parts, 0, section),), event_receipts=(flop,))
    codes = [one.code for one in audit(log.bundle(), documents=documents).findings]
    assert codes == ([] if is_due else [Code.STREET_UNRECEIPTED])


@pytest.mark.parametrize("section", [0, 1, 5, 99])
def test_receipt_that_opens_what_no_event_opens_is_found(audit: Auditor, section: int):
    log, parts = laid_out(BOARD)
    time = parts.dealt.dealt_time + 1_000
    odd = receipt_of(parts, 1, parts.deal.deck_root, time=time, opens_section=section)
    log.append(parts, steps="OD")
    codes = [one.code for one in audit(log.bundle(), documents=Documents(event_receipts=(odd,))).findings]
    assert codes == [Code.STREET_OPENED_EARLY]


def test_layers_are_the_bytes_and_what_base64_in_them_spells():
    inner = b"the innermost bytes, long enough to be looked at"
    outer = b"x " + base64.b64encode(b"middle, " + base64.b64encode(inner)) + b" y"
    assert layers_of(outer)[0] == outer
    assert inner in layers_of(outer)
    assert set(hex_values(b'{"round_id":"' + b"ab" * 32 + b'"}')) == {bytes([0xAB]) * 32}
