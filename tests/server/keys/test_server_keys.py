"""The folder of private keys: made once, read strictly, closed to others, never half replaced; the port, taken once."""

import ast
import hashlib
import itertools
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from referee.evidence.ed25519 import is_signature
from referee.evidence.vkey import Algorithm, VerifierKey
from referee.server.clock import system_clock
from referee.server.doctor.check_result import CheckLevel
from referee.server.doctor.machine import check_modes
from referee.server.keys.folder import ROLES, KeyFolder, read_public_keys
from referee.server.keys.private_key import KeyFileError, KeySigner
from referee.server.process.app import Application
from tests.command import referee
from tests.server.options import server_options

ORIGIN = "log.example/1"


def entropy(name: str) -> Callable[[int], bytes]:
    """Bytes that follow from a name."""
    counter = itertools.count()
    return lambda size: hashlib.shake_128(f"{name} {next(counter)}".encode()).digest(size)


def make(folder: Path, *, name: str = "first") -> KeyFolder:
    """Return the keys of the folder, made from a name's entropy where there are none."""
    return KeyFolder.open_or_make(folder, origin=ORIGIN, entropy=entropy(name))


def signers_of(folder: KeyFolder) -> list[KeySigner]:
    signers = [folder.signer(role) for role in ROLES]
    assert all(isinstance(signer, KeySigner) for signer in signers)
    return [signer for signer in signers if isinstance(signer, KeySigner)]


def test_keys_are_made_once_and_read_again(tmp_path: Path) -> None:
    """Another start, with other entropy, finds the same keys; each role has its own, named after the origin."""
    made, read = make(tmp_path), make(tmp_path, name="second")
    keys = signers_of(made)
    assert [key.to_text() for key in keys] == [key.to_text() for key in signers_of(read)]
    assert [key.key for key in keys] == [made.public[role] for role in ROLES]
    assert made.sealing == read.sealing
    assert len({made.sealing, *(key.public_key for key in keys)}) == 5
    assert [key.name for key in keys] == [f"{ORIGIN}/root", ORIGIN, f"{ORIGIN}/shuffler", f"{ORIGIN}/referee"]


def test_keys_can_be_read_by_their_owner_alone(tmp_path: Path) -> None:
    make(tmp_path / "keys")
    files = list((tmp_path / "keys").glob("*.key"))
    assert len(files) == 5
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    assert {path.name for path in (tmp_path / "keys").iterdir()} - {path.name for path in files} == {
        f"{role}.pub" for role in ROLES
    }
    assert stat.S_IMODE((tmp_path / "keys").stat().st_mode) == 0o700


@pytest.mark.parametrize("role", [*ROLES, "sealing"])
def test_key_that_went_missing_is_not_replaced(tmp_path: Path, role: str) -> None:
    make(tmp_path)
    (tmp_path / f"{role}.key").unlink()
    with pytest.raises(KeyFileError, match=rf"lacks {role}\.key"):
        make(tmp_path)
    assert not (tmp_path / f"{role}.key").exists()


@pytest.mark.parametrize("role", ROLES)
def test_public_key_that_is_not_the_private_ones_is_refused(tmp_path: Path, role: str) -> None:
    made = make(tmp_path)
    (tmp_path / f"{role}.pub").write_text(KeySigner(made.public[role].name, b"o" * 32).verifier_key + "\n")
    with pytest.raises(KeyFileError, match=rf"is not the private key of .*{role}\.pub"):
        make(tmp_path)


def test_folder_of_private_keys_alone_gets_its_public_ones(tmp_path: Path) -> None:
    made = make(tmp_path)
    for path in tmp_path.glob("*.pub"):
        path.unlink()
    assert read_public_keys(tmp_path) == {role: key.text for role, key in made.public.items()}
    assert not list(tmp_path.glob("*.pub"))
    assert make(tmp_path).public == made.public
    assert len(list(tmp_path.glob("*.pub"))) == 4


def test_process_has_the_private_keys_that_it_asked_for_and_no_more(tmp_path: Path) -> None:
    """The others may be gone, their public keys suffice."""
    made = make(tmp_path)
    for role in ("root", "shuffler", "sealing"):
        (tmp_path / f"{role}.key").unlink()
    judge = KeyFolder.open_or_make(tmp_path, origin=ORIGIN, entropy=entropy("x"), private=("referee", "log"))
    assert judge.public == made.public
    assert [judge.has(role) for role in ROLES] == [False, True, False, True]
    for role in ("root", "shuffler"):
        with pytest.raises(KeyFileError, match="was not loaded"):
            judge.signer(role)
    with pytest.raises(KeyFileError, match="was not loaded"):
        judge.sealing  # noqa: B018 - asking is the test
    with pytest.raises(KeyFileError, match=r"lacks shuffler\.key"):
        KeyFolder.open_or_make(tmp_path, origin=ORIGIN, entropy=entropy("x"), private=("shuffler",))


def test_root_key_may_be_made_elsewhere(tmp_path: Path) -> None:
    folder, safe = tmp_path / "keys", tmp_path / "safe" / "root.key"
    made = KeyFolder.open_or_make(folder, origin=ORIGIN, entropy=entropy("x"), root=safe)
    assert safe.exists()
    assert not (folder / "root.key").exists()
    assert stat.S_IMODE(safe.stat().st_mode) == 0o600
    again = KeyFolder.open_or_make(folder, origin=ORIGIN, entropy=entropy("y"), private=("root",), root=safe)
    assert again.signer("root").key == made.public["root"]


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
    witness = KeySigner("witness.example/1", b"s" * 32, Algorithm.COSIGNATURE_V1)
    assert KeySigner.from_text(witness.to_text()).key == witness.key
    assert VerifierKey.parse(witness.verifier_key).algorithm is Algorithm.COSIGNATURE_V1
    other_id = VerifierKey("log.example/1", KeySigner("x", b"t" * 32).public_key).key_id.hex()
    own_id = VerifierKey(signer.name, signer.public_key).key_id.hex()
    with pytest.raises(KeyFileError, match="and its file names"):
        KeySigner.from_text(signer.to_text().replace(own_id, other_id))


def test_clock_returns_milliseconds_since_1970() -> None:
    """Later than this test was written, earlier than a clock in microseconds would say, and never going back."""
    first, second = system_clock(), system_clock()
    assert 1_700_000_000_000 < first <= second < 10_000_000_000_000


def test_port_that_is_taken_is_refused(tmp_path: Path) -> None:
    """A second server must not share it unseen, or half of the calls would go to the wrong log."""
    with Application(server_options(data=tmp_path / "one")) as first, pytest.raises(RuntimeError):
        Application(server_options(data=tmp_path / "two", listen=f"127.0.0.1:{first.port}"))


PACKAGE = Path(__file__).parents[3] / "referee"


def test_only_one_file_can_sign():
    """No other module imports anything of PyNaCl that makes or uses a private signing key."""
    signing = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if (isinstance(node, ast.ImportFrom) and (node.module or "").startswith("nacl") and can_sign(node))
        or (isinstance(node, ast.Import) and any(name.name.startswith("nacl") for name in node.names))
    }
    assert signing == {"server/keys/private_key.py"}


def can_sign(node):
    """Whether an import brings in PyNaCl's signing module, all of its bindings, or the binding that signs."""
    if node.module == "nacl.signing":
        return True
    return any(name.name in {"signing", "bindings", "crypto_sign", "crypto_sign_seed_keypair"} for name in node.names)


@pytest.fixture
def _open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, int]:
    """Return the mode of the folder and of everything in it, by path."""
    return {str(path.relative_to(folder)): stat.S_IMODE(path.lstat().st_mode) for path in (folder, *folder.rglob("*"))}


def loose(found: dict[str, int]) -> dict[str, str]:
    """Return the modes that let others in."""
    return {name: oct(mode) for name, mode in found.items() if mode & 0o077}


@pytest.mark.usefixtures("_open_umask")
def test_served_folder_and_its_backup_are_closed_to_others(serve: Callable[..., Any], tmp_path: Path) -> None:
    server = serve()
    server.driver.play("modes")
    found = modes(server.data)
    assert {"log.sqlite3", "log.sqlite3-wal", "log.sqlite3-shm", "keys", "keys/log.key", "keys/log.pub"} <= set(found)
    assert loose(found) == {}
    backup, again = tmp_path / "backup.sqlite3", tmp_path / "again"
    for command in (("backup", backup, "--data", server.data), ("restore", backup, "--data", again)):
        assert referee(*command).returncode == 0
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert loose(modes(again)) == {}


def test_doctor_reports_what_others_can_read(tmp_path: Path) -> None:
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    file = folder / "log.sqlite3"
    file.touch(mode=0o600)
    assert [one.level for one in check_modes(folder)] == [CheckLevel.OK]
    file.chmod(0o640)
    (found,) = check_modes(folder)
    assert found.level is CheckLevel.WARN
    assert (str(file) in found.measured, "0640" in found.measured) == (True, True)
    assert found.remedy == f"run: chmod -R go= {folder}"
