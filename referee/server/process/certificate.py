"""The server's certificate, renewed without a restart when its files change.

Before a handshake, at most once a second, the files are read; changed files that are valid are served from then on,
others leave the pair in use and are reported. Open connections keep the pair they began with.
"""

import base64
import binascii
import datetime as dt
import re
import threading
import time
from collections.abc import Callable
from typing import Final

import grpc
import structlog

from referee.evidence.printable import error_words
from referee.server.clock import Clock, system_clock
from referee.server.edited_files import EditedFiles
from referee.server.settings.tls import CertificateFiles, TlsFileError, TlsSettings

_READ_SECONDS: Final = 1.0
_REMEDY: Final = "renew the pair; no restart is needed, the files are read again with the next connection"
_PEM: Final = re.compile(rb"-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----")
_UTC_TIME: Final = 0x17
_VERSION: Final = 0xA0
_LONG: Final = 0x80
_LENGTH_BYTES: Final = 4
_log = structlog.get_logger("referee.tls")


class CertificateFormatError(ValueError):
    """Bytes without a certificate that can be parsed."""


class ServedCertificate:
    """The pair in use."""

    def __init__(
        self,
        settings: TlsSettings,
        *,
        files: EditedFiles | None = None,
        clock: Clock = system_clock,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        """Read the files; raise TlsFileError where they cannot be served."""
        self._settings = settings
        self._monotonic = monotonic
        self._clock = clock
        self._files = EditedFiles() if files is None else files
        self._served = CertificateFiles.read(settings)
        self._served.check(settings)
        self._refused = ""
        self._report()
        self._files.add(self._report)
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
            _configuration_of(self._served),
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
            files = CertificateFiles.read(self._settings)
            is_same = files == self._served
            if not is_same:
                files.check(self._settings)
        except (TlsFileError, OSError) as error:
            self._refused = error_words(error)
            self._report()
            return None
        self._served, self._refused = files, ""
        self._report()
        if is_same:
            return None
        _log.info("certificate renewed", digest=files.digest, expires_time=self.expires_time)
        return _configuration_of(files)

    def _report(self) -> None:
        """Report that the files cannot be served, or else that the certificate in use has expired."""
        ends = self.expires_time
        has_expired = 0 < ends <= self._clock()
        day = dt.datetime.fromtimestamp(ends / 1000, dt.UTC)
        expired = f"it expired at {day:%Y-%m-%d %H:%M} UTC, and callers refuse it"
        fault = self._refused or (expired if has_expired else "")
        self._files.report("tls.certificate", self._settings.certificate, fault, remedy=_REMEDY)


def _configuration_of(files: CertificateFiles) -> grpc.ServerCertificateConfiguration:
    """Return what gRPC serves."""
    return grpc.ssl_server_certificate_configuration(
        [(files.key, files.certificate)], root_certificates=files.client_ca or None
    )


def expires_time(pem: bytes) -> int:
    """Return when the first certificate of a PEM text expires, in ms since 1970 UTC (RFC 5280, 4.1.2.5)."""
    match = _PEM.search(pem)
    if match is None:
        raise CertificateFormatError("the file has no PEM certificate")
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
        raise CertificateFormatError(f"the certificate cannot be parsed: {error}") from None
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
