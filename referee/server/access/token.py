"""Tokens: claims signed by an issuer, for a header of every call.

::

    token   = base64url(claims) "." base64url(signature)          without padding
    claims  = canonical JSON: expires id issuer name not_before role tenant [tables] [round seat table]
    signed  = DSSE's PAE of "application/vnd.referee.token.v1+json" and the claims, by the issuer's Ed25519 key

Times are ms since 1970 UTC. Only a seat's token has ``table``, ``round`` and ``seat``. One token has one text. Issuer,
time and revocation are checked by ``authenticator``.

>>> read_token("e30.AA")
Traceback (most recent call last):
...
referee.server.access.token.TokenError: its signature has 1 bytes, not 64
"""

import base64
import binascii
import re
from dataclasses import dataclass
from typing import Annotated, Final

import msgspec

from referee.evidence.canonical import CanonicalError, Form, Natural
from referee.evidence.dsse import pae
from referee.evidence.ed25519 import SIGNATURE_SIZE, Signer, is_signature
from referee.server.access.caller import Caller, CallerRole, SeatScope, is_pattern, is_tenant

TOKEN_TYPE: Final = "application/vnd.referee.token.v1+json"  # noqa: S105 - a media type
MAX_TOKEN_SIZE: Final = 2048

_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=128)]


class TokenError(ValueError):
    """A text that is not a token, or claims that contradict each other."""


class Claims(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The claims of a token, not yet verified."""

    id: str
    """Id for revocation; 1 to 64 of A-Z a-z 0-9 . _ -"""
    issuer: str
    """Name of the key that signed the token."""
    name: _Name
    """Name of the caller, for log lines and limits."""
    role: CallerRole
    tenant: str
    not_before: Natural
    expires: Natural
    tables: str | msgspec.UnsetType = msgspec.UNSET
    table: str | msgspec.UnsetType = msgspec.UNSET
    round: Natural | msgspec.UnsetType = msgspec.UNSET
    seat: Natural | msgspec.UnsetType = msgspec.UNSET

    def check(self) -> None:
        """Verify that the claims are consistent; raise TokenError otherwise."""
        place = (self.table, self.round, self.seat)
        is_placed = [not isinstance(one, msgspec.UnsetType) for one in place]
        faults = {
            "its id is not 1 to 64 of A-Z a-z 0-9 . _ -": _ID.fullmatch(self.id) is None,
            "it grants the role anyone, which needs no token": self.role is CallerRole.ANYONE,
            f"{self.tenant!r} is not a tenant": not is_tenant(self.tenant),
            "a seat's token names table, round and seat": self.role is CallerRole.SEAT and not all(is_placed),
            "only a seat's token names table, round or seat": self.role is not CallerRole.SEAT and any(is_placed),
            "a seat's token names its table, so it has no pattern of tables": self.role is CallerRole.SEAT
            and self._has_tables,
            "its tables are not a pattern of table ids": self._has_tables and not is_pattern(str(self.tables)),
            "it expires before it begins": self.expires <= self.not_before,
        }
        fault = next((words for words, is_so in faults.items() if is_so), "")
        if fault:
            raise TokenError(fault)

    @property
    def _has_tables(self) -> bool:
        return not isinstance(self.tables, msgspec.UnsetType)

    @property
    def caller(self) -> Caller:
        """The caller that the claims describe."""
        place = None
        if not isinstance(self.table, msgspec.UnsetType):
            place = SeatScope(table=self.table, round_number=_number(self.round), seat=_number(self.seat))
        tables = "*" if isinstance(self.tables, msgspec.UnsetType) else self.tables
        return Caller(name=self.name, role=self.role, tenant=self.tenant, tables=tables, place=place)


@dataclass(frozen=True, slots=True)
class Token:
    """A parsed token; its signature may be false."""

    claims: Claims
    payload: bytes
    signature: bytes

    def is_signed_by(self, public_key: bytes) -> bool:
        """Return whether this key signed the claims as a token."""
        return is_signature(self.signature, pae(TOKEN_TYPE, self.payload), public_key)


def issue(claims: Claims, signer: Signer) -> str:
    """Sign claims as a token; raise TokenError for inconsistent or oversized claims."""
    claims.check()
    try:
        payload = _FORM.write(claims)
    except CanonicalError as error:
        raise TokenError(str(error)) from None
    token = f"{_text(payload)}.{_text(signer.sign(pae(TOKEN_TYPE, payload)))}"
    if len(token) > MAX_TOKEN_SIZE:
        msg = f"it would have {len(token)} characters; {MAX_TOKEN_SIZE} are allowed"
        raise TokenError(msg)
    return token


def read_token(text: str) -> Token:
    """Parse a token without verifying its signature; raise TokenError for any other text."""
    if len(text) > MAX_TOKEN_SIZE:
        msg = f"it has {len(text)} characters; {MAX_TOKEN_SIZE} are allowed"
        raise TokenError(msg)
    first, _, second = text.partition(".")
    payload, signature = _bytes(first), _bytes(second)
    if len(signature) != SIGNATURE_SIZE:
        msg = f"its signature has {len(signature)} bytes, not {SIGNATURE_SIZE}"
        raise TokenError(msg)
    try:
        claims = _FORM.read(payload)
    except CanonicalError as error:
        msg = f"its claims cannot be parsed: {error}"
        raise TokenError(msg) from None
    claims.check()
    return Token(claims, payload, signature)


_FORM: Final = Form(Claims)


def _number(value: "int | msgspec.UnsetType") -> int:
    return 0 if isinstance(value, msgspec.UnsetType) else value


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode("ascii").rstrip("=")


def _bytes(text: str) -> bytes:
    try:
        data = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        data = b""
    if not data or _text(data) != text:
        msg = "it is not two base64url texts without padding, separated by a dot"
        raise TokenError(msg)
    return data
