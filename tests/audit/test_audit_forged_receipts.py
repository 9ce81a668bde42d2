"""Receipts that an operator makes after the round: an honest frontend is never convicted by them, in any game."""

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import msgspec
import pytest

from referee.audit import Code
from referee.audit.dispute.case import case_of_log
from referee.audit.dispute.dispute import Certainty, Dispute, Verdict, settle_dispute
from referee.audit.dispute.exhibit import Weight
from referee.audit.dispute.held import read_held
from referee.audit.explanation import Party
from referee.transcript.receipted import ReceiptedEvent
from tests.audit.audit_attack import Attacked
from tests.audit.audit_attacks_courses import BOARD, TURNS
from tests.audit.audit_attacks_receipts import (
    HANDS,
    Lapsed,
    arranging_lapsed,
    committing_lapsed,
    street_lapsed,
    turn_lapsed,
)
from tests.audit.audit_builder import LOG, ORIGIN, REFEREE, ROOT, Auditor, Table, codes
from tests.driver.auditing import terms_of

SCENES: Final[dict[str, tuple[Callable[[Table], Lapsed], Table]]] = {
    "tien_len": (turn_lapsed, TURNS),
    "mau_binh": (arranging_lapsed, HANDS),
    "mau_binh.sealed": (committing_lapsed, replace(HANDS, seats=3, sealed=True)),
    "ultimate_texas": (street_lapsed, BOARD),
    "ultimate_texas.sealed": (street_lapsed, replace(BOARD, sealed=True)),
}


def with_seen(lapsed: Lapsed, *, is_there: bool) -> tuple[str, ...]:
    """Return the events with ``seen`` in the last one, or without it."""
    members = msgspec.json.decode(lapsed.events[-1])
    changed = members | {"seen": 0} if is_there else {name: members[name] for name in members if name != "seen"}
    return (*lapsed.events[:-1], msgspec.json.encode(changed, order="sorted").decode())


def junk(lapsed: Lapsed, **members: object) -> tuple[str, ...]:
    """Return the events with other bytes in place of the last one, which its player may have signed."""
    seen = {"seen": 0} if lapsed.parts.table.keyed and members else {}
    return (*lapsed.events[:-1], msgspec.json.encode({"kind": "JUNK", **members, **seen}, order="sorted").decode())


Forgery = Callable[[Lapsed], ReceiptedEvent]
FORGERIES: Final[dict[str, Forgery]] = {
    "of 1970": lambda lapsed: lapsed.kept(time=1),
    "before the deal": lambda lapsed: lapsed.kept(time=lapsed.parts.dealt.dealt_time - 1),
    "after the settlement": lambda lapsed: lapsed.kept(time=lapsed.parts.inputs.closed_time + 1),
    "junk": lambda lapsed: lapsed.kept(events=junk(lapsed)),
    "junk of the seat": lambda lapsed: lapsed.kept(events=junk(lapsed, seat=lapsed.seat)),
    "junk of no seat": lambda lapsed: lapsed.kept(events=junk(lapsed, seat=9)),
    "no JSON": lambda lapsed: msgspec.structs.replace(lapsed.kept(), events=(*lapsed.events[:-1], "{")),
    "seen in the wrong place": lambda lapsed: lapsed.kept(
        events=with_seen(lapsed, is_there=not lapsed.parts.table.keyed)
    ),
    "zeros": lambda lapsed: lapsed.kept(event_hash="00" * 32),
    "another deal": lambda lapsed: lapsed.kept(deck_root="00" * 32),
    "a course never played": lambda lapsed: msgspec.structs.replace(
        lapsed.kept(events=(*lapsed.events, lapsed.events[-1])), events=lapsed.events
    ),
}
OF_KEYS: Final[dict[str, Forgery]] = {
    "without the seat's signature": lambda lapsed: msgspec.structs.replace(lapsed.kept(), signature=""),
    "signed by the operator": lambda lapsed: lapsed.kept(seat_key=REFEREE),
    "signature of another move": lambda lapsed: msgspec.structs.replace(
        lapsed.kept(), signature=lapsed.kept(time=1, deck_root="00" * 32).signature
    ),
}
WITHOUT_KEYS: Final[dict[str, Forgery]] = {
    "needless signature": lambda lapsed: msgspec.structs.replace(lapsed.kept(), signature="00" * 64),
}


def lapsed_of(scene: str, *, keyed: bool) -> Lapsed:
    make, table = SCENES[scene]
    return make(replace(table, keyed=keyed))


def answered(attacked: Attacked, lapsed: Lapsed) -> Dispute:
    """Answer the quarrel about the round with the files that were handed in."""
    key = lapsed.parts.table.name, lapsed.parts.header.round_number
    terms = terms_of(origin=ORIGIN, log_key=LOG.text, root_key=ROOT.text, now=attacked.now)
    case = case_of_log(attacked.bundle, key, *terms)
    files = enumerate(attacked.documents.event_receipts)
    return settle_dispute(case, [part for number, data in files for part in read_held(f"held-{number}", data)])


@pytest.mark.parametrize("keyed", [True, False])
@pytest.mark.parametrize("scene", SCENES)
def test_receipts_that_an_operator_forges_count_for_nothing(audit: Auditor, scene: str, *, keyed: bool) -> None:
    """Each is named, the log is as sound as without it, and nobody is suspected of anything."""
    forgeries = FORGERIES | (OF_KEYS if keyed else WITHOUT_KEYS)
    for name, forge in forgeries.items():
        lapsed = lapsed_of(scene, keyed=keyed)
        attacked = lapsed.holding(forge(lapsed))
        report = audit(attacked.bundle, documents=attacked.documents)
        assert (name, codes(report), report.is_clean) == (name, [Code.RECEIPT_REFUSED], True)
        answer = answered(attacked, lapsed)
        assert (name, answer.verdict, answer.suspects, answer.findings) == (name, Verdict.SOUND, (), ())
        (exhibit,) = answer.exhibits
        assert (exhibit.weight, exhibit.findings[0].code) == (Weight.PROVES_NOTHING, Code.RECEIPT_REFUSED)


@pytest.mark.parametrize("keyed", [True, False])
@pytest.mark.parametrize("scene", SCENES)
def test_dropped_move_fails_the_round_and_proves_nobody(audit: Auditor, scene: str, *, keyed: bool) -> None:
    lapsed = lapsed_of(scene, keyed=keyed)
    attacked = lapsed.holding(lapsed.kept())
    report = audit(attacked.bundle, documents=attacked.documents)
    assert (codes(report), report.is_clean) == ([Code.MOVE_DROPPED], False)
    answer = answered(attacked, lapsed)
    assert answer.verdict is Verdict.UNPROVED
    assert {(one.party, one.certainty) for one in answer.suspects} == {
        (Party.OPERATOR, Certainty.POSSIBLE),
        (Party.FRONTEND, Certainty.POSSIBLE),
    }


@pytest.mark.parametrize("keyed", [True, False])
@pytest.mark.parametrize("scene", SCENES)
def test_bare_receipt_convicts_nobody(audit: Auditor, scene: str, *, keyed: bool) -> None:
    lapsed = lapsed_of(scene, keyed=keyed)
    attacked = lapsed.holding(lapsed.kept())
    bare = replace(attacked.documents, event_receipts=(lapsed.kept().receipt.encode(),))
    report = audit(attacked.bundle, documents=bare)
    assert report.is_clean
    assert set(codes(report)) <= {Code.FORKED_RECEIPTS}


def test_arrangement_that_its_seat_replaced_in_time_was_not_dropped(audit: Auditor) -> None:
    """On an open table of Mau Binh the seat's last arrangement counts, so an earlier one is in no settled course."""
    lapsed = arranging_lapsed(HANDS)
    settled = lapsed.parts.inputs.events[0]
    seat = msgspec.json.decode(settled.event)["seat"]
    assert seat != lapsed.seat
    members = msgspec.json.decode(lapsed.events[0]) | {"seat": seat}
    before = (msgspec.json.encode(members, order="sorted").decode(),)
    attacked = lapsed.holding(lapsed.kept(events=before, time=settled.time - 1))
    assert codes(audit(attacked.bundle, documents=attacked.documents)) == [Code.FORKED_RECEIPTS]
