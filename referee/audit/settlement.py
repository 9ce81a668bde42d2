"""A SETTLE leaf: its header is OPEN's, its deal is DEAL's, and ``replay(told) == transcript``, byte for byte.

The law: what was told is compared with what the log already knew, and what was found is computed again from what was
told. The first place where the transcript differs is named, told and found side by side. Receipts and the seats'
signatures are verified over the hashes of the events as they stand, so an event that was edited, moved, dropped or
doubled has none.

It refuses to know any game: ``transcript.replay`` judges. Where a game's violation code begins with ``CARD_``, an event
used a card that its seat could not use.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import msgspec
import orjson

from referee.audit.difference import first_difference, shown
from referee.audit.docket import Docket
from referee.audit.finding import Code, Difference
from referee.audit.gathered import GatheredRound
from referee.audit.keys import Role
from referee.audit.reading import Placed
from referee.dealing.header import NO_KEY, HeaderJson
from referee.evidence import canonical
from referee.evidence.canonical import CanonicalError, unhex
from referee.evidence.ed25519 import is_signature
from referee.rulesets import Ruleset
from referee.transcript.chain import chain_hashes
from referee.transcript.receipt import EventReceipt, is_receipted
from referee.transcript.replay import UnlawfulRoundError, replay
from referee.transcript.told import ToldEvent, Transcript

_MAX_CARD: Final = 52
_CARD_FAULT: Final = "CARD_"
_STAKES: Final = frozenset({"stake", "seat_stakes"})
_SLOT: Final = frozenset({"table_id", "round_number"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """What came of a SETTLE: whether it replays, its hashes h_0 to h_n, how many signatures in it were verified."""

    is_replayed: bool = False
    has_sound_cards: bool = False
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
    if told.closed_time > gathered.header.round_deadline:
        detail = f"it was settled at {told.closed_time}, after the round's deadline {gathered.header.round_deadline}"
        docket.add(Code.SETTLED_LATE, detail, leaf_index=settle.index)
    if not _has_sound_cards(gathered, settle, docket):
        return Settled()
    if ruleset is None:
        return Settled(has_sound_cards=True)
    hashes = tuple(
        chain_hashes(
            round_id=gathered.round_id,
            deck_root=unhex(told.deck_root),
            events=[bytes(event.event) for event in told.events],
        )
    )
    signatures, are_attested = _examine_attestations(gathered, settle, hashes, docket)
    is_replayed = _examine_replay(settle, ruleset, hashes, docket)
    return Settled(
        is_replayed=is_replayed and are_attested, has_sound_cards=True, hashes=hashes, signatures=signatures
    )


def _examine_deal(gathered: GatheredRound, settle: Placed[Transcript], docket: Docket) -> None:
    deal, told = gathered.deal, settle.leaf.told
    if deal is None:
        return
    for path, one, other in (
        ("told.dealt_time", told.dealt_time, deal.leaf.dealt_time),
        ("told.leader", _number(told.leader), _number(deal.leaf.leader)),
    ):
        leads_by_winning = path == "told.leader" and told.previous_winner_seat is not msgspec.UNSET
        if one != other and not leads_by_winning:
            docket.add(
                Code.DEAL_MISTOLD,
                "the transcript tells another deal than DEAL",
                leaf_index=settle.index,
                difference=Difference(path, shown(one), shown(other)),
            )


def _has_sound_cards(gathered: GatheredRound, settle: Placed[Transcript], docket: Docket) -> bool:
    """Whether the sections told are sections of the layout, from the first on, of different cards that exist."""
    sections, layout = settle.leaf.told.sections, gathered.header.layout
    sizes = tuple([len(section) for section in sections])
    if sizes != layout[: len(sizes)] or len(sizes) < gathered.header.seat_count:
        docket.add(
            Code.SECTION_WRONG_SIZE,
            "the sections told are not the layout's",
            leaf_index=settle.index,
            difference=Difference("told.sections", shown(list(sizes)), shown(list(layout))),
        )
        return False
    numbers = list(itertools.chain.from_iterable(sections))
    if not all(1 <= number <= _MAX_CARD for number in numbers):
        unknown = [number for number in numbers if not 1 <= number <= _MAX_CARD]
        docket.add(Code.CARDS_MISMATCH, f"no card has the numbers {unknown}", leaf_index=settle.index)
        return False
    if len(set(numbers)) < len(numbers):
        twice = sorted({number for number in numbers if numbers.count(number) > 1})
        docket.add(Code.DUPLICATE_CARD, f"cards {twice} were told more than once", leaf_index=settle.index)
        return False
    return True


def _examine_replay(
    settle: Placed[Transcript], ruleset: Ruleset, hashes: Sequence[bytes], docket: Docket
) -> bool:
    """Whether the transcript follows from what was told in it."""
    payload = settle.envelope.payload
    try:
        again = replay(settle.leaf.told, ruleset).payload
    except UnlawfulRoundError as error:
        cards = any(violation.code.startswith(_CARD_FAULT) for violation in error.violations)
        code = Code.CARD_NOT_IN_HAND if cards else Code.ILLEGAL_EVENT
        docket.add(code, f"what was told breaks the rules: {error}", leaf_index=settle.index)
        return False
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        docket.add(Code.ILLEGAL_EVENT, f"no settlement follows from what was told: {error}", leaf_index=settle.index)
        return False
    if again == payload:
        return True
    code, detail = Code.WRONG_RESULT, "another result follows from what was told"
    try:
        canonical.decode(payload)
    except CanonicalError as error:
        code, detail = Code.NOT_CANONICAL, str(error)
    else:
        if _events_hash(settle.leaf) != hashes[-1].hex():
            code, detail = Code.EVENTS_ALTERED, "the events are not those that the result was found from"
    docket.add(code, detail, leaf_index=settle.index, difference=first_difference(payload, again))
    return False


def _examine_attestations(
    gathered: GatheredRound, settle: Placed[Transcript], hashes: Sequence[bytes], docket: Docket
) -> tuple[int, bool]:
    """How many receipts and seats' signatures were verified, and whether all of them held."""
    told = settle.leaf.told
    keys = tuple(dict.fromkeys([*gathered.open.ring.of(Role.REFEREE), *settle.ring.of(Role.REFEREE)]))
    verified, holds = 0, True
    for number, event in enumerate(told.events, 1):
        what = ""
        if event.attested == "RECEIPT":
            verified += 1
            if not _is_receipted(gathered, event, keys, number=number, hashed=hashes[number]):
                what = "the referee's receipt"
        elif event.attested == "SEAT":
            verified += 1
            if not _is_signed_by_seat(gathered, event, hashed=hashes[number]):
                what = "its seat's signature"
        elif event.receipt or event.signature:
            what = "what it says attests it"
        if what:
            holds = False
            detail = f"event {number} of {len(told.events)} does not bear {what} for this place among these events"
            docket.add(Code.EVENTS_ALTERED, detail, leaf_index=settle.index)
    return verified, holds


def _is_receipted(
    gathered: GatheredRound, event: ToldEvent, keys: Sequence[bytes], *, number: int, hashed: bytes
) -> bool:
    signature = _bytes_of(event.receipt)
    return any(
        is_receipted(
            EventReceipt(
                event_hash=hashed.hex(),
                number=number,
                received_time=event.time,
                round_id=gathered.round_id.hex(),
                opens_section=section,
            ),
            signature,
            key,
        )
        for section in _sections_opened(gathered)
        for key in keys
    )


def _sections_opened(gathered: GatheredRound) -> Iterator[int | msgspec.UnsetType]:
    """What a receipt can say that its event opens: nothing, or a section that is no seat's hand."""
    yield msgspec.UNSET
    yield from range(gathered.header.seat_count, len(gathered.header.layout))


def _is_signed_by_seat(gathered: GatheredRound, event: ToldEvent, *, hashed: bytes) -> bool:
    seat = orjson.loads(event.event).get("seat")
    keys = gathered.header.seat_keys
    if not isinstance(seat, int) or not 0 <= seat < len(keys) or keys[seat] == NO_KEY:
        return False
    return is_signature(_bytes_of(event.signature), hashed, keys[seat])


def _events_hash(transcript: Transcript) -> object:
    found = orjson.loads(transcript.found)
    return found.get("events_hash") if isinstance(found, dict) else None


def _bytes_of(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        return b""


def _number(value: int | msgspec.UnsetType) -> int | str:
    return value if isinstance(value, int) else ""


