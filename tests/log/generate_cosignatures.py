"""Writes ``cosignature.jsonl``: run ``python tests/log/generate_cosignatures.py`` after a change of what it shall hold.

Nothing of the package is used: keys, key ids, signed messages and lines follow the formulas of
c2sp.org/tlog-cosignature and c2sp.org/signed-note, signed by another implementation of Ed25519.
"""

import base64
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

FILE: Final = Path(__file__).parents[1] / "vectors" / "log" / "cosignature.jsonl"
TEXT: Final = f"log.example/1\n7\n{base64.b64encode(hashlib.sha256(b'seven leaves').digest()).decode()}\n"
LARGEST_TIME: Final = 2**63 - 1


def private(seed: str) -> Ed25519PrivateKey:
    """Derive a key from a word."""
    return Ed25519PrivateKey.from_private_bytes(hashlib.sha256(seed.encode()).digest())


def public(seed: str) -> bytes:
    """Its public half."""
    return private(seed).public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)


def hint(name: str, seed: str, kind: int) -> bytes:
    """Return the four bytes before a key's signatures."""
    return hashlib.sha256(name.encode() + b"\n" + bytes([kind]) + public(seed)).digest()[:4]


def vkey(name: str, seed: str) -> str:
    """Return a witness's verifier key."""
    return f"{name}+{hint(name, seed, 4).hex()}+{base64.b64encode(bytes([4]) + public(seed)).decode()}"


def line(  # noqa: PLR0913 - what can be false in a line
    name: str, seed: str, time: int, *, text: str = TEXT, signed_time: int | None = None, by: str = ""
) -> str:
    """Return a cosignature's line, signed for another text or time, or by another key, if given."""
    message = f"cosignature/v1\ntime {time if signed_time is None else signed_time}\n{text}".encode()
    signature = private(by or seed).sign(message)
    return f"— {name} {base64.b64encode(hint(name, seed, 4) + time.to_bytes(8, 'big') + signature).decode()}\n"


def log_line() -> str:
    """Return the log's own signature."""
    signature = private("log").sign(TEXT.encode())
    return f"— log.example/1 {base64.b64encode(hint('log.example/1', 'log', 1) + signature).decode()}\n"


def lines() -> Iterator[str]:
    """Return the lines of the file."""
    one, two, three = (vkey(f"witness.example/{seed}", seed) for seed in ("w1", "w2", "w3"))
    alias = vkey("other.example/w1", "w1")
    good = [line(f"witness.example/{seed}", seed, 1_800_000_000 + at) for at, seed in enumerate(("w1", "w2", "w3"))]
    stray = line("witness.example/w2", "w2", 1, by="w3")
    yield row("one-of-one", "a single witness", [one], 1, good[:1], [[one, 1_800_000_000]])
    yield row(
        "two-of-three",
        "any two suffice",
        [one, two, three],
        2,
        good[1:],
        [[two, 1_800_000_001], [three, 1_800_000_002]],
    )
    yield row("one-of-two-needed", "one is too few", [one, two], 2, good[:1], [[one, 1_800_000_000]])
    yield row("none", "the log's own signature is no cosignature", [one], 1, [], [])
    yield row("stranger", "a witness that nobody named is passed over", [one], 1, good[1:2], [])
    doubled = [good[0], line("other.example/w1", "w1", 1_800_000_005)]
    yield row("two-names", "one key counts once", [one, alias], 2, doubled, [[one, 1_800_000_005]], doubled=[alias])
    yield row(
        "another-key",
        "signed by another witness's key",
        [one, two],
        1,
        [good[0], stray],
        [[one, 1_800_000_000]],
        forged=[two],
    )
    late = line("witness.example/w1", "w1", 8, signed_time=9)
    yield row("time-changed", "the time is signed too", [one], 1, [late], [], forged=[one])
    other = line("witness.example/w1", "w1", 8, text=TEXT.replace("\n7\n", "\n8\n"))
    yield row("another-size", "a cosignature is of one checkpoint", [one], 1, [other], [], forged=[one])
    largest = line("witness.example/w1", "w1", LARGEST_TIME)
    yield row("largest-time", "a time is at most 2^63-1", [one], 1, [largest], [[one, LARGEST_TIME]])
    beyond = line("witness.example/w1", "w1", LARGEST_TIME + 1)
    yield row("time-too-large", "a time is at most 2^63-1", [one], 1, [beyond], [], forged=[one])
    again = [line("witness.example/w1", "w1", 20), line("witness.example/w1", "w1", 10)]
    yield row("twice", "of two lines the later time counts", [one], 1, again, [[one, 20]])


def row(  # noqa: PLR0913, PLR0917 - the members of a line
    name: str,
    why: str,
    witnesses: list[str],
    needed: int,
    cosignatures: list[str],
    times: list[list[Any]],
    *,
    forged: list[str] | None = None,
    doubled: list[str] | None = None,
) -> str:
    """One line of the file."""
    vector = {
        "id": name,
        "why": why,
        "source": "c2sp.org/tlog-cosignature, its formulas computed by generate_cosignatures.py",
        "note": f"{TEXT}\n{log_line()}{''.join(cosignatures)}",
        "witnesses": witnesses,
        "needed": needed,
        "times": times,
        "forged": forged or [],
        "doubled": doubled or [],
        "is_quorate": len(times) >= needed,
    }
    return json.dumps(vector, ensure_ascii=False)


if __name__ == "__main__":
    FILE.write_text("".join(f"{one}\n" for one in lines()), encoding="utf-8")
