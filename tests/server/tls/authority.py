"""Certificates made with ``cryptography``: authorities, servers and callers, good and bad."""

import datetime as dt
import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Self

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.x509.oid import NameOID

DAY: Final = dt.timedelta(days=1)


@dataclass(frozen=True)
class Paper:
    """A certificate and its key."""

    certificate: x509.Certificate
    key: EllipticCurvePrivateKey

    @property
    def pem(self) -> bytes:
        """The certificate, in PEM."""
        return self.certificate.public_bytes(serialization.Encoding.PEM)

    @property
    def key_pem(self) -> bytes:
        """The key, in PEM, unencrypted."""
        return self.key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )

    def write(self, folder: Path, name: str = "server") -> Self:
        """Both stand in the folder, each put there whole."""
        for suffix, data in (("pem", self.pem), ("key", self.key_pem)):
            draft = folder / f"{name}.{suffix}.new"
            draft.write_bytes(data)
            draft.chmod(0o600)
            draft.replace(folder / f"{name}.{suffix}")
        return self


class Authority:
    """Signs certificates; ``paper`` is its own."""

    def __init__(self, name: str) -> None:
        self.key = generate_private_key(SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self.paper = self._sign(self.name, self.key, ends=10 * DAY, is_authority=True)

    def server(self, *, ends: dt.timedelta = DAY) -> Paper:
        """Return a certificate for this machine's loopback."""
        names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        return self._issue("server", names, ends=ends)

    def caller(self, common_name: str, *uris: str, ends: dt.timedelta = DAY) -> Paper:
        """Return a certificate for a caller of this name, with such URIs as alternative names."""
        return self._issue(common_name, [x509.UniformResourceIdentifier(uri) for uri in uris], ends=ends)

    def _issue(self, common_name: str, names: Sequence[x509.GeneralName], *, ends: dt.timedelta) -> Paper:
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
        return self._sign(subject, generate_private_key(SECP256R1()), ends=ends, names=names)

    def _sign(
        self,
        subject: x509.Name,
        key: EllipticCurvePrivateKey,
        *,
        ends: dt.timedelta,
        names: Sequence[x509.GeneralName] = (),
        is_authority: bool = False,
    ) -> Paper:
        now = dt.datetime.now(dt.UTC)
        made = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self.name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(min(now, now + ends) - 2 * DAY)
            .not_valid_after(now + ends)
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
        )
        if names:
            made = made.add_extension(x509.SubjectAlternativeName(names), critical=False)
        return Paper(made.sign(self.key, hashes.SHA256()), key)


@pytest.fixture(scope="session")
def authority() -> Authority:
    """Whom the tests' clients and servers trust."""
    return Authority("the tests' authority")
