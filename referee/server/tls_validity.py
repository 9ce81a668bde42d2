"""When a certificate ends, read from its bytes: one field of X.509, found by walking DER down to it.

The law (RFC 5280, 4.1)::

    Certificate ::= SEQUENCE { tbs SEQUENCE { [0] version OPTIONAL, serial, algorithm, issuer, validity, ... }, ... }
    validity    ::= SEQUENCE { notBefore, notAfter }      each a UTCTime (tag 23) or a GeneralizedTime (tag 24)

Nothing else of the certificate is read, and no signature is checked; that is the handshake's.

>>> expires_time(b"no certificate")
Traceback (most recent call last):
...
referee.server.tls_validity.CertificateError: no PEM certificate stands in the file
"""

import base64
import binascii
import datetime as dt
import re
from typing import Final

_PEM: Final = re.compile(rb"-----BEGIN CERTIFICATE-----([A-Za-z0-9+/=\s]+)-----END CERTIFICATE-----")
_UTC_TIME: Final = 0x17
_VERSION: Final = 0xA0
_LONG: Final = 0x80
_LENGTH_BYTES: Final = 4


class CertificateError(ValueError):
    """Bytes that hold no certificate that can be read."""


def expires_time(pem: bytes) -> int:
    """When the first certificate of a PEM text ends, in ms since 1970 UTC; CertificateError where there is none."""
    match = _PEM.search(pem)
    if match is None:
        msg = "no PEM certificate stands in the file"
        raise CertificateError(msg)
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
        raise CertificateError(msg) from None
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
