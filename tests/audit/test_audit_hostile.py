"""Nothing that a holder of every key can sign into a log stops an audit."""

import msgspec
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from referee.audit import Code, Documents
from referee.audit.reading import SIGNERS
from referee.dealing import leaf as leaves
from referee.evidence.dsse import Envelope
from referee.transcript.inputs import MEDIA_TYPE
from tests.audit.audit_builder import FAR, REFEREE, ROOT, SHUFFLER, Auditor, LogBuilder, Table, codes, course_of, sign
from tests.budget import examples

TABLE = Table(name="felt", ruleset_id="mau_binh.classic", seats=2)
SIGNED_BY = {"shuffler": SHUFFLER, "referee": REFEREE, "root": ROOT}
MAY_DIFFER = {"sealed_seed", "key", "client_commitments"}
"""What an honest log could have otherwise: nobody else can open a seal, keys have names, commitments may be absent."""
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**70), 2**70)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.sampled_from(["", "A", "00" * 32, "FF" * 32, "ệ", "SEAT", "RECEIPT", "DEALT"])
    | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


def built() -> LogBuilder:
    return LogBuilder.of(TABLE, rounds=2)


LEAVES = tuple(built().entries)
PAYLOADS = [msgspec.json.decode(Envelope.parse(leaf).payload) for leaf in LEAVES]


def paths(value: object, path: tuple[object, ...] = ()) -> list[tuple[object, ...]]:
    """Yield the paths of all members and items in a value."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *[inner for name, item in items for inner in paths(item, (*path, name))]]


PATHS = [paths(payload) for payload in PAYLOADS]


def put(value: object, path: tuple[object, ...], new: object) -> object:
    """Return the value with another one at a path."""
    if not path:
        return new
    name, *rest = path
    if isinstance(value, list):
        return [put(item, tuple(rest), new) if place == name else item for place, item in enumerate(value)]
    assert isinstance(value, dict)
    return {key: put(item, tuple(rest), new) if key == name else item for key, item in value.items()}


def resigned(place: int, payload: bytes) -> bytes:
    """Give the leaf at a place another payload, signed by the same signer."""
    payload_type = Envelope.parse(LEAVES[place]).payload_type
    role = SIGNERS[payload_type]
    return Envelope(payload_type, payload).to_bytes() if role is None else sign(payload_type, payload, SIGNED_BY[role])


@settings(max_examples=examples(100))
@given(st.data())
def test_signed_nonsense_is_a_finding_and_no_crash(audit: Auditor, data: st.DataObject):
    place = data.draw(st.integers(0, len(LEAVES) - 1))
    path = data.draw(st.sampled_from(PATHS[place]))
    new = data.draw(JSON)
    changed = put(PAYLOADS[place], path, new)
    try:
        payload = orjson.dumps(changed, option=orjson.OPT_SORT_KEYS)
    except orjson.JSONEncodeError:
        payload = msgspec.json.encode(put(PAYLOADS[place], path, 0), order="sorted")
    entries = [*LEAVES[:place], resigned(place, payload), *LEAVES[place + 1 :]]
    report = audit(LogBuilder(entries).bundle(), now=FAR)
    if tuple(entries) != LEAVES and path and path[0] not in MAY_DIFFER:
        assert not report.is_clean


@settings(max_examples=examples(25))
@given(st.sampled_from(range(3, len(LEAVES))), st.sampled_from([b"[", b'{"a":']), st.integers(1, 20_000))
def test_deep_nesting_is_a_finding_and_no_crash(audit: Auditor, place: int, opening: bytes, depth: int):
    closing = b"]" if opening == b"[" else b"}"
    payload = (opening * depth + b"1" + closing * depth)[:48_000]
    entries = [*LEAVES[:place], resigned(place, payload), *LEAVES[place + 1 :]]
    assert not audit(LogBuilder(entries).bundle()).is_clean


def test_deep_nesting_inside_a_transcript_is_a_finding(audit: Auditor):
    log = LogBuilder.founded()
    parts = log.prepare(TABLE)
    for depth in (900, 1_010, 5_000):
        nested = b'"results":' + b"[" * depth + b"]" * depth
        start, end = parts.transcript.index(b'"results"'), parts.transcript.index(b',"round_id"')
        payload = parts.transcript[:start] + nested + parts.transcript[end:]
        entries = [*log.entries, parts.open_leaf, parts.deal_leaf, sign(MEDIA_TYPE, payload, REFEREE)]
        assert not audit(LogBuilder(entries).bundle()).is_clean


@settings(max_examples=examples(25))
@given(st.binary(max_size=300))
def test_bytes_of_any_kind_are_findings(audit: Auditor, data: bytes):
    report = audit(LogBuilder([*LEAVES, data]).bundle())
    assert not report.is_clean
    documents = Documents(certificates=(data,), event_receipts=(data,))
    assert not audit(LogBuilder([*LEAVES]).bundle(), documents=documents).is_clean


def test_round_id_of_another_tables_live_round_is_a_finding(audit: Auditor):
    """Otherwise no check would cover an OPEN under a borrowed id."""
    log = LogBuilder.founded()
    one = log.lay_out(TABLE)
    other = log.lay_out(Table(name="other", ruleset_id="mau_binh.classic", seats=2))
    borrowed = msgspec.structs.replace(other.opened, round_id=one.opened.round_id)
    payload = msgspec.json.encode(borrowed, order="sorted")
    log.entries += [one.open_leaf, sign(leaves.OPEN_TYPE, payload, SHUFFLER)]
    assert codes(audit(log.bundle())) == [Code.OPENED_TWICE]


@pytest.mark.parametrize("ruleset", ["mau_binh.classic", "tien_len.mien_nam", "ultimate_texas.casino"])
def test_white_space_in_an_event_gives_one_event_two_texts(audit: Auditor, ruleset: str):
    """Only the spacing of one event differs; the hashes are those of the new text."""
    log = LogBuilder.founded()
    parts = log.prepare(Table(name="spaced", ruleset_id=ruleset, seats=2, received=False))
    assert parts.inputs.events, "this deck is won at the deal: name the table otherwise"
    events = [bytes(reported.event) for reported in parts.inputs.events]
    spaced = [events[0].replace(b'"kind":', b'"kind": '), *events[1:]]
    assert spaced[0] != events[0]
    hashed = course_of(parts).event_hash.hex().encode()
    other = msgspec.structs.replace(parts.inputs.events[0], event=msgspec.Raw(spaced[0]))
    parts.inputs = msgspec.structs.replace(parts.inputs, events=(other, *parts.inputs.events[1:]))
    again = course_of(parts).event_hash.hex().encode()
    parts.transcript = parts.transcript.replace(events[0], spaced[0], 1).replace(hashed, again)
    assert again in parts.transcript
    log.append(parts)
    report = audit(log.bundle(), now=FAR)
    assert codes(report) == [Code.NOT_CANONICAL, Code.REVEALED_EARLY, Code.DEADLINE_PASSED]
    assert report.checked.replayed == 0


def test_findings_of_a_hostile_log_are_counted_and_not_all_kept(audit: Auditor):
    report = audit(LogBuilder([b"no leaf"] * 3_000).bundle())
    assert report.finding_counts == {Code.NOT_CANONICAL: 3_000}
    assert len(report.findings) == 1_000
