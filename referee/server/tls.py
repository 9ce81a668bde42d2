"""The server's certificate: given to whoever connects, and taken up anew when its files change, without a restart.

The law: a certificate and a key that do not belong together are never served. Before a handshake the files are read, at
most once a second; where their bytes changed and hold together they are served from then on, and where they do not, the
pair that was served goes on and the log says so once. Connections that stand keep what they began with.

It refuses to know who calls: that the client authority signed a caller's certificate is all that is checked here.

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
    """The section ``[tls]``. Nothing named means no TLS."""

    certificate: str = ""
    """The PEM file with the server's certificate, and those between it and its authority behind it."""
    key: str = ""
    """The PEM file with its private key, unencrypted, which others than owner and group cannot read."""
    client_ca: str = ""
    """A PEM file with the authorities that sign callers' certificates. Named, every caller must have one."""

    @property
    def is_on(self) -> bool:
        """Whether the server speaks TLS."""
        return bool(self.certificate or self.key or self.client_ca)

    def problems(self) -> tuple[SettingProblem, ...]:
        """All that keeps the server from speaking TLS as told."""
        if not self.is_on:
            return ()
        found = [
            SettingProblem(
                f"tls.{name}", "is not named, but another file of the section is", "name all of them, or none"
            )
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
    """A file of the section that cannot be served with."""

    def __init__(self, problem: SettingProblem) -> None:
        super().__init__(str(problem))
        self.problem = problem


class CertificateFormatError(ValueError):
    """Bytes that hold no certificate that can be read."""


@dataclass(frozen=True, slots=True)
class _Files:
    """What the files held at one moment."""

    certificate: bytes
    key: bytes
    client_ca: bytes

    @classmethod
    def read(cls, settings: TlsSettings) -> "_Files":
        """The files as they are; TlsFileError where one cannot be read, or a stranger can read the key."""
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
                "tls.key", f"is {settings.key}, which others can read", f"run: chmod 600 {settings.key}"
            )
            raise TlsFileError(problem)
        return cls(**held)

    def check(self, settings: TlsSettings) -> None:
        """Nothing where the pair and the authorities hold together; TlsFileError otherwise, or if they just changed."""
        try:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(settings.certificate, settings.key, password=lambda: b"")
        except (OSError, ValueError) as error:
            what = f"and tls.key do not hold together ({settings.certificate}, {settings.key}: {error})"
            remedy = "give an unencrypted PEM key and the certificate that was made for it"
            raise TlsFileError(SettingProblem("tls.certificate", what, remedy)) from None
        if settings.client_ca:
            try:
                context.load_verify_locations(cadata=self.client_ca.decode("ascii"))
            except (OSError, ValueError) as error:
                what = f"is {settings.client_ca}, which holds no certificates ({error})"
                raise TlsFileError(
                    SettingProblem("tls.client_ca", what, "give the PEM file of the authority")
                ) from None
        if _Files.read(settings) != self:
            remedy = "write the files whole, then rename them"
            raise TlsFileError(SettingProblem("tls.certificate", "changed while it was read", remedy))

    @property
    def digest(self) -> str:
        """Names the content; half a SHA-256."""
        hashed = hashlib.sha256()
        for one in (self.certificate, self.key, self.client_ca):
            hashed.update(hashlib.sha256(one).digest())
        return hashed.hexdigest()[:32]

    def configuration(self) -> grpc.ServerCertificateConfiguration:
        """What gRPC serves."""
        return grpc.ssl_server_certificate_configuration(
            [(self.key, self.certificate)], root_certificates=self.client_ca or None
        )


class ServedCertificate:
    """The pair that is served now. ``expires_time`` is when it ends, in ms since 1970 UTC."""

    def __init__(self, settings: TlsSettings, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        """TlsFileError where the files cannot be served with now."""
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
        """When what is served ends, in ms since 1970 UTC; 0 where it does not say."""
        try:
            return expires_time(self._served.certificate)
        except CertificateFormatError:
            return 0

    def credentials(self) -> grpc.ServerCredentials:
        """What a port of the server is opened with."""
        return grpc.dynamic_ssl_server_credentials(
            self._served.configuration(),
            self.renewed,  # type: ignore[arg-type] # None is for no change, which the stubs leave out
            require_client_authentication=bool(self._settings.client_ca),
        )

    def renewed(self) -> grpc.ServerCertificateConfiguration | None:
        """What to serve from now on, None while nothing changed. Never raises: it is asked amid a handshake."""
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
                _log.warning("certificate not taken up; the one that was served goes on", error=str(error))
            return None
        self._served, self._refused = files, ""
        _log.info("certificate taken up", digest=files.digest, expires_time=self.expires_time)
        return files.configuration()


def _bytes_of(name: str, path: str) -> bytes:
    if not path:
        return b""
    try:
        return Path(path).read_bytes()
    except OSError as error:
        what = f"is {path}, which cannot be read ({error.strerror})"
        remedy = "name a PEM file that the server may read"
        raise TlsFileError(SettingProblem(f"tls.{name}", what, remedy)) from None


def expires_time(pem: bytes) -> int:
    """Return when the first certificate of a PEM text expires, in ms since 1970 UTC (RFC 5280, 4.1.2.5)."""
    match = _PEM.search(pem)
    if match is None:
        msg = "no PEM certificate stands in the file"
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
        msg = f"the certificate cannot be read: {error}"
        raise CertificateFormatError(msg) from None
    return int(ends.timestamp()) * 1000


def _members(data: bytes) -> list[tuple[int, bytes]]:
    """Tags and contents of the DER values that stand one behind another; IndexError where one is cut off."""
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
