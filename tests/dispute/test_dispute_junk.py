"""What is refused is named and weighs nothing; what is missing from a bundle convicts nobody."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import pytest

from referee.audit.dispute.case import Case, case_of_bundle, case_of_log
from referee.audit.dispute.dispute import Certainty, Dispute, settle_dispute
from referee.audit.dispute.exhibit import Weight
from referee.audit.dispute.held import HeldKind, read_all
from referee.log import Checkpoint, CheckpointSigner
from tests.audit.audit_attack import KEYED_TABLES, TABLE, certified
from tests.audit.audit_attacks_promises import promise
from tests.audit.audit_attacks_receipts import Lapsed, events_of
from tests.audit.audit_builder import LOG, ORIGIN, ROOT, STRANGER, LogBuilder, Parts, abort
from tests.audit.audit_bundles import bundle_of, payload_of
from tests.driver.auditing import terms_of

Files = dict[str, bytes]
SIGNED: Final = next(table for table in KEYED_TABLES if table.ruleset_id.startswith("tien_len"))
STAGES: Final = ("settled", "given up")


def played(stage: str) -> tuple[LogBuilder, Parts]:
    """Make a sound log and its last round: settled, or given up for the seed of a seat."""
    log = LogBuilder.of(SIGNED)
    parts = log.prepare(SIGNED)
    if stage == "given up":
        abort(parts, stage="OPENED", reason="SEED_MISSING", missing=[1])
        log.append(parts, steps="OER")
    else:
        log.append(parts)
    return log, parts


def seed_file(round_id: str, seat: int, seed: bytes = bytes(32)) -> bytes:
    return json.dumps({"round_id": round_id, "seat": seat, "seed": seed.hex()}).encode()


def signature_file(parts: Parts, seat: int) -> bytes:
    return json.dumps({"round_id": parts.header.round_id.hex(), "seat": seat, "signature": "00" * 64}).encode()


def broken_bundle(log: LogBuilder, parts: Parts) -> bytes:
    bundle = json.loads(bundle_of(log.entries, log.checkpoint(), parts.header.round_id.hex()))
    bundle["leaves"][0]["proof"] = ["00" * 32]
    return json.dumps(bundle).encode()


def forged_checkpoint(log: LogBuilder) -> bytes:
    return CheckpointSigner(STRANGER, key_name=LOG.name).sign(Checkpoint(ORIGIN, len(log.entries), bytes(32)))


def log_receipt(log: LogBuilder) -> Files:
    spoilt = promise(log, 0, proof=[bytes(32)])
    assert spoilt.leaf is not None
    return {"junk.tlog-proof": spoilt.receipt, "junk.leaf": spoilt.leaf}


JUNK: Final[dict[HeldKind, Callable[[LogBuilder, Parts], list[Files]]]] = {
    HeldKind.BUNDLE: lambda log, parts: [{"junk": broken_bundle(log, parts)}],
    HeldKind.LOG_RECEIPT: lambda log, _: [log_receipt(log)],
    HeldKind.CHECKPOINT: lambda log, _: [{"junk": forged_checkpoint(log)}],
    HeldKind.CERTIFICATE: lambda _, parts: [{"junk": certified(parts, signer=STRANGER)}],
    HeldKind.EVENT_RECEIPT: lambda _, parts: [
        {"junk": json.loads(of_the_first_event(parts, referee=STRANGER))["receipt"].encode()}
    ],
    HeldKind.RECEIPTED_EVENT: lambda _, parts: [
        {"junk": of_the_first_event(parts, referee=STRANGER)},
        {"junk": of_the_first_event(parts, time=1)},
        {"junk": of_the_first_event(parts, seat_key=STRANGER)},
        {"junk": of_the_first_event(parts, event_hash="00" * 32)},
    ],
    HeldKind.SEED: lambda _, parts: (
        [{"junk": seed_file(parts.header.round_id.hex(), seat)} for seat in (0, 1, 9)]
        + [{"junk": seed_file("ab" * 32, 0)}]
    ),
    HeldKind.SIGNATURE: lambda _, parts: [{"junk": signature_file(parts, seat)} for seat in (0, 9)],
    HeldKind.UNKNOWN: lambda *_: [{"junk": b"I was cheated"}, {"junk": b""}, {"junk": b'{"events":[]}'}],
}


def of_the_first_event(parts: Parts, **changes: Any) -> bytes:  # noqa: ANN401 - as ``kept_event`` takes
    events = events_of(parts, 1)
    lapsed = Lapsed(log=LogBuilder(), parts=parts, events=events, time=parts.inputs.events[0].time)
    return lapsed.kept(**changes).to_bytes()


def case_of(log: LogBuilder, parts: Parts, files: Files, *, whole: bool) -> Case:
    """Read the case of the round as the command does: with the seeds in the files, where it reads the log."""
    terms = terms_of(origin=ORIGIN, log_key=LOG.text, root_key=ROOT.text, now=log.time + 120_000)
    if whole:
        seeds = tuple(seed for part in read_all(files.items()) for seed in part.documents.seeds)
        return case_of_log(log.bundle(), (parts.table.name, parts.header.round_number), *terms, seeds=seeds)
    bundle = bundle_of(log.entries, log.checkpoint(), parts.header.round_id.hex())
    return case_of_bundle(bundle, *terms)


def answered(log: LogBuilder, parts: Parts, files: Files, *, whole: bool) -> Dispute:
    return settle_dispute(case_of(log, parts, files, whole=whole), read_all(files.items()))


def test_every_kind_of_exhibit_has_its_junk() -> None:
    assert set(JUNK) == set(HeldKind)


@pytest.mark.parametrize("whole", [True, False], ids=["log", "bundle"])
@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize("kind", JUNK)
def test_junk_beside_a_sound_round_is_named_and_weighs_nothing(kind: HeldKind, stage: str, *, whole: bool) -> None:
    log, parts = played(stage)
    without = answered(log, parts, {}, whole=whole)
    assert without.is_sound
    for files in JUNK[kind](log, parts):
        answer = answered(log, parts, files, whole=whole)
        (exhibit,) = answer.exhibits
        assert exhibit.kind is kind
        assert exhibit.weight in {Weight.PROVES_NOTHING, Weight.OTHER_ROUND, Weight.UNKNOWN}
        is_named = bool(exhibit.findings or exhibit.reason or exhibit.weight is Weight.OTHER_ROUND)
        assert is_named, (kind, files)
        same = ("verdict", "findings", "suspects", "unprovable", "round", "elsewhere")
        assert [getattr(answer, name) for name in same] == [getattr(without, name) for name in same]


def test_genuine_seed_of_a_round_that_was_given_up_is_noted() -> None:
    """The junk above is refused for what it is, and not for its kind."""
    log, parts = played("given up")
    file = seed_file(parts.header.round_id.hex(), 1, parts.client_seeds[1])
    answer = answered(log, parts, {"seed": file}, whole=True)
    assert [(one.weight, [found.code.value for found in one.findings]) for one in answer.exhibits] == [
        (Weight.NOTED, ["SEED_HELD"])
    ]


@pytest.mark.parametrize("table", [TABLE, *KEYED_TABLES], ids=lambda table: table.name)
def test_leaf_that_is_left_out_of_a_bundle_proves_nobody(table: Any) -> None:  # noqa: ANN401 - a Table
    """Anyone who hands a bundle on can leave leaves out of it, and spoil the proofs of checkpoints in it."""
    log = LogBuilder.of(table)
    parts = log.play(table)
    whole = json.loads(bundle_of(log.entries, log.checkpoint(), parts.header.round_id.hex()))
    kept = log.checkpoint().decode()
    log.play(replace(table, name="elsewhere"))
    later = json.loads(bundle_of(log.entries, log.checkpoint(), parts.header.round_id.hex()))
    spoilt = {**later, "consistency": [{"checkpoint": kept, "proof": ["00" * 32]}]}
    shortened = [spoilt]
    count = len(whole["leaves"])
    for first in range(count):
        for second in range(first, count):
            leaves = [one for place, one in enumerate(whole["leaves"]) if place not in {first, second}]
            if any("header" in payload_of(one["leaf"].encode()) for one in leaves):
                shortened.append({**whole, "leaves": leaves})
    assert len(shortened) > count
    for bundle in shortened:
        answer = _answer_about(bundle)
        assert answer is None or [one for one in answer.suspects if one.certainty is Certainty.PROVED] == [], bundle


def _answer_about(bundle: dict[str, Any]) -> Dispute | None:
    """Answer the quarrel about a bundle; None if it lacks the OPEN of its round."""
    named = [payload_of(one["leaf"].encode()) for one in bundle["leaves"]]
    if not any("header" in one and one.get("round_id") == bundle["round_id"] for one in named):
        return None
    now = 2**53 - 1
    terms = terms_of(origin=ORIGIN, log_key=LOG.text, root_key=ROOT.text, now=now)
    case = case_of_bundle(json.dumps(bundle).encode(), *terms)
    return settle_dispute(case, ())
