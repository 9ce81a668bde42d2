"""Streets: a part of the board, or the hands of a sealed table, opens when a receipt says so, and never before.

The law: the event that closes a street opens a section, and its receipt names it. Receipts of one round must agree
with the settlement on which event that is, name sections in the order in which they open, and be given in the order of
their events: one that was given after a section opened, for an event before, let somebody decide knowing it. A
certificate that opens such a section needs a receipt that names it, or a later one; where none is at hand nothing is
proved either way, and that is noted.

It refuses to know which events close a street: replaying the round says that.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from referee.audit.docket import Docket
from referee.audit.finding import Code, Difference
from referee.audit.gathered import GatheredRound
from referee.dealing.layout import Layout
from referee.transcript.receipt import EventReceipt


@dataclass(frozen=True, slots=True, order=True)
class _Given:
    """A receipt of an event: the event's number, when it was received, and the section it opens, None for none."""

    number: int
    time: int
    section: int | None


def examine_streets(  # noqa: PLR0913 - all that says when a section opened
    gathered: GatheredRound,
    layout: Layout,
    docket: Docket,
    *,
    held: Sequence[EventReceipt],
    opened: Iterable[int],
    leaf_index: int,
) -> None:
    """Receipts and certificates agree on when each section opened.

    ``held`` are receipts that somebody holds, signed by the referee, ``opened`` the sections that certificates open.
    """
    told = _told(gathered)
    for receipt in held:
        given = _given(receipt)
        settled = told.get(given.number)
        if settled is not None and settled.section != given.section:
            docket.add(
                Code.STREET_OPENED_EARLY,
                f"a receipt of event {given.number} opens another section than the event does",
                leaf_index=leaf_index,
                difference=Difference("opens_section", _name(given.section), _name(settled.section)),
            )
            return
    receipts = sorted({*told.values(), *map(_given, held)}, key=lambda one: (one.number, one.time, one.section or -1))
    fault = _order_fault(receipts, layout)
    if fault:
        docket.add(Code.STREET_OPENED_EARLY, fault, leaf_index=leaf_index)
        return
    due = frozenset(index for one in receipts if one.section is not None for index in _until(layout, one.section))
    for section in sorted(frozenset(opened) - due - frozenset(layout.hands) - {layout.stock}):
        detail = f"a certificate opens section {section}, and no receipt at hand opens it"
        docket.add(Code.STREET_UNRECEIPTED, detail, leaf_index=leaf_index)


def _order_fault(receipts: Sequence[_Given], layout: Layout) -> str:
    """What is wrong with the order of receipts, which stand by number; empty where nothing is."""
    opening = [one for one in receipts if one.section is not None]
    for one in opening:
        if not _until(layout, one.section):
            return f"a receipt of event {one.number} opens section {one.section}, which no event opens"
    for one, other in pairwise(opening):
        if one.number < other.number and len(_until(layout, one.section)) >= len(_until(layout, other.section)):
            return (
                f"a receipt of event {one.number} opens section {one.section}, and event {other.number} opens "
                f"section {other.section}, which comes first"
            )
    for one in opening:
        late = [other for other in receipts if other.number < one.number and other.time > one.time]
        if late:
            return (
                f"event {late[0].number} was received at {late[0].time}, after event {one.number} had opened section "
                f"{one.section} at {one.time}"
            )
    return ""


def _told(gathered: GatheredRound) -> dict[int, _Given]:
    """The receipts in the settlement, by the number of their event."""
    events = () if gathered.settle is None else gathered.settle.leaf.told.events
    return {
        number: _Given(number, event.time, event.opens_section if isinstance(event.opens_section, int) else None)
        for number, event in enumerate(events, 1)
        if event.receipt
    }


def _given(receipt: EventReceipt) -> _Given:
    section = receipt.opens_section
    return _Given(receipt.number, receipt.received_time, section if isinstance(section, int) else None)


def _until(layout: Layout, section: int | None) -> tuple[int, ...]:
    """What is open once a section is, hands first; empty for a section that does not open by a receipt."""
    if section is None:
        return ()
    if section == layout.hands[-1] and not layout.has_board:  # how the hands of a sealed table open
        return layout.hands
    try:
        return layout.opened_until(section)
    except KeyError:
        return ()


def _name(section: int | None) -> str:
    return "none" if section is None else str(section)
