"""Leaves: what is read is what was written, and what cannot be meant is neither written nor read."""

import json
import re
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.dealing import leaf
from referee.dealing.leaf import (
    AbortLeaf,
    DealLeaf,
    KeyLeaf,
    LeafError,
    OpenLeaf,
    RevealLeaf,
    StartLeaf,
    StartRuleset,
    UnsealLeaf,
)
from referee.evidence.canonical import CanonicalError
from referee.games import LeaderBy
from tests.vectors.reading import read

HEX32 = st.binary(min_size=32, max_size=32).map(bytes.hex)
TIMES = st.integers(0, 2**53 - 1)
RULESET_ID = re.compile(r"[a-z0-9_]{1,32}\.[a-z0-9_]{1,64}")
VERSIONS = st.tuples(*[st.integers(0, 999_999)] * 3).map(lambda parts: ".".join(map(str, parts)))
LEADS = st.tuples(st.integers(0, 1), st.sampled_from(LeaderBy)) | st.just((msgspec.UNSET, msgspec.UNSET))
LEAVES = st.one_of(
    st.builds(
        lambda lead, **members: DealLeaf(leader=lead[0], leader_by=lead[1], **members),
        lead=LEADS,
        client_seeds=st.tuples(HEX32, HEX32),
        dealt_time=TIMES,
        deck_root=HEX32,
        mix=HEX32,
        opened_sections=st.sampled_from([(), (0,), (0, 1)]),
        round_id=HEX32,
        cosigned_checkpoint=HEX32,
    ),
    st.builds(
        UnsealLeaf,
        event_hash=HEX32,
        history=HEX32,
        number=st.integers(1, 2**32 - 1),
        opens_section=st.just(2),
        receipt_signature=st.binary(min_size=64, max_size=64).map(bytes.hex),
        received_time=TIMES,
        round_id=HEX32,
        sections=st.sampled_from([(2,), (0, 1, 2), (2, 5)]),
        unsealed_time=TIMES,
    ),
    st.builds(
        AbortLeaf,
        aborted_time=TIMES,
        client_seeds=st.tuples(HEX32 | st.just(""), HEX32 | st.just("")),
        reason=st.sampled_from(["SEED_MISSING", "DEADLINE", "OPERATOR", "VOID"]),
        round_id=HEX32,
        stage=st.sampled_from(["OPENED", "DEALT"]),
    ),
    st.builds(RevealLeaf, round_id=HEX32, server_seed=HEX32),
    st.builds(
        StartLeaf,
        instance=st.sampled_from(["referee", "room-1.a_B"]),
        package=HEX32 | st.just("editable"),
        python=st.sampled_from(["3.11.0", "3.14.0rc1+"]),
        rulesets=st.lists(
            st.builds(StartRuleset, digest=HEX32, id=st.from_regex(RULESET_ID, fullmatch=True), version=VERSIONS),
            max_size=4,
            unique_by=lambda one: (one.id, one.version),
        ).map(lambda found: tuple(sorted(found, key=lambda one: (one.id, one.version)))),
        settings=HEX32,
        started_time=TIMES,
        version=st.just("0.1.0"),
    ),
)
KINDS: dict[str, type[Any]] = {
    "open": OpenLeaf,
    "deal": DealLeaf,
    "unseal": UnsealLeaf,
    "abort": AbortLeaf,
    "reveal": RevealLeaf,
    "key": KeyLeaf,
    "start": StartLeaf,
}


@given(LEAVES)
def test_leaves_can_be_read_back(written: DealLeaf | UnsealLeaf | AbortLeaf | RevealLeaf | StartLeaf):
    payload = leaf.encode(written)
    kind: type[Any] = type(written)
    assert leaf.parse(payload, kind) == written
    assert json.loads(payload) == json.loads(json.dumps(msgspec.to_builtins(written)))
    assert b"null" not in payload


@given(LEAVES)
def test_a_leaf_is_no_leaf_of_another_kind(written: DealLeaf | UnsealLeaf | AbortLeaf | RevealLeaf | StartLeaf):
    payload = leaf.encode(written)
    for kind in KINDS.values():
        if kind is not type(written):
            with pytest.raises(CanonicalError):
                leaf.parse(payload, kind)


def test_every_kind_has_a_media_type_of_its_own():
    for name, kind in KINDS.items():
        assert leaf.TYPES[kind] == f"application/vnd.referee.{name}.v1+json"
    assert len(leaf.TYPES) == len(KINDS)


UPPER = "AB" * 32
REFUSED: list[tuple[str, str, Any]] = [  # beside ``tests/vectors/dealing/refused_leaves.jsonl``
    ("open", "server_commitment", UPPER),
    ("open", "client_commitments", ["", "", "", "00"]),
    ("open", "client_commitments", ["", "", "", UPPER]),
    ("open", "client_commitments", ["", "", "", None]),
    ("open", "client_commitments", [""] * 5),
    ("open", "seat_tokens", []),
    ("open", "seat_tokens", ["00" * 32] * 3),
    ("open", "seat_tokens", ["00" * 32, "00" * 32, "00" * 32, ""]),
    ("open", "seat_tokens", ["00" * 32, "00" * 32, "00" * 32, UPPER]),
    ("open", "seat_tokens", None),
    ("open", "sealed_seed", ""),
    ("open", "sealed_seed", "00" * 71),
    ("deal", "client_seeds", ["", "00" * 32, "00" * 32, "00" * 32]),
    ("deal", "mix", UPPER),
    ("deal", "mix", "00"),
    ("deal", "leader", -1),
    ("deal", "leader", True),
    ("deal", "leader_by", None),
    ("deal", "dealt_time", 2**53),
    ("deal", "dealt_time", -1),
    ("deal", "dealt_time", "1"),
    ("deal", "dealt_time", 1.0),
    ("deal", "server_seed", "00" * 32),
    ("deal", "opened_sections", None),
    ("open", "opened_time", -1),
    ("deal", "seed_signatures", []),
    ("deal", "seed_signatures", ["00" * 64] * 3),
    ("deal", "seed_signatures", ["00" * 64, "", "", "00" * 63]),
    ("deal", "seed_signatures", ["00" * 64, "", "", "AB" * 64]),
    ("deal", "seed_signatures", None),
    ("unseal", "history", UPPER),
    ("unseal", "opens_section", None),
    ("unseal", "opens_section", 51),
    ("unseal", "unsealed_time", 2**53),
    ("abort", "client_seeds", ["00"]),
    ("reveal", "server_seed", ""),
    ("reveal", "server_seed", UPPER),
    ("reveal", "server_seed", "0" * 63 + "é"),
    ("key", "key", "PeterNeumann+c74f20a4+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW"),
    ("key", "key", ""),
]


@pytest.mark.parametrize(("kind", "member", "value"), REFUSED)
def test_a_payload_that_cannot_be_meant_is_refused(kind: str, member: str, value: object):
    vectors = (*read("dealing/leaves"), *read("dealing/seat_leaves"))
    vector = next(vector for vector in vectors if vector["kind"] == kind)
    payload = {**json.loads(vector["payload"]), member: value}
    data = json.dumps(payload, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    with pytest.raises(CanonicalError):
        leaf.parse(data, KINDS[kind])


def test_an_open_with_a_broken_header_names_its_field():
    vector = next(vector for vector in read("dealing/leaves") if vector["kind"] == "open")
    payload = json.loads(vector["payload"])
    payload["header"]["stake"] = 0
    with pytest.raises(LeafError, match=r"header\.stake"):
        leaf.parse(json.dumps(payload, sort_keys=True, separators=(",", ":")).encode(), OpenLeaf)


def test_what_would_not_be_read_is_not_written():
    with pytest.raises(CanonicalError):
        leaf.encode(RevealLeaf(round_id="00" * 32, server_seed=UPPER))
    with pytest.raises(CanonicalError):
        leaf.encode(
            DealLeaf(
                client_seeds=("00" * 32,),
                dealt_time=1,
                deck_root="00" * 32,
                mix="00" * 32,
                opened_sections=(0,),
                round_id="00" * 32,
                leader=1,
                leader_by=LeaderBy.DRAW,
            )
        )
