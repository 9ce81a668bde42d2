"""An identity provider on loopback: a key set over HTTP, and tokens signed with its keys."""

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa

from tests.server.access.mint import SECONDS
from tests.server.http_server import Answering, http_server

ISSUER: Final = "https://id.example/realms/cards"
KEYS: Final[dict[str, tuple[str, Any]]] = {
    "rsa-1": ("RS256", rsa.generate_private_key(public_exponent=65537, key_size=2048)),
    "ec-1": ("ES256", ec.generate_private_key(ec.SECP256R1())),
    "ed-1": ("EdDSA", ed25519.Ed25519PrivateKey.generate()),
    "rsa-2": ("RS256", rsa.generate_private_key(public_exponent=65537, key_size=2048)),
    "rsa-small": ("RS256", rsa.generate_private_key(public_exponent=65537, key_size=1024)),  # noqa: S505 - it must be refused
}
"""Algorithm and private key by key id; made by ``cryptography``."""


def public_key(kid: str) -> dict[str, Any]:
    """Return a key's JSON Web Key."""
    algorithm, key = KEYS[kid]
    written = jwt.get_algorithm_by_name(algorithm).to_jwk(key.public_key())
    return {"kid": kid, "use": "sig", "alg": algorithm, **json.loads(written)}


def claims_of(**changes: Any) -> dict[str, Any]:  # noqa: ANN401 - claims of any type
    """Return claims as Keycloak writes them, valid for an hour from a minute ago; None leaves one out."""
    claims = {
        "iss": ISSUER,
        "aud": ["referee", "account"],
        "sub": "3f1c-dealer",
        "jti": "n-1",
        "iat": SECONDS - 60,
        "exp": SECONDS + 3600,
        "org": "acme",
        "realm_access": {"roles": ["offline_access", "card-dealer"]},
        "azp": "lobby",
    }
    return {name: value for name, value in (claims | changes).items() if value is not None}


def token_of(kid: str = "rsa-1", *, headers: dict[str, Any] | None = None, **changes: Any) -> str:  # noqa: ANN401
    """Return a token signed with one of the keys."""
    algorithm, key = KEYS[kid]
    return jwt.encode(claims_of(**changes), key, algorithm=algorithm, headers={"kid": kid} | (headers or {}))


class IdentityProvider:
    """The key set's server. ``published`` are the ids of its keys; None answers every request with 503."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.published: list[str] | None = ["rsa-1", "ec-1", "ed-1"]
        self.requests = 0
        self.may_answer = threading.Event()
        """While it is cleared, requests wait for their answer."""
        self.may_answer.set()


@contextmanager
def running_provider() -> Iterator[IdentityProvider]:
    """Run an identity provider for the block."""

    class Handler(Answering):
        def do_GET(self) -> None:  # noqa: N802 - its name in http.server
            made.requests += 1
            made.may_answer.wait(60)
            body = json.dumps({"keys": [public_key(kid) for kid in made.published or ()]}).encode()
            self.answer(body, status=200 if made.published is not None else 503)

    with http_server(Handler) as address:
        made = IdentityProvider(f"{address}/keys")
        yield made
        made.may_answer.set()


@pytest.fixture
def provider() -> Iterator[IdentityProvider]:
    """Run an identity provider for the test."""
    with running_provider() as made:
        yield made
