"""Ultimate Texas Hold'em in a transcript: its events as bytes, the sections they open, and what is found.

Event bytes are the canonical JSON of ``{"decision":"PLAY_4X","kind":"DECIDE","seat":n}``, decisions by their codes.
``told.sections`` are the seats' hands, the house, the flop, turn and river: all that is ever opened, in the order of
the layout and without the stock. ``found`` is::

    {"events_hash": h_n,
     "house": {"best": [card, ..], "category": code, "net": n, "qualifies": 1 | 0},
     "seats": [{"best": [card, ..], "category": code, "net": n, "play_multiple": 0 | 1 | 2 | 3 | 4,
                "result": "WON" | "LOST" | "TIED" | "FOLDED"}, ..],
     "transfers": [{"amount","from","reason","subject","to"}, ..]}

where ``best`` are the five cards that count, hole cards first, then the board's in the order dealt. A seat that folded
has them too, though nothing hangs on them. ``net`` of the house and the seats together is zero.

The event that closes a street opens a section, and its receipt names it: the flop, then turn and river, then the house.
An event after which nobody is left to decide on the next street closes that one as well, and so on: it names the last
section it opens, and everything before that section opens with it. This module says which; who hands the cards out
is not its affair.

>>> from referee.rulesets import get
>>> ruleset = get("ultimate_texas.casino")
>>> all_in = Event(Seat(0), Decision.PLAY_4X, time=1_000)
>>> encode_event(all_in)
b'{"decision":"PLAY_4X","kind":"DECIDE","seat":0}'
>>> played = play(ruleset.rules, [(10, 0)], [all_in], bet_unit=2, dealt_time=0)
>>> played.state.street, played.openings
(<Street.SHOWDOWN: 'SHOWDOWN'>, (1,))
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import msgspec

from referee.cards import Card, Seat
from referee.dealing.layout import Layout, layout_of
from referee.games.ultimate_texas import (
    CardsError,
    Decision,
    Event,
    Outcome,
    Stake,
    StakesError,
    State,
    Street,
    TableCards,
    UltimateTexasRules,
    UnlawfulEventError,
    apply,
    best_hand,
    check_settlement,
    settle,
    start,
)
from referee.money import Amount, house_net, net_amounts
from referee.transcript.found import FoundValue
from referee.transcript.told import Told, TranscriptError, check_openings
from referee.verdict import Violation

GAME: Final = "ultimate_texas"


class DecideJson(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="DECIDE"):
    """A decision."""

    decision: Decision
    seat: int


_encoder: Final = msgspec.json.Encoder(order="sorted")
_decoder: Final = msgspec.json.Decoder(DecideJson, strict=True)


def encode_event(event: Event) -> bytes:
    """The event's own bytes, as the chain hashes them."""
    return _encoder.encode(DecideJson(decision=event.decision, seat=event.seat))


def decode_event(data: bytes, *, time: int) -> Event:
    """The event that such bytes spell, at a time; TranscriptError where they are not the canonical bytes of one."""
    try:
        event = _decoder.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        msg = f"not an event of Ultimate Texas Hold'em: {error}"
        raise TranscriptError(msg) from None
    decided = Event(Seat(event.seat), event.decision, time)
    if encode_event(decided) != data:
        msg = "an event of Ultimate Texas Hold'em, but not in its canonical form"
        raise TranscriptError(msg)
    return decided


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """A round played from its deal: the state after the last lawful event, and what each event opens.

    ``openings`` stands by event: the section that its receipt names, None where it closes no street and from the first
    unlawful event on. ``violations`` are what is wrong with that event; empty when all are lawful.
    """

    state: State
    openings: tuple[int | None, ...]
    violations: tuple[Violation, ...] = ()


def play(
    rules: UltimateTexasRules,
    seat_stakes: Sequence[tuple[int, int]],
    events: Sequence[Event],
    *,
    bet_unit: int,
    dealt_time: int,
) -> Played:
    """The round that a header's stakes and some events come to.

    ``seat_stakes`` are Ante and Trips by seat, ``dealt_time`` is milliseconds since 1970 UTC. Raises StakesError where
    no round can start with these stakes.
    """
    return play_on(begin(rules, seat_stakes, bet_unit=bet_unit, dealt_time=dealt_time), events)


def begin(
    rules: UltimateTexasRules, seat_stakes: Sequence[tuple[int, int]], *, bet_unit: int, dealt_time: int
) -> State:
    """The round before its first event, by a header's stakes; raises StakesError as ``play`` does."""
    stakes = [Stake(ante=Amount(ante), trips=Amount(trips)) for ante, trips in seat_stakes]
    return start(rules, stakes, bet_unit=bet_unit, dealt_time=dealt_time)


def play_on(state: State, events: Sequence[Event]) -> Played:
    """What some more events of a round come to."""
    openings: list[int | None] = []
    for event in events:
        try:
            state, opening = step(state, event)
        except UnlawfulEventError as error:
            rest = (None,) * (len(events) - len(openings))
            return Played(state=state, openings=(*openings, *rest), violations=error.violations)
        openings.append(opening)
    return Played(state=state, openings=tuple(openings))


def step(state: State, event: Event) -> tuple[State, int | None]:
    """The state after a lawful event, and the section that its receipt names, None for none.

    Raises UnlawfulEventError, with everything that is wrong, for an unlawful one.
    """
    after = apply(state, event)
    if after.street is state.street:
        return after, None
    return after, layout_of(GAME, seat_count=len(after.seats)).board(_LAST_OPENED[after.street])


_LAST_OPENED: Final = {Street.FLOP: "flop", Street.RIVER: "turn_river", Street.SHOWDOWN: "house"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """A settled round: its state, cards and outcome, and the five cards that count of the house and of each seat."""

    state: State
    cards: TableCards
    outcome: Outcome
    house_best: tuple[Card, ...]
    seat_bests: tuple[tuple[Card, ...], ...]
    net: tuple[int, ...]


def settled(state: State, sections: Sequence[tuple[Card, ...]]) -> Settled:
    """The settlement of a round that is over, from its sections as told: the hands, the house, flop, turn and river.

    Raises TranscriptError where these are not the cards of such a round, UnfinishedRoundError where it is not over.
    """
    cards = _table_cards(sections, layout_of(GAME, seat_count=len(state.seats)))
    outcome = settle(state, cards)
    rules, board = state.rules, cards.board
    return Settled(
        state=state,
        cards=cards,
        outcome=outcome,
        house_best=best_hand(rules, hole=cards.house, board=board).cards,
        seat_bests=tuple([best_hand(rules, hole=hole, board=board).cards for hole in cards.hands]),
        net=net_amounts(outcome.transfers, len(state.seats)),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Judged:
    """What the rules make of what was told: settled, or the violations that stand in the way.

    ``refused_event`` is the number (from 1) of the first unlawful event; 0 where no event is at fault.
    """

    settled: Settled | None = None
    violations: tuple[Violation, ...] = ()
    refused_event: int = 0


def judge(rules: UltimateTexasRules, told: Told, events: Sequence[Event], *, bet_unit: int) -> Judged:
    """What the rules make of what was told.

    TranscriptError where the stake is not the bet unit, the cards are not those of such a round, or an event's receipt
    opens another section than the event does.
    """
    if told.header.stake != bet_unit:
        msg = f"told.header.stake is {told.header.stake}; seats bet on their own here, so it is the bet unit {bet_unit}"
        raise TranscriptError(msg)
    try:
        played = play(rules, told.header.seat_stakes, events, bet_unit=bet_unit, dealt_time=told.dealt_time)
    except StakesError as error:
        return Judged(violations=error.violations)
    if played.violations:
        return Judged(violations=played.violations, refused_event=played.state.event_count + 1)
    check_openings(told, played.openings)
    if violations := check_settlement(played.state, closed_time=told.closed_time):
        return Judged(violations=violations)
    return Judged(settled=settled(played.state, told.cards()))


def found_json(judged: Settled, *, events_hash: bytes) -> dict[str, FoundValue]:
    """The settled round as it stands in a transcript."""
    outcome = judged.outcome
    seats: list[FoundValue] = [
        {
            "best": best,
            "category": seat.value.category,
            "net": net,
            "play_multiple": state.multiple,
            "result": seat.result,
        }
        for seat, state, best, net in zip(outcome.seats, judged.state.seats, judged.seat_bests, judged.net, strict=True)
    ]
    return {
        "events_hash": events_hash.hex(),
        "house": {
            "best": judged.house_best,
            "category": outcome.house_value.category,
            "net": house_net(outcome.transfers),
            "qualifies": 1 if outcome.house_qualifies else 0,
        },
        "seats": seats,
        "transfers": outcome.transfers,
    }


def _table_cards(sections: Sequence[tuple[Card, ...]], layout: Layout) -> TableCards:
    told = len(layout.sizes) - 1
    if len(sections) != told:
        msg = f"told.sections has {len(sections)} sections; {layout.seat_count} seats, house and board are {told}"
        raise TranscriptError(msg)
    try:
        return TableCards(
            hands=tuple(sections[: layout.seat_count]),
            house=sections[layout.board("house")],
            board=(*sections[layout.board("flop")], *sections[layout.board("turn_river")]),
        )
    except CardsError as error:
        msg = f"told.sections: {error}"
        raise TranscriptError(msg) from None
