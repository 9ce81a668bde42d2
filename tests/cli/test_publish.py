"""``referee publish`` and the audit of what it published, as a person or a script uses them."""

import functools
import http.server
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from referee.evidence.note import Note, cosign_note
from referee.log import CheckpointSigner, open_checkpoint
from referee.log.tile import entry_tiles
from referee.storage import Append, Cosigned, Writer
from referee.storage.sqlite import open_sqlite
from tests.audit.audit_builder import LOG, ORIGIN, ROOT, LogBuilder, NamedSigner, Table
from tests.cli.printing import printed
from tests.command import PLAIN, referee, refused
from tests.log.tile_paths import hash_tiles
from tests.server.http_server import http_server
from tests.waiting import until

KEYS = ("--log-key", LOG.text, "--root-key", ROOT.text)


def audited(place: object) -> tuple[int, list[str]]:
    """Return the exit code of an audit and the codes of its findings, each as often as it was found, in order."""
    done = referee("audit", place, *KEYS, "--json")
    return done.returncode, [finding["code"] for finding in json.loads(done.stdout)["findings"]]


@contextmanager
def following(tiles: Path, store: "GrowingStore") -> "Iterator[subprocess.Popen[str]]":
    """Publish the log as it grows, in a process of its own that is killed when the block ends."""
    command = ["publish", str(tiles), "--data", str(store.folder), "--follow", "--every", "0.05"]
    whole = [sys.executable, "-m", "referee", *command]
    with subprocess.Popen(whole, stdout=subprocess.PIPE, text=True, env=PLAIN) as process:
        try:
            yield process
        finally:
            process.kill()


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
    assert f"{store.size} leaves" in printed("publish", tmp_path / "tiles", "--data", store.folder)
    return tmp_path / "tiles"


def test_published_log_is_audited_from_its_files_alone(store: GrowingStore, tiles: Path):
    """The same report as from the store, with the keys as somebody knows them; exit code 0."""
    expected = {tile.path for each in (hash_tiles, entry_tiles) for tile in each(store.size)} | {"checkpoint"}
    assert {str(path.relative_to(tiles)) for path in tiles.rglob("*") if path.is_file()} == expected
    places = ((tiles,), ("--data", store.folder), (store.folder,))  # a data folder may be named as it is
    reports = [json.loads(printed("audit", *place, *KEYS, "--json")) | {"now": 0} for place in places]
    assert reports[0] == reports[1] == reports[2]
    assert reports[0]["size"] == store.size


def test_publishing_again_adds_what_is_new(tmp_path: Path):
    store = GrowingStore(tmp_path / "data")
    for rounds in (1, 70, 0):
        store.play(rounds)
        new = 4 * rounds + 3 * (rounds == 1)
        text = printed("publish", tmp_path / "tiles", "--data", store.folder)
        assert text == f"{store.size} leaves at {tmp_path / 'tiles'}, {new} of them new\n"
    assert audited(tmp_path / "tiles") == (0, [])


def test_checkpoint_is_published_with_its_cosignatures(tmp_path: Path):
    """Also where they came after it was published; a larger log's checkpoint is published without waiting for any."""
    store, tiles, witness = GrowingStore(tmp_path / "data"), tmp_path / "tiles", NamedSigner("witness.example/1")
    store.play(1)
    printed("publish", tiles, "--data", store.folder)
    cosigned = store.cosign(witness)
    assert (tiles / "checkpoint").read_bytes() in cosigned
    printed("publish", tiles, "--data", store.folder)
    assert (tiles / "checkpoint").read_bytes() == cosigned
    store.play(1)
    printed("publish", tiles, "--data", store.folder)
    assert b"witness" not in (tiles / "checkpoint").read_bytes()
    assert published_size(tiles) == store.size


@pytest.mark.parametrize(("path", "offset"), [("tile/0/000", 32 * 7), ("tile/1/000.p/1", 0)])
def test_edited_tile_is_found_with_its_leaf(tiles: Path, path: str, offset: int):
    whole = bytearray((tiles / path).read_bytes())
    whole[offset] ^= 1
    (tiles / path).write_bytes(whole)
    done = referee("audit", tiles, *KEYS, "--json")
    (finding,) = json.loads(done.stdout)["findings"]
    assert (done.returncode, finding["code"], finding["leaf_index"]) == (1, "TILE_MISMATCH", offset // 32)


def test_edited_bundle_is_found(tiles: Path):
    bundle = tiles / "tile/entries/000"
    bundle.write_bytes(bundle.read_bytes().replace(b'"payloadType"', b'"payloadtype"', 1))
    code, codes = audited(tiles)
    assert (code, codes[0], "TILE_MISMATCH" in codes) == (1, "ROOT_MISMATCH", True)
    plain = referee("audit", tiles, *KEYS)
    assert "FAIL 50 TILE_MISMATCH: leaf 0: tile/0/000: 1 of its 256 hashes are not those of the leaves" in plain.stdout


def test_checkpoint_that_is_not_of_these_tiles_is_found(tiles: Path):
    """A checkpoint by the log's own key over as many other leaves."""
    (tiles / "checkpoint").write_bytes(LogBuilder([b"%d" % number for number in range(283)]).checkpoint())
    assert audited(tiles) == (1, ["ROOT_MISMATCH"])


def test_what_cannot_be_read_is_no_finding(store: GrowingStore, tiles: Path, tmp_path: Path):
    """Exit code 2: no log there, no such kind of place, no keys."""
    for arguments, said in (
        (("audit", tmp_path / "nowhere", *KEYS), "there is no such place"),
        (("audit", "nonsense://place", *KEYS), "nonsense"),
        (("audit", tiles, "--data", tmp_path / "nowhere"), "--log-key"),
        (("audit", tiles, "--log-key", "nonsense", "--root-key", ROOT.text), "nonsense"),
        (("publish", tmp_path / "new", "--data", tmp_path / "nowhere"), ""),
        (("publish", "nonsense://place", "--data", store.folder), ""),
    ):
        assert said in refused(*arguments)


def test_log_that_was_set_back_is_not_published(store: GrowingStore, tiles: Path, tmp_path: Path):
    """A younger log of the same origin and key, as a restored backup would be: exit code 1, nothing changed."""
    before = {path: path.read_bytes() for path in tiles.rglob("*") if path.is_file()}
    younger = GrowingStore(tmp_path / "younger")
    younger.play(2)
    done = referee("publish", tiles, "--data", younger.folder)
    assert done.returncode == 1
    assert f"{store.size} leaves are published, and the log has 11" in done.stderr
    assert {path: path.read_bytes() for path in tiles.rglob("*") if path.is_file()} == before


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_following_publishes_as_the_log_grows_and_stops_when_asked(tmp_path: Path, ending: signal.Signals):
    """Each state that is given of can be audited; both signals end it with exit code 0."""
    store, tiles = GrowingStore(tmp_path / "data"), tmp_path / "tiles"
    store.play(1)
    with following(tiles, store) as process:
        assert process.stdout is not None
        for _ in range(2):
            assert any(line.startswith(f"{store.size} leaves at ") for line in process.stdout)
            assert audited(tiles)[0] == 0
            store.play(10)
        until(lambda: published_size(tiles) == store.size)
        process.send_signal(ending)
        assert process.wait(60) == 0


def published_size(tiles: Path) -> int:
    note = (tiles / "checkpoint").read_bytes()
    return open_checkpoint(note, origin=ORIGIN, keys=[CheckpointSigner(LOG, key_name=LOG.name).key]).size


def test_publisher_that_is_killed_is_followed_by_one_that_goes_on(tmp_path: Path):
    """Killed again and again while it follows a growing log: every checkpoint seen between is whole.

    It may be one in the middle of a round, whose deadline is long past, so that the round counts as given up too.
    """
    store, tiles = GrowingStore(tmp_path / "data"), tmp_path / "tiles"
    store.play(1)
    sizes = []
    for delay in (0.0, 0.01, 0.05, 0.2):
        with following(tiles, store) as process:
            assert process.stdout is not None
            process.stdout.readline()
            store.play(20)
            time.sleep(delay)
        assert set(audited(tiles)[1]) <= {"UNFINISHED_IN_COPY", "ROUNDS_GIVEN_UP"}
        sizes.append(published_size(tiles))
    assert sizes == sorted(sizes)
    printed("publish", tiles, "--data", store.folder)
    assert published_size(tiles) == store.size


@pytest.fixture
def address(tiles: Path) -> Iterator[str]:
    """Where a plain web server hands out the published log."""

    class Files(http.server.SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_arguments: object) -> None:
            """Nothing is printed."""

    with http_server(functools.partial(Files, directory=str(tiles))) as found:
        yield found


def test_published_log_is_audited_over_http(address: str, tiles: Path):
    """Nothing but a server of files; an edited tile is found there as well, and a server that is gone is no finding."""
    pytest.importorskip("aiohttp")
    assert audited(address) == (0, [])
    (tiles / "tile/0/000").write_bytes(bytes(8192))
    assert audited(address) == (1, ["TILE_MISMATCH"])
    assert "cannot be read" in refused("audit", "http://127.0.0.1:1", *KEYS)
