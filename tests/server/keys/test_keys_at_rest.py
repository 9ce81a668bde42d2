"""Private keys where they lie: encrypted with a passphrase, or plain and closed to all but their owner."""

import base64
import os
import struct
from pathlib import Path
from typing import Any, Final

import pytest
from cryptography.hazmat.primitives.kdf.argon2 import Argon2id
from cryptography.hazmat.primitives.poly1305 import Poly1305

from referee.evidence.vkey import Algorithm
from referee.server.keys.folder import EVERY, ROLES, KeyFolder, read_public_keys
from referee.server.keys.private_key import (
    KeyFileError,
    KeySigner,
    Passphrase,
    open_or_make_key,
    read_key,
    reencrypt,
    write_key,
)

ORIGIN: Final = "log.example/1"
PASSPHRASE: Final = "bốn bộ ba, hai tứ quý".encode()
WORDS: Final = struct.unpack("<4I", b"expand 32-byte k")


OTHER: Final = Passphrase(b"another passphrase")
ANOTHER: Final = "another passphrase, or its file is damaged"


def open_folder(folder: Path, passphrase: Passphrase | None) -> KeyFolder:
    """Open the keys of a folder, or make them."""
    return KeyFolder.open_or_make(folder, origin=ORIGIN, entropy=os.urandom, passphrase=passphrase)


def salsa20(key: bytes, block: bytes, *, is_core: bool) -> bytes:
    """Bernstein's Salsa20 of one block, 64 bytes; with ``is_core`` HSalsa20, 32 bytes."""
    k, n = struct.unpack("<8I", key), struct.unpack("<4I", block)
    start = [WORDS[0], *k[:4], WORDS[1], *n, WORDS[2], *k[4:], WORDS[3]]
    x = list(start)

    def quarter(a: int, b: int, c: int, d: int) -> None:
        for target, one, two, turn in ((b, a, d, 7), (c, b, a, 9), (d, c, b, 13), (a, d, c, 18)):
            total = (x[one] + x[two]) & 0xFFFFFFFF
            x[target] ^= ((total << turn) | (total >> (32 - turn))) & 0xFFFFFFFF

    for _ in range(10):
        for column in ((0, 4, 8, 12), (5, 9, 13, 1), (10, 14, 2, 6), (15, 3, 7, 11)):
            quarter(*column)
        for row in ((0, 1, 2, 3), (5, 6, 7, 4), (10, 11, 8, 9), (15, 12, 13, 14)):
            quarter(*row)
    if is_core:
        return struct.pack("<8I", *(x[place] for place in (0, 5, 10, 15, 6, 7, 8, 9)))
    return struct.pack("<16I", *((one + two) & 0xFFFFFFFF for one, two in zip(x, start, strict=True)))


def secretbox(key: bytes, nonce: bytes, text: bytes) -> bytes:
    """NaCl's secretbox, its tag in front."""
    inner = salsa20(key, nonce[:16], is_core=True)
    blocks = range(1 + (32 + len(text)) // 64)
    stream = b"".join(salsa20(inner, nonce[16:] + struct.pack("<Q", number), is_core=False) for number in blocks)
    boxed = bytes(one ^ two for one, two in zip(text, stream[32:], strict=False))
    return Poly1305.generate_tag(stream[:32], boxed) + boxed


def sealed_by_others(text: str, *, salt: bytes, nonce: bytes, passes: int = 3, kib: int = 65_536) -> str:
    """Encode the line that the module's docstring describes, independently."""
    key = Argon2id(salt=salt, length=32, iterations=passes, lanes=1, memory_cost=kib).derive(PASSPHRASE)
    held = base64.b64encode(salt + nonce + secretbox(key, nonce, text.encode())).decode()
    return f"ENCRYPTED+KEY+argon2id+{passes}+{kib}+{held}"


def test_salsa20_of_these_tests_is_that_of_its_specification() -> None:
    """The published HSalsa20 vector of 'Cryptography in NaCl', section 8: the second key of its first."""
    shared = bytes.fromhex("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
    assert salsa20(shared, bytes(16), is_core=True).hex() == (
        "1b27556473e985d462cd51197a9a46c76009549eac6474f206c4ee0844f68389"
    )


@pytest.mark.parametrize("text", ["", "a", "PRIVATE+KEY+" + "x" * 31, "y" * 32, "z" * 33, "w" * 200])
def test_sealed_line_is_the_one_that_other_code_makes(text: str) -> None:
    """Argon2id of another library and a secretbox written out here give the same bytes, and each opens the other's."""
    drawn = iter((b"\x01", b"\x02"))
    passphrase = Passphrase(PASSPHRASE, entropy=lambda size: next(drawn) * size)
    expected = sealed_by_others(text, salt=b"\x01" * 16, nonce=b"\x02" * 24)
    assert passphrase.encrypt(text) == expected
    assert Passphrase(PASSPHRASE).decrypt(expected) == text


def test_other_costs_than_todays_are_read() -> None:
    """A file says what it took to make its key, so that the costs may rise."""
    line = sealed_by_others("text", salt=b"s" * 16, nonce=b"n" * 24, passes=1, kib=8)
    assert Passphrase(PASSPHRASE).decrypt(line + "\n") == "text"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("ENCRYPTED+KEY+argon2id+3+65536+not base64", "not an encrypted key"),
        ("ENCRYPTED+KEY+argon2id+3", "not an encrypted key"),
        ("ENCRYPTED+KEY+argon2id+three+65536+AAAA", "not an encrypted key"),
        ("ENCRYPTED+KEY+argon2id+17+65536+AAAA", "are allowed"),
        ("ENCRYPTED+KEY+argon2id+3+1048577+AAAA", "are allowed"),
        ("ENCRYPTED+KEY+argon2id+0+64+AAAA", "are allowed"),
        ("ENCRYPTED+KEY+argon2id+1+8+AAAA", "damaged"),
    ],
)
def test_line_that_holds_nothing_is_refused(line: str, message: str) -> None:
    with pytest.raises(KeyFileError, match=message):
        Passphrase(PASSPHRASE).decrypt(line)


def test_line_with_any_bit_changed_does_not_open() -> None:
    """Of salt, nonce, tag and text."""
    *head, encoded = sealed_by_others("text", salt=b"s" * 16, nonce=b"n" * 24, passes=1, kib=8).split("+", 5)
    whole = base64.b64decode(encoded)
    for place in range(len(whole)):
        changed = whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :]
        with pytest.raises(KeyFileError, match="damaged"):
            Passphrase(PASSPHRASE).decrypt("+".join([*head, base64.b64encode(changed).decode()]))


def test_folder_made_with_a_passphrase_has_no_key_that_can_be_read_without(tmp_path: Path) -> None:
    """All five are encrypted, each with a nonce of its own; the same keys come out; the public ones need nothing."""
    made = open_folder(tmp_path, Passphrase(PASSPHRASE))
    texts = [(tmp_path / f"{role}.key").read_text() for role in EVERY]
    assert all(text.startswith("ENCRYPTED+KEY+argon2id+3+65536+") for text in texts)
    held = [base64.b64decode(text.split("+", 5)[5]) for text in texts]
    assert len({one[16:40] for one in held}) == 5
    read = open_folder(tmp_path, Passphrase(PASSPHRASE))
    assert [read.signer(role).verifier_key for role in ROLES] == [made.signer(role).verifier_key for role in ROLES]
    assert read.sealing == made.sealing
    assert read_public_keys(tmp_path) == {role: made.public[role].text for role in ROLES}
    for passphrase, message in ((None, "is encrypted; give its passphrase"), (OTHER, ANOTHER)):
        with pytest.raises(KeyFileError, match=message):
            open_folder(tmp_path, passphrase)


def test_key_that_follows_an_encrypted_one_is_encrypted_too(tmp_path: Path) -> None:
    """And one that follows a plain one is plain, though a passphrase is at hand."""
    for name, passphrase in (("locked", Passphrase(PASSPHRASE)), ("plain", None)):
        folder = tmp_path / name
        open_folder(folder, passphrase)
        keys = open_folder(folder, Passphrase(PASSPHRASE))
        keys.next("referee", os.urandom)
        text = (folder / "referee.next.key").read_text()
        assert text.startswith("ENCRYPTED" if passphrase else "PRIVATE")
        keys.adopt("referee")
        assert (folder / "referee.key").read_text() == text


def test_relocked_files_hold_the_same_key(tmp_path: Path) -> None:
    """Plain, encrypted, encrypted with another passphrase, plain: what is so already is left as it is."""
    path, first = tmp_path / "k.key", Passphrase(PASSPHRASE)
    signer = KeySigner(ORIGIN, b"s" * 32)
    write_key(path, signer)
    plain = path.read_text()

    def change(*, old: Passphrase, new: Passphrase | None) -> None:
        finish = reencrypt(path, old=old, new=new)
        assert finish is not None
        finish()
        assert not (tmp_path / "k.key.new").exists()
        assert path.stat().st_mode & 0o777 == 0o600

    assert reencrypt(path, old=first, new=None) is None
    change(old=first, new=first)
    assert reencrypt(path, old=first, new=first) is None
    assert read_key(path, Passphrase(PASSPHRASE)).key == signer.key
    with pytest.raises(KeyFileError, match=ANOTHER):
        reencrypt(path, old=OTHER, new=None)
    change(old=first, new=OTHER)
    with pytest.raises(KeyFileError, match=ANOTHER):
        read_key(path, Passphrase(PASSPHRASE))
    assert reencrypt(path, old=first, new=OTHER) is None
    change(old=OTHER, new=None)
    assert path.read_text() == plain


def test_file_is_what_it_was_until_a_change_is_finished(tmp_path: Path) -> None:
    """A process that dies in between loses nothing, and the next change begins anew."""
    path = tmp_path / "k.key"
    write_key(path, KeySigner(ORIGIN, b"s" * 32))
    before = path.read_text()
    assert reencrypt(path, old=Passphrase(PASSPHRASE), new=Passphrase(PASSPHRASE)) is not None
    assert path.read_text() == before
    finish = reencrypt(path, old=Passphrase(PASSPHRASE), new=Passphrase(PASSPHRASE))
    assert finish is not None
    finish()
    assert sorted(one.name for one in tmp_path.iterdir()) == ["k.key"]


def test_encrypted_key_without_a_passphrase_says_what_to_do(tmp_path: Path) -> None:
    write_key(tmp_path / "k.key", KeySigner(ORIGIN, b"s" * 32), Passphrase(PASSPHRASE))
    message = r"k\.key is encrypted; give its passphrase in a file .* REFEREE_PASSPHRASE"
    with pytest.raises(KeyFileError, match=message):
        read_key(tmp_path / "k.key")


@pytest.mark.parametrize("mode", [0o640, 0o604, 0o620, 0o601, 0o666])
def test_key_that_others_can_reach_is_refused_encrypted_or_not(tmp_path: Path, mode: int) -> None:
    for name, passphrase in (("plain", None), ("locked", Passphrase(PASSPHRASE))):
        write_key(tmp_path / name, KeySigner(ORIGIN, b"s" * 32), passphrase)
        (tmp_path / name).chmod(mode)
        with pytest.raises(KeyFileError, match=f"can be read by users other than its owner; run: chmod 600 .*{name}"):
            read_key(tmp_path / name, passphrase)


@pytest.mark.parametrize("mode", [0o600, 0o400])
def test_key_that_its_owner_alone_can_reach_is_read(tmp_path: Path, mode: int) -> None:
    write_key(tmp_path / "k.key", KeySigner(ORIGIN, b"s" * 32))
    (tmp_path / "k.key").chmod(mode)
    assert read_key(tmp_path / "k.key").name == ORIGIN


def test_key_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The owner of the file can always open it again."""
    write_key(tmp_path / "k.key", KeySigner(ORIGIN, b"s" * 32))
    owner = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: owner + 1)
    message = rf"belongs to user {owner}, and this process runs as user {owner + 1}; .*chown"
    with pytest.raises(KeyFileError, match=message):
        read_key(tmp_path / "k.key")


def test_passphrase_comes_from_the_file_or_else_from_the_variable(tmp_path: Path) -> None:
    """The file's last line break is none of it, all else is."""
    file = tmp_path / "passphrase"
    file.write_bytes(PASSPHRASE + b"\n")
    file.chmod(0o600)
    other = {"REFEREE_PASSPHRASE": "another passphrase"}
    line = Passphrase(PASSPHRASE).encrypt("text")
    from_file, from_variable = Passphrase.of(str(file), other), Passphrase.of("", other)
    assert from_file is not None
    assert from_variable is not None
    assert from_file.decrypt(line) == "text"
    assert not from_variable.fits(line)
    assert Passphrase.of("", {}) is None
    assert Passphrase.of("", {"REFEREE_PASSPHRASE": ""}) is None


def test_passphrase_that_systemd_hands_over_is_taken_as_it_lies(tmp_path: Path) -> None:
    """Its files are root's, and an access list lets the service read them, which looks like a group's right."""
    file = tmp_path / "credentials" / "passphrase"
    file.parent.mkdir()
    file.write_bytes(PASSPHRASE)
    file.chmod(0o440)
    handed = Passphrase.of(str(file), {"CREDENTIALS_DIRECTORY": str(file.parent)})
    assert handed is not None
    assert handed.fits(Passphrase(PASSPHRASE).encrypt("text"))
    for elsewhere in ({}, {"CREDENTIALS_DIRECTORY": ""}, {"CREDENTIALS_DIRECTORY": str(tmp_path / "other")}):
        with pytest.raises(KeyFileError, match="chmod 600"):
            Passphrase.of(str(file), elsewhere)


@pytest.mark.parametrize(
    ("held", "mode", "message"),
    [
        (b"\n", 0o600, "holds no passphrase"),
        (PASSPHRASE, 0o644, "chmod 600"),
        (b"\xff", 0o600, "cannot be read"),
        (None, 0o600, "cannot be read"),
    ],
)
def test_file_that_gives_no_passphrase_is_refused(tmp_path: Path, held: bytes | None, mode: int, message: str) -> None:
    file = tmp_path / "passphrase"
    if held is not None:
        file.write_bytes(held)
        file.chmod(mode)
    with pytest.raises(KeyFileError, match=message):
        Passphrase.of(str(file), {})


def test_no_key_is_made_under_a_short_passphrase(tmp_path: Path) -> None:
    with pytest.raises(KeyFileError, match="fewer than 12 bytes"):
        open_folder(tmp_path / "keys", Passphrase(PASSPHRASE[:11]))
    assert not list((tmp_path / "keys").glob("*.key"))


def test_witness_key_may_be_encrypted_as_well(tmp_path: Path) -> None:
    """Made so, and opened again; not without the passphrase."""
    named: dict[str, Any] = {"name": "witness.example/w", "algorithm": Algorithm.COSIGNATURE_V1, "entropy": os.urandom}
    made = open_or_make_key(tmp_path / "w.key", **named, passphrase=Passphrase(PASSPHRASE))
    assert open_or_make_key(tmp_path / "w.key", **named, passphrase=Passphrase(PASSPHRASE)).key == made.key
    with pytest.raises(KeyFileError, match="is encrypted; give its passphrase"):
        open_or_make_key(tmp_path / "w.key", **named)


def test_nothing_shows_a_passphrase_or_a_key(tmp_path: Path) -> None:
    """Neither what a debugger prints of the folder, nor what is said of a file that does not hold together."""
    passphrase = Passphrase(PASSPHRASE)
    keys = open_folder(tmp_path, passphrase)
    message = repr(passphrase) + repr(keys)
    assert PASSPHRASE.decode() not in message
    assert repr(PASSPHRASE)[2:-1] not in message
    assert keys.sealing.hex() not in message
    assert repr(keys.sealing)[2:-1] not in message
