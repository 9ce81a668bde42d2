"""Every example that the help of a command shows, run as it is shown there.

Only what is on other machines, takes minutes or is somebody's own is replaced: addresses, keys, a table and its round.
"""

import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final

import pytest

from referee.lab.fairness.bounds import FEWEST_CONTROL_DECKS, FEWEST_DECKS
from referee.server.keys.folder import read_public_keys
from tests.cli.printing import printed
from tests.cli.test_command_line import EXAMPLES
from tests.command import PLAIN, referee
from tests.demo_log import DemoLog
from tests.server.processes import Serve

SECONDS: Final = 120
TABLE: Final = "demo.tien_len.mien_nam"
PASSPHRASE: Final = "correct horse battery"  # noqa: S105 - of keys of this test
BACKUP: Final = "log-2026-11-23.sqlite3"

LINES: Final = [line for lines in EXAMPLES.values() for line in lines]
REPLACED: Final[Mapping[str, str]] = MappingProxyType(
    {
        "acme.vip-7": TABLE,
        "42": "1",
        "127.0.0.1:50052": "127.0.0.1:0",
        "127.0.0.1:8080": "127.0.0.1:0",
        "unix:/run/referee/advice": "unix:advice",
        "/srv/www/log": "www",
        "s3://bucket/log": "memory://bucket/log",
        "--tls": "",
    }
)
"""Words of examples, and those in their place here; no authority of this machine vouches for a server of a test."""
SHORTER: Final[Mapping[str, str]] = MappingProxyType(
    {
        "fairness-report": f"--decks {FEWEST_DECKS} --control-decks {FEWEST_CONTROL_DECKS}",
        "learn": "--rounds 320",
        "demo": "--rounds 1",
        "serve": "--listen 127.0.0.1:0 --set serve.drain_lead=0",
        "witness": "--data witness",
    }
)
"""Options added at the end, by command: less work, and ports that are free."""
SLOW: Final[Mapping[str, str]] = MappingProxyType(
    {
        "demo": "plays rounds of every ruleset",
        "fairness-report": "deals the fewest decks that are reported on",
        "serve --workers": "starts several processes",
    }
)
SERVED: Final = ("127.0.0.1:50051", "play.example.com:443")
"""Addresses in whose place a server of this test is asked."""
SERVING: Final = ("advise", "publish --follow", "serve", "witness")
"""Examples that go on until they are stopped, by command, with the option that makes them go on."""


def locked(folder: Path) -> None:
    """Encrypt the private keys, and write the passphrases' files."""
    printed("keys", "encrypt", "--data", folder / "referee-data", REFEREE_PASSPHRASE=PASSPHRASE)
    for name, text in (("old.key", PASSPHRASE), ("new.key", "staple, and another word")):
        (folder / name).write_text(text, encoding="ascii")
        (folder / name).chmod(0o600)


def root_elsewhere(folder: Path) -> None:
    """Keep the root's private key away from the others."""
    (folder / "referee-data/keys/root.key").rename(folder / "root.key")


def without_log(folder: Path) -> None:
    """Leave the keys alone in the data folder."""
    for file in (folder / "referee-data").glob("log.sqlite3*"):
        file.unlink()


PREPARED: Final[Mapping[str, Callable[[Path], object]]] = MappingProxyType(
    {
        "backup": lambda folder: (folder / BACKUP).unlink(),
        "backup --extend": lambda folder: printed("backup", folder / BACKUP, "--data", folder / "referee-data"),
        "games protos": lambda folder: printed("games", "new", "high_card", "--folder", folder / "high_card"),
        "keys --make": lambda folder: shutil.rmtree(folder / "referee-data"),
        "keys decrypt": locked,
        "keys encrypt": root_elsewhere,
        "keys passwd": locked,
        "keys rotate log": root_elsewhere,
        "restore": without_log,
        "token issue": lambda folder: printed("token", "key", folder / "k.key", "--name", "acme.example/tokens"),
    }
)
"""What must be so before an example, by how it begins."""


def starts(line: str, beginning: str) -> bool:
    """Say whether an example begins with a command, and has the options that are named with it."""
    return all(word in line.split() for word in beginning.split()) and line.split()[1] == beginning.partition(" ")[0]


@pytest.fixture(scope="module")
def whole(demo_log: DemoLog, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with what the examples name: a log, rulesets, exported rounds, tiles, a configuration."""
    folder = tmp_path_factory.mktemp("examples")
    data = folder / "referee-data"
    shutil.copytree(demo_log.data, data)
    source = printed("rulesets", "show", "mau_binh.classic").replace('"mau_binh.classic"', '"mau_binh.my_house"')
    (folder / "my-rulesets").mkdir()
    (folder / "my-rulesets/my_house.toml").write_text(source, encoding="utf-8")
    for name in ("round.json", "move.json", "kept.json"):
        printed("export", TABLE, 1, "--data", data, "--out", folder / name)
    (folder / "transcript.json").write_text(printed("replay", TABLE, 1, "--data", data, "--json"), encoding="ascii")
    (folder / "referee.toml").write_text(printed("config", "example"), encoding="utf-8")
    (folder / "admin.token").write_text("no-token-is-looked-at", encoding="ascii")
    printed("publish", folder / "tiles", "--data", data)
    printed("backup", folder / BACKUP, "--data", data)
    return folder


def words_of(line: str, data: Path) -> list[str]:
    """Return the words of an example as they are run here, but for addresses of servers."""
    keys = read_public_keys(data / "keys")
    words = shlex.split(line.partition(">")[0])[1:]
    own = {"--log-key": keys["log"], "--log": keys["log"], "--root-key": keys["root"]}
    options = ["", *words[:-1]]
    words = [own.get(option, word) if word == "KEY" else word for option, word in zip(options, words, strict=True)]
    return [found for word in words if (found := REPLACED.get(word, word))] + SHORTER.get(words[0], "").split()


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(one, marks=[pytest.mark.slow(why) for key, why in SLOW.items() if starts(one, key)])
        for one in LINES
    ],
)
def test_example_does_what_its_help_says(
    line: str, whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, serve: Serve
) -> None:
    """It ends with exit code 0, or says that it is ready and ends with 0 when it is asked to."""
    folder = tmp_path / "here"
    shutil.copytree(whole, folder)
    words = words_of(line, folder / "referee-data")
    for at, word in enumerate(words):
        if word in SERVED:
            words[at] = serve(data=whole / "referee-data").ready["address"]
    for beginning, prepare in PREPARED.items():
        if starts(line, beginning):
            prepare(folder)
    monkeypatch.chdir(folder)
    if any(starts(line, serving) for serving in SERVING):
        assert stopped(words) == (-signal.SIGTERM if words[0] == "advise" else 0)
        return
    done = referee(*words, **({"REFEREE_PASSPHRASE": PASSPHRASE} if words[1:2] in (["encrypt"], ["passwd"]) else {}))
    allowed = (0, 1) if words[0] == "doctor" else (0,)  # a machine may have too few files or too little disk
    assert done.returncode in allowed, done.stdout + done.stderr
    written = [words[at] for at in range(1, len(words)) if words[at - 1] in ("--out", "--html")]
    assert [file for file in written if not Path(file).exists()] == []
    if "--json" in words:
        assert json.loads(done.stdout)


def stopped(words: list[str]) -> int:
    """Run a command until it has printed a line, then ask it to stop; return its exit code."""
    command = [sys.executable, "-m", "referee", *words]
    environment = {**PLAIN, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, env=environment) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        process.send_signal(signal.SIGTERM)
        return process.wait(SECONDS)


def test_every_preparation_is_for_an_example() -> None:
    beginnings = [*PREPARED, *SHORTER, *SLOW, *SERVING]
    assert [one for one in beginnings if not any(starts(line, one) for line in LINES)] == []
    assert [word for word in REPLACED if not any(word in line.split() for line in LINES)] == []
