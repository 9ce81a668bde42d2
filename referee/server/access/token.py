"""Tokens: JSON Web Tokens (RFC 7519) that an issuer signed with EdDSA (RFC 8037), for a header of every call.

::

    token   = base64url(header) "." base64url(claims) "." base64url(signature)          without padding
    header  = {"alg": "EdDSA", "typ": "JWT"}, and optionally "kid", which is not looked at
    claims  = jti iss sub nbf exp role tenant [iat] [tables] [round seat table]

Times are seconds since 1970 UTC. Only a seat's token has ``table``, ``round`` and ``seat``. A header or claim that is
not listed is refused: a restriction that is not understood must not be ignored. Issuer, time and revocation are
checked by ``authenticator``.

>>> read_token("e30.e30.AA")
Traceback (most recent call last):
...
referee.server.access.token.TokenError: its header cannot be parsed: Object missing required field `alg`
"""

import base64
import binascii
import re
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal

import msgspec

from referee.evidence.ed25519 import SIGNATURE_SIZE, Signer, is_signature
from referee.evidence.outside import OutsideError, read_json
from referee.server.access.caller import Caller, SeatScope
from referee.server.settings.caller_role import CallerRole, is_pattern, is_tenant

MAX_TOKEN_SIZE: Final = 2048

_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_Name = Annotated[str, msgspec.Meta(min_length=1, max_length=128)]
_Natural = Annotated[int, msgspec.Meta(ge=0, le=2**53 - 1)]
Seconds = Annotated[int, msgspec.Meta(ge=0, lt=100_000_000_000)]
"""Seconds since 1970 UTC; the bound refuses milliseconds."""


class TokenError(ValueError):
    """A text that is not a token, or claims that contradict each other."""


class TokenHeader(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The header of a token: the one algorithm, and no extension."""

    alg: Literal["EdDSA"]
    typ: Literal["JWT"] = "JWT"
    kid: str = ""


class Claims(
    msgspec.Struct,
    frozen=True,
    forbid_unknown_fields=True,
    kw_only=True,
    rename={"id": "jti", "issuer": "iss", "name": "sub", "not_before": "nbf", "expires": "exp", "issued": "iat"},
):
    """The claims of a token, not yet verified."""

    id: str
    """Id for revocation; 1 to 64 of A-Z a-z 0-9 . _ -"""
    issuer: str
    """Name of the key that signed the token."""
    name: _Name
    """Name of the caller, for log lines and limits."""
    role: CallerRole
    tenant: str
    not_before: Seconds
    expires: Seconds
    issued: Seconds | msgspec.UnsetType = msgspec.UNSET
    """Not looked at."""
    tables: str | msgspec.UnsetType = msgspec.UNSET
    table: str | msgspec.UnsetType = msgspec.UNSET
    round: _Natural | msgspec.UnsetType = msgspec.UNSET
    seat: _Natural | msgspec.UnsetType = msgspec.UNSET

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
    signed: bytes
    signature: bytes

    def is_signed_by(self, public_key: bytes) -> bool:
        """Return whether this key signed the token."""
        return is_signature(self.signature, self.signed, public_key)


def issue(claims: Claims, signer: Signer) -> str:
    """Sign claims as a token; raise TokenError for inconsistent or oversized claims."""
    claims.check()
    signed = f"{_HEADER}.{_text(msgspec.json.encode(claims))}"
    token = f"{signed}.{_text(signer.sign(signed.encode('ascii')))}"
    if len(token) > MAX_TOKEN_SIZE:
        raise TokenError(f"it would have {len(token)} characters; {MAX_TOKEN_SIZE} are allowed")
    return token


def read_token(text: str) -> Token:
    """Parse a token without verifying its signature; raise TokenError for any other text."""
    if len(text) > MAX_TOKEN_SIZE:
        raise TokenError(f"it has {len(text)} characters; {MAX_TOKEN_SIZE} are allowed")
    signed, _, last = text.rpartition(".")
    header, _, payload = signed.partition(".")
    _parse("header", _bytes(header), TokenHeader)
    claims: Claims = _parse("claims", _bytes(payload), Claims)
    signature = _bytes(last)
    if len(signature) != SIGNATURE_SIZE:
        raise TokenError(f"its signature has {len(signature)} bytes, not {SIGNATURE_SIZE}")
    claims.check()
    return Token(claims, signed.encode("ascii"), signature)


def _parse(what: str, data: bytes, kind: type[Any]) -> Any:  # noqa: ANN401 - a value of that type
    try:
        return read_json(data, kind, most=MAX_TOKEN_SIZE)
    except OutsideError as error:
        raise TokenError(f"its {what} cannot be parsed: {error}") from None


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
        raise TokenError("it is not three base64url texts without padding, separated by dots")
    return data


_HEADER: Final = _text(b'{"alg":"EdDSA","typ":"JWT"}')
