"""A seat's key in a file, for use in many sessions: a JSON Web Key of Ed25519 (RFC 8037).

One person may control every seat of a table whose keys are all new. Keys that have played before show that this is
unlikely, so a player keeps one key for all its rounds.

>>> import tempfile
>>> with tempfile.TemporaryDirectory() as folder:
...     save_seat_key(f"{folder}/seat.key.json", bytes(32))
...     load_seat_key(f"{folder}/seat.key.json") == bytes(32)
True
"""

import base64
import os
from pathlib import Path
from typing import Final, Literal

import msgspec
from nacl.signing import SigningKey

from referee.evidence.outside import read_json

_SIZE: Final = 32


class _Jwk(msgspec.Struct, kw_only=True):
    crv: Literal["Ed25519"] = "Ed25519"
    d: str
    kty: Literal["OKP"] = "OKP"
    x: str


def save_seat_key(path: "str | os.PathLike[str]", private_key: bytes) -> None:
    """Write a seat's key to a new file that only its owner can read; raise FileExistsError if the file exists."""
    jwk = _Jwk(d=_text(private_key), x=_text(bytes(SigningKey(private_key).verify_key)))
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(msgspec.json.encode(jwk, order="sorted"))
        file.flush()
        os.fsync(file.fileno())


def load_seat_key(path: "str | os.PathLike[str]") -> bytes:
    """Read a key that ``save_seat_key`` wrote, for ``SeatSecrets.make``; raise ValueError if there is none."""
    try:
        jwk: _Jwk = read_json(Path(path).read_bytes(), _Jwk)
        private_key = base64.urlsafe_b64decode(jwk.d + "=" * (-len(jwk.d) % 4))
    except ValueError as error:
        raise ValueError(f"{path} is no JSON Web Key of Ed25519 with its private part: {error}") from None
    if len(private_key) != _SIZE or _text(bytes(SigningKey(private_key).verify_key)) != jwk.x:
        raise ValueError(f"the private part of the key in {path} is not that of its public part x")
    return private_key


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")
