"""Tiles held against leaves: each wrong tile is named once, with the first leaf that it concerns."""

import pytest

from referee.evidence.merkle import leaf_hash, root_of_hashes
from referee.log.tile import HashTile, TileError, join_hashes, split_hashes
from referee.log.tile_check import TileCheck, TileFault
from tests.log.tile_files import TileFiles
from tests.log.tile_paths import parse_path

SIZE = 65_536 + 256 + 3
"""Three rows of tiles, the last of each partial."""


@pytest.fixture(scope="module")
def hashes() -> list[bytes]:
    return [leaf_hash(b"%d" % number) for number in range(SIZE)]


@pytest.fixture(scope="module")
def files(hashes: list[bytes]) -> dict[str, bytes]:
    """All tiles of the tree, by path."""
    return TileFiles.of(hashes).files


def faults_of(files: dict[str, bytes], hashes: list[bytes]) -> list[TileFault]:
    check = TileCheck(TileFiles(files))
    for at in range(0, len(hashes), 256):
        check.take(hashes[at : at + 256])
    check.finish()
    return check.faults


def test_sound_tiles_have_no_fault(files, hashes):
    assert faults_of(files, hashes) == []


@pytest.mark.parametrize("size", [1, 2, 255, 256, 257, 511, 512, 513])
def test_sound_tiles_of_small_trees_have_no_fault(hashes, size):
    found = {
        HashTile(level=0, index=at // 256, width=len(hashes[at:size][:256])).path: join_hashes(hashes[at:size][:256])
        for at in range(0, size, 256)
    }
    roots = [root_of_hashes(hashes[at : at + 256]) for at in range(0, size // 256 * 256, 256)]
    if roots:
        found[HashTile(level=1, index=0, width=len(roots)).path] = join_hashes(roots)
    assert faults_of(found, hashes[:size]) == []


@pytest.mark.parametrize(
    ("path", "place", "leaf"),
    [
        ("tile/0/000", 0, 0),
        ("tile/0/000", 255, 255),
        ("tile/0/255", 17, 65_297),
        ("tile/0/257.p/3", 2, 65_794),
        ("tile/1/000", 3, 768),
        ("tile/1/001.p/1", 0, 65_536),
        ("tile/2/000.p/1", 0, 0),
    ],
)
def test_a_changed_hash_is_one_fault_in_its_own_tile(files, hashes, path, place, leaf):
    data = bytearray(files[path])
    data[32 * place + 9] ^= 0x10
    (fault,) = faults_of(files | {path: bytes(data)}, hashes)
    assert (fault.path, fault.leaf_index) == (path, leaf)
    assert fault.stored == bytes(data[32 * place : 32 * place + 32])
    assert fault.expected == files[path][32 * place : 32 * place + 32]


def test_changes_in_several_tiles_are_all_found(files, hashes):
    """Also two in one column, of which the upper follows from neither reading of the lower."""
    paths = ["tile/0/000", "tile/0/001", "tile/1/000", "tile/2/000.p/1"]
    changed = {path: files[path][:5] + b"?" + files[path][6:] for path in paths}
    assert sorted(fault.path for fault in faults_of(files | changed, hashes)) == paths


def test_a_row_that_follows_from_an_edited_tile_is_no_second_fault(files, hashes):
    """An attacker who edits a tile and makes those above it anew is found where the leaves say otherwise."""
    lowest = [*hashes[:256]]
    lowest[7] = leaf_hash(b"another")
    middle = [root_of_hashes(lowest), *split_hashes(files["tile/1/000"], width=256)[1:]]
    changed = {
        "tile/0/000": join_hashes(lowest),
        "tile/1/000": join_hashes(middle),
        "tile/2/000.p/1": root_of_hashes(middle),
    }
    (fault,) = faults_of(files | changed, hashes)
    assert (fault.path, fault.leaf_index) == ("tile/0/000", 7)


def test_an_edited_leaf_is_one_fault_in_the_lowest_row(files, hashes):
    edited = [*hashes]
    edited[300] = leaf_hash(b"another")
    (fault,) = faults_of(files, edited)
    assert (fault.path, fault.leaf_index, fault.stored, fault.expected) == (
        "tile/0/001",
        300,
        hashes[300],
        edited[300],
    )


@pytest.mark.parametrize("path", ["tile/0/000", "tile/0/257.p/3", "tile/1/000", "tile/1/001.p/1", "tile/2/000.p/1"])
def test_a_tile_that_is_missing_or_cut_is_one_fault(files, hashes, path):
    missing = {name: data for name, data in files.items() if name != path}
    cut = files | {path: files[path][:-1]}
    for found in (faults_of(missing, hashes), faults_of(cut, hashes)):
        (fault,) = found
        assert (fault.path, fault.stored, fault.expected) == (path, None, None)
    with pytest.raises(TileError):
        split_hashes(files[path][:-1], width=parse_path(path).width)
