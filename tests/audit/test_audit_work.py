"""Work of an audit: it is counted, so that one that grows dearer is noticed on a machine of any speed.

A change that saves work lowers the numbers here; one that adds some has to say why. ``python -m
tests.bench.audited_work`` prints the counts.
"""

from collections.abc import Mapping
from typing import Final

import pytest

from tests.bench.audited_work import TABLES, AuditedWork, count

LEAVES: Final = 3
"""OPEN, DEAL and SETTLE are signed."""
HASHES: Final = 27
"""Four leaves and as many nodes, ids, commitments, keys and roots of four seats, and the hash of the cards shown."""
SEAT_HASHES: Final = 8
"""The statements of four seats' seeds and the beginnings of their chains."""
LEADER_HASHES: Final = 4
SECTION_HASHES: Final = 5
"""Sections of the board, and UNSEALs with their nodes."""
TEXTS: Final = 10
"""Envelopes and payloads of four leaves, where the payload of SETTLE is two texts; and the newest receipt."""
UNSEAL_TEXTS: Final = 3
BYTES: Final = 1.9
"""Bytes that are encoded for each byte of the leaves: payloads once, and once more in base64."""


@pytest.fixture(scope="module")
def works() -> Mapping[str, AuditedWork]:
    return count()


@pytest.mark.parametrize("name", TABLES)
def test_audit_verifies_each_signature_once(works: Mapping[str, AuditedWork], name: str) -> None:
    """Of leaves, receipts of sections that were opened, the newest receipt, and each seat's seed and newest event."""
    work = works[name]
    assert LEAVES <= work.verified == work.distinct, work
    most = LEAVES + TABLES[name].received + 2 * TABLES[name].keyed * TABLES[name].seats + 2 * work.unseals
    assert work.verified <= most, work


@pytest.mark.parametrize("name", TABLES)
def test_audit_hashes_each_event_twice_and_once_for_a_key(works: Mapping[str, AuditedWork], name: str) -> None:
    work, table = works[name], TABLES[name]
    assert work.events > 0
    once = HASHES + SEAT_HASHES * table.keyed + SECTION_HASHES * (work.unseals > 0)
    once += LEADER_HASHES * table.ruleset_id.startswith("tien_len")
    assert work.hashed <= once + (2 + table.keyed) * work.events + 2 * work.unseals, work


@pytest.mark.parametrize("name", TABLES)
def test_audit_encodes_what_it_reads_once(works: Mapping[str, AuditedWork], name: str) -> None:
    """That is how it knows that a text is canonical."""
    work = works[name]
    assert work.encoded <= TEXTS + work.events + UNSEAL_TEXTS * work.unseals, work
    assert 0 < work.encoded_bytes <= BYTES * work.leaf_bytes, work
