"""Tiles by name and by bytes, against published examples and against a second reading of the specification."""

import base64
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tlog_scales import tiles as scales

from referee.evidence.merkle import leaf_hash
from referee.log import tree_root
from referee.log.proof import TILE_WIDTH
from referee.log.tile import (
    MAX_ENTRY_SIZE,
    MAX_INDEX,
    AnyTile,
    EntryTile,
    HashTile,
    TileError,
    decode_entries,
    encode_entries,
    entry_tiles,
    join_hashes,
    split_hashes,
)
from tests.log.tile_files import TileFiles
from tests.log.tile_paths import hash_tiles, parse_path
from tests.vectors.reading import each


def tile_of(vector: dict[str, Any]) -> AnyTile:
    if vector["level"] == "entries":
        return EntryTile(index=vector["index"], width=vector["width"])
    return HashTile(level=vector["level"], index=vector["index"], width=vector["width"])


@each("log/tiles_paths", argument="vector")
def test_published_paths_are_read_and_written(vector):
    if "refused" in vector:
        with pytest.raises(TileError):
            parse_path(vector["path"])
        return
    assert tile_of(vector).path == vector["path"]
    assert parse_path(vector["path"]) == tile_of(vector)


places = st.integers(0, MAX_INDEX) | st.integers(0, 3_000)
widths = st.integers(1, TILE_WIDTH)
any_tiles = st.builds(HashTile, level=st.integers(0, 63), index=places, width=widths) | st.builds(
    EntryTile, index=places, width=widths
)


@given(any_tiles)
def test_a_path_names_the_tile_that_it_is_of(tile: AnyTile):
    assert parse_path(tile.path) == tile
    assert tile.full.is_full
    assert parse_path(tile.full.path) == tile.full


@given(any_tiles)
def test_paths_are_those_of_a_second_implementation(tile: AnyTile):
    level = tile.level if isinstance(tile, HashTile) else -1
    path = scales.tile_path(level, tile.index, 0 if tile.is_full else tile.width)
    assert tile.path == "/".join(path)


@given(st.text(alphabet="tile/nrs0123456789x.p-", max_size=30) | st.text(max_size=12))
def test_whatever_is_read_as_a_path_is_the_one_of_its_tile(text: str):
    try:
        tile = parse_path(text)
    except TileError:
        return
    assert tile.path == text


@pytest.mark.parametrize("place", [{"index": -1}, {"index": MAX_INDEX + 1}, {"index": 0, "width": 0}])
def test_tiles_that_cannot_be_are_refused(place):
    for make in (EntryTile, lambda **kw: HashTile(level=0, **kw)):
        with pytest.raises(TileError):
            make(**place)
    for level in (-1, 64):
        with pytest.raises(TileError):
            HashTile(level=level, index=0)
    with pytest.raises(TileError):
        EntryTile(index=0, width=257)


@each("log/tiles_sizes", argument="vector")
def test_tree_of_a_size_has_the_published_tiles(vector):
    """How many full tiles each level has, and how wide its partial one is, 0 for none."""
    found, entries = list(hash_tiles(vector["size"])), list(entry_tiles(vector["size"]))
    if "partial_entries" in vector:
        assert sum(tile.width for tile in entries if not tile.is_full) == vector["partial_entries"]
        return
    for level, (full, partial) in enumerate(zip(vector["full"], vector["partial"], strict=True)):
        row = [tile for tile in found if tile.level == level]
        assert [tile.index for tile in row] == list(range(len(row)))
        assert sum(tile.is_full for tile in row) == full
        assert [tile.width for tile in row if not tile.is_full] == ([partial] if partial else [])
    assert {tile.level for tile in found} == set(range(len(vector["full"])))
    assert [(tile.index, tile.width) for tile in entries] == [
        (tile.index, tile.width) for tile in found if tile.level == 0
    ]


@given(st.integers(0, 200_000), st.integers(0, 200_000))
def test_tiles_between_two_sizes_are_those_that_only_the_larger_has(one: int, other: int):
    """Against the definition: hash ``i`` of level ``l`` is there where ``256**l * (i + 1)`` leaves are."""
    old, new = sorted((one, other))
    for tiles in (hash_tiles, entry_tiles):
        assert set(tiles(new, after=old)) == set(tiles(new)) - set(tiles(old))
        assert len(list(tiles(new, after=old))) == len(set(tiles(new, after=old)))
    expected = set()
    for level in range(4):
        count, width = scales.level_tiles(new, level)
        expected |= {HashTile(level=level, index=index) for index in range(count)}
        if width:
            expected.add(HashTile(level=level, index=count, width=width))
    assert set(hash_tiles(new)) == expected


@given(st.lists(st.binary(min_size=32, max_size=32), min_size=1, max_size=TILE_WIDTH))
def test_hashes_come_back_out_of_their_tile(hashes: list[bytes]):
    data = join_hashes(hashes)
    assert split_hashes(data, width=len(hashes)) == tuple(hashes)
    for width in (len(hashes) - 1, len(hashes) + 1):
        with pytest.raises(TileError):
            split_hashes(data, width=width)
    with pytest.raises(TileError):
        split_hashes(data[:-1], width=len(hashes))


def test_tiles_of_no_or_odd_hashes_are_refused():
    for hashes in ([], [bytes(31)], [bytes(32), bytes(33)], [bytes(32)] * 257):
        with pytest.raises(TileError):
            join_hashes(hashes)


@each("log/tiles_entries", argument="vector")
def test_bundles_are_read_as_the_specification_says(vector):
    data = bytes.fromhex(vector["bundle"])
    if "refused" in vector:
        with pytest.raises(TileError):
            decode_entries(data, width=vector["width"])
        return
    entries = [bytes.fromhex(entry) for entry in vector["entries"]]
    assert decode_entries(data, width=vector["width"]) == tuple(entries)
    assert encode_entries(entries) == data


@given(st.lists(st.binary(max_size=300), min_size=1, max_size=TILE_WIDTH))
def test_encoded_leaves_decode_here_and_in_a_second_implementation(leaves: list[bytes]):
    from tlog_scales.reader import Tile  # noqa: PLC0415 - imports an HTTP client

    data = encode_entries(leaves)
    assert decode_entries(data, width=len(leaves)) == tuple(leaves)
    assert Tile.from_entries_bytes(data).entries == leaves


@given(st.binary(max_size=40), st.integers(1, 5))
def test_whatever_is_read_as_a_bundle_is_the_one_of_its_leaves(data: bytes, width: int):
    try:
        entries = decode_entries(data, width=width)
    except TileError:
        return
    assert encode_entries(entries) == data


def test_longest_leaf_fits_and_a_longer_one_is_refused():
    assert decode_entries(encode_entries([bytes(MAX_ENTRY_SIZE)]), width=1) == (bytes(MAX_ENTRY_SIZE),)
    for leaves in ([bytes(MAX_ENTRY_SIZE + 1)], [], [b""] * 257):
        with pytest.raises(TileError):
            encode_entries(leaves)


@each("log/tiles_roots", argument="vector")
def test_tiles_lead_to_the_published_root(vector):
    """The root is another implementation's; it is computed here from tiles alone."""
    leaves = [b"\x00\x00\x00\x01entry-%d-%s" % (index, b"x" * (index % 37)) for index in range(vector["size"])]
    assert tree_root(TileFiles.of([leaf_hash(leaf) for leaf in leaves]), vector["size"]) == base64.b64decode(
        vector["root"]
    )
