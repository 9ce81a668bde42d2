"""LogService: leaves, proofs at every size, the rounds of tables, and keys."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest

from referee.dealing.leaf import KEY_TYPE
from referee.evidence import merkle
from referee.evidence.merkle import LeafIndex
from referee.evidence.vkey import VerifierKey
from referee.log import LogReceipt
from referee.v1 import log_pb2
from tests.driver.messages import request_type
from tests.log.rfc9162 import inclusion_proof
from tests.service.house import House


@pytest.fixture(scope="module")
def grown(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Any:  # noqa: ANN401 - a house
    """Start a server whose log has some 40 leaves."""
    make = request.getfixturevalue("house_type")
    house = make(tmp_path_factory.mktemp("grown"))
    for number in range(10):
        played = house.play(f"t-{number}").report_all()
        played.settle()
        played.reveal()
    yield house
    house.close()


def test_entries_are_the_leaves_whose_root_the_log_signs(grown: House) -> None:
    """All leaves in one call, and page by page; their root is the checkpoint's."""
    head = grown.head()
    leaves = list(grown.log.ListEntries(log_pb2.ListEntriesRequest()).leaves)
    assert len(leaves) == head.size > 40
    assert merkle.root(leaves) == head.root
    pages: list[bytes] = []
    while len(pages) < head.size:
        pages += grown.log.ListEntries(log_pb2.ListEntriesRequest(start=len(pages), page_size=7)).leaves
    assert pages == leaves
    assert not grown.log.ListEntries(log_pb2.ListEntriesRequest(start=head.size)).leaves


def test_every_leaf_is_proved_at_every_size(grown: House) -> None:
    """Proofs as RFC 6962 has them, against the root of the first leaves of that size."""
    leaves = list(grown.log.ListEntries(log_pb2.ListEntriesRequest()).leaves)
    for size in (1, 2, 3, 4, 7, 8, 9, 31, 32, 33, len(leaves)):
        root = merkle.root(leaves[:size])
        for index in range(size):
            proof = grown.log.GetInclusionProof(log_pb2.GetInclusionProofRequest(leaf_index=index, tree_size=size))
            assert (proof.tree_size, proof.leaf_hash) == (size, merkle.leaf_hash(leaves[index]))
            assert tuple(proof.inclusion_proof) == inclusion_proof(leaves[:size], index)
            merkle.verify_inclusion(
                proof.leaf_hash, index=index, size=size, proof=tuple(proof.inclusion_proof), root=root
            )


def test_every_size_is_continued_by_every_later_one(grown: House) -> None:
    leaves = list(grown.log.ListEntries(log_pb2.ListEntriesRequest()).leaves)
    sizes = (1, 2, 3, 4, 6, 7, 8, 9, 16, 31, 32, 33, len(leaves))
    for old in sizes:
        for new in [size for size in sizes if size >= old]:
            request = log_pb2.GetConsistencyProofRequest(first_size=old, second_size=new)
            answer = grown.log.GetConsistencyProof(request)
            assert answer.second_size == new
            merkle.verify_consistency(
                old_size=old,
                new_size=new,
                old_root=merkle.root(leaves[:old]),
                new_root=merkle.root(leaves[:new]),
                proof=tuple(answer.consistency_proof),
            )


def test_size_left_out_is_the_newest(grown: House) -> None:
    head = grown.head()
    inclusion = grown.log.GetInclusionProof(log_pb2.GetInclusionProofRequest(leaf_index=5))
    assert inclusion.tree_size == head.size
    assert grown.log.GetConsistencyProof(log_pb2.GetConsistencyProofRequest(first_size=5)).second_size == head.size


@pytest.mark.parametrize(
    ("method", "fields", "field"),
    [
        ("ListEntries", lambda size: {"start": size + 1}, "start"),
        ("ListEntries", lambda _: {"start": 2**64 - 1, "page_size": 1000}, "start"),
        ("GetInclusionProof", lambda size: {"leaf_index": size}, "leaf_index"),
        ("GetInclusionProof", lambda _: {"leaf_index": 3, "tree_size": 3}, "leaf_index"),
        ("GetInclusionProof", lambda size: {"tree_size": size + 1}, "tree_size"),
        ("GetInclusionProof", lambda _: {"tree_size": 2**64 - 1}, "tree_size"),
        ("GetConsistencyProof", lambda size: {"first_size": 1, "second_size": size + 1}, "second_size"),
        ("GetConsistencyProof", lambda _: {"first_size": 4, "second_size": 3}, "first_size"),
        ("GetConsistencyProof", lambda size: {"first_size": size + 1}, "first_size"),
        ("GetConsistencyProof", lambda _: {"first_size": 0}, "first_size"),
    ],
)
def test_question_beyond_the_log_is_refused(
    grown: House, method: str, fields: Callable[[int], dict[str, int]], field: str
) -> None:
    """OUT_OF_RANGE, with what was asked and the limit."""
    request = request_type(f"/referee.v1.LogService/{method}")(**fields(grown.head().size))
    refusal = grown.refusal_of(getattr(grown.log, method), request)
    assert refusal.seen == ("OUT_OF_RANGE", "BEYOND_LOG", field)
    assert int(refusal.facts["found"]) == getattr(request, field)


def test_entries_end_where_an_answer_would_be_too_large(house: House) -> None:
    """At a megabyte at the latest, however many are asked for; reading on from there gives every leaf."""
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(lambda number: house.open(f"{number:03}-" + "x" * 60, seat_count=4), range(640)))
    everything = house.leaves()
    assert merkle.root(everything) == house.head().root
    assert sum(map(len, everything)) > 1_000_000
    for size in (None, 1000):
        page = house.log.ListEntries(log_pb2.ListEntriesRequest(page_size=size))
        assert list(page.leaves) == everything[: len(page.leaves)]
        assert sum(map(len, page.leaves)) <= 1_000_000 < sum(map(len, everything[: len(page.leaves) + 1]))
        rest = house.log.ListEntries(log_pb2.ListEntriesRequest(page_token=page.next_page_token))
        assert list(rest.leaves) == everything[len(page.leaves) :][: len(rest.leaves)]


def test_round_is_found_by_table_and_by_number(grown: House) -> None:
    """The latest without a number; a table or round that is not there is refused with the field at fault."""
    latest = grown.log.GetTableRound(log_pb2.GetTableRoundRequest(table_id="t-3"))
    by_number = log_pb2.GetTableRoundRequest(round={"table_id": "t-3", "round_number": latest.round.round_number})
    assert grown.log.GetTableRound(by_number) == latest
    for fields, expected in (
        ({"table_id": "nobody"}, ("FAILED_PRECONDITION", "NOT_OPENED", "table_id")),
        (
            {"round": {"table_id": "t-3", "round_number": 99}},
            ("FAILED_PRECONDITION", "NOT_OPENED", "round.round_number"),
        ),
        (
            {"round": {"table_id": "t-3", "round_number": 2**60}},
            ("INVALID_ARGUMENT", "INVALID_FIELD", "round.round_number"),
        ),
        ({}, ("INVALID_ARGUMENT", "MISSING_FIELD", "table_id")),
        ({"table_id": "bàn"}, ("INVALID_ARGUMENT", "INVALID_FIELD", "table_id")),
    ):
        request = log_pb2.GetTableRoundRequest(**fields)
        assert grown.refusal_of(partial(grown.log.GetTableRound, request)).seen == expected


def test_keys_are_those_that_sign(grown: House) -> None:
    """The log's key opens its checkpoints under its origin; the root key is another."""
    keys = grown.log.GetKeys(log_pb2.GetKeysRequest())
    assert keys.origin == grown.ORIGIN
    assert VerifierKey.parse(keys.log_key).name == keys.origin
    assert keys.root_key != keys.log_key
    assert grown.head().origin == keys.origin


def test_pages_of_key_leaves_are_all_of_them(grown: House) -> None:
    whole = grown.log.GetKeys(log_pb2.GetKeysRequest())
    page = grown.log.GetKeys(log_pb2.GetKeysRequest(page_size=1))
    found = list(page.key_leaves)
    while page.HasField("next_page_token"):
        page = grown.log.GetKeys(log_pb2.GetKeysRequest(page_size=1, page_token=page.next_page_token))
        assert len(page.key_leaves) == 1
        found += page.key_leaves
    assert len(found) >= 3
    assert [one.leaf_index for one in found] == [one.leaf_index for one in whole.key_leaves]
    assert not whole.HasField("next_page_token")


@pytest.mark.parametrize(
    ("fields", "field"),
    [
        ({"page_size": 0}, "page_size"),
        ({"page_size": 101}, "page_size"),
        ({"page_token": ""}, "page_token"),
        ({"page_token": "0"}, "page_token"),
        ({"page_token": "99"}, "page_token"),
        ({"page_token": "1x"}, "page_token"),
    ],
)
def test_page_of_keys_that_no_answer_named_is_refused(grown: House, fields: dict[str, Any], field: str) -> None:
    refusal = grown.refusal_of(grown.log.GetKeys, log_pb2.GetKeysRequest(**fields))
    assert (refusal.reason, refusal.field) == ("INVALID_FIELD", field)


def test_key_leaves_name_the_keys_of_every_role_and_are_proved(grown: House) -> None:
    """They are the leaves that stand in the log at their indices, so that nobody has to read the log for them."""
    keys = grown.log.GetKeys(log_pb2.GetKeysRequest())
    listed = grown.log.ListEntries(log_pb2.ListEntriesRequest()).leaves
    expected = [index for index, leaf in enumerate(listed) if KEY_TYPE.encode() in leaf]
    assert [one.leaf_index for one in keys.key_leaves] == expected
    assert len(expected) >= 3
    for one in keys.key_leaves:
        assert one.leaf == listed[one.leaf_index]
        receipt = LogReceipt(
            index=LeafIndex(one.leaf_index),
            leaf_hash=one.leaf_hash,
            proof=tuple(one.inclusion_proof),
            checkpoint=one.checkpoint.encode(),
        )
        receipt.verify(one.leaf, origin=keys.origin, keys=[VerifierKey.parse(keys.log_key)])
