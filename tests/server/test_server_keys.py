"""The folder of private keys: made once, read strictly, never half replaced; and the port, taken once."""

import hashlib
import itertools
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from referee.evidence.ed25519 import is_signature
from referee.evidence.vkey import VerifierKey
from referee.server.app import Application, Settings
from referee.server.clock import system_clock
from referee.server.keys import ROLES, KeyFileError, KeyFolder, KeySigner

ORIGIN = "log.example/1"


def entropy(name: str) -> Callable[[int], bytes]:
    """Bytes that follow from a name."""
    counter = itertools.count()
    return lambda size: hashlib.shake_128(f"{name} {next(counter)}".encode()).digest(size)


def make(folder: Path, *, name: str = "first") -> KeyFolder:
    """The keys of the folder, made from a name's entropy where there are none."""
    return KeyFolder.open_or_make(folder, origin=ORIGIN, entropy=entropy(name))


def test_keys_are_made_once_and_read_again(tmp_path: Path) -> None:
    """Another start, with other entropy, finds the same keys; each role has its own, named after the origin."""
    made, read = make(tmp_path), make(tmp_path, name="second")
    keys = [getattr(made, role) for role in ROLES]
    assert [key.to_text() for key in keys] == [getattr(read, role).to_text() for role in ROLES]
    assert made.sealing == read.sealing
    assert len({made.sealing, *(key.public_key for key in keys)}) == 5
    assert [key.name for key in keys] == [f"{ORIGIN}/root", ORIGIN, f"{ORIGIN}/shuffler", f"{ORIGIN}/referee"]


def test_keys_can_be_read_by_their_owner_alone(tmp_path: Path) -> None:
    make(tmp_path / "keys")
    files = list((tmp_path / "keys").iterdir())
    assert len(files) == 5
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o700


@pytest.mark.parametrize("role", [*ROLES, "sealing"])
def test_key_that_went_missing_is_not_replaced(tmp_path: Path, role: str) -> None:
    make(tmp_path)
    (tmp_path / f"{role}.key").unlink()
    with pytest.raises(KeyFileError, match=rf"lacks {role}\.key"):
        make(tmp_path)
    assert not (tmp_path / f"{role}.key").exists()


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620])
def test_key_that_others_can_reach_is_refused(tmp_path: Path, mode: int) -> None:
    make(tmp_path)
    (tmp_path / "log.key").chmod(mode)
    with pytest.raises(KeyFileError, match="chmod 600"):
        make(tmp_path)


@pytest.mark.parametrize(
    ("role", "text"),
    [
        ("log", ""),
        ("log", "PRIVATE+KEY+log.example/1"),
        ("log", "PUBLIC+KEY+log.example/1+00000000+AQ=="),
        ("log", "PRIVATE+KEY+log.example/1+00000000+" + "AQ" + "A" * 42),
        ("log", "PRIVATE+KEY+log.example/1+00000000+not base64"),
        ("log", "khóa"),
        ("sealing", ""),
        ("sealing", "00" * 31),
        ("sealing", "zz" * 32),
    ],
)
def test_file_that_holds_no_key_is_refused(tmp_path: Path, role: str, text: str) -> None:
    make(tmp_path)
    (tmp_path / f"{role}.key").write_text(text, encoding="utf-8")
    with pytest.raises(KeyFileError):
        make(tmp_path)


def test_private_key_says_which_key_it_is() -> None:
    """Text and back; an id that is another key's is refused; what it signs its verifier key opens."""
    signer = KeySigner("log.example/1", b"s" * 32)
    again = KeySigner.from_text(signer.to_text() + "\n")
    assert (again.name, again.public_key) == (signer.name, signer.public_key)
    assert is_signature(again.sign(b"said"), b"said", VerifierKey.parse(signer.verifier_key).public_key)
    other_id = VerifierKey("log.example/1", KeySigner("x", b"t" * 32).public_key).key_id.hex()
    own_id = VerifierKey(signer.name, signer.public_key).key_id.hex()
    with pytest.raises(KeyFileError, match="does not have the id"):
        KeySigner.from_text(signer.to_text().replace(own_id, other_id))


def test_clock_tells_milliseconds_since_1970() -> None:
    """Later than this test was written, earlier than a clock in microseconds would say, and never going back."""
    first, second = system_clock(), system_clock()
    assert 1_700_000_000_000 < first <= second < 10_000_000_000_000


def test_port_that_is_taken_is_refused(tmp_path: Path) -> None:
    """A second server must not share it unseen, or half of the calls would go to the wrong log."""
    with (
        Application(Settings(data=tmp_path / "one", listen="127.0.0.1:0")) as first,
        pytest.raises(RuntimeError),
    ):
        Application(Settings(data=tmp_path / "two", listen=f"127.0.0.1:{first.port}"))
