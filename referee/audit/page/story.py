"""Course of a round for the page: its steps with their times, the hands, every event, and who paid whom.

It shows the content of the leaves and judges nothing. The hands of a round that was aborted after its deal are dealt
again from the seeds. A leaf that cannot be read is shown as unreadable.
"""

import itertools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import msgspec

from referee.audit.course import attestation_of
from referee.audit.page.words import name_of, phrase_of, title_of
from referee.audit.reading import Payload, read_envelope, read_header, read_payload
from referee.cards import HOUSE
from referee.dealing.deal import Deal
from referee.dealing.deck import StreamUsedUpError
from referee.dealing.header import Header
from referee.dealing.leaf import AbortLeaf, DealLeaf, KeyLeaf, OpenLeaf, RevealLeaf, StartLeaf, UnsealLeaf
from referee.evidence.outside import OutsideError, read_json
from referee.finding import FindingError, Phrase
from referee.games import AnyGame, LawError, game_of
from referee.games.groups import cards_in
from referee.money import Transfer
from referee.rulesets import Catalogue, Ruleset, Texts, load_texts
from referee.transcript.inputs import InputEvent, Transcript

RoundKey = tuple[str, int]
"""A table's id and a round's number."""
MAX_EVENTS: Final = 120
"""Most events of a round shown."""
_KIND: Final = "kind"


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Cards shown together, by their numbers, with a label and the name of their hand; either may be None."""

    label: Phrase | None = None
    name: Phrase | None = None
    cards: tuple[int, ...]
    is_house: bool = False


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
    """An event of a round: ``after`` is its time in ms after the deal, ``opens`` the sections that it opens.

    ``kind`` are the words for the event, such as "decides", "fold". ``attested`` is a name from ``attestation_of``.
    """

    number: int
    after: int
    seat: int
    kind: tuple[Phrase, ...]
    groups: tuple[Group, ...]
    attested: str
    opens: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatStory:
    """A seat's hand as dealt, its cards at the end, its result and its net amount; None for what is unknown."""

    seat: int
    hand: tuple[int, ...]
    groups: tuple[Group, ...]
    result: Phrase | None
    net: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryTransfer:
    """A transfer between two seats or a seat and the house, with its reason, and its subject where it has one."""

    payer: int
    payee: int
    amount: int
    reason: Phrase
    about: Phrase | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Story:
    """A whole round. ``title`` is its ruleset's; ``board`` has the house's cards and the shared cards."""

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
    shown = _Shown.under(header, ruleset)
    settle: Transcript | None = by_type.get(Transcript)
    sections = _sections(by_type)
    found = _found(settle)
    seat_count = len(header.seat_keys_hex)
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
        seats=tuple([_seat(seat, sections, found, shown) for seat in range(seat_count)]),
        board=_board(sections, found, shown, seat_count),
        events=tuple(
            [
                _event(number, event, shown, after=event.time - start, opens=opens.get(number, ()))
                for number, event in enumerate(events[:MAX_EVENTS], 1)
            ]
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
        case KeyLeaf() | StartLeaf() | None:
            pass
    return step


def _ruleset(header: Header, catalogue: Catalogue) -> Ruleset | None:
    try:
        return catalogue.find(header.ruleset_digest)
    except ValueError:
        return None


def _sections(by_type: dict[type, Any]) -> tuple[tuple[int, ...], ...]:
    """Return the settlement's sections; without a settlement, those dealt again; empty if the seeds are unknown."""
    if Transcript in by_type:
        return tuple([cards_in(section) for section in by_type[Transcript].inputs.sections])
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
        found: object = read_json(bytes(settle.results))
    except OutsideError:
        return {}
    return found if isinstance(found, dict) else {}


@dataclass(frozen=True, slots=True)
class _Shown:
    """Texts for a round: its ruleset, its game and the game's words; each is None if it is not installed."""

    game: AnyGame | None
    texts: Texts | None
    ruleset: Ruleset | None

    @classmethod
    def under(cls, header: Header, ruleset: Ruleset | None) -> Self:
        """Look up the game of a round."""
        try:
            game = game_of(header.ruleset_id)
        except KeyError:
            return cls(None, None, ruleset)
        return cls(game, load_texts(game.name), ruleset)

    def groups(self, record: dict[str, Any]) -> tuple[Group, ...]:
        """Return the groups of cards of an event, or of a seat in the results."""
        try:
            groups = () if self.game is None else self.game.groups(record)
        except LawError:
            return ()
        labels = {} if self.texts is None else self.texts.groups
        return tuple(
            [
                Group(
                    label=phrase_of(labels, group.label) if group.label else None,
                    name=name_of(self.ruleset, group.name) if group.name else None,
                    cards=group.cards,
                )
                for group in groups
            ]
        )

    def kind(self, event: dict[str, Any]) -> tuple[Phrase, ...]:
        """Return the words for an event: those of its kind, then those of the other codes among its members."""
        words = {} if self.texts is None else self.texts.events
        kind = event.get(_KIND)
        others = [code for name, code in event.items() if name != _KIND and isinstance(code, str) and code in words]
        return tuple([phrase_of(words, code) for code in (kind if isinstance(kind, str) else "?", *others)])


def _seat(seat: int, sections: Sequence[tuple[int, ...]], found: dict[str, Any], shown: _Shown) -> SeatStory:
    seats = found.get("seats")
    mine = seats[seat] if isinstance(seats, list) and seat < len(seats) and isinstance(seats[seat], dict) else {}
    result = mine.get("instant_win") or mine.get("result")
    return SeatStory(
        seat=seat,
        hand=sections[seat] if seat < len(sections) else (),
        groups=shown.groups(mine),
        result=name_of(shown.ruleset, result) if isinstance(result, str) else None,
        net=mine["net"] if isinstance(mine.get("net"), int) else None,
    )


def _board(
    sections: Sequence[tuple[int, ...]], found: dict[str, Any], shown: _Shown, seat_count: int
) -> tuple[Group, ...]:
    """Return the house's cards with the name of its hand, then the shared cards; empty in a game without a board."""
    try:
        layout = None if shown.game is None else shown.game.layout(seat_count)
    except ValueError:
        return ()
    if layout is None or not layout.has_board or len(sections) < len(layout.shown):
        return ()
    house = found.get("house")
    names = [group.name for group in shown.groups(house)] if isinstance(house, dict) else []
    cards = {section: sections[layout.board(section)] for section in layout.names}
    groups = []
    if "house" in cards:
        groups = [Group(name=names[0] if names else None, cards=cards.pop("house"), is_house=True)]
    return (*groups, Group(cards=tuple(itertools.chain.from_iterable(cards.values()))))


def _event(number: int, source: InputEvent, shown: _Shown, *, after: int, opens: tuple[int, ...]) -> StoryEvent:
    try:
        event: object = read_json(bytes(source.event))
    except OutsideError:
        event = {}
    event = event if isinstance(event, dict) else {}
    seat = event.get("seat")
    return StoryEvent(
        number=number,
        after=after,
        seat=seat if isinstance(seat, int) else HOUSE,
        kind=shown.kind(event),
        groups=shown.groups(event),
        attested=attestation_of(source),
        opens=opens,
    )


def _paid(found: dict[str, Any], ruleset: Ruleset | None) -> tuple[StoryTransfer, ...]:
    try:
        transfers = msgspec.convert(found.get("transfers", ()), tuple[Transfer, ...])
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
