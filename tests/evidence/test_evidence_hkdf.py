"""HKDF-SHA256 against another library; the vectors of RFC 5869 are in ``tests/vectors/evidence/hkdf.jsonl``."""

import hmac

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from hypothesis import given
from hypothesis import strategies as st

from referee.evidence.hkdf import Prk


@given(st.binary(min_size=1, max_size=80), st.binary(max_size=80), st.binary(max_size=80), st.integers(1, 2000))
def test_another_library_gives_the_same_key(ikm: bytes, salt: bytes, info: bytes, length: int):
    expected = HKDF(algorithm=hashes.SHA256(), length=length, salt=salt, info=info).derive(ikm)
    assert Prk.of(ikm, salt=salt).expand(info=info, length=length) == expected


def test_the_longest_key_has_8160_bytes():
    expected = HKDF(algorithm=hashes.SHA256(), length=8160, salt=None, info=b"").derive(b"secret")
    assert Prk.of(b"secret", salt=b"").expand(info=b"", length=8160) == expected


@given(st.binary(max_size=80), st.binary(max_size=80), st.lists(st.binary(max_size=80), max_size=4))
def test_one_key_expands_to_what_it_would_alone(ikm: bytes, salt: bytes, infos: list[bytes]):
    prk = Prk.of(ikm, salt=salt)
    for info in infos:
        expected = HKDF(algorithm=hashes.SHA256(), length=100, salt=salt, info=info).derive(ikm)
        assert prk.expand(info=info, length=100) == expected


@given(st.binary(min_size=32, max_size=32), st.binary(max_size=200))
def test_a_mac_is_that_of_the_standard_library(key: bytes, message: bytes):
    assert Prk(key).mac(message) == hmac.digest(key, message, "sha256")


@pytest.mark.parametrize("length", [-1, 0, 8161])
def test_other_lengths_are_refused(length: int):
    with pytest.raises(ValueError, match="HKDF-SHA256 gives 1 to 8160 bytes"):
        Prk(bytes(32)).expand(info=b"", length=length)
