"""Setting of an identity provider: whose tokens are valid, and how their claims name a role, a tenant and tables."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from typing import Final, Literal
from urllib.parse import urlsplit

import msgspec

from referee.extras import install
from referee.reach import is_loopback
from referee.server.settings.caller_role import CallerRole, is_pattern, is_tenant
from referee.server.settings.problem import SettingProblem

Signature = Literal["RS256", "ES256", "EdDSA"]
EVERY_SIGNATURE: Final[tuple[Signature, ...]] = ("RS256", "ES256", "EdDSA")
_GRANTED: Final = (CallerRole.FRONTEND, CallerRole.AUDITOR, CallerRole.SHUFFLER, CallerRole.ADMIN)
_SHORTEST_REFRESH: Final = 60
_LONGEST_REFRESH: Final = 86_400


class Provider(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """An identity provider, such as Keycloak, Entra ID or Auth0, whose signed JSON Web Tokens (RFC 7519) are valid.

    A claim is given by its name, or by a JSON Pointer (RFC 6901), which begins with ``/``.
    """

    issuer: str
    """Exact value of ``iss``."""
    audience: str
    """What ``aud`` must be or contain: the name that the provider knows this service by."""
    jwks: str
    """URL or file of the provider's JSON Web Key Set (RFC 7517); http only on this machine."""
    algorithms: tuple[Signature, ...] = EVERY_SIGNATURE
    """Signature algorithms that are accepted."""
    role_claim: str = "roles"
    """Claim with one text or a list of texts, which ``roles`` maps."""
    roles: dict[str, CallerRole]
    """Role for each text; the first entry that the claim contains decides."""
    tenant: str = ""
    """The one tenant of this provider's callers; ``*`` for all. Empty if ``tenant_claim`` names it."""
    tenant_claim: str = ""
    """Claim with the caller's tenant; ``*`` is refused there."""
    tables: str = "*"
    """Pattern that restricts the tables of each caller."""
    tables_claim: str = ""
    """Claim with such a pattern, used instead of ``tables`` where a token has it."""
    refresh_seconds: int = 600
    """Age at which the keys are fetched again."""

    def problems(self, key: str) -> Iterator[SettingProblem]:
        """Yield what is wrong with the provider, whose setting is called ``key``."""
        if importlib.util.find_spec("jwt") is None or importlib.util.find_spec("cryptography") is None:
            what = "needs the libraries PyJWT and cryptography"
            yield SettingProblem(key, what, install("oidc"))
        for name in ("issuer", "audience", "role_claim"):
            if not getattr(self, name):
                yield SettingProblem(f"{key}.{name}", "is empty", "give it as the provider writes it into its tokens")
        yield from _jwks_problems(f"{key}.jwks", self.jwks)
        if not self.algorithms:
            remedy = f"give some of {', '.join(EVERY_SIGNATURE)}"
            yield SettingProblem(f"{key}.algorithms", "are empty, so that no token is valid", remedy)
        if not self.roles or not set(self.roles.values()) <= set(_GRANTED):
            remedy = f"map some text to one of {', '.join(_GRANTED)}"
            what = "are empty, or grant seat (acts for one round, which needs a token of your own issuer) or anyone"
            yield SettingProblem(f"{key}.roles", what, remedy)
        if bool(self.tenant) is bool(self.tenant_claim):
            what = "and tenant_claim are both set, or neither"
            yield SettingProblem(f"{key}.tenant", what, "set the tenant, or the claim that names it")
        elif self.tenant and not is_tenant(self.tenant):
            what = f"is {self.tenant!r}, which is not a tenant"
            yield SettingProblem(f"{key}.tenant", what, "use 1 to 32 of A-Z a-z 0-9 _ -, or * for all tenants")
        if not is_pattern(self.tables):
            what = f"is {self.tables!r}, which is not a pattern of table ids"
            yield SettingProblem(f"{key}.tables", what, "use 1 to 64 of A-Z a-z 0-9 . _ - and *")
        if not _SHORTEST_REFRESH <= self.refresh_seconds <= _LONGEST_REFRESH:
            what = f"is {self.refresh_seconds}"
            remedy = f"give a number from {_SHORTEST_REFRESH} to {_LONGEST_REFRESH}"
            yield SettingProblem(f"{key}.refresh_seconds", what, remedy)


def is_url(jwks: str) -> bool:
    """Return whether a key set is fetched from a URL, and not read from a file."""
    return "://" in jwks


def _jwks_problems(key: str, jwks: str) -> Iterator[SettingProblem]:
    if not is_url(jwks):
        if not Path(jwks).is_file():
            yield SettingProblem(key, f"is {jwks!r}, which is not a file", "give the key set's URL, or a file's path")
        return
    address = urlsplit(jwks)
    if address.scheme != "https" and not (address.scheme == "http" and is_loopback(address.hostname or "")):
        what = f"is {jwks!r}, whose keys could be replaced on the way"
        yield SettingProblem(key, what, "give an https URL; http is for this machine only")
