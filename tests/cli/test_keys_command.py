"""``referee keys encrypt``, ``decrypt`` and ``passwd``: no passphrase on a command line, and nothing half done."""

import json
import os
from functools import partial
from pathlib import Path
from typing import Final

import pytest

from referee.server.keys.folder import EVERY, KeyFolder
from referee.server.keys.private_key import Passphrase
from referee.server.process.app import Application
from tests.cli.printing import printed
from tests.command import refused
from tests.server.options import server_options

OLD: Final = "correct horse battery"
NEW: Final = "staple, and another word"


keys = partial(printed, "keys")
"""Run ``referee keys``, away from a terminal."""
refusal = partial(refused, "keys")
"""Run it where it is refused; return what it says."""


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """Return a folder with keys, the root's elsewhere."""
    KeyFolder.open_or_make(
        tmp_path / "data" / "keys", origin="log.example/1", entropy=os.urandom, root=tmp_path / "root.key"
    )
    return tmp_path / "data"


def texts_of(data: Path) -> dict[str, str]:
    """Return the private keys' files."""
    root = data.parent / "root.key"
    return {path.stem: path.read_text() for path in (*sorted((data / "keys").glob("*.key")), root)}


def test_encrypted_with_another_passphrase_and_decrypted_the_keys_are_what_they_were(data: Path) -> None:
    """The root's key goes along where it is named. What is so already is left as it is."""
    before, where = texts_of(data), ("--data", data, "--root", data.parent / "root.key")
    assert keys("encrypt", *where, REFEREE_PASSPHRASE=OLD).count("\tencrypted\n") == len(EVERY)
    locked = texts_of(data)
    opened = {role: Passphrase(OLD.encode()).decrypt(text).strip() for role, text in locked.items()}
    assert opened == {role: text.strip() for role, text in before.items()}
    assert keys("encrypt", *where, REFEREE_PASSPHRASE=OLD).count("\tas it was\n") == len(EVERY)
    assert texts_of(data) == locked
    keys("passwd", *where, REFEREE_PASSPHRASE=OLD, REFEREE_NEW_PASSPHRASE=NEW)
    assert not any(Passphrase(OLD.encode()).fits(text) for text in texts_of(data).values())
    keys("decrypt", *where, REFEREE_PASSPHRASE=NEW)
    assert texts_of(data) == before


def test_what_was_done_to_each_file_is_answered_as_json(data: Path) -> None:
    def answered(*words: str, **environ: str) -> dict[str, str]:
        text = keys(*words, "--data", data, "--root", data.parent / "root.key", "--json", **environ)
        return {Path(one["file"]).stem: one["result"] for one in json.loads(text)["files"]}

    assert answered("encrypt", REFEREE_PASSPHRASE=OLD) == dict.fromkeys(EVERY, "encrypted")
    assert answered("encrypt", REFEREE_PASSPHRASE=OLD) == dict.fromkeys(EVERY, "as it was")
    changed = answered("passwd", REFEREE_PASSPHRASE=OLD, REFEREE_NEW_PASSPHRASE=NEW)
    assert changed == dict.fromkeys(EVERY, "encrypted anew")
    assert answered("decrypt", REFEREE_PASSPHRASE=NEW) == dict.fromkeys(EVERY, "decrypted")


def test_passphrases_come_from_files_that_others_cannot_read(data: Path, tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    for path, text in ((old, OLD), (new, NEW)):
        path.write_text(text + "\n")
        path.chmod(0o600)
    keys("encrypt", "--data", data, "--passphrase-file", old)
    keys("passwd", "--data", data, "--passphrase-file", old, "--new-passphrase-file", new)
    assert Passphrase(NEW.encode()).fits(texts_of(data)["log"])
    new.chmod(0o644)
    assert "chmod 600" in refusal("decrypt", "--data", data, "--passphrase-file", new)


@pytest.mark.parametrize("command", ["encrypt", "decrypt", "passwd"])
def test_wrong_passphrase_changes_nothing(data: Path, command: str) -> None:
    """Not even the files that it would fit: one key was encrypted with another passphrase."""
    keys("encrypt", "--data", data, REFEREE_PASSPHRASE=OLD)
    odd = data / "keys" / "shuffler.key"
    odd.write_text(Passphrase(b"the odd one out").encrypt(Passphrase(OLD.encode()).decrypt(odd.read_text())) + "\n")
    before = texts_of(data)
    message = refusal(command, "--data", data, REFEREE_PASSPHRASE=OLD, REFEREE_NEW_PASSPHRASE=NEW)
    assert "shuffler.key: the key was encrypted with another passphrase" in message
    assert "nothing was changed" in message
    assert texts_of(data) == before


def test_short_passphrase_is_refused(data: Path) -> None:
    before = texts_of(data)
    assert "fewer than 12 bytes" in refusal("encrypt", "--data", data, REFEREE_PASSPHRASE=OLD[:11])
    assert texts_of(data) == before


@pytest.mark.parametrize("command", ["encrypt", "decrypt", "passwd"])
def test_without_a_passphrase_and_a_terminal_it_says_where_to_give_it(data: Path, command: str) -> None:
    assert "--passphrase-file" in refusal(command, "--data", data)


def test_no_command_takes_a_passphrase_as_a_flags_value() -> None:
    """Whatever is on a command line, others can read."""
    for command in ("encrypt", "decrypt", "passwd", "agent", "rotate", "revoke"):
        given = keys(command, "--help")
        assert "--passphrase-file" in given
        assert "--passphrase " not in given


def test_folder_without_private_keys_is_reported(tmp_path: Path) -> None:
    assert "holds no private keys" in refusal("encrypt", "--data", tmp_path, REFEREE_PASSPHRASE=OLD)


def test_public_keys_are_printed_without_the_passphrase(data: Path) -> None:
    plain = keys("--data", data)
    assert plain.count("log.example/1") == 4
    keys("encrypt", "--data", data, REFEREE_PASSPHRASE=OLD)
    assert keys("--data", data) == keys("--data", data, REFEREE_PASSPHRASE=OLD) == plain
    refusal("--data", data, REFEREE_PASSPHRASE=NEW)


def test_agent_that_has_nothing_to_sign_with_does_not_start(tmp_path: Path, data: Path) -> None:
    for arguments, words in (
        (("--keys", tmp_path / "none"), "holds no key to sign with"),
        (("--keys", data / "keys", "--role", "cook"), "cook is no role that signs"),
        (("--keys", data / "keys", "--role", "root"), "root.key cannot be read"),
        (("--keys", data / "keys", "--group", "no such group"), "no such group"),
    ):
        assert words in refusal("agent", *arguments, "--socket", tmp_path / "s")


def test_changed_keys_are_answered_as_json(tmp_path: Path) -> None:
    Application(server_options(data=tmp_path / "data")).close()

    def answer(*words: str) -> dict[str, str]:
        return dict(json.loads(keys(*words, "--data", tmp_path / "data", "--json")))

    old, rotated, new = answer()["referee"], answer("rotate", "referee"), answer()["referee"]
    assert rotated == {"role": "referee", "key": new}
    assert new != old
    assert answer("revoke", new) == {"revoked": new}
