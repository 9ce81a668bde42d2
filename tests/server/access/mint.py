"""Tokens minted by PyJWT, and what must be refused, signed by ``cryptography``; run it to write the vectors."""

import base64
import hashlib
import hmac
import itertools
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from jwt.types import Options

NOW: Final = 1_800_000_000_000
SECONDS: Final = NOW // 1000
HEADER: Final = {"alg": "EdDSA", "typ": "JWT"}


class Mint:
    """An issuer of tokens in another library: its verifier key and its tokens."""

    def __init__(self, name: str = "acme.example/tokens") -> None:
        self.name = name
        self._key = Ed25519PrivateKey.from_private_bytes(hashlib.sha256(name.encode()).digest())
        self._numbers = itertools.count(1)

    @property
    def seed(self) -> bytes:
        """The private key."""
        return self._key.private_bytes_raw()

    @property
    def key(self) -> str:
        """The verifier key, as C2SP spells it."""
        material = b"\x01" + self._key.public_key().public_bytes_raw()
        hashed = hashlib.sha256(self.name.encode() + b"\n" + material).digest()[:4].hex()
        return f"{self.name}+{hashed}+{base64.b64encode(material).decode()}"

    def claims(self, role: str, tenant: str = "acme", **more: Any) -> dict[str, Any]:  # noqa: ANN401 - claims of any type
        """Claims that count from a minute ago for an hour; None leaves one out."""
        number = next(self._numbers)
        made = {
            "jti": f"t-{number}",
            "iss": self.name,
            "sub": f"{role}-{number}",
            "role": role,
            "tenant": tenant,
            "nbf": SECONDS - 60,
            "exp": SECONDS + 3600,
        }
        if role == "seat":
            made |= {"table": f"{tenant}.t", "round": 1, "seat": 1}
        return {name: value for name, value in (made | more).items() if value is not None}

    def token(self, role: str, tenant: str = "acme", **more: Any) -> str:  # noqa: ANN401 - claims of any type
        """Return the token of such claims, minted by PyJWT."""
        return jwt.encode(self.claims(role, tenant, **more), self._key, algorithm="EdDSA")

    def sign(self, claims: bytes, header: Mapping[str, object] = HEADER) -> str:
        """Return the token of any bytes under any header."""
        signed = f"{_text(json.dumps(header).encode())}.{_text(claims)}"
        return f"{signed}.{_text(self._key.sign(signed.encode()))}"

    def read(self, token: str) -> dict[str, Any]:
        """Return the claims of a token that this issuer signed, verified by PyJWT but for the time."""
        unchecked: Options = {"verify_exp": False, "verify_nbf": False, "verify_iat": False}
        return dict(jwt.decode(token, self._key.public_key(), algorithms=["EdDSA"], options=unchecked))


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def rows() -> list[dict[str, Any]]:
    """Tokens that hold and tokens that do not, each with the key that should have signed it."""
    mint = Mint()
    good = {
        "frontend": mint.claims("frontend"),
        "frontend_of_some_tables": mint.claims("frontend", tables="acme.vip-*"),
        "seat": mint.claims("seat", round=7, seat=3, table="acme.vip-7"),
        "auditor_of_every_tenant": mint.claims("auditor", tenant="*"),
        "shuffler": mint.claims("shuffler"),
        "admin": mint.claims("admin"),
    }
    bad = list(_refused(mint))
    source = "minted by PyJWT over `cryptography`"
    return [
        {"id": name, "why": f"a token with the role {claims['role']}", "source": source, "key": mint.key}
        | {"token": mint.sign(json.dumps(claims).encode()), "claims": claims}
        for name, claims in good.items()
    ] + [{"id": name, "why": why, "source": source, "key": mint.key, "token": token} for name, why, token in bad]


def _refused(mint: Mint) -> Iterator[tuple[str, str, str]]:
    """Yield the id of each row that is refused, why it is, and its token."""
    claims = mint.claims("frontend")
    payload = json.dumps(claims).encode()
    token = mint.sign(payload)
    header, _, signature = token.split(".")
    changed = _text(json.dumps(claims | {"tenant": "*"}).encode())
    bare = f"{_text(json.dumps({'alg': 'none'}).encode())}.{_text(payload)}."
    other = Mint("another.example/tokens").sign(payload)
    yield "another_type", "a header of another type", mint.sign(payload, HEADER | {"typ": "at+jwt"})
    yield "no_algorithm", "the algorithm none, and no signature", bare
    yield "public_key_as_secret", "HS256 with the issuer's public key as the secret", _by_secret(mint, payload)
    critical = mint.sign(payload, HEADER | {"crit": ["exp"]})
    yield "critical_extension", "an extension that must be understood", critical
    yield "another_key", "somebody else signed it in the issuer's name", other
    yield "claim_changed", "a claim was changed after it was signed", f"{header}.{changed}.{signature}"
    yield "padded", "base64url with padding", f"{token}=="
    restricted = mint.token("frontend", table_pattern="acme.vip-*")
    yield "unknown_claim", "a claim that no token has, such as a restriction that would be ignored", restricted
    elsewhere = mint.token("frontend", aud="another.example")
    yield "audience", "a token for an audience that this server does not know to be", elsewhere
    yield "seat_without_round", "a seat's token that names no round", mint.token("seat", round=None)
    seated = mint.token("frontend", table="acme.t", round=1, seat=1)
    yield "frontend_with_seat", "a seat in a token that is not a seat's", seated
    yield "role_of_anyone", "a role that needs no token", mint.token("anyone")
    yield "unknown_role", "a role that there is not", mint.token("owner")
    dotted = mint.token("frontend", tenant="a.b")
    yield "tenant_with_dot", "a tenant with a dot, which a table's id could not begin with", dotted
    yield "expires_at_once", "it expires when it begins", mint.token("frontend", exp=SECONDS - 60)
    yield "fraction", "a time that is no integer", mint.token("frontend", exp=SECONDS + 0.5)
    yield "milliseconds", "times in milliseconds, which would let it live for ages", mint.token("frontend", exp=NOW)
    yield "no_signature", "header and claims alone", token.rpartition(".")[0]


def _by_secret(mint: Mint, payload: bytes) -> str:
    signed = f"{_text(json.dumps(HEADER | {'alg': 'HS256'}).encode())}.{_text(payload)}"
    public_key = base64.b64decode(mint.key.split("+", 2)[2])[1:]
    return f"{signed}.{_text(hmac.digest(public_key, signed.encode(), 'sha256'))}"


def text() -> str:
    """Return the file of these rows."""
    return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows())


FILE: Final = Path(__file__).parents[2] / "vectors" / "access" / "tokens.jsonl"

if __name__ == "__main__":
    FILE.write_text(text(), encoding="ascii")
