"""Reading a published log: what is given out is true, whatever is served."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.evidence.merkle import leaf_hash, verify_consistency
from referee.evidence.note import NoteError
from referee.log import CheckpointError
from referee.log.tile import TileError
from referee.tiles import PlaceError, publish, read_note
from tests.log.tile_paths import parse_path
from tests.tiles.memory_place import MemoryPlace
from tests.tiles.proved_log import ProvedLog


def published(log, size: int) -> MemoryPlace:
    place = MemoryPlace()
    publish(log, log.note(size), place)
    return place


def opened(log, place: MemoryPlace) -> ProvedLog:
    return ProvedLog.open(place, origin="log.example/1", keys=[log.signer.key])


@pytest.mark.parametrize("size", [*range(1, 40), 255, 256, 257, 700])
def test_leaves_and_receipts_come_out_as_they_went_in(make_log, size: int):
    log = make_log(700)
    read = opened(log, published(log, size))
    assert [leaf for bundle in read.bundles() for leaf in bundle] == log.entries[:size]
    assert read.tile_root == read.checkpoint.root
    for index in sorted({0, 1, 255, 256, size // 2, size - 1} & {*range(size)}):
        assert read.leaf(index) == log.entries[index]
        receipt = read.receipt(index)
        assert receipt.verify(log.entries[index], origin="log.example/1", keys=[log.signer.key]).size == size
    for index in (-1, size, size + 300):
        with pytest.raises(IndexError):
            read.leaf(index)


def test_bundles_can_be_read_from_the_middle(make_log):
    log = make_log(2_500)
    read = opened(log, published(log, 2_500))
    assert [leaf for bundle in read.bundles(3) for leaf in bundle] == log.entries[768:]
    assert list(read.bundles(10)) == []


def test_empty_log_has_no_leaves(make_log):
    read = opened(make_log(700), published(make_log(700), 0))
    assert list(read.bundles()) == []
    assert read.tile_root == read.checkpoint.root
    with pytest.raises(IndexError):
        read.leaf(0)


def test_every_older_state_is_shown_to_be_continued(make_log):
    """And a fork of it is not; a larger one cannot be."""
    log, fork = make_log(700), make_log(700, common=100)
    read = opened(log, published(log, 600))
    for old in [*range(70), 100, 255, 256, 257, 599, 600]:
        proof = read.continuation(log.checkpoint(old))
        verify_consistency(
            old_size=old,
            new_size=600,
            old_root=log.checkpoint(old).root,
            new_root=log.checkpoint(600).root,
            proof=proof,
        )
    for old in (101, 256, 600):
        with pytest.raises(TileError, match=f"600 leaves continue {old}"):
            read.continuation(fork.checkpoint(old))
    with pytest.raises(IndexError):
        read.continuation(log.checkpoint(601))


def test_reader_of_an_older_checkpoint_finds_its_leaves_in_a_larger_log(make_log):
    """Partial tiles are gone once they are full; the beginning of the full tile is the partial one."""
    log = make_log(65_793)
    for old in (1, 255, 257, 300, 65_535):
        place = published(log, old)
        before = opened(log, place)
        publish(log, log.note(65_793), place)
        assert not any(f".p/{old % 256}" in path and parse_path(path).full.path in place.files for path in place.files)
        for index in (0, old // 2, old - 1):
            assert before.leaf(index) == log.entries[index]
        assert before.tile_root == log.checkpoint(old).root
        assert [leaf for bundle in before.bundles() for leaf in bundle] == log.entries[:old]


@pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
def test_no_flipped_bit_in_any_file_makes_a_false_leaf(make_log, size: int):
    """Every byte of every file, one of its bits: a refusal, but for the hash of an only leaf, which nothing needs."""
    log = make_log(700)
    place = published(log, size)
    accepted = set()
    for path, data in place.files.items():
        for at in range(len(data)):
            bit = 1 << at % 8
            wrong = MemoryPlace(place.files | {path: data[:at] + bytes([data[at] ^ bit]) + data[at + 1 :]})
            try:
                read = opened(log, wrong)
                assert read.checkpoint == log.checkpoint(size)
                for index in range(size):
                    assert read.leaf(index) == log.entries[index]
            except (TileError, NoteError, CheckpointError):
                continue
            accepted.add(path)
    assert accepted == ({"tile/0/000.p/1"} if size == 1 else set())


@given(st.data())
def test_no_edit_of_a_large_log_makes_a_false_leaf(make_log, data):
    """Bytes replaced, cut or added anywhere in a tile that the leaf depends on."""
    log = make_log(700)
    place = published(log, 700)
    path = data.draw(st.sampled_from(sorted(place.files)))
    whole = place.files[path]
    at = data.draw(st.integers(0, len(whole)))
    edited = whole[:at] + data.draw(st.binary(max_size=3)) + whole[at + data.draw(st.integers(0, 3)) :]
    place.files[path] = edited
    index = data.draw(st.integers(0, 699))
    try:
        leaf = opened(log, place).leaf(index)
    except (TileError, NoteError, CheckpointError):
        assert edited != whole
        return
    assert leaf == log.entries[index]


def test_missing_tiles_are_named_or_missed(make_log):
    log = make_log(700)
    for path in published(log, 700).files.keys() - {"checkpoint"}:
        place = published(log, 700)
        del place.files[path]
        read = opened(log, place)
        tile = parse_path(path)
        if path.startswith("tile/entries/"):
            assert sum(len(bundle) for bundle in read.bundles()) == 256 * tile.index
            with pytest.raises(TileError, match=path.replace(".", r"\.")):
                read.leaf(256 * tile.index)
        else:
            assert read.tile(0 if "/0/" in path else 1, tile.index, tile.width) == ()
            with pytest.raises(TileError, match="lacks a node"):
                read.leaf(256 * tile.index)


def test_place_without_a_checkpoint_holds_no_log(make_log):
    with pytest.raises(PlaceError, match="no log is published there"):
        read_note(MemoryPlace())
    with pytest.raises(PlaceError):
        opened(make_log(700), MemoryPlace())


def test_checkpoint_of_another_key_or_origin_is_refused(make_log):
    log, other = make_log(700), make_log(300, origin="log.example/2")
    place = published(log, 700)
    with pytest.raises(NoteError):
        ProvedLog.open(place, origin="log.example/1", keys=[other.signer.key])
    with pytest.raises(CheckpointError):
        ProvedLog.open(place, origin="log.example/2", keys=[log.signer.key])


def test_proofs_ask_for_few_files(make_log):
    """At most two hash tiles a level and one bundle, whatever the log's size."""
    log = make_log(65_793)
    place = published(log, 65_793)
    asked: list[str] = []

    class Asked(MemoryPlace):
        def read(self, paths):
            asked.extend(paths)
            return super().read(paths)

    read = opened(log, Asked(place.files))
    for index in (0, 300, 65_535, 65_792):
        asked.clear()
        assert leaf_hash(read.leaf(index)) == log.tile(0, index // 256, 256)[index % 256]
        assert len(asked) <= 2 * 3 + 1
    asked.clear()
    read.leaf(0)
    assert len(asked) == 1  # the hash tiles are remembered
