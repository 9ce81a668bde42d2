"""Secrecy findings: a document that opens too much has one in any encoding; a permitted document has none."""

import base64
import itertools
import json

import msgspec
import pytest

from referee.audit import Code, Documents, Report
from referee.audit.documents import hex_values, layers_of
from referee.games import LeaderBy
from tests.audit.audit_attacks_leaders import led
from tests.audit.audit_attacks_secrecy import FLOP, HOUSE, handed_out, opening, streets
from tests.audit.audit_builder import Auditor, LogBuilder, Parts, Table, codes, course_of, receipt_of, unseal_of

LON = Table(name="felt", ruleset_id="tien_len.mien_nam", seats=3)
TURN_RIVER = 4


def laid_out(table: Table) -> tuple[LogBuilder, Parts]:
    log = LogBuilder.founded()
    parts = log.prepare(table)
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
        lambda secret: base64.b64encode(b"12" + secret.hex().encode()) + b"A",
        lambda secret: secret,
    )
    for secret, spell in itertools.product(secrets, spellings):
        report = audited(audit, log, exports=(handed_out(parts) + b" " + spell(secret),))
        assert codes(report) == [Code.SECRET_EXPOSED], spell


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
    (winner,) = json.loads(first.transcript)["results"]["winners"]
    led(second, winner, LeaderBy.WINNER)
    log.append(second)
    assert audited(audit, log, exports=(handed_out(second, other=first.server_seed.hex()),)).findings == ()


def test_receipts_and_certificates_of_every_street_are_sound(audit: Auditor):
    """A settled round: its own receipts, and the certificates that were answered with each UNSEAL."""
    log, parts = streets()
    course = course_of(parts)
    receipts = tuple(receipt_of(parts, number, course) for number in range(1, course.number + 1))
    times: dict[int, int] = {}
    certificates = [opening(parts, 0, 1)]
    for leaf in parts.unseals:
        times |= dict.fromkeys(leaf.sections, leaf.unsealed_time)
        certificates.append(opening(parts, 0, 1, *times, times=times))
    log.append(parts)
    documents = Documents(certificates=tuple(certificates), event_receipts=receipts)
    assert len(times) == 3
    assert audit(log.bundle(), documents=documents).findings == ()


@pytest.mark.parametrize("section", [FLOP, TURN_RIVER, HOUSE])
def test_certificate_of_a_street_needs_its_unseal(audit: Auditor, section: int):
    """The log has the UNSEAL of the flop alone."""
    log, parts = streets()
    flop = parts.unseals[0]
    parts.unseals = (flop,)
    log.append(parts, steps="ODU")
    shown = opening(parts, 0, section, times={section: flop.unsealed_time})
    assert [one.code for one in audit(log.bundle(), documents=Documents(certificates=(shown,))).findings] == (
        [] if section == FLOP else [Code.OPENED_WITHOUT_UNSEAL]
    )


@pytest.mark.parametrize("section", [0, 1, 5, 99])
def test_unseal_of_what_no_event_opens_is_found(audit: Auditor, section: int):
    log, parts = streets()
    course = course_of(parts)
    parts.opens = {parts.unseals[0].number: section}
    named = msgspec.structs.replace(parts.inputs.unsealed[0], sections=(section,))
    parts.unseals = (unseal_of(parts, course, named),)
    log.append(parts, steps="ODU")
    assert codes(audit(log.bundle())) == [Code.STREET_OPENED_EARLY]


def test_layers_are_the_bytes_and_what_base64_in_them_spells():
    inner = b"the innermost bytes, long enough to be looked at"
    outer = b"x " + base64.b64encode(b"middle, " + base64.b64encode(inner)) + b" y"
    assert layers_of(outer)[0] == outer
    assert inner in layers_of(outer)
    assert set(hex_values(b'{"round_id":"' + b"ab" * 32 + b'"}')) == {bytes([0xAB]) * 32}
