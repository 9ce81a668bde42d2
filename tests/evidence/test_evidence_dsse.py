"""DSSE envelopes: one text for each envelope, and a refusal for every fault.

The published example and more refusals are in ``tests/vectors/evidence/dsse.jsonl``.
"""

import base64
import itertools
import json
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.evidence.dsse import (
    MAX_ENVELOPE_SIZE,
    MAX_PAYLOAD_SIZE,
    Envelope,
    EnvelopeError,
    EnvelopeFault,
    pae,
)
from tests.evidence.envelopes import open_envelope
from tests.named_signer import NamedSigner

TYPE = "application/vnd.referee.deal.v1+json"
SIGNER = NamedSigner("signer")
STRANGER = NamedSigner("stranger")
ENVELOPES = st.builds(
    Envelope,
    payload_type=st.from_regex(r"[a-z]{1,9}/[a-z.+0-9-]{1,20}", fullmatch=True),
    payload=st.binary(max_size=200),
    signature=st.none() | st.binary(min_size=64, max_size=64),
)


def fault_of(data: bytes) -> EnvelopeFault:
    with pytest.raises(EnvelopeError) as caught:
        open_envelope(data, payload_type=TYPE, public_key=SIGNER.public_key)
    return caught.value.fault


def test_pae_counts_bytes():
    assert pae("", b"") == b"DSSEv1 0  0 "
    assert pae("a", b"\x00 \xff") == b"DSSEv1 1 a 3 \x00 \xff"


@given(ENVELOPES)
def test_an_envelope_is_compact_sorted_json(envelope: Envelope):
    signatures = [] if envelope.signature is None else [{"sig": base64.b64encode(envelope.signature).decode()}]
    value = {
        "payload": base64.b64encode(envelope.payload).decode(),
        "payloadType": envelope.payload_type,
        "signatures": signatures,
    }
    assert envelope.to_bytes() == json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


@given(ENVELOPES)
def test_envelopes_can_be_read_back(envelope: Envelope):
    assert Envelope.parse(envelope.to_bytes()) == envelope


@given(ENVELOPES, st.data())
def test_a_text_that_is_read_is_the_text_of_its_envelope(envelope: Envelope, data: st.DataObject):
    """Whatever byte is changed: the envelope is refused, or it is another one with exactly this text."""
    text = bytearray(envelope.to_bytes())
    place = data.draw(st.integers(0, len(text) - 1))
    text[place] = data.draw(st.integers(0, 255))
    try:
        read = Envelope.parse(bytes(text))
    except EnvelopeError:
        return
    assert read.to_bytes() == bytes(text)


def test_a_signed_payload_comes_out():
    data = Envelope.signed(TYPE, b'{"a":1}', SIGNER).to_bytes()
    assert open_envelope(data, payload_type=TYPE, public_key=SIGNER.public_key) == b'{"a":1}'


def test_every_changed_byte_is_refused():
    data = Envelope.signed(TYPE, b"payload", SIGNER).to_bytes()
    for place in range(len(data)):
        for flip in (0x01, 0x20, 0x80):
            changed = bytearray(data)
            changed[place] ^= flip
            assert fault_of(bytes(changed)) in EnvelopeFault


def test_another_type_is_refused_after_its_signature():
    other = "application/vnd.referee.abort.v1+json"
    assert fault_of(Envelope.signed(other, b"x", SIGNER).to_bytes()) is EnvelopeFault.WRONG_TYPE
    assert fault_of(Envelope.signed(other, b"x", STRANGER).to_bytes()) is EnvelopeFault.FORGED


def test_a_signature_does_not_move_to_another_type_or_payload():
    envelope = Envelope.signed(TYPE, b"x", SIGNER)
    assert not Envelope(TYPE + "x", b"x", envelope.signature).is_signed_by(SIGNER.public_key)
    assert not Envelope(TYPE, b"y", envelope.signature).is_signed_by(SIGNER.public_key)


@pytest.mark.parametrize("order", [(SIGNER, STRANGER), (STRANGER, SIGNER)])
def test_one_of_several_keys_suffices_and_their_order_says_nothing(order: tuple[NamedSigner, ...]):
    keys = [signer.public_key for signer in order]
    Envelope.signed(TYPE, b"x", SIGNER).verify_any(payload_type=TYPE, public_keys=keys)
    with pytest.raises(EnvelopeError) as caught:
        Envelope.signed("other/type", b"x", SIGNER).verify_any(payload_type=TYPE, public_keys=keys)
    assert caught.value.fault is EnvelopeFault.WRONG_TYPE


def test_no_key_verifies_nothing():
    with pytest.raises(EnvelopeError) as caught:
        Envelope.signed(TYPE, b"x", SIGNER).verify_any(payload_type=TYPE, public_keys=[])
    assert caught.value.fault is EnvelopeFault.FORGED


def test_the_longest_payload_fits_an_envelope():
    data = Envelope.signed(TYPE, bytes(MAX_PAYLOAD_SIZE), SIGNER).to_bytes()
    assert len(data) <= MAX_ENVELOPE_SIZE
    assert open_envelope(data, payload_type=TYPE, public_key=SIGNER.public_key) == bytes(MAX_PAYLOAD_SIZE)


def test_a_longer_payload_is_refused_when_written_and_when_read():
    with pytest.raises(EnvelopeError) as caught:
        Envelope(TYPE, bytes(MAX_PAYLOAD_SIZE + 1))
    assert caught.value.fault is EnvelopeFault.TOO_LONG
    payload = base64.b64encode(bytes(MAX_PAYLOAD_SIZE + 1))
    text = b'{"payload":"%b","payloadType":"a/b","signatures":[]}' % payload
    assert len(text) <= MAX_ENVELOPE_SIZE
    assert fault_of(text) is EnvelopeFault.TOO_LONG


def test_a_longer_envelope_is_refused_unread():
    assert fault_of(b"x" * (MAX_ENVELOPE_SIZE + 1)) is EnvelopeFault.TOO_LONG
    assert fault_of(b"x" * MAX_ENVELOPE_SIZE) is EnvelopeFault.MALFORMED


SIG = base64.b64encode(bytes(64)).decode()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        '{"payload": "eA==","payloadType":"a/b","signatures":[]}',
        '{"payload":"eA==","payloadType":"a/b","signatures":[]} ',
        '{"payload":"eA=","payloadType":"a/b","signatures":[]}',
        '{"payload":"eA==eA==","payloadType":"a/b","signatures":[]}',
        '{"payload":"eA==","payloadType":"a/\u00e9","signatures":[]}',
        '{"payload":"eA==","payloadType":"a\\u002fb","signatures":[]}',
        '{"payload":"eA==","payloadType":"a/b","signatures":[{"sig":""}]}',
        f'{{"payload":"eA==","payloadType":"a/b","signatures":[{{"sig":"{SIG[:-3]}B=="}}]}}',
    ],
)
def test_any_other_text_is_malformed(text: str):
    assert fault_of(text.encode()) is EnvelopeFault.MALFORMED


@pytest.mark.parametrize("opening", [b"[", b'{"payload":', b'{"x":', b'{"signatures":['])
@pytest.mark.parametrize("depth", [300, 5_000, 13_000])
def test_deep_nesting_is_malformed(opening: bytes, depth: int):
    assert fault_of((opening * depth)[:MAX_ENVELOPE_SIZE]) is EnvelopeFault.MALFORMED


def is_base64(text: str) -> bool:
    """Whether the text is what the bytes that it spells are spelled as, by the standard library."""
    try:
        return base64.b64encode(base64.b64decode(text)).decode() == text
    except ValueError:
        return False


@pytest.mark.parametrize("letters", [4, 5, 6, 7, 8])
def test_base64_is_read_in_its_one_text_alone(letters: int):
    """Every text of some letters and padding, in which the last digit has bits to spare, too."""
    tails = ["".join(tail) for size in range(5) for tail in itertools.product("AQg/=", repeat=size)]
    for tail in tails:
        text = ("eHl6" * 2)[:letters] + tail
        data = b'{"payload":"%b","payloadType":"a/b","signatures":[]}' % text.encode()
        try:
            read = Envelope.parse(data).payload == base64.b64decode(text)
        except EnvelopeError:
            read = False
        assert is_base64(text) == read, text


@pytest.mark.parametrize("last", string.ascii_letters + string.digits + "+/=")
def test_a_signature_is_read_in_its_one_text_alone(last: str):
    text = SIG[:-3] + last + "=="
    data = b'{"payload":"eA==","payloadType":"a/b","signatures":[{"sig":"%b"}]}' % text.encode()
    try:
        read = Envelope.parse(data).signature == base64.b64decode(text)
    except EnvelopeError:
        read = False
    assert is_base64(text) == read


@pytest.mark.parametrize("size", [0, 63, 65])
def test_a_signature_has_64_bytes(size: int):
    with pytest.raises(EnvelopeError):
        Envelope(TYPE, b"x", bytes(size))
