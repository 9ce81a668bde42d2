"""HKDF-SHA256 against the vectors of RFC 5869 and against another library."""

import hmac

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from hypothesis import given
from hypothesis import strategies as st

from referee.evidence.hkdf import HkdfLengthError, Prk, hkdf

RFC_5869 = {
    "A.1": (
        "0b" * 22,
        "000102030405060708090a0b0c",
        "f0f1f2f3f4f5f6f7f8f9",
        "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5",
        "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf34007208d5b887185865",
    ),
    "A.2": (
        bytes(range(0x50)).hex(),
        bytes(range(0x60, 0xB0)).hex(),
        bytes(range(0xB0, 0x100)).hex(),
        "06a6b88c5853361a06104c9ceb35b45cef760014904671014a193f40c15fc244",
        (
            "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c59045a99cac7827271cb41c65e590e09"
            "da3275600c2f09b8367793a9aca3db71cc30c58179ec3e87c14c01d5c1f3434f1d87"
        ),
    ),
    "A.3": (
        "0b" * 22,
        "",
        "",
        "19ef24a32c717b167f33a91d6f648bdf96596776afdb6377ac434c1c293ccb04",
        "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
    ),
}


@pytest.mark.parametrize("name", RFC_5869)
def test_rfc_5869_vector(name: str):
    ikm, salt, info, prk, okm = (bytes.fromhex(part) for part in RFC_5869[name])
    length = len(okm)
    assert Prk(prk).expand(info=info, length=length) == okm
    assert Prk.of(ikm, salt=salt).expand(info=info, length=length) == okm
    assert hkdf(ikm, salt=salt, info=info, length=length) == okm


@given(st.binary(min_size=1, max_size=80), st.binary(max_size=80), st.binary(max_size=80), st.integers(1, 2000))
def test_another_library_gives_the_same_key(ikm: bytes, salt: bytes, info: bytes, length: int):
    expected = HKDF(algorithm=hashes.SHA256(), length=length, salt=salt, info=info).derive(ikm)
    assert hkdf(ikm, salt=salt, info=info, length=length) == expected


def test_the_longest_key_has_8160_bytes():
    expected = HKDF(algorithm=hashes.SHA256(), length=8160, salt=None, info=b"").derive(b"secret")
    assert hkdf(b"secret", salt=b"", info=b"", length=8160) == expected


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
    with pytest.raises(HkdfLengthError):
        Prk(bytes(32)).expand(info=b"", length=length)
