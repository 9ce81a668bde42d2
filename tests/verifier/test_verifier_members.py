"""Each member of each kind of leaf, and each pair of its optional members, changed: both verifiers find the same."""

import base64
import copy
import itertools
import json
from collections.abc import Iterator
from functools import cache
from typing import Any, Final, NamedTuple

import msgspec
import pytest

from referee.dealing import leaf as leaves
from referee.dealing.certificate import Certificate, SectionJson
from referee.evidence.dsse import Envelope
from referee.transcript.chain import EventReceipt
from referee.transcript.inputs import MEDIA_TYPE, Inputs, Transcript
from tests.audit.audit_attack import certified, receipt
from tests.audit.audit_attacks_starts import start_leaf
from tests.audit.audit_builder import REFEREE, SHUFFLER, LogBuilder, Table, abort, sign
from tests.fuzz.fuzz_bases import row_of
from tests.fuzz.fuzz_verdicts import python_findings
from tests.verifier.built import Verdicts
from tests.verifier.verifier_mutations import Seen, apart, listed_alike, sign_again

Change = tuple[tuple[Any, ...], Any]
"""A place in a payload, and the value put there."""
ABSENT: Final = object()
KEPT: Final = object()
TYPES: Final[tuple[object, ...]] = (ABSENT, None, True, -1, 7, "x", [], {})
"""Values in the place of any member."""
VALUES: Final = (
    *(*TYPES, 0, 1, 99, 1.5, "", "00", "0", "00" * 32, "DRAW", "WINNER"),
    *([""], ["", ""], ["00" * 64, ""], [0], {"number": 1, "signature": "00" * 64}),
)
"""Values in the place of an optional member; some fit one of them."""
PAIRED: Final = (ABSENT, KEPT, None, 0, 99, "DRAW", "00", [""] * 2)
"""Values of an optional member beside another."""
KINDS: Final[dict[str, type[msgspec.Struct]]] = {
    kind.__name__.removesuffix("Leaf").lower(): kind for kind in (*leaves.TYPES, Transcript)
}
TURNS: Final = Table(name="turns", ruleset_id="tien_len.mien_nam", seats=2, keyed=True)
SEALED: Final = Table(name="sealed", ruleset_id="mau_binh.classic", seats=2, keyed=True, sealed=True)


class Base(NamedTuple):
    """A log, and the place in it of the leaf that is changed."""

    log: LogBuilder
    at: int

    @property
    def payload(self) -> dict[str, Any]:
        """The leaf's payload."""
        return dict(json.loads(Envelope.parse(self.log.entries[self.at]).payload))


@cache
def base(kind: str) -> Base:
    """Return a log that has a leaf of this kind with as many optional members as one can have."""
    log = LogBuilder.founded()
    log.entries.append(start_leaf(TURNS.ruleset_id, SEALED.ruleset_id))
    if kind == "abort":
        parts = log.lay_out(TURNS)
        abort(parts, stage="DEALT", reason="DEADLINE")
        log.append(parts, steps="ODER")
    else:
        log.play(SEALED if kind in {"open", "unseal"} else TURNS)
    wanted = MEDIA_TYPE if kind == "transcript" else leaves.TYPES[KINDS[kind]]  # type: ignore[index] # it is a leaf's
    at = max(place for place, leaf in enumerate(log.entries) if Envelope.parse(leaf).payload_type == wanted)
    return Base(log, at)


def optional(record: type[msgspec.Struct]) -> list[str]:
    """Return the members that a record may leave out."""
    return [field.encode_name for field in msgspec.structs.fields(record) if field.default is msgspec.UNSET]


def places(value: object, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the place of each member; of a list that of its first item alone."""
    items = value.items() if isinstance(value, dict) else enumerate(value[:1]) if isinstance(value, list) else ()
    for name, member in items:
        yield (*path, name)
        yield from places(member, (*path, name))


def changes_of(
    payload: dict[str, Any], records: list[tuple[tuple[Any, ...], type[msgspec.Struct]]]
) -> Iterator[tuple[str, bytes]]:
    """Yield each changed payload with what was changed: every member, and pairs of the optional ones of the records."""
    changes = [*singles(payload)]
    for owner, record in records:
        names = optional(record)
        changes += [[((*owner, name), value)] for name in names for value in VALUES]
        changes += pairs(owner, names)
    for change in changes:
        data = changed(payload, change)
        if data is not None:
            yield ", ".join(f"{at}: {'left out' if value is ABSENT else value!r}" for at, value in change), data


def singles(payload: dict[str, Any]) -> Iterator[list[Change]]:
    """Yield each change of one member, and one member too many in each object."""
    for place in places(payload):
        yield from ([(place, value)] for value in TYPES)
    for place in [(), *places(payload)]:
        yield [((*place, "more"), 1)]


def pairs(owner: tuple[Any, ...], names: list[str]) -> Iterator[list[Change]]:
    """Yield each change of two optional members."""
    for one, other in itertools.combinations(names, 2):
        for first, second in itertools.product(PAIRED, PAIRED):
            yield [((*owner, one), first), ((*owner, other), second)]


def changed(payload: dict[str, Any], changes: list[Change]) -> bytes | None:
    """Return the changed payload's bytes; None if nothing is changed."""
    again = copy.deepcopy(payload)
    for (*path, name), value in changes:
        holder: Any = again
        for step in path:
            holder = holder[step]
        if value is KEPT or not isinstance(holder, dict | list) or (name == "more" and isinstance(holder, list)):
            continue
        if value is not ABSENT:
            holder[name] = value
        elif isinstance(holder, list) or name in holder:
            del holder[name]
    if again == payload and str(again) == str(payload):
        return None
    return json.dumps(again, sort_keys=True, separators=(",", ":")).encode()


def disagreements(rows: dict[str, dict[str, Any]], verdicts: Verdicts) -> dict[str, object]:
    """Return the findings of both verifiers on each row, by what was changed, where they differ."""
    assert len(rows) > 15
    differing: dict[str, object] = {}
    refused = 0
    for (name, row), answer in zip(rows.items(), verdicts(rows.values()), strict=True):
        theirs: list[Seen] = [(one["code"], one.get("leaf_index")) for one in answer["findings"]]
        ours: list[Seen] = [(one.code, None if one.leaf < 0 else one.leaf) for one in python_findings(row)]
        refused += bool(theirs)
        if apart({*ours}, {*theirs}) or not listed_alike(ours, theirs) or "error" in answer:
            differing[name] = ours, theirs, answer.get("error")
    assert refused > len(rows) // 2
    return differing


@pytest.mark.slow("asks two verifiers about each changed member")
@pytest.mark.parametrize("kind", KINDS)
def test_verifiers_agree_on_every_changed_member_of_a_leaf(kind: str, verdicts: Verdicts) -> None:
    log, at = base(kind)
    owner, record = (("inputs",), Inputs) if kind == "transcript" else ((), KINDS[kind])
    rows = {}
    for name, data in changes_of(base(kind).payload, [(owner, record)]):
        entries = [*log.entries]
        entries[at] = sign_again(entries[at], data)
        rows[name] = row_of(LogBuilder(entries)) | {"now": row_of(log)["now"]}
    assert disagreements(rows, verdicts) == {}


@pytest.mark.slow("asks two verifiers about each changed member")
@pytest.mark.parametrize("kind", ["certificates", "event_receipts"])
def test_verifiers_agree_on_every_changed_member_of_a_document(kind: str, verdicts: Verdicts) -> None:
    log = LogBuilder.founded()
    parts = log.play(TURNS)
    documents: dict[str, tuple[bytes, Any, list[tuple[tuple[Any, ...], type[msgspec.Struct]]]]] = {
        "certificates": (certified(parts), SHUFFLER, [((), Certificate), (("sections", 0), SectionJson)]),
        "event_receipts": (receipt(parts, 1), REFEREE, [((), EventReceipt)]),
    }
    document, signer, records = documents[kind]
    envelope, rows = Envelope.parse(document), {}
    for name, data in changes_of(json.loads(envelope.payload), records):
        again = sign(envelope.payload_type, data, signer)
        rows[name] = row_of(log) | {kind: [base64.b64encode(again).decode()]}
    assert disagreements(rows, verdicts) == {}
