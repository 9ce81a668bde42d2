"""Public keys of an identity provider, fetched on a thread of their own, so that no call waits for the provider.

Keys are fetched at the start, when they are older than the provider's ``refresh_seconds``, and when a token names a key
that is not known: never two fetches at once, and never one within 30 s of the last. A failed fetch keeps the keys that
are known and is logged once.
"""

import enum
import threading
import time
from collections.abc import Callable, Mapping
from http.client import HTTPException
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final
from urllib.parse import urlsplit
from urllib.request import OpenerDirector, ProxyHandler, build_opener

import jwt
import structlog
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ed25519, rsa

from referee.evidence.ed25519 import PublicKeyError, check_public_key
from referee.evidence.outside import read_json
from referee.evidence.printable import error_words
from referee.reach import is_loopback
from referee.server.settings.provider import Provider, is_url
from referee.threads import lasting

LEAST_SECONDS: Final = 30.0
"""Least time between the starts of two fetches."""
_FETCH_SECONDS: Final = 10.0
_LEAST_RSA_BITS: Final = 2048
_MOST_BYTES: Final = 1 << 20
_log = structlog.get_logger("referee.access")


class KeyState(enum.Enum):
    """Why a key is not known."""

    FETCHING = "keys are being fetched"
    UNREACHABLE = "keys have never been fetched, because the provider does not answer"
    ABSENT = "the provider has published no such key"


class ProviderKeys:
    """The keys of one provider by key id; safe on many threads."""

    def __init__(self, provider: Provider, *, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._provider = provider
        self._monotonic = monotonic
        self._lock = threading.Lock()
        self._keys: Mapping[str, jwt.PyJWK] = MappingProxyType({})
        self._has_fetched = False
        self._started: float | None = None
        self._thread: threading.Thread | None = None
        self._said = ""
        self.fetches = 0
        """Number of fetches that were started."""

    def find(self, kid: str) -> jwt.PyJWK | KeyState:
        """Return the key with this id, or why it is not known; start a fetch if one is due."""
        found = self._keys.get(kid)
        with self._lock:
            is_running = self._thread is not None and self._thread.is_alive()
            age = float("inf") if self._started is None else self._monotonic() - self._started
            is_due = age >= LEAST_SECONDS and (found is None or age >= self._provider.refresh_seconds)
            if is_due and not is_running:
                self._started = self._monotonic()
                self.fetches += 1
                self._thread = lasting(self._fetch, name="provider-keys")
                self._thread.start()
                is_running = True
        if found is not None:
            return found
        if is_running:
            return KeyState.FETCHING
        found = self._keys.get(kid)
        return found or (KeyState.ABSENT if self._has_fetched else KeyState.UNREACHABLE)

    def retry_seconds(self) -> int:
        """Return in how many whole seconds an unknown key may be found: 1 during a fetch, up to 30 after one."""
        with self._lock:
            if self._started is None or (self._thread is not None and self._thread.is_alive()):
                return 1
            return max(1, round(self._started + LEAST_SECONDS - self._monotonic()))

    def holds(self, kid: str, key: jwt.PyJWK) -> bool:
        """Return whether this is still the key with this id; start a fetch if one is due."""
        found = self.find(kid)
        return isinstance(found, jwt.PyJWK) and _text(found) == _text(key)

    def _fetch(self) -> None:
        try:
            keys = [key for key in read_key_set(self._provider).keys if not fault_of(key, self._provider.algorithms)]
            self._keys = MappingProxyType({str(key.key_id): key for key in keys})
            self._has_fetched = True
            self._said = ""
        except (jwt.PyJWTError, OSError, ValueError) as error:
            if error_words(error) != self._said:
                self._said = error_words(error)
                known = "the keys fetched before stay valid" if self._has_fetched else "its tokens cannot be verified"
                _log.warning(
                    f"keys of the provider not fetched; {known}", issuer=self._provider.issuer, error=error_words(error)
                )


def read_key_set(provider: Provider) -> jwt.PyJWKSet:
    """Fetch or read a provider's key set; raise PyJWTError, OSError or ValueError if that fails."""
    if not is_url(provider.jwks):
        return key_set_of(Path(provider.jwks).read_bytes())
    try:
        with _opener(provider.jwks).open(provider.jwks, timeout=_FETCH_SECONDS) as answer:
            return key_set_of(answer.read(_MOST_BYTES + 1))
    except HTTPException as error:
        raise OSError(f"no answer of HTTP: {error}") from None


def _opener(url: str) -> OpenerDirector:
    """Return what opens the URL: directly on this machine, else through the proxy that the environment names."""
    return build_opener(ProxyHandler({} if is_loopback(urlsplit(url).hostname or "") else None))


def key_set_of(data: bytes) -> jwt.PyJWKSet:
    """Read a key set; raise PyJWTError or ValueError for other bytes."""
    read: dict[str, list[dict[str, Any]]] = read_json(data, dict[str, Any], most=_MOST_BYTES)
    keys = read.get("keys")
    if not isinstance(keys, list) or not all(isinstance(one, dict) for one in keys):
        raise ValueError("a key set has keys, a list of objects")
    return jwt.PyJWKSet.from_dict({"keys": keys})


def fault_of(key: jwt.PyJWK, algorithms: tuple[str, ...]) -> str:
    """Return why tokens signed with a published key are refused; empty if they are accepted."""
    if not key.key_id:
        return "has no kid"
    if key.public_key_use not in {None, "sig"}:
        return f"is for {key.public_key_use}, not for signatures"
    if key.algorithm_name not in algorithms:
        return f"signs with {key.algorithm_name}"
    if isinstance(key.key, rsa.RSAPublicKey) and key.key.key_size < _LEAST_RSA_BITS:
        return f"has {key.key.key_size} bits, and {_LEAST_RSA_BITS} are needed"
    if isinstance(key.key, ed25519.Ed25519PublicKey):
        try:
            check_public_key(key.key.public_bytes_raw())
        except PublicKeyError as error:
            return str(error)
    return ""


def _text(key: jwt.PyJWK) -> bytes:
    form = serialization.PublicFormat.SubjectPublicKeyInfo
    return bytes(key.key.public_bytes(serialization.Encoding.DER, form))
