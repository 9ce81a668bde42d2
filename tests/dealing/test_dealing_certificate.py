"""A certificate shows what the shuffler signed for this round, and nothing else passes."""

import json
import pickle
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.cards import Seat
from referee.dealing import certificate
from referee.dealing.certificate import CertificateError, CertificateFault, CertificateReason
from referee.dealing.deal import Deal
from referee.dealing.header import Header
from referee.evidence.dsse import Envelope
from referee.evidence.ed25519 import Signer
from tests.budget import examples
from tests.driver.headers import changed_header
from tests.vectors.dealing import dealing_derivation as second

SEED = bytes(range(32))
SEEDS = [bytes([seat]) * 32 for seat in range(4)]
DEALT_TIME = 1_800_000_005_000


@pytest.fixture(scope="module")
def deal(header: Header) -> Deal:
    return Deal.derive(header, server_seed=SEED, client_seeds=SEEDS)


@pytest.fixture(scope="module")
def data(header: Header, deal: Deal, shuffler: Signer) -> bytes:
    return certificate.issue(deal, header, sections=range(4), dealt_time=DEALT_TIME, signer=shuffler)


def read_again(header: Header, deal: Deal, signer: Signer, **how: Any) -> certificate.Certificate:  # noqa: ANN401 - what issue takes
    """Issue a certificate of a deal, and read it."""
    data = certificate.issue(deal, header, dealt_time=DEALT_TIME, signer=signer, **how)
    return certificate.read(data, keys=[signer.public_key], header=header)


def fault_of(data: bytes, header: Header, *signers: Signer, now: int = DEALT_TIME) -> CertificateFault:
    with pytest.raises(CertificateError) as caught:
        certificate.verify(data, keys=[signer.public_key for signer in signers], header=header, now=now)
    return caught.value.fault


def test_it_shows_the_hands_that_were_dealt(header: Header, deal: Deal, data: bytes, shuffler: Signer):
    shown = certificate.verify(data, keys=[shuffler.public_key], header=header, now=DEALT_TIME)
    assert dict(shown.cards) == dict(enumerate(deal.sections))
    assert [shown.hand(Seat(seat)) for seat in range(4)] == list(deal.sections)
    said = [bytes.fromhex(text) for text in (shown.round_id, shown.server_commitment, shown.mix, shown.deck_root)]
    assert said == [deal.round_id, deal.commitment, deal.mixed, deal.deck_root]
    assert shown.dealt_time == DEALT_TIME


def test_it_opens_the_named_sections_and_reveals_no_other_key(header: Header, deal: Deal, shuffler: Signer):
    data = certificate.issue(deal, header, sections=[2, 0, 2], dealt_time=DEALT_TIME, signer=shuffler)
    shown = certificate.verify(data, keys=[shuffler.public_key], header=header, now=DEALT_TIME)
    assert list(shown.cards) == [0, 2]
    assert shown.hand(Seat(1)) is None
    payload = Envelope.parse(data).payload
    assert [deal.keys[index].hex().encode() in payload for index in range(4)] == [True, False, True, False]
    assert SEED.hex().encode() not in payload


def test_it_is_valid_until_the_deadline(header: Header, data: bytes, shuffler: Signer):
    keys = [shuffler.public_key]
    certificate.verify(data, keys=keys, header=header, now=header.round_deadline)
    assert fault_of(data, header, shuffler, now=header.round_deadline + 1) is CertificateFault.EXPIRED
    assert certificate.read(data, keys=keys, header=header).expires_time == header.round_deadline


@given(place=st.integers(0, 10_000), bit=st.integers(0, 7))
@settings(max_examples=examples(75))
def test_every_changed_bit_is_refused(header: Header, data: bytes, shuffler: Signer, place: int, bit: int):
    changed = bytearray(data)
    changed[place % len(data)] ^= 1 << bit
    assert fault_of(bytes(changed), header, shuffler) in {CertificateFault.MALFORMED, CertificateFault.FORGED}


def test_one_of_several_keys_suffices(header: Header, data: bytes, shuffler: Signer, stranger: Signer):
    keys = [stranger.public_key, shuffler.public_key]
    assert certificate.verify(data, keys=keys, header=header, now=DEALT_TIME).hand(Seat(0))
    assert fault_of(data, header, stranger) is CertificateFault.FORGED
    assert fault_of(data, header) is CertificateFault.FORGED


@pytest.mark.parametrize(
    "change",
    [
        {"stake": 9},
        {"table_id": "table-8"},
        {"layout": (13, 13, 26)},
        {"seat_keys": (bytes(32),) * 3},
        {"round_deadline": 1_800_000_900_001},
    ],
)
def test_it_is_worth_nothing_under_another_header(
    header: Header, data: bytes, shuffler: Signer, change: dict[str, Any]
):
    other = changed_header(header, **change)
    assert fault_of(data, other, shuffler) is CertificateFault.FOREIGN_ROUND


def test_every_member_of_the_payload_is_checked(header: Header, data: bytes, shuffler: Signer):
    """Signed by the shuffler itself, each hash that is off by one bit is caught; only the dealt time is its word."""
    payload = json.loads(Envelope.parse(data).payload)

    def off_by_one(value: Any) -> list[Any]:  # noqa: ANN401 - whatever JSON holds
        if isinstance(value, dict):
            return [{**value, name: other} for name in value for other in off_by_one(value[name])]
        if isinstance(value, list):
            return [
                [*value[:place], other, *value[place + 1 :]]
                for place, member in enumerate(value)
                for other in off_by_one(member)
            ]
        if isinstance(value, str):
            return [value[:-1] + "0123456789abcdef"[int(value[-1], 16) ^ 1]]
        return [value + 1]

    changed = off_by_one(payload)
    assert len(changed) == 6 + 4 + 4 * (13 + 1 + 1)
    accepted = []
    for other in changed:
        forged = Envelope.signed(certificate.CERTIFICATE_TYPE, second.canonical(other), shuffler).to_bytes()
        try:
            certificate.verify(forged, keys=[shuffler.public_key], header=header, now=DEALT_TIME)
        except CertificateError:
            continue
        accepted.append(other)
    assert accepted == [{**payload, "dealt_time": DEALT_TIME + 1}]


def test_certificates_of_one_deal_are_joined(header: Header, deal: Deal, shuffler: Signer):
    shown = [read_again(header, deal, shuffler, sections=sections) for sections in ([0], [2, 0], [], [3])]
    assert dict(certificate.join(shown)) == {index: deal.sections[index] for index in (0, 2, 3)}
    assert dict(certificate.join([])) == {}


def test_certificates_of_two_deals_are_not_joined(header: Header, deal: Deal, shuffler: Signer):
    """A shuffler that has dealt one round twice."""
    again = Deal.derive(header, server_seed=bytes(32), client_seeds=SEEDS)
    shown = [read_again(header, one, shuffler, sections=[seat]) for seat, one in enumerate((deal, again))]
    with pytest.raises(CertificateError) as caught:
        certificate.join(shown)
    assert caught.value.fault is CertificateFault.FOREIGN_ROUND


def test_time_of_an_opening_is_read_back_and_joined(header: Header, deal: Deal, shuffler: Signer):
    """A hand has none in its seat's own certificate; two times of one section are not of one deal."""
    times: tuple[dict[int, int], ...] = ({}, {2: DEALT_TIME + 7}, {2: DEALT_TIME + 8})
    own, flop, forged = [read_again(header, deal, shuffler, sections=[0, 2], unsealed_times=one) for one in times]
    assert [dict(one.unsealed_times) for one in (own, flop)] == [{}, {2: DEALT_TIME + 7}]
    assert certificate.join_times([own, flop, flop]) == {2: DEALT_TIME + 7}
    with pytest.raises(CertificateError) as caught:
        certificate.join_times([own, flop, forged])
    assert caught.value.fault is CertificateFault.FOREIGN_ROUND


def test_one_card_in_two_joined_hands_is_refused(header: Header, data: bytes, shuffler: Signer):
    shown = certificate.verify(data, keys=[shuffler.public_key], header=header, now=DEALT_TIME)
    hand = shown.sections[0]
    one = msgspec.structs.replace(shown, sections=(hand,))
    other = msgspec.structs.replace(shown, sections=(msgspec.structs.replace(hand, index=1),))
    with pytest.raises(CertificateError) as caught:
        certificate.join([one, other])
    assert caught.value.fault is CertificateFault.DUPLICATE_CARD


def test_nothing_is_issued_for_another_round_or_section(header: Header, deal: Deal, shuffler: Signer):
    other = msgspec.structs.replace(header, stake=9)
    with pytest.raises(ValueError, match="another round"):
        certificate.issue(deal, other, sections=[0], dealt_time=DEALT_TIME, signer=shuffler)
    for section in (-1, 4):
        with pytest.raises(IndexError):
            certificate.issue(deal, header, sections=[section], dealt_time=DEALT_TIME, signer=shuffler)


def test_every_fault_comes_to_a_reason():
    reasons = {fault: fault.reason for fault in CertificateFault}
    assert reasons[CertificateFault.FORGED] is CertificateReason.FORGED
    assert reasons[CertificateFault.FOREIGN_ROUND] is CertificateReason.FOREIGN
    assert reasons[CertificateFault.EXPIRED] is CertificateReason.EXPIRED
    assert list(reasons.values()).count(CertificateReason.MALFORMED) == len(reasons) - 3


def test_the_error_crosses_processes():
    error = CertificateError(CertificateFault.WRONG_SIZE, "a hand of twelve")
    copy = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes
    assert (copy.fault, copy.reason, str(copy)) == (error.fault, error.reason, "a hand of twelve")
