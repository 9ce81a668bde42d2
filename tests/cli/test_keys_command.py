"""``referee keys encrypt``, ``decrypt`` and ``passwd``: no passphrase on a command line, and nothing half done."""

import json
import os
from pathlib import Path
from typing import Final

import pytest
from typer.testing import CliRunner, Result

from referee.cli.main import app
from referee.server.keys.folder import EVERY, KeyFolder
from referee.server.keys.private_key import Passphrase
from referee.server.process.app import Application
from tests.server.options import server_options

OLD: Final = "correct horse battery"
NEW: Final = "staple, and another word"


def referee(*arguments: str, **environ: str) -> Result:
    """Run the command in this process, away from a terminal."""
    return CliRunner().invoke(app, ["keys", *arguments], env={"COLUMNS": "200", "TERM": "dumb", **environ})


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
    before, root = texts_of(data), ("--root", str(data.parent / "root.key"))
    done = referee("encrypt", "--data", str(data), *root, REFEREE_PASSPHRASE=OLD)
    assert done.exit_code == 0, done.stderr
    assert done.stdout.count("\tencrypted\n") == len(EVERY)
    locked = texts_of(data)
    assert {role: Passphrase(OLD.encode()).open(text).strip() for role, text in locked.items()} == {
        role: text.strip() for role, text in before.items()
    }
    done = referee("encrypt", "--data", str(data), *root, REFEREE_PASSPHRASE=OLD)
    assert done.stdout.count("\tas it was\n") == len(EVERY)
    assert texts_of(data) == locked
    done = referee("passwd", "--data", str(data), *root, REFEREE_PASSPHRASE=OLD, REFEREE_NEW_PASSPHRASE=NEW)
    assert done.exit_code == 0, done.stderr
    assert not any(Passphrase(OLD.encode()).fits(text) for text in texts_of(data).values())
    assert referee("decrypt", "--data", str(data), *root, REFEREE_PASSPHRASE=NEW).exit_code == 0
    assert texts_of(data) == before


def test_what_was_done_to_each_file_is_answered_as_json(data: Path) -> None:
    def answered(*words: str, **environ: str) -> dict[str, str]:
        done = referee(*words, "--data", str(data), "--root", str(data.parent / "root.key"), "--json", **environ)
        assert done.exit_code == 0, done.stderr
        return {Path(one["file"]).stem: one["result"] for one in json.loads(done.stdout)["files"]}

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
    assert referee("encrypt", "--data", str(data), "--passphrase-file", str(old)).exit_code == 0
    arguments = ("passwd", "--data", str(data), "--passphrase-file", str(old), "--new-passphrase-file", str(new))
    assert referee(*arguments).exit_code == 0
    assert Passphrase(NEW.encode()).fits(texts_of(data)["log"])
    new.chmod(0o644)
    done = referee("decrypt", "--data", str(data), "--passphrase-file", str(new))
    assert done.exit_code == 2
    assert "chmod 600" in done.stderr


@pytest.mark.parametrize("command", ["encrypt", "decrypt", "passwd"])
def test_wrong_passphrase_changes_nothing(data: Path, command: str) -> None:
    """Not even the files that it would fit: one key was encrypted with another passphrase."""
    assert referee("encrypt", "--data", str(data), REFEREE_PASSPHRASE=OLD).exit_code == 0
    odd = data / "keys" / "shuffler.key"
    odd.write_text(Passphrase(b"the odd one out").seal(Passphrase(OLD.encode()).open(odd.read_text())) + "\n")
    before = texts_of(data)
    done = referee(command, "--data", str(data), REFEREE_PASSPHRASE=OLD, REFEREE_NEW_PASSPHRASE=NEW)
    assert done.exit_code == 2
    assert "shuffler.key: the key was encrypted with another passphrase" in done.stderr
    assert "nothing was changed" in done.stderr
    assert texts_of(data) == before


def test_short_passphrase_is_refused(data: Path) -> None:
    before = texts_of(data)
    done = referee("encrypt", "--data", str(data), REFEREE_PASSPHRASE=OLD[:11])
    assert done.exit_code == 2
    assert "fewer than 12 bytes" in done.stderr
    assert texts_of(data) == before


@pytest.mark.parametrize("command", ["encrypt", "decrypt", "passwd"])
def test_without_a_passphrase_and_a_terminal_it_says_where_to_give_it(data: Path, command: str) -> None:
    done = referee(command, "--data", str(data))
    assert done.exit_code == 2
    assert "--passphrase-file" in done.stderr


def test_no_command_takes_a_passphrase_as_a_flags_value() -> None:
    """Whatever is on a command line, others can read."""
    for command in ("encrypt", "decrypt", "passwd", "agent", "rotate", "revoke"):
        given = referee(command, "--help").stdout
        assert "--passphrase-file" in given
        assert "--passphrase " not in given


def test_folder_without_private_keys_is_reported(tmp_path: Path) -> None:
    done = referee("encrypt", "--data", str(tmp_path), REFEREE_PASSPHRASE=OLD)
    assert done.exit_code == 2
    assert "holds no private keys" in done.stderr


def test_public_keys_are_printed_without_the_passphrase(data: Path) -> None:
    plain = referee("--data", str(data)).stdout
    assert plain.count("log.example/1") == 4
    referee("encrypt", "--data", str(data), REFEREE_PASSPHRASE=OLD)
    assert referee("--data", str(data)).stdout == plain
    assert referee("--data", str(data), REFEREE_PASSPHRASE=OLD).stdout == plain
    assert referee("--data", str(data), REFEREE_PASSPHRASE=NEW).exit_code == 2


def test_agent_that_has_nothing_to_sign_with_does_not_start(tmp_path: Path, data: Path) -> None:
    for arguments, words in (
        (("--keys", str(tmp_path / "none")), "holds no key to sign with"),
        (("--keys", str(data / "keys"), "--role", "cook"), "--role cook is no role"),
        (("--keys", str(data / "keys"), "--role", "root"), "root.key cannot be read"),
        (("--keys", str(data / "keys"), "--group", "no such group"), "no such group"),
    ):
        done = referee("agent", *arguments, "--socket", str(tmp_path / "s"))
        assert done.exit_code == 2
        assert words in done.stderr


def test_changed_keys_are_answered_as_json(tmp_path: Path) -> None:
    data = tmp_path / "data"
    with Application(server_options(data=data)):
        pass
    old = json.loads(referee("--data", str(data), "--json").stdout)["referee"]
    rotated = json.loads(referee("rotate", "referee", "--data", str(data), "--json").stdout)
    new = json.loads(referee("--data", str(data), "--json").stdout)["referee"]
    assert rotated == {"role": "referee", "key": new}
    assert new != old
    assert json.loads(referee("revoke", new, "--data", str(data), "--json").stdout) == {"revoked": new}
