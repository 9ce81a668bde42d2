"""A round verified from its bundle: sound rounds pass, and faults that an audit finds in a round show too."""

import base64
import json
from collections.abc import Iterator
from typing import Any

import pytest

from referee.audit import Code
from referee.audit.bundle import BundleError, ProvedRound, prove_round
from tests.audit import audit_attacks_bytes
from tests.audit.audit_builder import LOG, ORIGIN, ROOT, LogBuilder, Table
from tests.audit.audit_bundles import bundle_of, payload_of, rounds_of
from tests.driver.auditing import terms_of
from tests.vectors.reading import FOLDER, Row, read

TABLES = (
    Table(name="felt", ruleset_id="mau_binh.classic", seats=3, received=False),
    Table(name="green", ruleset_id="ultimate_texas.casino", seats=2, received=False),
    Table(name="oak", ruleset_id="tien_len.mien_nam", seats=4, received=False),
)
ELSEWHERE = {
    # found by comparison with other rounds, with earlier checkpoints or with witnesses
    Code.WRONG_PREVIOUS_LEAF,
    Code.CLIENT_SEED_REPEATED,
    Code.SERVER_SEED_REPEATED,
    Code.DECK_REPEATED,
    Code.OPENED_TWICE,
    Code.SECTION_KEY_WEAK,
    Code.LEAF_OF_NO_ROUND,
    Code.RULESET_NOT_STARTED,
    Code.LEAF_TOO_LONG,
    Code.HISTORY_REWRITTEN,
    Code.LOG_TRUNCATED,
    Code.SPLIT_VIEW,
    Code.LOG_RECEIPT_REFUSED,
    Code.PROMISED_LEAF_ABSENT,
    Code.COSIGNATURE_REFUSED,
    Code.QUORUM_UNMET,
    Code.WITNESS_DOUBLED,
    Code.HEAD_FROZEN,
    # found in a kept checkpoint
    Code.KEY_NOT_VALID,
    # found in other documents
    Code.SECRET_EXPOSED,
    Code.SEED_HELD,
    Code.HELD_SEED_REFUSED,
    # found by statistics over many rounds
    Code.TABLES_THROWN_AWAY,
    Code.TABLES_UNSEEDED,
    Code.ROUNDS_GIVEN_UP,
    Code.GIVEN_UP_BY_YOUNG_KEYS,
    Code.ABORTED_BY_QUALITY,
    Code.ABORTED_FOR_KEY,
    Code.WITHHELD_BY_SEAT,
    Code.UNLIKELY_BY_CHANCE,
    Code.CARDS_BY_PLACE_UNEVEN,
    Code.DECKS_CORRELATED,
    Code.WINS_BEYOND_CHANCE,
    Code.WIN_RATE_UNUSUAL,
    # depends on the time of the audit; such a round is not proved
    Code.NEVER_REVEALED,
    Code.DEADLINE_PASSED,
    Code.UNFINISHED_IN_COPY,
    Code.TIME_AHEAD,
    # shows beside leaves of other rounds, or witnesses
    Code.TIME_OUT_OF_ORDER,
    Code.TIME_BACKDATED,
}
"""Codes that a bundle may not show, or only as another code; every other code is that of the audit."""


def proved(bundle: bytes, **terms: str) -> ProvedRound:
    given: dict[str, Any] = {"origin": ORIGIN, "log_key": LOG.text, "root_key": ROOT.text} | terms
    return prove_round(bundle, *terms_of(**given, now=0)[:2])


@pytest.fixture(scope="module")
def log() -> LogBuilder:
    """Three rounds at each of three tables."""
    return LogBuilder.of(*TABLES, rounds=3)


def test_every_round_of_a_sound_log_is_proved_alone(log: LogBuilder):
    rounds = list(rounds_of(log.entries))
    assert len(rounds) == 9
    for round_id in rounds:
        found = proved(bundle_of(log.entries, log.checkpoint(), round_id))
        assert found.findings == ()
        assert found.is_proved


def test_bundle_without_the_round_before_proves_less(log: LogBuilder):
    *_, last = rounds_of(log.entries)
    bundle = json.loads(bundle_of(log.entries, log.checkpoint(), last))
    own = {leaf["index"] for leaf in bundle["leaves"] if payload_of(leaf["leaf"].encode()).get("round_id") == last}
    bundle["leaves"] = [leaf for leaf in bundle["leaves"] if leaf["index"] in own or leaf["index"] < 3]
    found = proved(json.dumps(bundle).encode())
    assert found.findings == ()
    assert found.unchecked[0] == "the leaf that ended the table's round before is not in the bundle"


def test_no_leaf_of_a_bundle_can_be_changed_or_moved(log: LogBuilder):
    """A character of each payload, each proof's first hash, each index."""
    round_id = list(rounds_of(log.entries))[4]
    sound = json.loads(bundle_of(log.entries, log.checkpoint(), round_id))
    assert len(sound["leaves"]) > 3
    for place, leaf in enumerate(sound["leaves"]):
        at = leaf["leaf"].index('"payload":"') + 40
        other = "A" if leaf["leaf"][at] != "A" else "B"
        changed = leaf["leaf"][:at] + other + leaf["leaf"][at + 1 :]
        first = ("0" if leaf["proof"][0][0] != "0" else "1") + leaf["proof"][0][1:]
        for change in ({"leaf": changed}, {"proof": [first, *leaf["proof"][1:]]}):
            bundle = {**sound, "leaves": [*sound["leaves"][:place], {**leaf, **change}, *sound["leaves"][place + 1 :]]}
            assert proved(json.dumps(bundle).encode()).findings[0].code is Code.ROOT_MISMATCH


@pytest.mark.parametrize("term", ["origin", "log_key", "root_key"])
def test_bundle_of_another_log_proves_nothing(log: LogBuilder, term: str):
    round_id = next(rounds_of(log.entries))
    other = {"origin": "log.example/other", "log_key": ROOT.text, "root_key": LOG.text}
    found = proved(bundle_of(log.entries, log.checkpoint(), round_id), **{term: other[term]})
    assert found.findings
    assert not found.is_proved


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        b'{"format":2,"round_id":"' + b"0" * 64 + b'","checkpoint":"","leaves":[]}',
        b'{"format":1,"round_id":"no","checkpoint":"","leaves":[]}',
        b"[" * 100_000,
    ],
)
def test_what_is_no_bundle_is_said_to_be_none(data: bytes):
    with pytest.raises(BundleError):
        proved(data)


def test_leaves_that_do_not_ascend_are_no_bundle(log: LogBuilder):
    bundle = json.loads(bundle_of(log.entries, log.checkpoint(), next(rounds_of(log.entries))))
    bundle["leaves"].reverse()
    with pytest.raises(BundleError, match="ascend"):
        proved(json.dumps(bundle).encode())


def test_bundle_without_its_round_is_none(log: LogBuilder):
    bundle = json.loads(bundle_of(log.entries, log.checkpoint(), next(rounds_of(log.entries))))
    with pytest.raises(BundleError, match="no OPEN"):
        proved(json.dumps({**bundle, "round_id": "ab" * 32}).encode())


def attacks() -> Iterator[Row]:
    for file in sorted((FOLDER / "audit").glob("*.jsonl")):
        for one in read(f"audit/{file.stem}"):
            expected = one.get("expected", {})
            # leaves that hold any bytes need not say of which round they are
            if "leaves" in one and expected.get("code") and expected["number"] != audit_attacks_bytes.NUMBER:
                yield one


def test_what_the_audit_finds_in_a_round_its_bundle_shows():
    """Every attack of the fixtures; the codes that only the whole log can show are listed."""
    seen, missed = 0, dict[str, list[str]]()
    for fixture in attacks():
        entries = [leaf.encode() for leaf in fixture["leaves"]]
        terms = {name: fixture[name] for name in ("origin", "log_key", "root_key")}
        documents = {
            name: [base64.b64decode(one).decode() for one in fixture.get(name, ())]
            for name in ("certificates", "event_receipts")
        }
        codes = set()
        for round_id in dict.fromkeys(rounds_of(entries)):
            try:
                found = proved(bundle_of(entries, fixture["checkpoint"].encode(), round_id, **documents), **terms)
            except BundleError:
                continue
            codes |= {one.code.value for one in found.findings}
        expected = fixture["expected"]["code"]
        if expected in codes:
            seen += 1
        else:
            missed.setdefault(expected, []).append(fixture["id"])
    assert set(missed) == ELSEWHERE
    assert seen > 100
