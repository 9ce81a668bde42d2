"""Authentication by a token that an issuer or an identity provider signed, or by a client certificate.

A token is valid if an issuer of its claims' name signed it and may grant its role and tenant, or if an identity
provider signed it (``provider_token``). Its time must have come and not have passed by more than the leeway, its
lifetime must be allowed, and neither it nor its issuer may be revoked. Verified signatures are remembered; time and
revocation are checked on every call. A token takes precedence over a certificate.

>>> Authenticator(AccessSettings(), clock=lambda: 0).recall("Bearer e30.AA") is None
True
"""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NoReturn

import grpc

from referee.evidence.outside import pasted
from referee.evidence.vkey import VerifierKey
from referee.server.access.caller import Caller, ProvedToken
from referee.server.access.token import TokenError, read_token
from referee.server.edited_files import EditedFiles
from referee.server.name_file import NameFile
from referee.server.settings.access import AccessSettings
from referee.server.settings.caller_role import EVERY_TENANT
from referee.v1.error_reason_pb2 import ErrorReason
from referee.wire.refusal import RefusedError

if TYPE_CHECKING:
    from referee.server.access.provider_token import ProviderTokens

REMEMBERED: Final = 4096
"""Number of tokens remembered."""
_SCHEME: Final = "bearer "


class Authenticator:
    """Authenticates callers; safe on many threads."""

    def __init__(self, settings: AccessSettings, *, clock: Callable[[], int], files: EditedFiles | None = None) -> None:
        self._clock = clock
        self._leeway = round(settings.leeway_seconds * 1000)
        self._issuers = [(VerifierKey.parse(pasted(one.key)), one) for one in settings.issuers]
        self._certificates = settings.certificates
        self._providers: ProviderTokens | None = None
        if settings.providers:
            from referee.server.access import provider_token  # noqa: PLC0415 - needs the extra oidc

            self._providers = provider_token.ProviderTokens(settings.providers)
        self._longest = settings.longest_seconds * 1000
        self._revocations = NameFile(settings.revoked, setting="access.revoked", files=files)
        self._memo: dict[str, ProvedToken] = {}
        self._remembering = threading.Lock()

    def recall(self, credentials: str) -> Caller | None:
        """Return the caller of a remembered token, or None; reject one expired or revoked meanwhile."""
        proved = self._memo.get(credentials)
        return None if proved is None else self._lasting(proved)

    def prove(self, credentials: str) -> Caller:
        """Return the caller of a token; reject one that no known issuer signed, or that expired or was revoked."""
        proved = self._memo.get(credentials)
        if proved is None:
            proved = self._read(credentials)
            with self._remembering:
                while len(self._memo) >= REMEMBERED:
                    del self._memo[next(iter(self._memo))]
                self._memo[credentials] = proved
        return self._lasting(proved)

    def certified(self, context: grpc.ServicerContext) -> Caller | None:
        """Return the caller that the client certificate names, or None; reject a revoked one."""
        if not self._certificates:
            return None
        names = certified_names(context)
        one = next((one for one in self._certificates if one.name in names), None)
        if one is None:
            return None
        if self._revocations.has(one.name):
            raise RefusedError(ErrorReason.ERROR_REASON_CREDENTIALS_REVOKED, "the certificate was revoked")
        return Caller(name=one.name, role=one.role, tenant=one.tenant, tables=one.tables)

    def _read(self, credentials: str) -> ProvedToken:
        if credentials[: len(_SCHEME)].lower() != _SCHEME:
            _refuse("send the token as authorization: Bearer TOKEN")
        text = credentials[len(_SCHEME) :]
        try:
            if self._providers is not None and self._providers.has_issuer(text):
                return self._providers.prove(text)
            token = read_token(text)
        except TokenError as error:
            _refuse(f"this is not a token: {error}")
        claims = token.claims
        named = [one for one in self._issuers if one[0].name == claims.issuer]
        signed = [one for one in named if token.is_signed_by(one[0].public_key)]
        if not signed:
            _refuse("no known issuer has signed this token")
        key, issuer = signed[0]
        if claims.role not in issuer.roles:
            _refuse(f"{claims.issuer} may not grant the role {claims.role}")
        if issuer.tenant not in (EVERY_TENANT, claims.tenant):
            _refuse(f"{claims.issuer} may not act for the tenant {claims.tenant}")
        names = (claims.id, key.text)
        return ProvedToken(claims.caller, names, claims.not_before * 1000, claims.expires * 1000)

    def _lasting(self, proved: ProvedToken) -> Caller:
        now = self._clock()
        if not proved.not_before - self._leeway <= now < proved.expires + self._leeway:
            raise RefusedError(
                ErrorReason.ERROR_REASON_CREDENTIALS_EXPIRED,
                f"the token is valid from {proved.not_before} to {proved.expires}, and it is {now}",
                not_before=proved.not_before,
                expires=proved.expires,
                now=now,
            )
        if proved.expires - proved.not_before > self._longest:
            seconds = (proved.expires - proved.not_before) // 1000
            _refuse(f"the token lives for {seconds} s; {self._longest // 1000} are allowed (access.longest_seconds)")
        if not proved.is_current():
            _refuse("the provider no longer publishes the key that signed the token")
        if self._revocations.has(*proved.revoked_by):
            raise RefusedError(
                ErrorReason.ERROR_REASON_CREDENTIALS_REVOKED, "the token, or the key that signed it, was revoked"
            )
        return proved.caller


def certified_names(context: grpc.ServicerContext) -> frozenset[str]:
    """Return the names in the client certificate, its common name as ``CN=``; none without one."""
    found = context.auth_context()
    subject = [f"CN={_text(name)}" for name in found.get("x509_common_name", ())]
    return frozenset([*subject, *map(_text, found.get("x509_subject_alternative_name", ()))])


def _text(name: bytes | int) -> str:
    return name.decode("utf-8", "replace") if isinstance(name, bytes) else str(name)


def _refuse(message: str) -> NoReturn:
    raise RefusedError(ErrorReason.ERROR_REASON_CREDENTIALS_INVALID, message) from None
