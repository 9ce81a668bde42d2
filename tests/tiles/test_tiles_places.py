"""Places hold files alike, whatever they are made of, and say so where they cannot be reached."""

import gc
import http.server
import os
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import fsspec
import pytest

from referee.tiles import FolderPlace, Place, PlaceError, RemotePlace, open_place, publish
from tests.tiles.memory_place import MemoryPlace
from tests.tiles.proved_log import ProvedLog

MAKERS: dict[str, Callable[[Path], Place]] = {
    "folder": lambda folder: open_place(str(folder / "log")),
    "file URL": lambda folder: open_place(f"file://{folder}/log"),
    "memory": lambda _: MemoryPlace(),
    "fsspec's memory": lambda folder: open_place(f"memory:/{folder}/log"),
    "fsspec's folder": lambda folder: RemotePlace(fsspec.filesystem("file"), f"{folder}/log/", name="folder"),
}


@pytest.fixture(params=MAKERS)
def place(request, tmp_path: Path) -> Place:
    return MAKERS[request.param](tmp_path)


def test_files_are_read_as_they_were_written(place: Place):
    place.write({"checkpoint": b"1", "tile/0/000": b"", "tile/0/x001/234.p/5": bytes(range(256))})
    assert place.read(["tile/0/x001/234.p/5", "checkpoint", "tile/0/000"]) == [bytes(range(256)), b"1", b""]


def test_missing_files_are_missing(place: Place):
    assert place.read(["checkpoint"]) == [None]
    place.write({"tile/0/000": b"x"})
    assert place.read(["checkpoint", "tile/0/000", "tile/0/000.p/7"]) == [None, b"x", None]
    assert place.read([]) == []


def test_files_are_replaced_whole(place: Place):
    place.write({"checkpoint": b"a longer one"})
    place.write({"checkpoint": b"new"})
    assert place.read(["checkpoint"]) == [b"new"]


def test_folders_are_removed_with_all_that_is_in_them_and_nothing_else(place: Place):
    place.write({"tile/0/000.p/7": b"x", "tile/0/000.p/8": b"y", "tile/0/000": b"z"})
    place.remove(["tile/0/000.p", "tile/0/001.p"])
    assert place.read(["tile/0/000.p/7", "tile/0/000.p/8", "tile/0/000"]) == [None, None, b"z"]


def test_log_is_published_and_read(place: Place, make_log):
    """And grows, so that partial tiles are removed."""
    log = make_log(700)
    for size in (1, 300, 700):
        publish(log, log.note(size), place)
        read = ProvedLog.open(place, origin="log.example/1", keys=[log.signer.key])
        assert [leaf for bundle in read.bundles() for leaf in bundle] == log.entries[:size]
    assert place.read(["tile/0/001.p/44", "tile/entries/001.p/44"]) == [None, None]


def test_folder_leaves_only_whole_files_that_others_may_read(tmp_path: Path, make_log):
    before = os.umask(0o022)
    try:
        publish(make_log(700), make_log(700).note(700), FolderPlace(tmp_path))
    finally:
        os.umask(before)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) == 8
    assert {path.stat().st_mode & 0o777 for path in files} == {0o644}


def test_folder_that_cannot_be_written_says_so(tmp_path: Path):
    (tmp_path / "file").write_bytes(b"")
    place = FolderPlace(tmp_path / "file")
    with pytest.raises(PlaceError, match="cannot be written"):
        place.write({"checkpoint": b""})
    with pytest.raises(PlaceError, match="cannot be read"):
        place.read(["checkpoint"])
    with pytest.raises(PlaceError, match="cannot be tidied"):
        place.remove(["tile"])


@pytest.mark.parametrize("location", ["nonsense://somewhere", "gopher://log.example/1"])
def test_unknown_kind_of_place_says_so(location: str):
    with pytest.raises(PlaceError, match="cannot be reached"):
        open_place(location)


@pytest.fixture
def served(tmp_path: Path) -> Iterator[str]:
    """Return the address of a web server that hands out the folder."""

    class Handler(http.server.SimpleHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def __init__(self, *arguments) -> None:
            super().__init__(*arguments, directory=str(tmp_path))

        def log_message(self, *_arguments) -> None:
            """Nothing is printed."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


def test_log_is_read_from_a_web_server(served: str, tmp_path: Path, make_log):
    """Any server of files will do; what it does not have is missing, and it takes no files."""
    pytest.importorskip("aiohttp")
    log = make_log(700)
    publish(log, log.note(700), FolderPlace(tmp_path / "deep" / "log"))
    for address in (f"{served}/deep/log", f"{served}/deep/log/"):
        place = open_place(address)
        read = ProvedLog.open(place, origin="log.example/1", keys=[log.signer.key])
        assert [leaf for bundle in read.bundles() for leaf in bundle] == log.entries
        assert read.leaf(300) == log.entries[300]
        assert place.read(["tile/0/009", "checkpoint"]) == [None, log.note(700)]
    with pytest.raises(PlaceError, match="cannot be written"):
        place.write({"checkpoint": b""})


def test_web_server_that_does_not_answer_says_so():
    pytest.importorskip("aiohttp")
    with pytest.raises(PlaceError, match=r"http://127\.0\.0\.1:1/log cannot be read"):
        open_place("http://127.0.0.1:1/log").read(["checkpoint"])
    gc.collect()
