"""A SETTLE leaf: its header is OPEN's, its deal is DEAL's, and ``replay(told) == transcript``, byte for byte.

The law: what was told is compared with what the log already knew, and what was found is computed again from what was
told. The first place where the transcript differs is named, told and found side by side. Receipts and the seats'
signatures are verified over the hashes of the events as they stand, so an event that was edited, moved, dropped or
doubled has none.

It refuses to know any game: ``transcript.replay`` judges. Where a game's violation code begins with ``CARD_``, an event
used a card that its seat could not use.
"""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, assert_never

import msgspec
import orjson

from referee.audit.difference import first_difference, shown
from referee.audit.docket import Docket
from referee.audit.finding import Code, Difference
from referee.audit.gathered import GatheredRound
from referee.audit.keys import Role
from referee.audit.reading import Placed, is_canonical
from referee.cards import Seat
from referee.dealing.header import NO_KEY, Header, HeaderJson
from referee.evidence.canonical import CanonicalError, unhex
from referee.evidence.ed25519 import SIGNATURE_SIZE, is_signature
from referee.rulesets import Ruleset
from referee.transcript.chain import chain_hashes
from referee.transcript.receipt import EventReceipt, is_receipted
from referee.transcript.replay import Replayed, UnlawfulRoundError, replay
from referee.transcript.told import Told, ToldEvent, Transcript

_MAX_CARD: Final = 52
_CARD_FAULT: Final = "CARD_"
_SEAL_FAULTS: Final = frozenset({"NOT_COMMITTED", "STILL_SEALED", "WRONG_OPENING"})
_STAKES: Final = frozenset({"stake", "seat_stakes"})
_SLOT: Final = frozenset({"table_id", "round_number"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What came of a SETTLE: whether it replays, its hashes h_0 to h_n, how many signatures in it hold.

    ``sections`` are the cards told, where they are cards and as many as the layout has; they may stand twice.
    """

    is_replayed: bool = False
    sections: tuple[tuple[int, ...], ...] = ()
    hashes: tuple[bytes, ...] = ()
    signatures: int = 0


def header_fault(told: HeaderJson, opened: HeaderJson) -> tuple[Code, Difference] | None:
    """How the header of a transcript is unlike OPEN's, by the first member that is; None where they are equal."""
    if told == opened:
        return None
    names = [name for name in opened.__struct_fields__ if getattr(told, name) != getattr(opened, name)]
    if _SLOT.intersection(names):
        code = Code.SETTLED_OTHER_ROUND
    else:
        code = Code.STAKE_MISMATCH if _STAKES.issuperset(names) else Code.HEADER_MISMATCH
    name = names[0]
    return code, Difference(f"told.header.{name}", shown(getattr(told, name)), shown(getattr(opened, name)))


def examine_settlement(
    gathered: GatheredRound, settle: Placed[Transcript], ruleset: Ruleset | None, docket: Docket
) -> Settled:
    """What came of the settlement; its faults stand in the docket. Without a ruleset nothing is replayed."""
    told = settle.leaf.told
    fault = header_fault(told.header, gathered.open.leaf.header)
    if fault is not None:
        code, difference = fault
        docket.add(code, "the transcript has another header than OPEN", leaf_index=settle.index, difference=difference)
        return Settled()
    _examine_deal(gathered, settle, docket)
    _examine_seal(gathered, settle, docket)
    if told.closed_time > gathered.header.round_deadline:
        detail = f"it was settled at {told.closed_time}, after the round's deadline {gathered.header.round_deadline}"
        docket.add(Code.SETTLED_LATE, detail, leaf_index=settle.index)
    sections = _sections(gathered, settle, docket)
    if not sections or ruleset is None or docket.has(Code.DUPLICATE_CARD):
        return Settled(sections=sections)
    again, refusal = _replayed(told, ruleset, gathered.header)
    if again is not None and again.header.round_id == gathered.round_id:
        hashes = again.hashes
    else:
        events = [bytes(event.event) for event in told.events]
        root = unhex(told.deck_root)
        hashes = tuple(chain_hashes(round_id=gathered.round_id, deck_root=root, events=events))
    signatures, are_attested = _examine_attestations(gathered, settle, hashes, docket)
    is_replayed = again is not None and _is_same(settle, again.payload, hashes, docket)
    if refusal is not None:
        code, detail = refusal if is_canonical(settle.envelope.payload) else (Code.NOT_CANONICAL, refusal[1])
        docket.add(code, detail, leaf_index=settle.index)
    return Settled(is_replayed=is_replayed and are_attested, sections=sections, hashes=hashes, signatures=signatures)


def _examine_deal(gathered: GatheredRound, settle: Placed[Transcript], docket: Docket) -> None:
    deal, told = gathered.deal, settle.leaf.told
    if deal is None:
        return
    if told.dealt_time != deal.leaf.dealt_time:
        docket.add(
            Code.DEAL_MISTOLD,
            "the transcript tells another time of the deal than DEAL",
            leaf_index=settle.index,
            difference=Difference("told.dealt_time", shown(told.dealt_time), shown(deal.leaf.dealt_time)),
        )
    fault = _leader_fault(gathered, told, drawn=deal.leaf.leader)
    if fault:
        docket.add(Code.LEADER_MISMATCH, fault, leaf_index=settle.index)


def _examine_seal(gathered: GatheredRound, settle: Placed[Transcript], docket: Docket) -> None:
    """A round is told as sealed where OPEN has seat tokens; then seats with keys have signed what they did."""
    told, is_sealed = settle.leaf.told, gathered.open.leaf.is_sealed
    if told.is_sealed != is_sealed:
        difference = Difference("told.sealed", shown(int(told.is_sealed)), shown(int(is_sealed)))
        detail = "OPEN and the transcript do not agree on whether the table was sealed"
        docket.add(Code.SEAL_BROKEN, detail, leaf_index=settle.index, difference=difference)
    elif is_sealed:
        for number, event in enumerate(told.events, 1):
            if event.attested != "SEAT" and _is_seats_own(gathered, event):
                detail = f"event {number} is of a seat with a key that did not sign it, on a sealed table"
                docket.add(Code.SEAL_BROKEN, detail, leaf_index=settle.index)


def _is_seats_own(gathered: GatheredRound, event: ToldEvent) -> bool:
    """Whether an event is one that a seat with a key does itself: all but a time that ran out."""
    seat, keys = _member(event.event, "seat"), gathered.header.seat_keys
    has_key = isinstance(seat, int) and 0 <= seat < len(keys) and keys[seat] != NO_KEY
    return has_key and "TIMEOUT" not in (_member(event.event, "kind"), _member(event.event, "decision"))


def _leader_fault(gathered: GatheredRound, told: Told, *, drawn: int | msgspec.UnsetType) -> str:
    """What is wrong with who led; empty where nothing is. Whether a winner without a key is gone, a log cannot say."""
    if isinstance(drawn, msgspec.UnsetType):
        is_told = told.leader is not msgspec.UNSET or told.previous_winner_seat is not msgspec.UNSET
        return "it tells who led, and nobody leads in this game" if is_told else ""
    if isinstance(told.previous_winner_seat, int):
        return _winner_fault(gathered, told.previous_winner_seat)
    if told.leader != drawn:
        return f"seat {told.leader} led, and the deal drew seat {drawn}"
    if gathered.last_winner is not None and gathered.last_winner.is_seated(gathered.header):
        return "the leader was drawn, and the winner of the last settled round is seated"
    return ""


def _winner_fault(gathered: GatheredRound, seat: int) -> str:
    if gathered.last_winner is None:
        return f"seat {seat} led as the last winner, and the table has settled no such round"
    if not 0 <= seat < gathered.header.seat_count or not gathered.last_winner.fits(gathered.header, Seat(seat)):
        return f"seat {seat} led as the last winner, whose key is another"
    return ""


def _sections(gathered: GatheredRound, settle: Placed[Transcript], docket: Docket) -> tuple[tuple[int, ...], ...]:
    """The sections told, empty unless they are sections of the layout, from the first on, of cards that exist."""
    sections, layout = settle.leaf.told.sections, gathered.header.layout
    sizes = tuple([len(section) for section in sections])
    if sizes != layout[: len(sizes)] or len(sizes) < gathered.header.seat_count:
        docket.add(
            Code.SECTION_WRONG_SIZE,
            "the sections told are not the layout's",
            leaf_index=settle.index,
            difference=Difference("told.sections", shown(list(sizes)), shown(list(layout))),
        )
        return ()
    numbers = list(itertools.chain.from_iterable(sections))
    if not 1 <= min(numbers) <= max(numbers) <= _MAX_CARD:
        unknown = [number for number in numbers if not 1 <= number <= _MAX_CARD]
        docket.add(Code.CARDS_MISMATCH, f"no card has the numbers {shown(unknown)}", leaf_index=settle.index)
        return ()
    if len(set(numbers)) < len(numbers):
        twice = sorted({number for number in numbers if numbers.count(number) > 1})
        docket.add(Code.DUPLICATE_CARD, f"cards {twice} were told more than once", leaf_index=settle.index)
    return sections


def _replayed(told: Told, ruleset: Ruleset, header: Header) -> tuple[Replayed | None, tuple[Code, str] | None]:
    """What follows from what was told, or why nothing does."""
    try:
        return replay(told, ruleset, header=header), None
    except UnlawfulRoundError as error:
        codes = [violation.code for violation in error.violations]
        code = Code.ILLEGAL_EVENT
        if _SEAL_FAULTS.intersection(codes):
            code = Code.SEAL_BROKEN
        elif any(fault.startswith(_CARD_FAULT) for fault in codes):
            code = Code.CARD_NOT_IN_HAND
        return None, (code, f"what was told breaks the rules: {error}")
    except (ArithmeticError, LookupError, RecursionError, TypeError, ValueError) as error:
        return None, (Code.ILLEGAL_EVENT, f"no settlement follows from what was told: {error}")


def _is_same(settle: Placed[Transcript], again: bytes, hashes: Sequence[bytes], docket: Docket) -> bool:
    """Whether the transcript is the one that follows from what was told in it."""
    payload = settle.envelope.payload
    if again == payload:
        return True
    code, detail = Code.WRONG_RESULT, "another result follows from what was told"
    if not is_canonical(payload):
        code, detail = Code.NOT_CANONICAL, "the transcript is not the canonical text of what it says"
    elif _events_hash(settle.leaf) != hashes[-1].hex():
        code, detail = Code.EVENTS_ALTERED, "the events are not those that the result was found from"
    docket.add(code, detail, leaf_index=settle.index, difference=first_difference(payload, again))
    return False


def _examine_attestations(
    gathered: GatheredRound, settle: Placed[Transcript], hashes: Sequence[bytes], docket: Docket
) -> tuple[int, bool]:
    """How many receipts and seats' signatures hold, and whether every event is attested as it says."""
    told = settle.leaf.told
    keys = tuple(dict.fromkeys([*gathered.open.ring.of(Role.REFEREE), *settle.ring.of(Role.REFEREE)]))
    held, refused = 0, 0
    for number, event in enumerate(told.events, 1):
        match event.attested:
            case "RECEIPT":
                what = "the referee's receipt"
                holds = not event.signature and _is_receipted(
                    gathered, event, keys, number=number, hashed=hashes[number]
                )
                held += holds
            case "SEAT":
                what = "its seat's signature"
                holds = _is_signed_by_seat(gathered, event, hashed=hashes[number])
                held += holds
                if holds and event.receipt:
                    what = "the referee's receipt"
                    holds = _is_receipted(gathered, event, keys, number=number, hashed=hashes[number])
                    held += holds
            case "FRONTEND":
                what = "what is told to attest it"
                holds = not (event.receipt or event.signature)
            case _:
                assert_never(event.attested)
        if not holds:
            refused += 1
            detail = f"event {number} of {len(told.events)} does not bear {what} for this place among these events"
            docket.add(Code.EVENTS_ALTERED, detail, leaf_index=settle.index)
    return held, not refused


def _is_receipted(
    gathered: GatheredRound, event: ToldEvent, keys: Sequence[bytes], *, number: int, hashed: bytes
) -> bool:
    receipt = EventReceipt(
        event_hash=hashed.hex(),
        number=number,
        received_time=event.time,
        round_id=gathered.round_id.hex(),
        opens_section=event.opens_section,
    )
    signature = _signature(event.receipt)
    try:
        return any(is_receipted(receipt, signature, key) for key in keys)
    except (ArithmeticError, ValueError):  # a time that has no canonical text
        return False


def _is_signed_by_seat(gathered: GatheredRound, event: ToldEvent, *, hashed: bytes) -> bool:
    seat = _member(event.event, "seat")
    keys = gathered.header.seat_keys
    if not isinstance(seat, int) or not 0 <= seat < len(keys) or keys[seat] == NO_KEY:
        return False
    return is_signature(_signature(event.signature), hashed, keys[seat])


def _events_hash(transcript: Transcript) -> object:
    return _member(transcript.found, "events_hash")


def _member(raw: msgspec.Raw, name: str) -> object:
    """A member of a JSON object; None where it has none, or is none."""
    try:
        value = orjson.loads(bytes(raw))
    except orjson.JSONDecodeError:
        return None
    return value.get(name) if isinstance(value, dict) else None


def _signature(text: str) -> bytes:
    """A signature of 64 bytes from its lowercase hex; none for any other text."""
    try:
        return unhex(text, SIGNATURE_SIZE)
    except CanonicalError:
        return b""
