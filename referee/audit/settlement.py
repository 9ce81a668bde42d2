"""Check of a SETTLE leaf: its header is OPEN's, its deal is DEAL's, and replaying its inputs gives its bytes.

The inputs are compared with the round's earlier leaves, their course is checked by the newest receipt and the seats'
signatures, and the results are computed again from the inputs. The code of an unlawful event follows from the kind of
fault that its game reports.
"""

import itertools
from typing import Final

import msgspec

from referee.audit.course import examine_course
from referee.audit.deal import examine_settled_leader
from referee.audit.openings import Openings, examine_settled_openings
from referee.audit.reading import Placed
from referee.audit.round_leaves import RoundLeaves
from referee.dealing.header import Header, is_past
from referee.finding import Code, Difference, RoundFindings, first_difference, shown
from referee.games import GAMES, LawError
from referee.games.fault import FaultKind
from referee.money import house_net
from referee.rulesets import Ruleset
from referee.transcript.chain import Course
from referee.transcript.inputs import Inputs, Transcript
from referee.transcript.proof import EventLevel, EvidenceError, EvidenceFault
from referee.transcript.replay import OpeningsError, Replayed, UnlawfulRoundError, replay

_MAX_CARD: Final = 52
_ILLEGAL: Final = {
    FaultKind.CARD: Code.CARD_NOT_IN_HAND,
    FaultKind.TIMEOUT: Code.TIMEOUT_TOO_EARLY,
    FaultKind.SEAL: Code.SEAL_BROKEN,
}
"""Code for inputs with unlawful events, by the gravest kind of their faults; ILLEGAL_EVENT for other kinds."""
_EVIDENCE: Final = (
    Code.EVENTS_ALTERED,
    Code.HISTORY_ALTERED,
    Code.EVENT_UNSIGNED,
    Code.UNSEAL_NOT_IN_COURSE,
    Code.OPENED_WITHOUT_UNSEAL,
    Code.STREET_OPENED_EARLY,
)
"""Codes about a course. With one of them, the error of the course's replay is not reported as well."""
EVIDENCE_CODES: Final = {
    EvidenceFault.NOT_RECEIVED: Code.EVENT_NOT_RECEIVED,
    EvidenceFault.NOT_SEEN: Code.SEEN_TOO_LOW,
    EvidenceFault.NOT_UNSEALED: Code.OPENED_WITHOUT_UNSEAL,
    EvidenceFault.OTHER_COURSE: Code.STREET_OPENED_EARLY,
    EvidenceFault.SIGNATURE_MISSING: Code.EVENT_UNSIGNED,
    EvidenceFault.BAD_SIGNATURE: Code.EVENT_UNSIGNED,
}
_STAKES: Final = frozenset({"stake", "seat_stakes"})
_SLOT: Final = frozenset({"table_id", "round_number"})


class Settled(msgspec.Struct, frozen=True, kw_only=True):
    """Result of examining a SETTLE: whether it was recomputed, its course, and the number of valid signatures in it.

    ``is_replayed`` says that recomputing it gave the same bytes. ``sections`` are its card numbers, empty if a number
    is no card's or the sections are not the layout's; a card may be there twice. ``course`` and ``event_level`` are
    None if unknown. ``net`` has each seat's net amount, ``transferred`` is the sum of all amounts that change hands,
    and ``house`` is the house's net amount; they are empty or 0 unless ``is_replayed``.
    """

    is_replayed: bool = False
    sections: tuple[tuple[int, ...], ...] = ()
    course: Course | None = None
    event_level: EventLevel | None = None
    net: tuple[int, ...] = ()
    transferred: int = 0
    house: int = 0
    signatures: int = 0


def header_fault(claimed: Header, opened: Header) -> tuple[Code, Difference] | None:
    """Compare the header of a transcript with OPEN's; return the first difference, None if they are equal."""
    if claimed == opened:
        return None
    members = dict(zip(opened.__struct_encode_fields__, opened.__struct_fields__, strict=True))
    names = sorted(name for name, field in members.items() if getattr(claimed, field) != getattr(opened, field))
    if _SLOT.intersection(names):
        code = Code.SETTLED_OTHER_ROUND
    else:
        code = Code.STAKE_MISMATCH if _STAKES.issuperset(names) else Code.HEADER_MISMATCH
    field = members[names[0]]
    return code, Difference(f"inputs.header.{names[0]}", shown(getattr(claimed, field)), shown(getattr(opened, field)))


def examine_settlement(
    leaves: RoundLeaves,
    settle: Placed[Transcript],
    ruleset: Ruleset | None,
    openings: Openings,
    findings: RoundFindings,
) -> Settled:
    """Check the settlement of a round; without a ruleset, do not recompute it."""
    inputs = settle.leaf.inputs
    fault = header_fault(inputs.header, leaves.open.leaf.header)
    if fault is not None:
        code, difference = fault
        findings.add(code, "the transcript has another header than OPEN", settle.index, difference=difference)
        return Settled()
    _examine_deal(leaves, settle, findings)
    _examine_seal(leaves, settle, findings)
    if is_past(leaves.header.round_deadline, time=inputs.closed_time):
        detail = f"it was settled at {inputs.closed_time}, after the round's deadline {leaves.header.round_deadline}"
        findings.add(Code.SETTLED_LATE, detail, settle.index)
    sections = _sections(leaves, settle, findings)
    if not sections or findings.has(Code.DUPLICATE_CARD):
        return Settled(sections=sections)
    again, refusal = (None, None) if ruleset is None else _replayed(inputs, ruleset, leaves.header)
    is_same = again is not None and again.payload == settle.envelope.payload
    replayed = again.round.course if again is not None and is_same else None
    attested = examine_course(leaves, settle, findings, verified=openings.receipts, replayed=replayed)
    examine_settled_openings(leaves, settle, attested.course, openings, findings)
    if refusal is not None and not findings.has(*_EVIDENCE):
        findings.add(*refusal, settle.index)
    if again is not None and not is_same and not findings.has(Code.EVENTS_ALTERED):
        findings.add(
            Code.WRONG_RESULT,
            "the inputs give another result",
            settle.index,
            difference=first_difference(settle.envelope.payload, again.payload),
        )
    settled = Settled(
        sections=sections,
        course=attested.course,
        event_level=None if again is None else again.round.level,
        signatures=attested.signatures,
    )
    if again is None or not (is_same and attested.is_attested):
        return settled
    transfers = again.round.outcome.transfers
    return msgspec.structs.replace(
        settled,
        is_replayed=True,
        net=again.round.outcome.net,
        transferred=sum(transfer.amount for transfer in transfers),
        house=house_net(transfers),
    )


def _examine_deal(leaves: RoundLeaves, settle: Placed[Transcript], findings: RoundFindings) -> None:
    deal, inputs = leaves.deal, settle.leaf.inputs
    if deal is None:
        return
    if inputs.dealt_time != deal.leaf.dealt_time:
        findings.add(
            Code.DEAL_MISMATCH,
            "the transcript has another time of the deal than DEAL",
            settle.index,
            difference=Difference("inputs.dealt_time", shown(inputs.dealt_time), shown(deal.leaf.dealt_time)),
        )
    examine_settled_leader(deal, settle, findings)


def _examine_seal(leaves: RoundLeaves, settle: Placed[Transcript], findings: RoundFindings) -> None:
    """Check that the transcript calls the table sealed if OPEN has seat tokens, and only then."""
    inputs, is_sealed = settle.leaf.inputs, leaves.open.leaf.is_sealed
    if inputs.is_sealed != is_sealed:
        difference = Difference("inputs.sealed", shown(int(inputs.is_sealed)), shown(int(is_sealed)))
        detail = "OPEN and the transcript do not agree on whether the table was sealed"
        findings.add(Code.SEAL_BROKEN, detail, settle.index, difference=difference)


def _sections(leaves: RoundLeaves, settle: Placed[Transcript], findings: RoundFindings) -> tuple[tuple[int, ...], ...]:
    """Return the sections of the inputs; empty if their sizes are not the layout's or a number is no card's.

    A settlement need not have the layout's last sections, but must have every hand.
    """
    sections, layout = settle.leaf.inputs.sections, leaves.header.layout
    sizes = tuple(map(len, sections))
    if sizes != layout[: len(sizes)] or len(sizes) < leaves.header.seat_count:
        findings.add(
            Code.SECTION_WRONG_SIZE,
            "the sections of the settlement are not the layout's",
            settle.index,
            difference=Difference("inputs.sections", shown(list(sizes)), shown(list(layout))),
        )
        return ()
    numbers = list(itertools.chain.from_iterable(sections))
    if not 1 <= min(numbers) <= max(numbers) <= _MAX_CARD:
        unknown = [number for number in numbers if not 1 <= number <= _MAX_CARD]
        findings.add(Code.CARDS_MISMATCH, f"no card has the numbers {shown(unknown)}", settle.index)
        return ()
    if len(set(numbers)) < len(numbers):
        twice = sorted({number for number in numbers if numbers.count(number) > 1})
        findings.add(Code.DUPLICATE_CARD, f"cards {twice} are there more than once", settle.index)
    return sections


def _replayed(inputs: Inputs, ruleset: Ruleset, header: Header) -> tuple[Replayed | None, tuple[Code, str] | None]:
    """Replay the inputs; return the result and None, or None and the code and detail of the fault."""
    try:
        return replay(inputs, ruleset, header=header), None
    except UnlawfulRoundError as error:
        kinds = [GAMES[ruleset.game].fault_kind(violation.code) for violation in error.violations]
        gravest = max(kinds, default=FaultKind.RULE)
        code = _ILLEGAL.get(gravest, Code.ILLEGAL_EVENT)
        return None, (code, f"the inputs break the rules: {error}")
    except EvidenceError as error:
        return None, (EVIDENCE_CODES[error.fault], str(error))
    except OpeningsError as error:
        return None, (Code.STREET_OPENED_EARLY, str(error))
    except LawError as error:
        return None, (Code.LAW_FAILED, str(error))
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        return None, (Code.ILLEGAL_EVENT, f"the inputs give no settlement: {error}")
