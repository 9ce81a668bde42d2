"""Openings of a deck's sections: each was opened at the deal or by an UNSEAL that the settled course names.

An UNSEAL is logged before its cards are shown, and repeats the referee's receipt of the event that opens them. So if a
course opens cards and another course is settled, the log shows it.
"""

from collections.abc import Mapping

import msgspec

from referee.audit.course import is_referees
from referee.audit.reading import Placed
from referee.audit.round_leaves import RoundLeaves
from referee.dealing.leaf import UnsealLeaf
from referee.finding import Code, Difference, RoundFindings, shown
from referee.games import GAMES, Layout
from referee.log.keys import KeyRole
from referee.rulesets import Ruleset
from referee.transcript.chain import Course, EventReceipt
from referee.transcript.inputs import Transcript, Unsealed


class Openings(msgspec.Struct, frozen=True):
    """Sections of a round that were opened at the deal, and by section the time in ms at which an UNSEAL opened it.

    ``layout`` is None if the ruleset is unknown. ``receipts`` are the event receipts in UNSEALs whose signature is
    valid, each with it.
    """

    layout: Layout | None = None
    at_deal: frozenset[int] = frozenset()
    times: Mapping[int, int] = msgspec.field(default_factory=dict)
    receipts: tuple[tuple[EventReceipt, str], ...] = ()

    @property
    def sections(self) -> frozenset[int]:
        """All sections that were opened during play."""
        return self.at_deal | self.times.keys()


def examine_unseals(leaves: RoundLeaves, ruleset: Ruleset | None, findings: RoundFindings) -> Openings:
    """Check the UNSEALs of a round in order: the receipt, the time and the sections of each."""
    layout = None if ruleset is None else GAMES[ruleset.game].layout(leaves.header.seat_count)
    at_deal = frozenset() if leaves.deal is None else frozenset(leaves.deal.leaf.opened_sections)
    times: dict[int, int] = {}
    receipts: list[tuple[EventReceipt, str]] = []
    for unseal in leaves.unseals:
        leaf = unseal.leaf
        keys = unseal.ring.since(KeyRole.REFEREE, (leaves.deal or leaves.open).index)
        receipt = receipt_of(leaf)
        if is_referees(receipt, leaf.receipt_signature, keys):
            receipts.append((receipt, leaf.receipt_signature))
        else:
            detail = f"the receipt of event {leaf.number} that it names is not the referee's"
            findings.add(Code.UNSEAL_REFUSED, detail, unseal.index)
        if leaf.unsealed_time < leaf.received_time:
            detail = f"it opens cards at {leaf.unsealed_time}, before their event at {leaf.received_time}"
            findings.add(Code.STREET_OPENED_EARLY, detail, unseal.index)
        if layout is not None:
            due = _due(layout, leaf.opens_section, is_sealed=leaves.open.leaf.is_sealed) - at_deal - times.keys()
            if set(leaf.sections) != due:
                findings.add(
                    Code.STREET_OPENED_EARLY,
                    f"it opens other sections than those that open with section {leaf.opens_section}",
                    unseal.index,
                    difference=Difference("sections", shown(list(leaf.sections)), shown(sorted(due))),
                )
        for section in leaf.sections:
            times.setdefault(section, leaf.unsealed_time)
    return Openings(layout=layout, at_deal=at_deal, times=times, receipts=tuple(receipts))


def receipt_of(leaf: UnsealLeaf) -> EventReceipt:
    """Return the event receipt that an UNSEAL repeats."""
    return EventReceipt(**{name: getattr(leaf, name) for name in EventReceipt.__struct_fields__})


def examine_settled_openings(
    leaves: RoundLeaves, settle: Placed[Transcript], course: Course, openings: Openings, findings: RoundFindings
) -> None:
    """Check that the settled course names every UNSEAL, and that it has the cards of no other section."""
    inputs = settle.leaf.inputs
    named = list(inputs.unsealed)
    for unseal in leaves.unseals:
        leaf = unseal.leaf
        entry = Unsealed(leaf.number, leaf.sections, leaf.unsealed_time)
        is_named = entry in named
        if is_named:
            named.remove(entry)
        if not is_named or not _is_in_course(leaf, course):
            detail = f"event {leaf.number} of the settled course is not the one after which it opened cards"
            if not is_named:
                detail = f"the settlement does not name it: sections {list(leaf.sections)} after event {leaf.number}"
            findings.add(Code.UNSEAL_NOT_IN_COURSE, detail, unseal.index)
    for one in named:
        detail = f"the transcript says that event {one.number} opened sections {list(one.sections)}, and no UNSEAL does"
        findings.add(Code.OPENED_WITHOUT_UNSEAL, detail, settle.index)
    _examine_receipt(leaves, settle, findings)
    if openings.layout is None or leaves.deal is None:
        return
    opened, settled = openings.sections, frozenset(range(len(inputs.sections)))
    for section in sorted(settled - opened):
        detail = f"the settlement has the cards of section {section}, which nothing opened"
        findings.add(Code.OPENED_WITHOUT_UNSEAL, detail, settle.index)
    if missing := sorted(opened - settled):
        detail = f"sections {missing} were opened, and the settlement does not have their cards"
        findings.add(Code.SECTION_WRONG_SIZE, detail, settle.index)


def _is_in_course(leaf: UnsealLeaf, course: Course) -> bool:
    if not 1 <= leaf.number <= course.number:
        return False
    link = course.links[leaf.number - 1]
    found = (link.event_hash.hex(), link.history.hex(), link.time, link.received)
    return found == (leaf.event_hash, leaf.history, leaf.received_time, True)


def _examine_receipt(leaves: RoundLeaves, settle: Placed[Transcript], findings: RoundFindings) -> None:
    """Check that the newest receipt opens the same section as the UNSEAL of its event, none without an UNSEAL."""
    receipt = settle.leaf.inputs.receipt
    if isinstance(receipt, msgspec.UnsetType):
        return
    opened = next((one.leaf.opens_section for one in leaves.unseals if one.leaf.number == receipt.number), None)
    named = receipt.opens_section if isinstance(receipt.opens_section, int) else None
    if named is not None and opened is None:
        detail = f"the receipt of event {receipt.number} opens section {named}, and no UNSEAL does"
        findings.add(Code.OPENED_WITHOUT_UNSEAL, detail, settle.index)
    elif named != opened:
        findings.add(
            Code.STREET_OPENED_EARLY,
            f"the receipt of event {receipt.number} opens another section than the UNSEAL of that event",
            settle.index,
            difference=Difference("inputs.receipt.opens_section", shown(named), shown(opened)),
        )


def _due(layout: Layout, section: int, *, is_sealed: bool) -> frozenset[int]:
    """Return all sections that are open after the event that opens this one; empty if no event of the game opens it."""
    try:
        return frozenset(layout.opened_until(section, is_sealed=is_sealed))
    except KeyError:
        return frozenset()
