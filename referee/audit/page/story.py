"""Course of a round for the page: its steps with their times, the hands, every event, and who paid whom.

Only the content of the leaves is shown; of a round that was aborted after its deal the hands are dealt again from the
seeds. A leaf that cannot be read is shown as such. Nothing is judged here.
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec
import orjson

from referee.audit.course import attestation_of
from referee.audit.finding import FindingError, Phrase
from referee.audit.page.words import name_of, title_of
from referee.audit.reading import Payload, read_envelope, read_header, read_payload
from referee.cards import HOUSE
from referee.dealing.deal import Deal
from referee.dealing.deck import StreamUsedUpError
from referee.dealing.header import HeaderJson
from referee.dealing.leaf import AbortLeaf, DealLeaf, KeyLeaf, OpenLeaf, RevealLeaf, UnsealLeaf
from referee.games import game_of
from referee.rulesets import Catalogue, Ruleset, UnknownRulesetError
from referee.transcript.inputs import InputEvent, Transcript

RoundKey = tuple[str, int]
"""A table's id and a round's number."""
MAX_EVENTS: Final = 120
"""Events of a round shown."""
_GROUPS: Final = ("back", "middle", "front")
_CARDS: Final = range(1, 53)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Cards shown together, by their numbers, under a code and perhaps the name of the hand they make."""

    code: str = ""
    name: Phrase | None = None
    cards: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryStep:
    """A leaf of the round: its kind, index, time in ms if it has one, and the reason of an abort."""

    kind: str
    index: int
    time: int | None = None
    reason: str = ""
    blamed: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryEvent:
    """An event: when, in ms after the deal, whose, what, with which cards, how attested, and what it opens."""

    number: int
    after: int
    seat: int
    kind: str
    decision: str
    groups: tuple[Group, ...]
    attested: str
    opens: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatStory:
    """A seat's hand as dealt, its cards at the end, and its net amount; None if that is unknown."""

    seat: int
    hand: tuple[int, ...]
    groups: tuple[Group, ...]
    result: Phrase | None
    net: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryTransfer:
    """A transfer between two seats, with its reason and what it is about."""

    payer: int
    payee: int
    amount: int
    reason: Phrase
    about: Phrase | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A whole round. ``title`` is its ruleset's; ``board`` are shared cards and the house's."""

    table_id: str
    round_number: int
    title: Phrase
    currency: str
    stake: int
    steps: tuple[StoryStep, ...]
    seats: tuple[SeatStory, ...]
    board: tuple[Group, ...]
    events: tuple[StoryEvent, ...]
    events_left_out: int
    paid: tuple[StoryTransfer, ...]
    is_settled: bool


def story_of(leaves: Iterable[tuple[int, bytes]], catalogue: Catalogue) -> Story | None:
    """Make the story of a round from its leaves, in their order; None if its OPEN cannot be read."""
    steps: list[StoryStep] = []
    by_type: dict[type, Any] = {}
    for index, data in leaves:
        leaf = _read(data)
        steps.append(_step(index, leaf))
        if leaf is not None:
            by_type.setdefault(type(leaf), leaf)
    opened: OpenLeaf | None = by_type.get(OpenLeaf)
    if opened is None:
        return None
    header = opened.header
    ruleset = _ruleset(header, catalogue)
    settle: Transcript | None = by_type.get(Transcript)
    sections = _sections(by_type)
    found = _found(settle)
    seat_count = len(header.seat_keys)
    events = settle.inputs.events if settle is not None else ()
    opens = {one.number: one.sections for one in settle.inputs.unsealed} if settle is not None else {}
    start = settle.inputs.dealt_time if settle is not None else 0
    return Story(
        table_id=header.table_id,
        round_number=header.round_number,
        title=title_of(ruleset, header.ruleset_id),
        currency=header.currency,
        stake=header.stake,
        steps=tuple(steps),
        seats=tuple([_seat(seat, sections, found, ruleset) for seat in range(seat_count)]),
        board=_board(sections, found, ruleset, header),
        events=tuple(
            [_event(number, event, start, opens.get(number, ())) for number, event in enumerate(events[:MAX_EVENTS], 1)]
        ),
        events_left_out=max(0, len(events) - MAX_EVENTS),
        paid=_paid(found, ruleset),
        is_settled=settle is not None,
    )


def _read(data: bytes) -> Payload | None:
    try:
        return read_payload(read_envelope(data))
    except FindingError:
        return None


def _step(index: int, leaf: Payload | None) -> StoryStep:
    step = StoryStep(kind="?", index=index)
    match leaf:
        case OpenLeaf():
            step = StoryStep(kind="OPEN", index=index)
        case DealLeaf():
            step = StoryStep(kind="DEAL", index=index, time=leaf.dealt_time)
        case UnsealLeaf():
            step = StoryStep(kind="UNSEAL", index=index, time=leaf.unsealed_time)
        case Transcript():
            step = StoryStep(kind="SETTLE", index=index, time=leaf.inputs.closed_time)
        case AbortLeaf():
            step = StoryStep(kind="ABORT", index=index, time=leaf.aborted_time, reason=leaf.reason, blamed=leaf.blamed)
        case RevealLeaf():
            step = StoryStep(kind="REVEAL", index=index)
        case KeyLeaf() | None:
            pass
    return step


def _ruleset(header: HeaderJson, catalogue: Catalogue) -> Ruleset | None:
    try:
        return catalogue.of_digest(bytes.fromhex(header.ruleset_digest))
    except (UnknownRulesetError, ValueError):
        return None


def _sections(by_type: dict[type, Any]) -> tuple[tuple[int, ...], ...]:
    """Return the sections of the settlement, or dealt again if nothing was settled."""
    if Transcript in by_type:
        return tuple([_cards(section) for section in by_type[Transcript].inputs.sections])
    if OpenLeaf not in by_type or DealLeaf not in by_type or RevealLeaf not in by_type:
        return ()
    opened, deal, reveal = by_type[OpenLeaf], by_type[DealLeaf], by_type[RevealLeaf]
    try:
        again = Deal.from_mix(
            read_header(opened),
            server_seed=bytes.fromhex(reveal.server_seed),
            commitment=bytes.fromhex(opened.server_commitment),
            mixed=bytes.fromhex(deal.mix),
        )
    except (FindingError, StreamUsedUpError, ValueError):
        return ()
    return tuple([tuple([card.number for card in section]) for section in again.sections])


def _found(settle: Transcript | None) -> dict[str, Any]:
    if settle is None:
        return {}
    try:
        found = orjson.loads(bytes(settle.results))
    except orjson.JSONDecodeError:
        return {}
    return found if isinstance(found, dict) else {}


def _seat(seat: int, sections: Sequence[tuple[int, ...]], found: dict[str, Any], ruleset: Ruleset | None) -> SeatStory:
    seats = found.get("seats")
    mine = seats[seat] if isinstance(seats, list) and seat < len(seats) and isinstance(seats[seat], dict) else {}
    result = mine.get("instant_win") or mine.get("result")
    return SeatStory(
        seat=seat,
        hand=sections[seat] if seat < len(sections) else (),
        groups=_ending(mine, ruleset),
        result=name_of(ruleset, result) if isinstance(result, str) else None,
        net=mine["net"] if isinstance(mine.get("net"), int) else None,
    )


def _ending(mine: dict[str, Any], ruleset: Ruleset | None) -> tuple[Group, ...]:
    """Return a seat's cards at the end."""
    groups: list[Group] = []
    arrangement, hands = mine.get("arrangement"), mine.get("hands")
    if isinstance(arrangement, list) and len(arrangement) == len(_GROUPS):
        names = hands if isinstance(hands, list) and len(hands) == len(_GROUPS) else [""] * len(_GROUPS)
        groups += [
            Group(
                code=code.upper(), name=name_of(ruleset, name) if isinstance(name, str) and name else None, cards=held
            )
            for code, name, held in zip(_GROUPS, names, map(_cards, arrangement), strict=True)
        ]
    if isinstance(mine.get("best"), list):
        category = mine.get("category")
        name = name_of(ruleset, category) if isinstance(category, str) else None
        groups.append(Group(code="BEST", name=name, cards=_cards(mine["best"])))
    if isinstance(mine.get("left"), list) and mine["left"]:
        groups.append(Group(code="LEFT", cards=_cards(mine["left"])))
    return tuple(groups)


def _board(
    sections: Sequence[tuple[int, ...]], found: dict[str, Any], ruleset: Ruleset | None, header: HeaderJson
) -> tuple[Group, ...]:
    """Return the house's cards and the board, if the game has them."""
    try:
        layout = game_of(header.ruleset_id).layout(len(header.seat_keys))
    except (KeyError, ValueError):
        return ()
    if not layout.has_board or len(sections) < len(layout.shown):
        return ()
    house = found.get("house")
    category = house.get("category") if isinstance(house, dict) else None
    name = name_of(ruleset, category) if isinstance(category, str) else None
    cards = {one: sections[layout.board(one)] for one in layout.names}
    groups = [Group(code="HOUSE", name=name, cards=cards.pop("house"))] if "house" in cards else []
    return (*groups, Group(code="BOARD", cards=tuple(itertools.chain.from_iterable(cards.values()))))


def _event(number: int, source: InputEvent, start: int, opens: tuple[int, ...]) -> StoryEvent:
    try:
        event = orjson.loads(bytes(source.event))
    except orjson.JSONDecodeError:
        event = {}
    event = event if isinstance(event, dict) else {}
    groups = [Group(code=name.upper(), cards=_cards(event[name])) for name in _GROUPS if name in event]
    if "cards" in event:
        groups.append(Group(cards=_cards(event["cards"])))
    seat, kind, decision = event.get("seat"), event.get("kind"), event.get("decision")
    return StoryEvent(
        number=number,
        after=source.time - start,
        seat=seat if isinstance(seat, int) else HOUSE,
        kind=kind if isinstance(kind, str) else "?",
        decision=decision if isinstance(decision, str) else "",
        groups=tuple(groups),
        attested=attestation_of(source),
        opens=opens,
    )


class _Transfer(msgspec.Struct, frozen=True, rename={"payer": "from", "payee": "to"}):
    payer: int
    payee: int
    amount: int
    reason: str
    subject: str = ""


def _paid(found: dict[str, Any], ruleset: Ruleset | None) -> tuple[StoryTransfer, ...]:
    try:
        transfers = msgspec.convert(found.get("transfers", ()), tuple[_Transfer, ...])
    except msgspec.ValidationError:
        return ()
    return tuple(
        [
            StoryTransfer(
                payer=one.payer,
                payee=one.payee,
                amount=one.amount,
                reason=name_of(ruleset, one.reason),
                about=name_of(ruleset, one.subject) if one.subject else None,
            )
            for one in transfers
        ]
    )


def _cards(numbers: object) -> tuple[int, ...]:
    """Keep the numbers that are cards'."""
    return (
        tuple([one for one in numbers if isinstance(one, int) and one in _CARDS])
        if isinstance(numbers, list | tuple)
        else ()
    )
