"""``referee publish`` and the audit of what it published, as a person or a script uses them."""

import functools
import http.server
import json
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from referee.evidence.note import Note, cosign_note
from referee.log import CheckpointSigner, open_checkpoint
from referee.log.tile import entry_tiles, hash_tiles
from referee.storage import Append, Cosigned, Writer, open_sqlite
from tests.audit.audit_builder import LOG, ORIGIN, ROOT, LogBuilder, NamedSigner, Table
from tests.command import PLAIN, Done, referee

SECONDS = 60
KEYS = ("--log-key", LOG.text, "--root-key", ROOT.text)


def command(*arguments: object) -> list[str]:
    return [sys.executable, "-m", "referee", *map(str, arguments)]


def codes(done: Done) -> list[str]:
    """Return the codes that an audit found, each as often as it was found, in order."""
    return [finding["code"] for finding in json.loads(done.stdout)["findings"]]


class GrowingStore:
    """A data folder whose log grows by whole rounds."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._log = LogBuilder.founded()
        self._table = Table(name="table-1", ruleset_id="mau_binh.classic", seats=2, received=False)
        self._appended = 0

    @property
    def size(self) -> int:
        """The leaves so far."""
        return len(self._log.entries)

    def play(self, rounds: int) -> None:
        """So many rounds more stand in the log."""
        for _ in range(rounds):
            self._log.play(self._table)
        store = open_sqlite(self.folder)
        with Writer(store, CheckpointSigner(LOG, key_name=LOG.name), origin=ORIGIN) as writer:
            for leaf in self._log.entries[self._appended :]:
                writer.append(Append(leaf=leaf))
        store.close()
        self._appended = self.size

    def cosign(self, witness: NamedSigner) -> bytes:
        """Keep the newest checkpoint in the store as a witness cosigned it."""
        store = open_sqlite(self.folder)
        note = cosign_note(Note.parse(store.head().checkpoint), name=witness.name, signer=witness, time=1).format()
        store.keep_cosigned(self.size, lambda _: Cosigned(size=self.size, note=note, is_quorate=False))
        store.close()
        return note


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> GrowingStore:
    """Return the store of a log of two bundles."""
    made = GrowingStore(tmp_path_factory.mktemp("store"))
    made.play(70)
    return made


@pytest.fixture
def tiles(store: GrowingStore, tmp_path: Path) -> Path:
    """Publish that log."""
    done = referee("publish", tmp_path / "tiles", "--data", store.folder)
    assert (done.returncode, done.stderr) == (0, "")
    assert f"{store.size} leaves" in done.stdout
    return tmp_path / "tiles"


def test_published_log_is_audited_from_its_files_alone(store: GrowingStore, tiles: Path):
    """The same report as from the store, with the keys as somebody knows them; exit code 0."""
    expected = {tile.path for each in (hash_tiles, entry_tiles) for tile in each(store.size)} | {"checkpoint"}
    assert {str(path.relative_to(tiles)) for path in tiles.rglob("*") if path.is_file()} == expected
    from_tiles = referee("audit", tiles, *KEYS, "--json")
    from_store = referee("audit", "--data", store.folder, *KEYS, "--json")
    assert (from_tiles.returncode, from_store.returncode) == (0, 0), from_tiles.stderr
    ours, theirs = json.loads(from_tiles.stdout), json.loads(from_store.stdout)
    del ours["now"], theirs["now"]
    assert ours == theirs
    assert ours["size"] == store.size


def test_a_data_folder_may_be_named_as_it_is(store: GrowingStore):
    assert referee("audit", store.folder, *KEYS).returncode == 0


def test_publishing_again_adds_what_is_new(tmp_path: Path):
    store = GrowingStore(tmp_path / "data")
    for rounds in (1, 70, 0):
        store.play(rounds)
        done = referee("publish", tmp_path / "tiles", "--data", store.folder)
        assert (
            done.stdout
            == f"{store.size} leaves at {tmp_path / 'tiles'}, {4 * rounds + 3 * (rounds == 1)} of them new\n"
        )
    assert codes(referee("audit", tmp_path / "tiles", *KEYS, "--json")) == []


def test_checkpoint_is_published_with_its_cosignatures(tmp_path: Path):
    """Also where they came after it was published; a larger log's checkpoint is published without waiting for any."""
    store, tiles, witness = GrowingStore(tmp_path / "data"), tmp_path / "tiles", NamedSigner("witness.example/1")
    store.play(1)
    assert referee("publish", tiles, "--data", store.folder).returncode == 0
    cosigned = store.cosign(witness)
    assert (tiles / "checkpoint").read_bytes() in cosigned
    assert referee("publish", tiles, "--data", store.folder).returncode == 0
    assert (tiles / "checkpoint").read_bytes() == cosigned
    store.play(1)
    assert referee("publish", tiles, "--data", store.folder).returncode == 0
    assert b"witness" not in (tiles / "checkpoint").read_bytes()
    assert published_size(tiles) == store.size


def test_edited_tile_and_edited_bundle_are_found(tiles: Path):
    """Exit code 1; the finding names the leaf."""
    for path, offset, expected in (
        ("tile/0/000", 32 * 7, ["TILE_MISMATCH"]),
        ("tile/1/000.p/1", 0, ["TILE_MISMATCH"]),
    ):
        file = tiles / path
        whole = file.read_bytes()
        file.write_bytes(whole[:offset] + bytes([whole[offset] ^ 1]) + whole[offset + 1 :])
        done = referee("audit", tiles, *KEYS, "--json")
        assert (done.returncode, codes(done)) == (1, expected)
        assert json.loads(done.stdout)["findings"][0]["leaf_index"] == offset // 32
        file.write_bytes(whole)
    bundle = tiles / "tile/entries/000"
    bundle.write_bytes(bundle.read_bytes().replace(b'"payloadType"', b'"payloadtype"', 1))
    done = referee("audit", tiles, *KEYS, "--json")
    assert done.returncode == 1
    assert codes(done)[0] == "ROOT_MISMATCH"
    assert "TILE_MISMATCH" in codes(done)
    plain = referee("audit", tiles, *KEYS)
    assert "FAIL 50 TILE_MISMATCH: leaf 0: tile/0/000: 1 of its 256 hashes are not those of the leaves" in plain.stdout


def test_checkpoint_that_is_not_of_these_tiles_is_found(tiles: Path):
    """A checkpoint by the log's own key over as many other leaves."""
    log = LogBuilder([b"%d" % number for number in range(283)])
    (tiles / "checkpoint").write_bytes(log.checkpoint())
    done = referee("audit", tiles, *KEYS, "--json")
    assert (done.returncode, codes(done)) == (1, ["ROOT_MISMATCH"])


def test_what_cannot_be_read_is_no_finding(store: GrowingStore, tiles: Path, tmp_path: Path):
    """Exit code 2: no log there, no such kind of place, no keys."""
    for arguments, said in (
        ((tmp_path / "nowhere", *KEYS), "there is no such place"),
        (("nonsense://place", *KEYS), "nonsense"),
        ((tiles, "--data", tmp_path / "nowhere"), "--log-key"),
        ((tiles, "--log-key", "nonsense", "--root-key", ROOT.text), "nonsense"),
    ):
        done = referee("audit", *arguments)
        assert done.returncode == 2, done.stdout
        assert said in done.stderr
    assert referee("publish", tmp_path / "new", "--data", tmp_path / "nowhere").returncode == 2
    assert referee("publish", "nonsense://place", "--data", store.folder).returncode == 2


def test_log_that_was_set_back_is_not_published(store: GrowingStore, tiles: Path, tmp_path: Path):
    """A younger log of the same origin and key, as a restored backup would be: exit code 1, nothing changed."""
    before = {path: path.read_bytes() for path in tiles.rglob("*") if path.is_file()}
    younger = GrowingStore(tmp_path / "younger")
    younger.play(2)
    done = referee("publish", tiles, "--data", younger.folder)
    assert done.returncode == 1
    assert f"{store.size} leaves are published, and the log has 11" in done.stderr
    assert {path: path.read_bytes() for path in tiles.rglob("*") if path.is_file()} == before


def test_following_publishes_as_the_log_grows_and_stops_when_asked(tmp_path: Path):
    """Each state that is given of can be audited; SIGTERM ends it with exit code 0, SIGINT as well."""
    store, tiles = GrowingStore(tmp_path / "data"), tmp_path / "tiles"
    store.play(1)
    arguments = command("publish", tiles, "--data", store.folder, "--follow", "--every", "0.05")
    for ending in (signal.SIGTERM, signal.SIGINT):
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env=PLAIN) as process:
            try:
                assert process.stdout is not None
                for _ in range(2):
                    assert any(line.startswith(f"{store.size} leaves at ") for line in process.stdout)
                    assert referee("audit", tiles, *KEYS).returncode == 0
                    store.play(10)
                wait_for(lambda: published_size(tiles) == store.size)
                process.send_signal(ending)
                assert process.wait(SECONDS) == 0
            finally:
                process.kill()


def published_size(tiles: Path) -> int:
    note = (tiles / "checkpoint").read_bytes()
    return open_checkpoint(note, origin=ORIGIN, keys=[CheckpointSigner(LOG, key_name=LOG.name).key]).size


def wait_for(condition) -> None:
    end = time.monotonic() + SECONDS
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.02)


def test_publisher_that_is_killed_is_followed_by_one_that_goes_on(tmp_path: Path):
    """Killed again and again while it follows a growing log: every checkpoint seen between is whole.

    It may be one in the middle of a round, whose deadline is long past.
    """
    store, tiles = GrowingStore(tmp_path / "data"), tmp_path / "tiles"
    store.play(1)
    sizes = []
    for delay in (0.0, 0.01, 0.05, 0.2):
        arguments = command("publish", tiles, "--data", store.folder, "--follow", "--every", "0.05")
        with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True, env=PLAIN) as process:
            assert process.stdout is not None
            process.stdout.readline()
            store.play(20)
            time.sleep(delay)
            process.kill()
        assert set(codes(referee("audit", tiles, *KEYS, "--json"))) <= {"DEADLINE_PASSED", "NEVER_REVEALED"}
        sizes.append(published_size(tiles))
    assert sizes == sorted(sizes)
    assert referee("publish", tiles, "--data", store.folder).returncode == 0
    assert published_size(tiles) == store.size


@pytest.fixture
def address(tiles: Path) -> Iterator[str]:
    """Where a plain web server hands out the published log."""

    class Quiet(http.server.SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_arguments: object) -> None:
            """Nothing is printed."""

    handler = functools.partial(Quiet, directory=str(tiles))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_published_log_is_audited_over_http(address: str, tiles: Path):
    """Nothing but a server of files; an edited tile is found there as well, and a server that is gone is no finding."""
    pytest.importorskip("aiohttp")
    done = referee("audit", address, *KEYS, "--json")
    assert (done.returncode, codes(done)) == (0, []), done.stderr
    (tiles / "tile/0/000").write_bytes(bytes(8192))
    done = referee("audit", address, *KEYS, "--json")
    assert (done.returncode, codes(done)) == (1, ["TILE_MISMATCH"])
    gone = referee("audit", "http://127.0.0.1:1", *KEYS)
    assert gone.returncode == 2
    assert "cannot be read" in gone.stderr
