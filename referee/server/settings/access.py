"""Section ``[access]``: issuers of tokens, identity providers, callers known by certificate, and revocations.

Without any of them every caller may call everything, so the server then serves this machine only, unless
``insecure`` is set.

>>> [problem.key for problem in AccessSettings(issuers=(Issuer(key="no key", tenant="a.b"),)).problems()]
['access.issuers[0].key', 'access.issuers[0].tenant']
"""

from collections.abc import Iterator
from typing import Annotated, Final

import msgspec
from msgspec import Meta

from referee.evidence.outside import pasted
from referee.evidence.vkey import Algorithm, KeyTextError, VerifierKey
from referee.reach import is_of_this_machine
from referee.server.settings.caller_role import EVERY_TENANT, CallerRole, is_pattern, is_tenant
from referee.server.settings.problem import SettingProblem, name_problems
from referee.server.settings.provider import Provider
from referee.server.settings.tls import TlsSettings

PROVED: Final = (CallerRole.SEAT, CallerRole.FRONTEND, CallerRole.AUDITOR, CallerRole.SHUFFLER, CallerRole.ADMIN)
"""The roles that need credentials."""
_OF_ONE_ROUND: Final = "acts for one round, which a certificate cannot name"


class Issuer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A key whose tokens are valid, within its tenant and roles. Two keys may share a name during a change of keys."""

    key: str
    """Verifier key, as printed by ``referee token key``."""
    tenant: str = EVERY_TENANT
    """Tenant that it may issue tokens for; ``*`` for all."""
    roles: tuple[CallerRole, ...] = PROVED
    """Roles that it may grant."""


class Certified(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A caller known by a certificate that ``tls.client_ca`` signed."""

    name: str
    """A subject alternative name of the certificate, such as ``spiffe://acme/frontend``, or ``CN=frontend-1``."""
    role: CallerRole
    tenant: str
    """Tenant whose tables the caller may name; ``*`` for all."""
    tables: str = "*"
    """Pattern that restricts the tables; ``*`` matches any characters."""


class AccessSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Section ``[access]``; without issuers, providers and certificates callers are not authenticated."""

    insecure: bool = False
    """true: serve other machines without authentication or encryption."""
    issuers: tuple[Issuer, ...] = ()
    """Keys whose tokens are valid, as { key = "...", tenant = "acme", roles = ["frontend"] }; `referee token key`
    prints the key. tenant = "*" is every tenant; roles are seat, frontend, auditor, shuffler, admin. Without issuers
    and certificates callers are not authenticated."""
    providers: tuple[Provider, ...] = ()
    """Identity providers whose tokens are valid, each as { issuer = "https://id.example", audience = "referee", jwks =
    "https://id.example/keys", roles = { dealer = "frontend" }, tenant = "acme" }; jwks may be a file. Optional keys
    are role_claim, tenant_claim instead of tenant, tables, tables_claim, algorithms of RS256, ES256 and EdDSA,
    refresh_seconds: see access/README.md. They need the extra oidc."""
    certificates: tuple[Certified, ...] = ()
    """Callers known by certificate, as { name = "CN=frontend-1", role = "frontend", tenant = "acme", tables = "*" };
    the first match applies."""
    revoked: str = ""
    """File with, on each line, a revoked token's id, issuer's key or certificate's name; read again while serving."""
    leeway_seconds: Annotated[float, Meta(ge=0, le=600)] = 30
    """Tolerated seconds between the clocks of issuers and server."""
    longest_seconds: Annotated[int, Meta(ge=1, le=366 * 86_400)] = 7 * 86_400
    """Longest lifetime of a token in seconds, from its nbf (or iat) to its exp; tokens that live longer are
    rejected."""
    public_log: bool = False
    """true: anyone may read the log's leaves here, as where it is published as tiles."""

    @property
    def is_on(self) -> bool:
        """Whether callers are authenticated."""
        return bool(self.issuers or self.providers or self.certificates)

    def problems(self) -> Iterator[SettingProblem]:
        """Yield what is wrong with the section by itself."""
        for index, issuer in enumerate(self.issuers):
            yield from _issuer_problems(f"access.issuers[{index}]", issuer)
        for index, provider in enumerate(self.providers):
            yield from provider.problems(f"access.providers[{index}]")
            if provider.issuer in [one.issuer for one in self.providers[:index]]:
                what = f"is {provider.issuer!r}, as another provider's"
                yield SettingProblem(f"access.providers[{index}].issuer", what, "give each provider once")
        for index, one in enumerate(self.certificates):
            yield from _certified_problems(f"access.certificates[{index}]", one)
        yield from name_problems("access.revoked", self.revoked)
        if self.revoked and not self.is_on:
            yield SettingProblem(
                "access.revoked", "is set, but callers are not authenticated", "set access.issuers too, or neither"
            )


def listen_problems(listen: str, *, tls: TlsSettings, access: AccessSettings) -> Iterator[SettingProblem]:
    """Yield what prevents serving at an address: other machines can connect without authentication or encryption.

    >>> [str(one) for one in listen_problems("127.0.0.1:50051", tls=TlsSettings(), access=AccessSettings())]
    []
    >>> [one.key for one in listen_problems("0.0.0.0:50051", tls=TlsSettings(), access=AccessSettings())]
    ['tls.certificate', 'access.issuers']
    """
    if access.certificates and not tls.client_ca:
        what = "are set, but the server requests no client certificate"
        yield SettingProblem("access.certificates", what, "set tls.client_ca")
    if access.insecure or is_of_this_machine(listen):
        return
    if not tls.is_on:
        what = f"is empty, and traffic to {listen} could be read and changed"
        remedy = "set tls.certificate and tls.key, listen on 127.0.0.1, or set access.insecure"
        yield SettingProblem("tls.certificate", what, remedy)
    if not (access.is_on or tls.client_ca):
        what = f"are empty, and every caller of {listen} could deal and settle on every table"
        remedy = "set issuers or tls.client_ca, listen on 127.0.0.1, or set access.insecure"
        yield SettingProblem("access.issuers", what, remedy)


def _issuer_problems(key: str, issuer: Issuer) -> Iterator[SettingProblem]:
    try:
        parsed = VerifierKey.parse(pasted(issuer.key))
    except KeyTextError as error:
        yield SettingProblem(
            f"{key}.key", f"is not a verifier key: {error}", "give the line that referee token key prints"
        )
    else:
        if parsed.algorithm is not Algorithm.ED25519:
            yield SettingProblem(f"{key}.key", "is a witness's key", "give the line that referee token key prints")
    if not is_tenant(issuer.tenant):
        yield _tenant_problem(key, issuer.tenant)
    if not issuer.roles or CallerRole.ANYONE in issuer.roles:
        yield SettingProblem(f"{key}.roles", "are empty or contain anyone", f"give some of {', '.join(PROVED)}")


def _certified_problems(key: str, one: Certified) -> Iterator[SettingProblem]:
    if not one.name:
        yield SettingProblem(f"{key}.name", "is empty", "give a subject alternative name, or CN= and a common name")
    if one.role is CallerRole.SEAT:
        yield SettingProblem(f"{key}.role", f"is seat, which {_OF_ONE_ROUND}", "issue tokens to seats")
    if one.role is CallerRole.ANYONE:
        yield SettingProblem(
            f"{key}.role", "is anyone, which needs no certificate", f"give one of {', '.join(PROVED[1:])}"
        )
    if not is_tenant(one.tenant):
        yield _tenant_problem(key, one.tenant)
    if not is_pattern(one.tables):
        what = f"is {one.tables!r}, which is not a pattern of table ids"
        yield SettingProblem(f"{key}.tables", what, "use 1 to 64 of A-Z a-z 0-9 . _ - and *")


def _tenant_problem(key: str, tenant: str) -> SettingProblem:
    remedy = "use 1 to 32 of A-Z a-z 0-9 _ - (a table's id begins with it and a dot), or * for all tenants"
    return SettingProblem(f"{key}.tenant", f"is {tenant!r}, which is not a tenant", remedy)
