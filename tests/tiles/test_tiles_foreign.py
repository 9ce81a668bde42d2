"""A published log is verified by ``golang.org/x/mod/sumdb``, which shares no code with Referee."""

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from referee.evidence.note import Note, cosign_note
from referee.log import CheckpointSigner
from referee.tiles import FolderPlace, publish
from tests.command import Done, referee
from tests.demo_log import DemoLog
from tests.named_signer import NamedSigner
from tests.once import made_once
from tests.tiles.tiles_log import MakeLog

SOURCE: Final = Path(__file__).with_name("foreign") / "main.go"
DEBIAN: Final = Path("/usr/share/gocode")
"""Where golang-golang-x-mod-dev puts its source."""

Verify = Callable[..., Done]


@pytest.fixture(scope="session")
def verify(tmp_path_factory: pytest.TempPathFactory) -> Verify:
    """Build the foreign verifier; return a function that runs it on a key, a folder and an older checkpoint."""
    if shutil.which("go") is None or not (DEBIAN / "src/golang.org/x/mod/sumdb").is_dir():
        pytest.skip("the foreign verifier is not built: apt-get install golang-go golang-golang-x-mod-dev")

    def build(folder: Path) -> None:
        folder.mkdir()
        go = shutil.which("go")
        assert go is not None
        settings = {"GO111MODULE": "off", "GOFLAGS": "", "GOPATH": str(DEBIAN), "GOCACHE": str(folder / "cache")}
        subprocess.run(
            [go, "build", "-o", folder / "verify", SOURCE], env={**os.environ, **settings}, check=True, timeout=300
        )

    program = made_once(tmp_path_factory, "foreign", build) / "verify"

    def run(*arguments: object) -> Done:
        done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=60, check=False)
        return Done(done.returncode, done.stdout, done.stderr)

    return run


def test_sumdb_verifies_the_log_of_the_demo(verify: Verify, demo_log: DemoLog, tmp_path: Path):
    """Its signature, its tiles and the inclusion of each leaf."""
    assert referee("publish", tmp_path / "tiles", "--data", demo_log.data).returncode == 0
    _, size, root = (tmp_path / "tiles/checkpoint").read_text().splitlines()[:3]
    done = verify((demo_log.data / "keys/log.pub").read_text().strip(), tmp_path / "tiles")
    assert (done.returncode, done.stderr) == (0, "")
    assert (
        f"{size} leaves, root {root}\ntiles: all as {size} leaves make them\ninclusion: {size} leaves\n" in done.stdout
    )


@pytest.mark.parametrize("size", [1, 2, 255, 256, 257, 700, 2_500])
def test_sumdb_verifies_logs_of_any_size_and_their_growth(verify: Verify, make_log: MakeLog, tmp_path: Path, size: int):
    log = make_log(2_500)
    place = FolderPlace(tmp_path / "log")
    publish(log, log.note(size), place)
    for older in sorted({0, 1, 100, 255, 256, 257, size - 1, size} & {*range(size + 1)}):
        (tmp_path / "older").write_bytes(log.note(older))
        done = verify(log.signer.key.text, tmp_path / "log", tmp_path / "older")
        assert (done.returncode, done.stderr) == (0, "")
        assert done.stdout.endswith(f"inclusion: {size} leaves\nconsistency: continues {older} leaves\n")


def test_sumdb_reads_past_signatures_of_witnesses(verify: Verify, make_log: MakeLog, tmp_path: Path):
    log, witness = make_log(700), NamedSigner("witness")
    publish(log, log.note(700), FolderPlace(tmp_path / "log"))
    note = cosign_note(Note.parse(log.note(700)), name="witness.example", signer=witness, time=1)
    (tmp_path / "log/checkpoint").write_bytes(note.format())
    assert verify(log.signer.key.text, tmp_path / "log").returncode == 0


def test_sumdb_refuses_what_was_edited(verify: Verify, make_log: MakeLog, tmp_path: Path):
    """A hash tile, a leaf, a missing file, a checkpoint of another log, another key, a fork's older state."""
    log, fork = make_log(700), make_log(700, common=100)
    folder = tmp_path / "log"

    def refused(why: str, *, key: str = log.signer.key.text, older: bytes = b"") -> None:
        (tmp_path / "older").write_bytes(older)
        done = verify(key, folder, *([tmp_path / "older"] if older else []))
        assert (done.returncode, why in done.stderr) == (1, True), done.stderr
        shutil.rmtree(folder)
        publish(log, log.note(700), FolderPlace(folder))

    def flip(path: str, at: int) -> None:
        data = bytearray((folder / path).read_bytes())
        data[at] ^= 1
        (folder / path).write_bytes(data)

    publish(log, log.note(700), FolderPlace(folder))
    flip("tile/0/001", 40)
    refused("tile/8/0/001 is not the tile")
    flip("tile/1/000.p/2", 40)
    refused("tile/8/1/000.p/2 is not the tile")
    flip("tile/entries/001", 40)
    refused("the leaves have root")
    (folder / "tile/0/000").unlink()
    refused("no such file")
    (folder / "checkpoint").write_bytes(fork.note(700))
    refused("the leaves have root")
    refused("no verifiable signatures", key=CheckpointSigner(NamedSigner("other"), key_name="other.example").key.text)
    refused("does not continue its state of 600 leaves", older=fork.note(600))
