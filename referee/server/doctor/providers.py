"""Checks of the identity providers: whether each publishes its keys, and whose signatures would be accepted.

A key set states no expiry, so nothing is said of how long a key stays.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from referee.evidence.printable import error_words, printable
from referee.server.doctor.check_result import CheckResult
from referee.server.settings.configuration import Configuration
from referee.server.settings.provider import Provider, is_url
from referee.threads import lasting

if TYPE_CHECKING:
    import jwt

WAIT_SECONDS: Final = 10.0
"""Time that one provider has to answer with its whole key set."""
_LONGEST_ID: Final = 64


def check_providers(configuration: Configuration, *, seconds: float = WAIT_SECONDS) -> Iterator[CheckResult]:
    """Check each provider by its key set, fetched as a server fetches it."""
    for provider in configuration.access.providers:
        yield _checked(provider, seconds)


def _checked(provider: Provider, seconds: float) -> CheckResult:
    read = _read(provider, seconds)
    if isinstance(read, str):
        how = "this machine can fetch it: proxy, DNS, firewall, authorities" if is_url(provider.jwks) else "can be read"
        return CheckResult.warn(
            provider.issuer,
            f"no key set from {printable(provider.jwks)}: {printable(read)}; its tokens are refused until there is one",
            f"check that access.providers names its jwks_uri, and that {how}; a server tries again every 30 s",
        )
    accepted, refused = _sorted(read, provider)
    words = f"{len(accepted) + len(refused)} keys; accepts {', '.join(accepted) or 'none'}"
    words += f"; refuses {', '.join(refused)}" if refused else ""
    if not accepted:
        remedy = (
            f"publish a key with a kid for {', '.join(provider.algorithms)}, or correct access.providers.algorithms"
        )
        return CheckResult.fail(provider.issuer, words, remedy)
    return CheckResult.ok(provider.issuer, words)


def _read(provider: Provider, seconds: float) -> "jwt.PyJWKSet | str":
    """Return the key set, or why there is none. A provider that answers byte by byte is not waited for."""
    from jwt import PyJWTError  # noqa: PLC0415 - the extra oidc

    from referee.server.access.provider_keys import read_key_set  # noqa: PLC0415 - as above

    read: list[jwt.PyJWKSet | str] = []

    def fetch() -> None:
        try:
            read.append(read_key_set(provider))
        except (PyJWTError, OSError, ValueError) as error:
            read.append(error_words(error))

    thread = lasting(fetch, name="doctor-provider")
    thread.start()
    thread.join(seconds)
    return read[0] if read else f"no whole answer within {seconds:g} s"


def _sorted(keys: "jwt.PyJWKSet", provider: Provider) -> tuple[list[str], list[str]]:
    """Describe the keys that are accepted and those that are refused."""
    from referee.server.access.provider_keys import fault_of  # noqa: PLC0415 - as above

    accepted, refused = [], []
    for key in keys.keys:
        kid = printable(str(key.key_id or ""))[:_LONGEST_ID]
        if fault := fault_of(key, provider.algorithms):
            refused.append(f"{kid or 'a key'} ({printable(fault)})")
        else:
            accepted.append(f"{kid} ({key.algorithm_name})")
    return accepted, refused
