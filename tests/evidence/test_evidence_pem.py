import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519

from referee.evidence.ed25519 import PublicKeyError
from referee.evidence.pem import PemError, public_key_in_pem

PEM = serialization.Encoding.PEM
SPKI = serialization.PublicFormat.SubjectPublicKeyInfo


def test_public_key_that_another_library_wrote_is_read():
    key = ed25519.Ed25519PrivateKey.generate().public_key()
    assert public_key_in_pem(b"a comment\n" + key.public_bytes(PEM, SPKI)) == key.public_bytes_raw()


def test_other_kinds_of_keys_are_refused():
    private = ed25519.Ed25519PrivateKey.generate()
    clear = serialization.NoEncryption()
    pkcs8 = private.private_bytes(PEM, serialization.PrivateFormat.PKCS8, clear)
    curve = ec.generate_private_key(ec.SECP256R1()).public_key().public_bytes(PEM, SPKI)
    for data, words in ((pkcs8, "holds a PRIVATE KEY"), (curve, "not an Ed25519 key")):
        with pytest.raises(PemError, match=words):
            public_key_in_pem(data)


def test_a_key_of_small_order_is_refused():
    identity = ed25519.Ed25519PublicKey.from_public_bytes(b"\x01" + bytes(31))
    with pytest.raises(PublicKeyError):
        public_key_in_pem(identity.public_bytes(PEM, SPKI))
