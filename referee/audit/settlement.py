"""Check of a SETTLE leaf: its header is OPEN's, its deal is DEAL's, and replaying its inputs gives its bytes.

The inputs are compared with what the log already knows, and the results are computed again from the inputs. Receipts
and the seats' signatures are verified over the hashes of the events, so an event that was edited, moved, dropped or
duplicated has none. A game's violation code that begins with ``CARD_`` means that an event used a card which its seat
could not use.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec
import orjson

from referee.audit.finding import Code, Difference, RoundFindings, first_difference, shown
from referee.audit.keys import KeyRole
from referee.audit.reading import Placed, is_canonical
from referee.audit.round_leaves import RoundLeaves
from referee.cards import Seat
from referee.dealing.header import NO_KEY, Header, HeaderJson
from referee.evidence.canonical import CanonicalError, unhex
from referee.evidence.ed25519 import SIGNATURE_SIZE, is_signature
from referee.rulesets import Ruleset
from referee.transcript.chain import EventReceipt, chain_hashes, is_receipted
from referee.transcript.inputs import InputEvent, Inputs, Transcript
from referee.transcript.replay import Replayed, UnlawfulRoundError, replay

_MAX_CARD: Final = 52
_CARD_FAULT: Final = "CARD_"
_SEAL_FAULTS: Final = frozenset({"NOT_COMMITTED", "STILL_SEALED", "WRONG_OPENING"})
_STAKES: Final = frozenset({"stake", "seat_stakes"})
_SLOT: Final = frozenset({"table_id", "round_number"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """Result of examining a SETTLE: whether it replays, its hashes h_0 to h_n, the number of valid signatures in it.

    ``sections`` are its cards, if they are cards and as many as the layout has; a card may be there twice.
    """

    is_replayed: bool = False
    sections: tuple[tuple[int, ...], ...] = ()
    hashes: tuple[bytes, ...] = ()
    signatures: int = 0


def header_fault(claimed: HeaderJson, opened: HeaderJson) -> tuple[Code, Difference] | None:
    """Compare the header of a transcript with OPEN's; return the first difference, None if they are equal."""
    if claimed == opened:
        return None
    names = [name for name in opened.__struct_fields__ if getattr(claimed, name) != getattr(opened, name)]
    if _SLOT.intersection(names):
        code = Code.SETTLED_OTHER_ROUND
    else:
        code = Code.STAKE_MISMATCH if _STAKES.issuperset(names) else Code.HEADER_MISMATCH
    name = names[0]
    return code, Difference(f"inputs.header.{name}", shown(getattr(claimed, name)), shown(getattr(opened, name)))


def examine_settlement(
    leaves: RoundLeaves, settle: Placed[Transcript], ruleset: Ruleset | None, findings: RoundFindings
) -> Settled:
    """Check the settlement of a round. Without a ruleset nothing is replayed."""
    inputs = settle.leaf.inputs
    fault = header_fault(inputs.header, leaves.open.leaf.header)
    if fault is not None:
        code, difference = fault
        findings.add(
            code, "the transcript has another header than OPEN", leaf_index=settle.index, difference=difference
        )
        return Settled()
    _examine_deal(leaves, settle, findings)
    _examine_seal(leaves, settle, findings)
    if inputs.closed_time > leaves.header.round_deadline:
        detail = f"it was settled at {inputs.closed_time}, after the round's deadline {leaves.header.round_deadline}"
        findings.add(Code.SETTLED_LATE, detail, leaf_index=settle.index)
    sections = _sections(leaves, settle, findings)
    if not sections or ruleset is None or findings.has(Code.DUPLICATE_CARD):
        return Settled(sections=sections)
    again, refusal = _replayed(inputs, ruleset, leaves.header)
    if again is not None and again.header.round_id == leaves.round_id:
        hashes = again.hashes
    else:
        events = [bytes(event.event) for event in inputs.events]
        root = unhex(inputs.deck_root)
        hashes = tuple(chain_hashes(round_id=leaves.round_id, deck_root=root, events=events))
    signatures, are_attested = _examine_attestations(leaves, settle, hashes, findings)
    is_replayed = again is not None and _is_same(settle, again.payload, hashes, findings)
    if refusal is not None:
        code, detail = refusal if is_canonical(settle.envelope.payload) else (Code.NOT_CANONICAL, refusal[1])
        findings.add(code, detail, leaf_index=settle.index)
    return Settled(is_replayed=is_replayed and are_attested, sections=sections, hashes=hashes, signatures=signatures)


def _examine_deal(leaves: RoundLeaves, settle: Placed[Transcript], findings: RoundFindings) -> None:
    deal, inputs = leaves.deal, settle.leaf.inputs
    if deal is None:
        return
    if inputs.dealt_time != deal.leaf.dealt_time:
        findings.add(
            Code.DEAL_MISTOLD,
            "the transcript has another time of the deal than DEAL",
            leaf_index=settle.index,
            difference=Difference("inputs.dealt_time", shown(inputs.dealt_time), shown(deal.leaf.dealt_time)),
        )
    fault = _leader_fault(leaves, inputs, drawn=deal.leaf.leader)
    if fault:
        findings.add(Code.LEADER_MISMATCH, fault, leaf_index=settle.index)


def _examine_seal(leaves: RoundLeaves, settle: Placed[Transcript], findings: RoundFindings) -> None:
    """Check that the round is sealed if OPEN has seat tokens, and that seats with keys then signed what they did."""
    inputs, is_sealed = settle.leaf.inputs, leaves.open.leaf.is_sealed
    if inputs.is_sealed != is_sealed:
        difference = Difference("inputs.sealed", shown(int(inputs.is_sealed)), shown(int(is_sealed)))
        detail = "OPEN and the transcript do not agree on whether the table was sealed"
        findings.add(Code.SEAL_BROKEN, detail, leaf_index=settle.index, difference=difference)
    elif is_sealed:
        for number, event in enumerate(inputs.events, 1):
            if event.attested != "SEAT" and _is_seats_own(leaves, event):
                detail = f"event {number} is of a seat with a key that did not sign it, on a sealed table"
                findings.add(Code.SEAL_BROKEN, detail, leaf_index=settle.index)


def _is_seats_own(leaves: RoundLeaves, event: InputEvent) -> bool:
    """Return whether an event is one that a seat with a key makes itself: all but a time that ran out."""
    seat, keys = _member(event.event, "seat"), leaves.header.seat_keys
    has_key = isinstance(seat, int) and 0 <= seat < len(keys) and keys[seat] != NO_KEY
    return has_key and "TIMEOUT" not in (_member(event.event, "kind"), _member(event.event, "decision"))


def _leader_fault(leaves: RoundLeaves, inputs: Inputs, *, drawn: int | msgspec.UnsetType) -> str:
    """Describe what is wrong with who led; empty if nothing is. A log cannot show that a winner without a key left."""
    if isinstance(drawn, msgspec.UnsetType):
        is_named = inputs.leader is not msgspec.UNSET or inputs.previous_winner_seat is not msgspec.UNSET
        return "it names a leader, and this game has none" if is_named else ""
    if isinstance(inputs.previous_winner_seat, int):
        return _winner_fault(leaves, inputs.previous_winner_seat)
    if inputs.leader != drawn:
        return f"seat {inputs.leader} led, and the deal drew seat {drawn}"
    if leaves.last_winner is not None and leaves.last_winner.is_seated(leaves.header):
        return "the leader was drawn, and the winner of the last settled round is seated"
    return ""


def _winner_fault(leaves: RoundLeaves, seat: int) -> str:
    if leaves.last_winner is None:
        return f"seat {seat} led as the last winner, and the table has settled no such round"
    if not 0 <= seat < leaves.header.seat_count or not leaves.last_winner.fits(leaves.header, Seat(seat)):
        return f"seat {seat} led as the last winner, whose key is another"
    return ""


def _sections(leaves: RoundLeaves, settle: Placed[Transcript], findings: RoundFindings) -> tuple[tuple[int, ...], ...]:
    """Return the sections of the inputs, empty unless they are the layout's first ones and hold existing cards."""
    sections, layout = settle.leaf.inputs.sections, leaves.header.layout
    sizes = tuple([len(section) for section in sections])
    if sizes != layout[: len(sizes)] or len(sizes) < leaves.header.seat_count:
        findings.add(
            Code.SECTION_WRONG_SIZE,
            "the sections of the settlement are not the layout's",
            leaf_index=settle.index,
            difference=Difference("inputs.sections", shown(list(sizes)), shown(list(layout))),
        )
        return ()
    numbers = list(itertools.chain.from_iterable(sections))
    if not 1 <= min(numbers) <= max(numbers) <= _MAX_CARD:
        unknown = [number for number in numbers if not 1 <= number <= _MAX_CARD]
        findings.add(Code.CARDS_MISMATCH, f"no card has the numbers {shown(unknown)}", leaf_index=settle.index)
        return ()
    if len(set(numbers)) < len(numbers):
        twice = sorted({number for number in numbers if numbers.count(number) > 1})
        findings.add(Code.DUPLICATE_CARD, f"cards {twice} are there more than once", leaf_index=settle.index)
    return sections


def _replayed(inputs: Inputs, ruleset: Ruleset, header: Header) -> tuple[Replayed | None, tuple[Code, str] | None]:
    """Replay the inputs; return the result, or the code and detail of why there is none."""
    try:
        return replay(inputs, ruleset, header=header), None
    except UnlawfulRoundError as error:
        codes = [violation.code for violation in error.violations]
        code = Code.ILLEGAL_EVENT
        if _SEAL_FAULTS.intersection(codes):
            code = Code.SEAL_BROKEN
        elif any(fault.startswith(_CARD_FAULT) for fault in codes):
            code = Code.CARD_NOT_IN_HAND
        return None, (code, f"the inputs break the rules: {error}")
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        return None, (Code.ILLEGAL_EVENT, f"the inputs give no settlement: {error}")


def _is_same(settle: Placed[Transcript], again: bytes, hashes: Sequence[bytes], findings: RoundFindings) -> bool:
    """Compare the transcript with the one that its inputs give."""
    payload = settle.envelope.payload
    if again == payload:
        return True
    code, detail = Code.WRONG_RESULT, "the inputs give another result"
    if not is_canonical(payload):
        code, detail = Code.NOT_CANONICAL, "the transcript is not the canonical text of its content"
    elif _events_hash(settle.leaf) != hashes[-1].hex():
        code, detail = Code.EVENTS_ALTERED, "the events are not those that the result was computed from"
    findings.add(code, detail, leaf_index=settle.index, difference=first_difference(payload, again))
    return False


def _examine_attestations(
    leaves: RoundLeaves, settle: Placed[Transcript], hashes: Sequence[bytes], findings: RoundFindings
) -> tuple[int, bool]:
    """Verify receipts and seats' signatures; return how many are valid, and whether every event is attested."""
    inputs = settle.leaf.inputs
    keys = tuple(dict.fromkeys([*leaves.open.ring.of(KeyRole.REFEREE), *settle.ring.of(KeyRole.REFEREE)]))
    held, refused = 0, 0
    for number, event in enumerate(inputs.events, 1):
        hashed, holds, what = hashes[number], True, "no attestation, as it states,"
        if event.attested == "FRONTEND":
            holds = not (event.receipt or event.signature)
        if event.attested == "SEAT":
            what = "its seat's signature"
            holds = _is_signed_by_seat(leaves, event, hashed=hashed)
            held += holds
        if holds and (event.attested == "RECEIPT" or (event.attested == "SEAT" and event.receipt)):
            what = "the referee's receipt"
            is_alone = event.attested == "SEAT" or not event.signature
            holds = is_alone and _is_receipted(leaves, event, keys, number=number, hashed=hashed)
            held += holds
        if not holds:
            refused += 1
            detail = f"event {number} of {len(inputs.events)} does not bear {what} for its place among these events"
            findings.add(Code.EVENTS_ALTERED, detail, leaf_index=settle.index)
    return held, not refused


def _is_receipted(leaves: RoundLeaves, event: InputEvent, keys: Sequence[bytes], *, number: int, hashed: bytes) -> bool:
    receipt = EventReceipt(
        event_hash=hashed.hex(),
        number=number,
        received_time=event.time,
        round_id=leaves.round_id.hex(),
        opens_section=event.opens_section,
    )
    signature = _signature(event.receipt)
    try:
        return any(is_receipted(receipt, signature, key) for key in keys)
    except (ArithmeticError, ValueError):  # a time that has no canonical text
        return False


def _is_signed_by_seat(leaves: RoundLeaves, event: InputEvent, *, hashed: bytes) -> bool:
    seat = _member(event.event, "seat")
    keys = leaves.header.seat_keys
    if not isinstance(seat, int) or not 0 <= seat < len(keys) or keys[seat] == NO_KEY:
        return False
    return is_signature(_signature(event.signature), hashed, keys[seat])


def _events_hash(transcript: Transcript) -> object:
    return _member(transcript.results, "events_hash")


def _member(raw: msgspec.Raw, name: str) -> object:
    """Return a member of a JSON object; None if it has no such member, or is no object."""
    try:
        value = orjson.loads(bytes(raw))
    except orjson.JSONDecodeError:
        return None
    return value.get(name) if isinstance(value, dict) else None


def _signature(text: str) -> bytes:
    """Decode a signature of 64 bytes from lowercase hex; empty for any other text."""
    try:
        return unhex(text, SIGNATURE_SIZE)
    except CanonicalError:
        return b""
