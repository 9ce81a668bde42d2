"""Files that people edit and keys that they paste, as other systems leave them: marked, in UTF-16, in white space.

A byte order mark is taken, and white space around a key; of UTF-16 each reader says what it is and what to do.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import pytest
import typer
from referee_client.trust import Believed, Trust

from referee.cli.service_access import ServiceOptions
from referee.evidence.outside import OutsideError, pasted
from referee.evidence.vkey import KeyTextError, VerifierKey
from referee.log.cosignature import quorum_of
from referee.log.policy import Policy, PolicyError
from referee.rulesets import load_builtin
from referee.rulesets.ruleset import RulesetError, parse_ruleset
from referee.server.doctor.store import public_key_of
from referee.server.keys.private_key import KeyFileError, KeySigner, Passphrase, read_key
from referee.server.name_file import read_names
from referee.server.settings.reading import SettingsError, read_settings
from tests.cli.printing import printed
from tests.command import refused
from tests.demo_log import DemoLog
from tests.log.test_log_policy import LOG, vkey

SIGNER: Final = KeySigner("log.example/1", b"s" * 32)
KEY: Final = SIGNER.key.text
RULESET: Final = load_builtin().get("tien_len.mien_nam").source
WORDS: Final = "UTF-16 text, as some editors of Windows write it; save the file as UTF-8"


def settings(data: bytes, folder: Path) -> object:
    """Read the bytes as a server's settings."""
    (folder / "referee.toml").write_bytes(data)
    return read_settings(file=folder / "referee.toml").configuration.log.data


def private_key(data: bytes, folder: Path) -> object:
    """Read the bytes as a private key's file."""
    return read_key(written(data, folder)).key


def passphrase(data: bytes, folder: Path) -> object:
    """Read the bytes as a passphrase's file."""
    found = Passphrase.of(str(written(data, folder)), {})
    assert found is not None
    return found.fits(Passphrase(b"correct horse battery").encrypt("x"))


def written(data: bytes, folder: Path) -> Path:
    """Write a file that only its owner can read."""
    file = folder / "secret"
    file.write_bytes(data)
    file.chmod(0o600)
    return file


def names(data: bytes, _folder: Path) -> object:
    """Read the bytes as a list of revoked tokens."""
    found = read_names(data)
    if found.fault:
        raise OutsideError(found.fault)
    return found.names


def token(data: bytes, folder: Path) -> object:
    """Read the bytes as a token's file."""
    return ServiceOptions(token_file=written(data, folder)).read().token


Reader = Callable[[bytes, Path], object]
READERS: Final[Mapping[str, tuple[Reader, bytes]]] = MappingProxyType(
    {
        "settings": (settings, b'[log]\ndata = "here"\n'),
        "ruleset": (lambda data, _: parse_ruleset(data, file="house.toml").id, RULESET),
        "policy": (lambda data, _: Policy.parse(data).logs, f"{LOG}quorum none\n".encode()),
        "revoked tokens": (names, b"stolen\nlost # in May\n"),
        "private key": (private_key, SIGNER.to_text().encode() + b"\n"),
        "passphrase": (passphrase, b"correct horse battery\n"),
        "token": (token, b"header.payload.signature\n"),
    }
)
"""Readers of files that people edit or paste into, each with bytes that it reads."""


@pytest.mark.parametrize("name", READERS)
def test_byte_order_mark_is_taken(name: str, tmp_path: Path) -> None:
    reader, data = READERS[name]
    assert reader(b"\xef\xbb\xbf" + data, tmp_path) == reader(data, tmp_path)


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be"])
@pytest.mark.parametrize("name", READERS)
def test_text_in_utf_16_is_called_so(
    name: str, encoding: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    reader, data = READERS[name]
    refusals = (SettingsError, RulesetError, PolicyError, OutsideError, KeyFileError, typer.Exit)
    with pytest.raises(refusals) as raised:
        reader(data.decode().encode(encoding), tmp_path)
    said = " ".join((str(raised.value) + capsys.readouterr().err).split())
    assert WORDS in said


@pytest.mark.parametrize("name", ["private key", "token", "passphrase"])
def test_line_break_of_windows_after_a_secret_is_none_of_it(name: str, tmp_path: Path) -> None:
    reader, data = READERS[name]
    assert reader(data.replace(b"\n", b"\r\n"), tmp_path) == reader(data, tmp_path)


def test_policy_says_that_its_lines_are_those_of_windows() -> None:
    with pytest.raises(PolicyError, match="line 1 of the policy: it ends in CR LF"):
        Policy.parse(LOG.replace("\n", "\r\n").encode())


AROUND: Final = ("{}\n", "{}\r\n", " {}", "\t{} ", "\ufeff{}", "{}\u00a0", "\u200b{}")
"""What pasting leaves around a key: line breaks, spaces, a mark, a space that does not break, one without a width."""


@pytest.mark.parametrize("around", AROUND, ids=ascii)
def test_key_is_read_without_what_pasting_left_around_it(around: str) -> None:
    text = around.format(KEY)
    assert pasted(text) == KEY
    witness = vkey("witness.example")
    assert quorum_of([around.format(witness)]).witnesses == (VerifierKey.parse(witness),)
    assert Believed(Trust(log_key=text, root_key=text, witnesses=[around.format(witness)])).origin == "log.example/1"


@pytest.mark.parametrize("around", AROUND, ids=ascii)
def test_commands_take_pasted_keys(around: str, demo_log: DemoLog, tmp_path: Path) -> None:
    keys: dict[str, Any] = json.loads(printed("keys", "--data", demo_log.data, "--json"))
    given = ("--log-key", around.format(keys["log"]), "--root-key", around.format(keys["root"]))
    printed("audit", demo_log.data, *given)
    bundle = tmp_path / "round.json"
    printed("export", "demo.tien_len.mien_nam", 1, "--data", demo_log.data, "--out", bundle)
    printed("verify", bundle, *given)
    printed("dispute", bundle, *given)


def test_key_that_was_broken_into_lines_is_called_so(demo_log: DemoLog) -> None:
    """Mail and chat break long lines; where the text was joined is not guessed."""
    broken = f"{KEY[:30]}\n{KEY[30:]}"
    with pytest.raises(KeyTextError, match="white space is in it; paste it as one line"):
        VerifierKey.parse(broken)
    words = " ".join(refused("audit", demo_log.data, "--log-key", broken, "--root-key", KEY).split())
    assert "white space is in it; paste it as one line" in words


@pytest.mark.parametrize("around", AROUND, ids=ascii)
def test_file_of_a_public_key_is_read_so_too(around: str, tmp_path: Path) -> None:
    file = tmp_path / "log.pub"
    file.write_text(around.format(KEY), encoding="utf-8")
    assert public_key_of(file) == SIGNER.key


def test_strict_readers_of_signed_bytes_stay_strict() -> None:
    """A key in a leaf has one text; only what people paste is trimmed."""
    for text in AROUND:
        with pytest.raises(KeyTextError):
            VerifierKey.parse(text.format(KEY))
