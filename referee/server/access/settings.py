"""Whose word counts: the keys that issue tokens, the certificates that name callers, and what was revoked.

The law: where nobody is named, everybody who reaches the server may ask everything, and so it serves this machine
alone. To serve others it needs TLS and callers, or to be told that it is meant to be open.

>>> [problem.key for problem in AccessSettings(issuers=(Issuer(key="no key", tenant="a.b"),)).problems()]
['access.issuers[0].key', 'access.issuers[0].tenant']
"""

import ipaddress
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from referee.evidence.vkey import Algorithm, KeyTextError, VerifierKey
from referee.server.access.caller import EVERY_TENANT, CallerRole, is_pattern, is_tenant
from referee.server.setting_problem import SettingProblem
from referee.server.tls import TlsSettings

PROVED: Final = (CallerRole.SEAT, CallerRole.FRONTEND, CallerRole.AUDITOR, CallerRole.SHUFFLER, CallerRole.ADMIN)
"""The roles that must be proved."""
_OF_ONE_ROUND: Final = "speaks for one round, which a certificate cannot name"
_MOST_LEEWAY: Final = 600


class Issuer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A key whose tokens count, as far as its tenant and roles go. Two may share a name while one follows the other."""

    key: str
    """The verifier key, as ``referee token key`` prints it."""
    tenant: str = EVERY_TENANT
    """The tenant that it may issue tokens for; ``*`` for every one."""
    roles: tuple[CallerRole, ...] = PROVED
    """The roles that it may give."""


class Certified(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A caller who is known by a certificate that ``tls.client_ca`` signed."""

    name: str
    """One of the certificate's subject alternative names, such as ``spiffe://acme/frontend``, or ``CN=frontend-1``."""
    role: CallerRole
    tenant: str
    """Whose tables the caller may name; ``*`` for every tenant's."""
    tables: str = "*"
    """Narrows them; ``*`` stands for any characters."""


class AccessSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The section ``[access]``. Without issuers and certificates nobody is asked who they are."""

    insecure: bool = False
    """Whether other machines are served although anybody could ask everything, or listen."""
    issuers: tuple[Issuer, ...] = ()
    """Whose tokens count."""
    certificates: tuple[Certified, ...] = ()
    """Which certificates name a caller; the first that fits counts."""
    revoked: str = ""
    """A file with, on each line, a revoked token's id, issuer's verifier key, or certificate's name as it stands above.
    # begins a comment. It is read again while the server runs."""
    leeway_seconds: float = 30
    """How far the clocks of issuers and of the server may be apart."""
    public_log: bool = False
    """Whether anybody may read the log's leaves here, as they can where the log is published as tiles."""

    @property
    def is_on(self) -> bool:
        """Whether callers are asked who they are."""
        return bool(self.issuers or self.certificates)

    def problems(self) -> tuple[SettingProblem, ...]:
        """All that is wrong with the section by itself."""
        return tuple(self._found())

    def _found(self) -> Iterator[SettingProblem]:
        for index, issuer in enumerate(self.issuers):
            yield from _issuer_problems(f"access.issuers[{index}]", issuer)
        for index, one in enumerate(self.certificates):
            yield from _certified_problems(f"access.certificates[{index}]", one)
        if not 0 <= self.leeway_seconds <= _MOST_LEEWAY:
            what = f"is {self.leeway_seconds}"
            yield SettingProblem("access.leeway_seconds", what, f"give a number from 0 to {_MOST_LEEWAY}")
        if self.revoked and not Path(self.revoked).is_file():
            yield SettingProblem(
                "access.revoked", f"is {self.revoked}, which is no file", "make it, an empty one at first"
            )
        if self.revoked and not self.is_on:
            yield SettingProblem(
                "access.revoked", "is named, but nobody's token counts", "name access.issuers too, or neither"
            )


def listen_problems(listen: str, *, tls: TlsSettings, access: AccessSettings) -> tuple[SettingProblem, ...]:
    """What speaks against serving at an address: other machines reach it, and nobody is kept from asking or listening.

    >>> [str(one) for one in listen_problems("127.0.0.1:50051", tls=TlsSettings(), access=AccessSettings())]
    []
    >>> [one.key for one in listen_problems("0.0.0.0:50051", tls=TlsSettings(), access=AccessSettings())]
    ['tls.certificate', 'access.issuers']
    """
    found = []
    if access.certificates and not tls.client_ca:
        what = "name callers, but no certificate is asked for"
        found.append(SettingProblem("access.certificates", what, "name tls.client_ca"))
    if access.insecure or is_of_this_machine(listen):
        return tuple(found)
    if not tls.is_on:
        what = f"is not named, and whoever is on the way to {listen} could read and change everything"
        remedy = "name tls.certificate and tls.key, listen on 127.0.0.1, or say access.insecure"
        found.append(SettingProblem("tls.certificate", what, remedy))
    if not (access.is_on or tls.client_ca):
        what = f"are not named, and whoever reaches {listen} could deal and settle on every table"
        remedy = "name issuers or tls.client_ca, listen on 127.0.0.1, or say access.insecure"
        found.append(SettingProblem("access.issuers", what, remedy))
    return tuple(found)


def is_of_this_machine(listen: str) -> bool:
    """Whether only this machine reaches an address: a Unix socket or the loopback.

    >>> [is_of_this_machine(one) for one in ("unix:/run/r", "[::1]:1", "localhost:1", "127.0.0.9:1", "[::]:1", "a:1")]
    [True, True, True, True, False, False]
    """
    if listen.startswith(("unix:", "unix-abstract:")):
        return True
    host = listen.rpartition(":")[0].strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _issuer_problems(key: str, issuer: Issuer) -> Iterator[SettingProblem]:
    try:
        parsed = VerifierKey.parse(issuer.key)
    except KeyTextError as error:
        yield SettingProblem(
            f"{key}.key", f"is no verifier key: {error}", "give the line that referee token key prints"
        )
    else:
        if parsed.algorithm is not Algorithm.ED25519:
            yield SettingProblem(f"{key}.key", "is a witness's key", "give the line that referee token key prints")
    if not is_tenant(issuer.tenant):
        yield _tenant_problem(key, issuer.tenant)
    if not issuer.roles or CallerRole.ANYONE in issuer.roles:
        yield SettingProblem(f"{key}.roles", "name no role that can be given", f"give some of {', '.join(PROVED)}")


def _certified_problems(key: str, one: Certified) -> Iterator[SettingProblem]:
    if not one.name:
        yield SettingProblem(f"{key}.name", "is empty", "give a subject alternative name, or CN= and a common name")
    if one.role is CallerRole.SEAT:
        yield SettingProblem(f"{key}.role", f"is seat, which {_OF_ONE_ROUND}", "give seats tokens")
    if one.role is CallerRole.ANYONE:
        yield SettingProblem(
            f"{key}.role", "is anyone, which needs no certificate", f"give one of {', '.join(PROVED[1:])}"
        )
    if not is_tenant(one.tenant):
        yield _tenant_problem(key, one.tenant)
    if not is_pattern(one.tables):
        what = f"is {one.tables!r}, which is no pattern of table ids"
        yield SettingProblem(f"{key}.tables", what, "use 1 to 64 of A-Z a-z 0-9 . _ - and *")


def _tenant_problem(key: str, tenant: str) -> SettingProblem:
    remedy = "use 1 to 32 of A-Z a-z 0-9 _ -, which a table's id then begins with and a dot, or * for every tenant"
    return SettingProblem(f"{key}.tenant", f"is {tenant!r}, which names no tenant", remedy)
