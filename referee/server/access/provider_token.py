"""Tokens of identity providers, verified by PyJWT and mapped to callers.

A provider's token is valid if ``iss`` and ``aud`` are those of the setting, a published key with the header's ``kid``
signed it with an accepted algorithm, and its claims name a role and a tenant. ``authenticator`` checks time, lifetime
and revocation on each call.
"""

import base64
from collections.abc import Iterable, Mapping
from typing import Any, Final, NoReturn

import jwt
import msgspec
from jwt.types import Options

from referee.evidence.outside import read_json
from referee.server.access.caller import Caller, ProvedToken
from referee.server.access.provider_keys import KeyState, ProviderKeys
from referee.server.access.token import TokenError
from referee.server.settings.caller_role import EVERY_TENANT, CallerRole, is_pattern, is_tenant
from referee.server.settings.provider import Provider
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError

MAX_PROVIDER_TOKEN_SIZE: Final = 8192
_MOST_NAME: Final = 128
_LATEST_SECONDS: Final = 100_000_000_000
_UNTIMED: Final[Options] = {
    "verify_exp": False,
    "verify_nbf": False,
    "verify_iat": False,
    "require": ["exp", "iat", "iss", "aud", "sub"],
}
"""What PyJWT checks: signature, algorithm, issuer, audience, and that these claims are there."""


class _Issued(msgspec.Struct):
    iss: str = ""


class ProviderTokens:
    """The tokens of all configured providers; safe on many threads."""

    def __init__(self, providers: Iterable[Provider]) -> None:
        """Start to fetch the keys of each provider."""
        self._providers = {one.issuer: (one, ProviderKeys(one)) for one in providers}
        for _, keys in self._providers.values():
            keys.find("")

    def has_issuer(self, token: str) -> bool:
        """Return whether a text claims to be a token of one of the providers; nothing in it is verified."""
        payload = token.partition(".")[2].partition(".")[0]
        try:
            issued: _Issued = read_json(_decoded(payload), _Issued, most=MAX_PROVIDER_TOKEN_SIZE)
        except ValueError:
            return False
        return issued.iss in self._providers

    def prove(self, token: str) -> ProvedToken:
        """Verify a token and map its claims; raise TokenError or RefusedError, with what is wrong."""
        if len(token) > MAX_PROVIDER_TOKEN_SIZE:
            raise TokenError(f"it has {len(token)} characters; {MAX_PROVIDER_TOKEN_SIZE} are allowed")
        try:
            for part in token.split(".")[:2]:  # PyJWT reads them without a bound on their depth
                read_json(_decoded(part), dict[str, Any], most=MAX_PROVIDER_TOKEN_SIZE)
            header = jwt.get_unverified_header(token)
            unproved = _claims(token, {"verify_signature": False})
        except (jwt.PyJWTError, ValueError) as error:
            raise TokenError(str(error)) from None
        provider, keys = self._providers[str(unproved["iss"])]
        if "crit" in header or header.get("alg") not in provider.algorithms:
            raise TokenError(f"its header has crit, or an algorithm other than {', '.join(provider.algorithms)}")
        kid = str(header.get("kid", ""))
        key = keys.find(kid)
        if isinstance(key, KeyState):
            _refuse_unknown(provider, kid, key, keys.retry_seconds())
        try:
            claims = _claims(
                token,
                _UNTIMED,
                key=key,
                algorithms=[key.algorithm_name],
                audience=provider.audience,
                issuer=provider.issuer,
            )
        except jwt.PyJWTError as error:
            raise TokenError(str(error)) from None
        begins = _seconds(claims, "nbf" if "nbf" in claims else "iat")
        expires = _seconds(claims, "exp")
        identity = claims.get("jti")
        return ProvedToken(
            caller=_caller(provider, claims),
            revoked_by=(*([str(identity)] if identity else []), provider.issuer),
            not_before=begins * 1000,
            expires=expires * 1000,
            is_current=lambda: keys.holds(kid, key),
        )


def _decoded(part: str) -> bytes:
    return base64.urlsafe_b64decode(part + "=" * (-len(part) % 4))


def _claims(token: str, options: Options, **how: Any) -> dict[str, Any]:  # noqa: ANN401 - what PyJWT takes
    return dict(jwt.decode(token, options=options, **how))


def _caller(provider: Provider, claims: dict[str, Any]) -> Caller:
    """Return the caller that a verified token's claims describe; raise TokenError for a missing or malformed claim."""
    name = claims["sub"]
    if not isinstance(name, str) or not 1 <= len(name) <= _MOST_NAME or not name.isprintable():
        raise TokenError(f"its sub is not 1 to {_MOST_NAME} printable characters")
    tenant = provider.tenant or claim_at(provider.tenant_claim, claims)
    if not isinstance(tenant, str) or not is_tenant(tenant) or (provider.tenant_claim and tenant == EVERY_TENANT):
        raise TokenError(f"its claim {provider.tenant_claim} does not name one tenant")
    tables = claim_at(provider.tables_claim, claims) if provider.tables_claim else None
    if tables is not None and (not isinstance(tables, str) or not is_pattern(tables)):
        raise TokenError(f"its claim {provider.tables_claim} is not a pattern of table ids")
    return Caller(name=name, role=_role(provider, claims), tenant=tenant, tables=tables or provider.tables)


def _role(provider: Provider, claims: dict[str, Any]) -> CallerRole:
    value = claim_at(provider.role_claim, claims)
    texts = value if isinstance(value, list) else [value]
    role = next((role for text, role in provider.roles.items() if text in texts), None)
    if role is None:
        raise TokenError(f"its claim {provider.role_claim} has none of {', '.join(provider.roles)}")
    return role


def _seconds(claims: dict[str, Any], name: str) -> int:
    """Return a time of the claims, rounded down; fractions are allowed (RFC 7519, NumericDate)."""
    value = claims[name]
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value < _LATEST_SECONDS:
        raise TokenError(f"its {name} is not a time in seconds since 1970")
    return int(value)


def _refuse_unknown(provider: Provider, kid: str, state: KeyState, retry_seconds: int) -> NoReturn:
    if state is KeyState.ABSENT:
        raise TokenError(f"{provider.issuer} publishes no key {kid[:64]!r} for {', '.join(provider.algorithms)}")
    raise RefusedError(
        ErrorReason.ERROR_REASON_PROVIDER_UNAVAILABLE,
        f"{provider.issuer}: {state.value}; try again in {retry_seconds} s",
        retry_seconds=retry_seconds,
    )


def claim_at(path: str, claims: Mapping[str, object]) -> object:
    """Return the claim of this name or JSON Pointer; None if a token does not have it.

    >>> claim_at("/realm_access/roles", {"realm_access": {"roles": ["dealer"]}}), claim_at("org", {"org": "acme"})
    (['dealer'], 'acme')
    """
    if not path.startswith("/"):
        return claims.get(path)
    value: object = claims
    for step in path[1:].split("/"):
        if not isinstance(value, Mapping):
            return None
        value = value.get(step.replace("~1", "/").replace("~0", "~"))
    return value
