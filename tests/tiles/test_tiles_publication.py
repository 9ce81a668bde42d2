"""Publishing: what is in the place afterwards, what is refused, and that being stopped costs nothing."""

from collections.abc import Mapping
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tlog_scales.backend import LocalBackend
from tlog_scales.reader import TilesReader
from tlog_scales.signing import PlainEd25519Signer, Vkey
from tlog_scales.writer import TilesWriter

from referee.evidence.note import Note, cosign_note
from referee.log.tile import entry_tiles
from referee.tiles import ConflictError, FolderPlace, PlaceError, publish
from referee.tiles.publication import merged
from tests.log.tile_paths import hash_tiles, parse_path
from tests.tiles.memory_place import MemoryPlace
from tests.tiles.proved_log import ProvedLog

SIZES = [0, 1, 2, 255, 256, 257, 511, 512, 700, 65_535, 65_536, 65_793]


def paths_of(size: int) -> set[str]:
    """Return the checkpoint and every tile that a log of a size has."""
    return {"checkpoint"} | {tile.path for tiles in (hash_tiles, entry_tiles) for tile in tiles(size)}


def test_growing_log_keeps_partial_tiles_until_they_are_full(make_log):
    """Published at one size after another; full tiles are those of a log published at once."""
    log, place = make_log(65_793), MemoryPlace()
    for old, size in zip([0, *SIZES], SIZES, strict=False):
        outcome = publish(log, log.note(size), place)
        assert (outcome.old_size, outcome.size, outcome.is_complete) == (old, size, True)
        whole = MemoryPlace()
        publish(log, log.note(size), whole)
        assert set(whole.files) == paths_of(size)
        assert whole.files.items() <= place.files.items()
        left_over = [parse_path(path) for path in place.files.keys() - whole.files.keys()]
        assert not any(tile.is_full or tile.full.path in place.files for tile in left_over)
    assert outcome.tiles_written == len(paths_of(65_793) - paths_of(65_536) - {"checkpoint"})


@given(st.lists(st.integers(0, 700), min_size=1, max_size=6))
def test_any_way_of_growing_leads_to_the_same_files(make_log, sizes):
    log, place, whole = make_log(700), MemoryPlace(), MemoryPlace()
    for size in sorted(sizes):
        publish(log, log.note(size), place)
    publish(log, log.note(max(sizes)), whole)
    assert whole.files.items() <= place.files.items()


def test_publishing_again_writes_nothing(make_log):
    log, place = make_log(300), Counting()
    publish(log, log.note(300), place)
    written = place.written
    assert publish(log, log.note(300), place).tiles_written == 0
    assert place.written == written


@pytest.mark.parametrize("size", [*range(1, 130), 255, 256, 257, 600, 65_793])
def test_another_implementation_reads_what_is_published(make_log, tmp_path: Path, size: int):
    """Its checkpoint, signature, root, leaves and proofs, from the files alone."""
    log = make_log(65_793)
    publish(log, log.note(size), FolderPlace(tmp_path))
    reader = TilesReader(LocalBackend(tmp_path))
    checkpoint = reader.get_checkpoint()
    checkpoint.verify(Vkey.from_string(log.signer.key.text))
    root = reader.calculate_root_hash()
    assert (checkpoint.origin, checkpoint.size, checkpoint.root_hash) == ("log.example/1", size, root)
    for index in sorted({0, 1, 255, 256, size // 2, size - 1} & {*range(size)}):
        assert reader.get_entry(index) == log.entries[index]
        reader.get_inclusion_proof(index, size).check(log.tile(0, index // 256, 256)[index % 256], root)
    for old in sorted({1, size // 2, size} & {*range(1, size + 1)}):
        reader.get_consistency_proof(old, size).check(log.checkpoint(old).root, root)


@pytest.mark.parametrize("sizes", [[1], [255], [256], [257], [100, 300], [256, 512, 700]])
def test_another_implementation_writes_the_same_bytes(make_log, tmp_path: Path, sizes: list[int]):
    """Every file, the signed checkpoint included."""
    log = make_log(700)
    signer = PlainEd25519Signer("log.example/1", bytes.fromhex(SEED))
    writer = TilesWriter.create(tmp_path / "theirs", "log.example/1")
    done = 0
    for size in sizes:
        publish(log, log.note(size), FolderPlace(tmp_path / "ours"))
        for leaf in log.entries[done:size]:
            writer.add_leaf(leaf)
        writer.commit([signer])
        done = size
    assert files_of(tmp_path / "ours") == files_of(tmp_path / "theirs")


SEED = "fc4dafa3f2d4604aae1fa59b9b5a7f83946e6e16a6aee48affb4acd08d1305a0"
"""The private key of the log's signer: SHA-256 of its name."""


def files_of(folder: Path) -> dict[str, bytes]:
    """All files below a folder."""
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_log_that_was_set_back_is_refused(make_log):
    """Nothing changes in the place."""
    log, place = make_log(700), MemoryPlace()
    publish(log, log.note(600), place)
    before = dict(place.files)
    with pytest.raises(ConflictError, match="600 leaves are published, and the log has 599"):
        publish(log, log.note(599), place)
    assert place.files == before


@pytest.mark.parametrize("size", [300, 301, 700])
def test_forked_log_is_refused(make_log, size: int):
    """Of the same size or larger, with one leaf that was published otherwise: nothing changes in the place."""
    log, fork, place = make_log(700), make_log(700, common=299), MemoryPlace()
    publish(log, log.note(300), place)
    before = dict(place.files)
    with pytest.raises(ConflictError, match="does not continue the 300"):
        publish(fork, fork.note(size), place)
    assert place.files == before


def test_fork_beyond_what_is_published_is_no_conflict(make_log):
    """Nobody has seen the leaves from 300 on."""
    log, fork, place = make_log(700), make_log(700, common=300), MemoryPlace()
    publish(log, log.note(300), place)
    assert publish(fork, fork.note(700), place).size == 700


def test_log_of_another_origin_is_refused(make_log):
    log, other, place = make_log(300), make_log(300, origin="log.example/2"), MemoryPlace()
    publish(log, log.note(10), place)
    with pytest.raises(ConflictError, match=r"log.example/1.*log.example/2"):
        publish(other, other.note(300), place)


def test_tile_with_other_bytes_is_refused_and_left_as_it_is(make_log):
    """Tiles beyond the checkpoint, where a publisher was before that knew other leaves."""
    log = make_log(700)
    beyond = sorted(paths_of(700) - paths_of(300) - {"checkpoint"})
    assert beyond
    for path in beyond:
        place = MemoryPlace()
        publish(log, log.note(300), place)
        place.files[path] = b"\x00\x01?"
        with pytest.raises(ConflictError, match=path.replace(".", r"\.")):
            publish(log, log.note(700), place)
        assert place.files[path] == b"\x00\x01?"
        assert ProvedLog.open(place, origin="log.example/1", keys=[log.signer.key]).size == 300


def test_beginning_of_a_tile_is_completed(make_log):
    """A write that was cut off anywhere, also before its first byte."""
    log, whole = make_log(700), MemoryPlace()
    publish(log, log.note(700), whole)
    for path in paths_of(700) - paths_of(300) - {"checkpoint"}:
        for length in (0, 1, len(whole.files[path]) - 1):
            place = MemoryPlace()
            publish(log, log.note(300), place)
            place.files[path] = whole.files[path][:length]
            publish(log, log.note(700), place)
            assert place.files[path] == whole.files[path]


def test_damaged_leaf_is_refused_before_its_tile_is_written(make_log):
    """One bit of one leaf of the store; its tiles and checkpoint are as they were."""
    log, place = make_log(700), MemoryPlace()
    publish(log, log.note(300), place)
    for index in (300, 511, 512, 699):
        damaged = type(log)(log.entries)
        damaged.entries[index] = bytes([log.entries[index][0] ^ 1]) + log.entries[index][1:]
        with pytest.raises(ConflictError, match="do not stand under its checkpoint"):
            publish(damaged, log.note(700), place)
    damaged.entries[650:] = []
    with pytest.raises(ConflictError, match="has 138 of the leaves 512 to 699"):
        publish(damaged, log.note(700), place)
    assert ProvedLog.open(place, origin="log.example/1", keys=[log.signer.key]).size == 300
    publish(log, log.note(700), place)


def test_damaged_place_is_refused(make_log):
    """The tiles at its right edge no longer lead to the published root."""
    log, whole = make_log(65_793), MemoryPlace()
    publish(log, log.note(65_793), whole)
    grown = type(log)([*log.entries, b"one more"])
    for path in ("tile/0/257.p/1", "tile/1/001.p/1", "tile/2/000.p/1"):
        for damage in (lambda data: bytes(len(data)), lambda data: data[1:]):
            place = MemoryPlace(dict(whole.files))
            place.files[path] = damage(place.files[path])
            with pytest.raises(ConflictError, match="the published tiles"):
                publish(grown, grown.note(65_794), place)


@pytest.mark.parametrize("note", [b"", b"log.example/1\n", b"\xff"])
def test_what_is_no_checkpoint_is_refused_on_either_side(make_log, note: bytes):
    log = make_log(700)
    with pytest.raises(ConflictError, match="the log's checkpoint is invalid"):
        publish(log, note, MemoryPlace())
    with pytest.raises(ConflictError, match="the published checkpoint is invalid"):
        publish(log, log.note(700), MemoryPlace({"checkpoint": note}))


def test_cosignatures_are_added_and_none_is_lost(make_log, make_signer):
    """A note of the same tree with other lines below: the new line of a key replaces its old one."""
    log, place = make_log(300), MemoryPlace()
    plain = Note.parse(log.note(300))
    one, other = (
        cosign_note(plain, name=name, signer=make_signer(name), time=1)
        for name in ("witness.example/1", "witness.example/2")
    )
    for note in (plain, one, other, plain):
        publish(log, note.format(), place)
    published = Note.parse(place.files["checkpoint"])
    names = [line.name for line in published.signatures]
    assert sorted(names) == ["log.example/1", "witness.example/1", "witness.example/2"]
    later = cosign_note(plain, name="witness.example/1", signer=make_signer("witness.example/1"), time=2)
    assert set(merged(published, later).signatures) == {*later.signatures, other.signatures[1]}


def test_a_publisher_that_is_stopped_goes_on_where_it_was(make_log):
    """Asked before each bundle; what was written is not written again."""
    log, place, whole = make_log(65_793), Counting(), MemoryPlace()
    publish(log, log.note(65_793), whole)
    written = 0
    for allowed in (0, 1, 5, 100):
        answers = iter([False] * allowed + [True])
        outcome = publish(log, log.note(65_793), place, is_stopped=partial(next, answers))
        assert (outcome.size, outcome.is_complete) == (0, False)
        assert "checkpoint" not in place.files
        written += outcome.tiles_written
    outcome = publish(log, log.note(65_793), place)
    assert outcome.is_complete
    assert written + outcome.tiles_written == len(paths_of(65_793)) - 1 == place.written - 1
    assert place.files == whole.files


def test_place_that_fails_at_any_moment_still_holds_the_log_it_held(make_log):
    """Every number of files that get through: the old checkpoint stays good, and the next attempt completes it."""
    log, whole = make_log(2_000), MemoryPlace()
    publish(log, log.note(2_000), whole)
    for allowed in range(14):
        place = Failing(allowed)
        publish(log, log.note(600), place.fine)
        with pytest.raises(PlaceError):
            publish(log, log.note(2_000), place)
        held = ProvedLog.open(place.fine, origin="log.example/1", keys=[log.signer.key])
        assert (held.size, held.tile_root) == (600, log.checkpoint(600).root)
        assert [leaf for bundle in held.bundles() for leaf in bundle] == log.entries[:600]
        publish(log, log.note(2_000), place.fine)
        assert whole.files.items() <= place.fine.files.items()


def test_progress_counts_leaves(make_log):
    message = []
    publish(make_log(700), make_log(700).note(700), MemoryPlace(), progress=lambda *done: message.append(done))
    assert message == [(0, 700), (256, 700), (512, 700), (700, 700)]


class Counting(MemoryPlace):
    """A place that counts the files written to it."""

    written = 0

    def write(self, files: Mapping[str, bytes]) -> None:
        """Write these files."""
        self.written += len(files)
        super().write(files)


class Failing:
    """A place that takes so many files and then no more."""

    def __init__(self, allowed: int) -> None:
        self.fine = MemoryPlace()
        self._allowed = allowed

    def read(self, paths):
        """Read the files."""
        return self.fine.read(paths)

    def write(self, files: Mapping[str, bytes]) -> None:
        """Write some of these files."""
        for path, data in files.items():
            if self._allowed == 0:
                raise PlaceError
            self._allowed -= 1
            self.fine.write({path: data})

    def remove(self, folders):
        """Nothing is left there."""
        self.fine.remove(folders)
