"""Tokens made and judged a second time, over ``cryptography`` and the standard library; run it to write the vectors."""

import base64
import hashlib
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

NOW: Final = 1_800_000_000_000
TYPE: Final = b"application/vnd.referee.token.v1+json"


class Mint:
    """An issuer, written a second time: its verifier key and its tokens."""

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
            "id": f"t-{number}",
            "issuer": self.name,
            "name": f"{role}-{number}",
            "role": role,
            "tenant": tenant,
            "not_before": NOW - 60_000,
            "expires": NOW + 3_600_000,
        }
        if role == "seat":
            made |= {"table": f"{tenant}.t", "round": 1, "seat": 1}
        return {name: value for name, value in (made | more).items() if value is not None}

    def sign(self, payload: bytes, kind: bytes = TYPE) -> str:
        """Return the token of any bytes."""
        signed = self._key.sign(b"DSSEv1 %d %b %d %b" % (len(kind), kind, len(payload), payload))
        return ".".join(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in (payload, signed))

    def token(self, role: str, tenant: str = "acme", **more: Any) -> str:  # noqa: ANN401 - claims of any type
        """Return the token of such claims."""
        return self.sign(canonical(self.claims(role, tenant, **more)))


def canonical(claims: dict[str, Any]) -> bytes:
    """Compact JSON with sorted names."""
    return json.dumps(claims, sort_keys=True, separators=(",", ":")).encode("ascii")


REFUSED: Final = {
    "another_type": "the issuer signed it as something else",
    "another_key": "somebody else signed it in the issuer's name",
    "claim_changed": "a claim was changed after it was signed",
    "padded": "base64url with padding",
    "spaced": "claims with a space in them",
    "unsorted": "claims whose names are not in order",
    "unknown_claim": "a claim that no token has",
    "seat_without_round": "a seat's token that names no round",
    "frontend_with_seat": "a seat in a token that is not a seat's",
    "role_of_anyone": "a role that needs no token",
    "unknown_role": "a role that there is not",
    "tenant_with_dot": "a tenant with a dot, which a table's id could not begin with",
    "expires_at_once": "it expires when it begins",
    "fraction": "a time that is no integer",
    "no_signature": "claims alone",
}
"""Why each row that is refused is, by its id."""


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
    bad = dict(_refused(mint))
    source = "made by the second implementation, over `cryptography` and the standard library"
    return [
        {"id": name, "why": f"a token with the role {claims['role']}", "source": source, "key": mint.key}
        | {"token": mint.sign(canonical(claims)), "claims": claims}
        for name, claims in good.items()
    ] + [
        {"id": name, "why": why, "source": source, "key": mint.key, "token": bad[name]} for name, why in REFUSED.items()
    ]


def _refused(mint: Mint) -> Iterator[tuple[str, str]]:
    claims = mint.claims("frontend")
    payload, token = canonical(claims), mint.sign(canonical(claims))
    yield "another_type", mint.sign(payload, b"application/vnd.referee.open.v1+json")
    yield "another_key", Mint("another.example/tokens").sign(payload)
    changed = mint.sign(canonical(claims | {"tenant": "*"})).partition(".")[0]
    yield "claim_changed", f"{changed}.{token.partition('.')[2]}"
    yield "padded", f"{token}=="
    yield "spaced", mint.sign(payload.replace(b",", b", "))
    yield "unsorted", mint.sign(json.dumps(dict(reversed(claims.items())), separators=(",", ":")).encode())
    yield "unknown_claim", mint.token("frontend", wallet=1)
    yield "seat_without_round", mint.token("seat", round=None)
    yield "frontend_with_seat", mint.token("frontend", table="acme.t", round=1, seat=1)
    yield "role_of_anyone", mint.token("anyone")
    yield "unknown_role", mint.token("owner")
    yield "tenant_with_dot", mint.token("frontend", tenant="a.b")
    yield "expires_at_once", mint.token("frontend", expires=NOW - 60_000)
    yield "fraction", mint.token("frontend", expires=NOW + 0.5)
    yield "no_signature", token.partition(".")[0]


def text() -> str:
    """Return the file of these rows."""
    return "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows())


FILE: Final = Path(__file__).parents[2] / "vectors" / "access" / "tokens.jsonl"

if __name__ == "__main__":
    FILE.write_text(text(), encoding="ascii")
