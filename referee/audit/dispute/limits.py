"""Conditions under which something about a round cannot be proved by anyone."""

import enum
from collections.abc import Iterable

from referee.audit.course import is_timeout
from referee.audit.dispute.case import Case
from referee.audit.dispute.exhibit import Exhibit, Weight
from referee.audit.dispute.held import HeldKind
from referee.audit.report import DealingLevel
from referee.dealing.header import NO_KEY
from referee.finding import Code, Finding, Severity

_PROMISES = frozenset({HeldKind.BUNDLE, HeldKind.LOG_RECEIPT, HeldKind.CHECKPOINT})
_RECEIPTS = frozenset({HeldKind.EVENT_RECEIPT, HeldKind.RECEIPTED_EVENT})


class Condition(enum.StrEnum):
    """A fact about the round, or about what was handed in."""

    DEALT = "DEALT"
    ABORTED = "ABORTED"
    UNREVEALED = "UNREVEALED"
    """It has ended, or was dealt, and the server's seed is not shown."""
    TIMED_OUT = "TIMED_OUT"
    """Its settlement has a timeout."""
    SEED_MISSING = "SEED_MISSING"
    WAITED = "WAITED"
    """Somebody was waited for in vain: a timeout, a missing seed, or a deadline that passed."""
    REPORTED = "REPORTED"
    """The time of an event is only the frontend's report."""
    UNSIGNED = "UNSIGNED"
    """A seat without a key made an event."""
    WEAK = "WEAK"
    """Its dealing level is below L2."""
    UNWITNESSED = "UNWITNESSED"
    """Nothing that witnesses cosigned was compared."""
    BUNDLE = "BUNDLE"
    """Only its bundle is at hand."""
    NO_MOVE_SHOWN = "NO_MOVE_SHOWN"
    """No genuine receipted move was handed in."""
    NO_SEED_SHOWN = "NO_SEED_SHOWN"
    """No genuine seed of a seat was handed in."""
    RECEIPT_SHOWN = "RECEIPT_SHOWN"
    NO_PROMISE_SHOWN = "NO_PROMISE_SHOWN"
    """No genuine checkpoint or log receipt was handed in."""
    FORKED = "FORKED"
    """Receipts of two courses were handed in."""
    BROKEN = "BROKEN"
    """A promise was broken."""


def conditions(
    case: Case, exhibits: Iterable[Exhibit], findings: Iterable[Finding], *, is_witnessed: bool
) -> frozenset[Condition]:
    """Return all that is so."""
    genuine = [one for one in exhibits if one.weight in {Weight.AGREES, Weight.CONTRADICTS, Weight.NOTED}]
    kinds = {one.kind for one in genuine}
    codes = {one.code: one.severity for one in findings}
    held = {
        Condition.UNWITNESSED: not is_witnessed,
        Condition.BUNDLE: not case.is_whole,
        Condition.RECEIPT_SHOWN: not _RECEIPTS.isdisjoint(kinds),
        Condition.NO_MOVE_SHOWN: not any(
            one.kind is HeldKind.RECEIPTED_EVENT and "seat" in one.facts for one in genuine
        ),
        Condition.NO_SEED_SHOWN: HeldKind.SEED not in kinds,
        Condition.NO_PROMISE_SHOWN: _PROMISES.isdisjoint(kinds),
        Condition.FORKED: Code.FORKED_RECEIPTS in codes,
        Condition.BROKEN: Severity.FAIL in codes.values(),
    }
    leaves = case.leaves
    if leaves is not None and case.is_readable:
        events = () if leaves.settle is None else leaves.settle.leaf.inputs.events
        reason = "" if leaves.abort is None else leaves.abort.leaf.reason
        has_timeout = any(is_timeout(bytes(event.event)) for event in events)
        level = None if case.result is None else case.result.dealing_level
        held |= {
            Condition.DEALT: leaves.deal is not None,
            Condition.ABORTED: leaves.abort is not None,
            Condition.UNREVEALED: leaves.reveal is None,
            Condition.SEED_MISSING: reason == "SEED_MISSING",
            Condition.TIMED_OUT: has_timeout,
            Condition.WAITED: has_timeout or reason in {"SEED_MISSING", "DEADLINE"},
            Condition.REPORTED: any(not event.received for event in events),
            Condition.UNSIGNED: bool(events) and NO_KEY in leaves.header.seat_keys,
            Condition.WEAK: level in {DealingLevel.L0, DealingLevel.L1},
        }
    return frozenset([name for name, is_so in held.items() if is_so])
