"""The server's certificate, renewed without a restart when its files change.

A certificate and a key that do not match are never served. Before a handshake, at most once a second, the files are
read; changed files that are valid are served from then on, others leave the pair in use and are logged once. Open
connections keep the pair they began with.

>>> TlsSettings(key="server.key").problems()[0].key
'tls.certificate'
"""

import base64
import binascii
import datetime as dt
import hashlib
import re
import ssl
import stat
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import grpc
import msgspec
import structlog

from referee.server.setting_problem import SettingProblem

_READ_SECONDS: Final = 1.0
_PEM: Final = re.compile(rb"-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----")
_UTC_TIME: Final = 0x17
_VERSION: Final = 0xA0
_LONG: Final = 0x80
_LENGTH_BYTES: Final = 4
_log = structlog.get_logger("referee.tls")


class TlsSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Section ``[tls]``; empty for no TLS."""

    certificate: str = ""
    key: str = ""
    client_ca: str = ""

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
            _Files.read(self).check(self)
        except TlsFileError as error:
            return (error.problem,)
        return ()


class TlsFileError(ValueError):
    """A file of the section that cannot be served."""

    def __init__(self, problem: SettingProblem) -> None:
        super().__init__(str(problem))
        self.problem = problem


class CertificateFormatError(ValueError):
    """Bytes without a certificate that can be parsed."""


@dataclass(frozen=True, slots=True)
class _Files:
    """Contents of the files at one moment."""

    certificate: bytes
    key: bytes
    client_ca: bytes

    @classmethod
    def read(cls, settings: TlsSettings) -> "_Files":
        """Read the files; raise TlsFileError where one is unreadable or others can read the key."""
        held = {
            name: _bytes_of(name, path)
            for name, path in (
                ("certificate", settings.certificate),
                ("key", settings.key),
                ("client_ca", settings.client_ca),
            )
        }
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
            what = f"and tls.key do not match ({settings.certificate}, {settings.key}: {error})"
            remedy = "give an unencrypted PEM key and its certificate"
            raise TlsFileError(SettingProblem("tls.certificate", what, remedy)) from None
        if settings.client_ca:
            try:
                context.load_verify_locations(cadata=self.client_ca.decode("ascii"))
            except (OSError, ValueError) as error:
                what = f"is {settings.client_ca}, which has no certificates ({error})"
                raise TlsFileError(
                    SettingProblem("tls.client_ca", what, "give the PEM file of the authority")
                ) from None
        if _Files.read(settings) != self:
            remedy = "write new files, then rename them"
            raise TlsFileError(SettingProblem("tls.certificate", "changed while being read", remedy))

    @property
    def digest(self) -> str:
        """Half a SHA-256 of the contents."""
        hashed = hashlib.sha256()
        for one in (self.certificate, self.key, self.client_ca):
            hashed.update(hashlib.sha256(one).digest())
        return hashed.hexdigest()[:32]

    def configuration(self) -> grpc.ServerCertificateConfiguration:
        """Return what gRPC serves."""
        return grpc.ssl_server_certificate_configuration(
            [(self.key, self.certificate)], root_certificates=self.client_ca or None
        )


class ServedCertificate:
    """The pair in use."""

    def __init__(self, settings: TlsSettings, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        """Read the files; raise TlsFileError where they cannot be served."""
        self._settings = settings
        self._monotonic = monotonic
        files = _Files.read(settings)
        files.check(settings)
        self._served = files
        self._refused = ""
        self._looked = monotonic()
        self._looking = threading.Lock()

    @property
    def expires_time(self) -> int:
        """Expiry of the pair in use, in ms since 1970 UTC; 0 where it cannot be parsed."""
        try:
            return expires_time(self._served.certificate)
        except CertificateFormatError:
            return 0

    def credentials(self) -> grpc.ServerCredentials:
        """Return the credentials for a port of the server."""
        return grpc.dynamic_ssl_server_credentials(
            self._served.configuration(),
            self.renewed,  # type: ignore[arg-type] # None is for no change, which the stubs leave out
            require_client_authentication=bool(self._settings.client_ca),
        )

    def renewed(self) -> grpc.ServerCertificateConfiguration | None:
        """Return what to serve from now on, or None without a change; never raise, during a handshake."""
        if not self._looking.acquire(blocking=False):
            return None
        try:
            now = self._monotonic()
            if now < self._looked + _READ_SECONDS:
                return None
            self._looked = now
            return self._look()
        finally:
            self._looking.release()

    def _look(self) -> grpc.ServerCertificateConfiguration | None:
        try:
            files = _Files.read(self._settings)
            if files == self._served:
                self._refused = ""
                return None
            files.check(self._settings)
        except (TlsFileError, OSError) as error:
            if str(error) != self._refused:
                self._refused = str(error)
                _log.warning("certificate not renewed", error=str(error))
            return None
        self._served, self._refused = files, ""
        _log.info("certificate renewed", digest=files.digest, expires_time=self.expires_time)
        return files.configuration()


def _bytes_of(name: str, path: str) -> bytes:
    if not path:
        return b""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        what = f"is {path}, which cannot be read ({error.strerror})"
        remedy = "give a PEM file that the server may read"
        raise TlsFileError(SettingProblem(f"tls.{name}", what, remedy)) from None


def expires_time(pem: bytes) -> int:
    """Return when the first certificate of a PEM text expires, in ms since 1970 UTC (RFC 5280, 4.1.2.5)."""
    match = _PEM.search(pem)
    if match is None:
        msg = "the file has no PEM certificate"
        raise CertificateFormatError(msg)
    try:
        certificate = _members(base64.b64decode(match[1]))[0][1]
        fields = _members(_members(certificate)[0][1])
        if fields[0][0] == _VERSION:
            del fields[0]
        tag, text = _members(fields[3][1])[1]
        moment = text.decode("ascii")
        if tag == _UTC_TIME:  # RFC 5280: 50 to 99 are of the 20th century
            moment = ("19" if int(moment[:2]) >= 50 else "20") + moment  # noqa: PLR2004 - as said
        ends = dt.datetime.strptime(moment, "%Y%m%d%H%M%SZ").replace(tzinfo=dt.UTC)
    except (binascii.Error, IndexError, ValueError) as error:
        msg = f"the certificate cannot be parsed: {error}"
        raise CertificateFormatError(msg) from None
    return int(ends.timestamp()) * 1000


def _members(data: bytes) -> list[tuple[int, bytes]]:
    """Return tags and contents of consecutive DER values; raise IndexError where one is truncated."""
    found = []
    at = 0
    while at < len(data):
        tag, length, start = data[at], data[at + 1], at + 2
        if length >= _LONG:
            size = length - _LONG
            if not 0 < size <= _LENGTH_BYTES:
                raise IndexError(size)
            length, start = int.from_bytes(data[start : start + size], "big"), start + size
        if start + length > len(data):
            raise IndexError(length)
        found.append((tag, data[start : start + length]))
        at = start + length
    return found
