"""Section ``[tls]``, and the files that it names, read and checked.

A certificate and a key that do not match are never served.

>>> TlsSettings(key="server.key").problems()[0].key
'tls.certificate'
"""

import hashlib
import ssl
import stat
from dataclasses import dataclass
from pathlib import Path

import msgspec

from referee.evidence.printable import error_words
from referee.server.settings.problem import SettingProblem


class TlsSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Section ``[tls]``; empty for no TLS."""

    certificate: str = ""
    """PEM file with the server's certificate, then its intermediate certificates. Read again when it changes."""
    key: str = ""
    """PEM file with its private key, unencrypted and unreadable by other users."""
    client_ca: str = ""
    """PEM file with the authorities of client certificates. If set, every caller needs a certificate."""

    @property
    def is_on(self) -> bool:
        """Whether the server uses TLS."""
        return bool(self.certificate or self.key or self.client_ca)

    def problems(self) -> tuple[SettingProblem, ...]:
        """Return what prevents serving TLS with these settings."""
        if not self.is_on:
            return ()
        found = [
            SettingProblem(f"tls.{name}", "is empty, but another file of the section is set", "set both, or neither")
            for name, value in (("certificate", self.certificate), ("key", self.key))
            if not value
        ]
        if found:
            return tuple(found)
        try:
            CertificateFiles.read(self).check(self)
        except TlsFileError as error:
            return (error.problem,)
        return ()


class TlsFileError(ValueError):
    """A file of the section that cannot be served."""

    def __init__(self, problem: SettingProblem) -> None:
        super().__init__(str(problem))
        self.problem = problem


@dataclass(frozen=True, slots=True)
class CertificateFiles:
    """Contents of the files at one moment."""

    certificate: bytes
    key: bytes
    client_ca: bytes

    @classmethod
    def read(cls, settings: TlsSettings) -> "CertificateFiles":
        """Read the files; raise TlsFileError where one is unreadable or others can read the key."""
        held = {name: _bytes_of(name, getattr(settings, name)) for name in settings.__struct_fields__}
        if Path(settings.key).stat().st_mode & (stat.S_IRWXO | stat.S_IWGRP):
            problem = SettingProblem(
                "tls.key", f"is {settings.key}, which other users can read", f"run: chmod 600 {settings.key}"
            )
            raise TlsFileError(problem)
        return cls(**held)

    def check(self, settings: TlsSettings) -> None:
        """Verify that certificate, key and authorities are valid; raise TlsFileError otherwise, or if they changed."""
        try:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(settings.certificate, settings.key, password=lambda: b"")
        except (OSError, ValueError) as error:
            what = f"and tls.key do not match ({settings.certificate}, {settings.key}: {error_words(error)})"
            remedy = "give an unencrypted PEM key and its certificate"
            raise TlsFileError(SettingProblem("tls.certificate", what, remedy)) from None
        if settings.client_ca:
            try:
                context.load_verify_locations(cadata=self.client_ca.decode("ascii"))
            except (OSError, ValueError) as error:
                what = f"is {settings.client_ca}, which has no certificates ({error_words(error)})"
                raise TlsFileError(
                    SettingProblem("tls.client_ca", what, "give the PEM file of the authority")
                ) from None
        if CertificateFiles.read(settings) != self:
            remedy = "write new files, then rename them"
            raise TlsFileError(SettingProblem("tls.certificate", "changed while being read", remedy))

    @property
    def digest(self) -> str:
        """Half a SHA-256 of the contents."""
        hashed = hashlib.sha256()
        for one in (self.certificate, self.key, self.client_ca):
            hashed.update(hashlib.sha256(one).digest())
        return hashed.hexdigest()[:32]


def _bytes_of(name: str, path: str) -> bytes:
    if not path:
        return b""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        what = f"is {path}, which cannot be read ({error.strerror})"
        remedy = "give a PEM file that the server may read"
        raise TlsFileError(SettingProblem(f"tls.{name}", what, remedy)) from None
