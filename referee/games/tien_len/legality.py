"""All faults of an event, returned together; without a fault it is lawful.

The seat on turn must play or pass. A seat that leads may not pass. A seat that has passed is out until the trick ends,
whatever it holds. Any combination may be led; a play on another must beat it. Nothing forces 3♠ to be led, except
that a seat which leads because it was dealt the lowest card plays that card first. A seat may leave at any time, once.
After the end nothing is lawful. ROUND_OVER and UNKNOWN_SEAT make the rest meaningless, so no other faults are returned
with them.

This module changes nothing and moves no money.
"""

from collections.abc import Iterator
from typing import Final

from referee.games.fault import closed_too_early, deadline_passed, out_of_order, unknown_seat
from referee.games.tien_len.chop import beats, victim_of
from referee.games.tien_len.code import Fault, Kind
from referee.games.tien_len.combination import SHAPES, Combination, combinations_in, read_cards, sets_of_shape, shape_of
from referee.games.tien_len.event import Event, Leave, Pass, Play, Timeout
from referee.games.tien_len.order import CardSet, cards_of
from referee.games.tien_len.rules import Chops
from referee.games.tien_len.state import State
from referee.verdict import Violation

CHOPPING: Final = frozenset((Kind.PAIR_RUN_3, Kind.QUAD, Kind.PAIR_RUN_4))
"""Kinds that can chop."""


def check(state: State, event: Event) -> tuple[Violation, ...]:
    """Check the next event; return all faults in the order of Fault."""
    if isinstance(event, Play):
        return check_play(state, event)
    if isinstance(event, Pass):
        return check_pass(state, event)
    return check_leave(state, event) if isinstance(event, Leave) else check_timeout(state, event)


def check_play(state: State, play: Play) -> tuple[Violation, ...]:
    """Check a play; return all faults in the order of Fault.

    Cards that are given twice are not judged as a combination. ``against`` of DOES_NOT_BEAT is the play to beat, that
    of LACKS_LOWEST_CARD the card that the play lacks.
    """
    if _is_in_turn(state, play):
        return _check_cards(state, play)
    if alone := _fatal_faults(state, play):
        return alone
    return _check_turn(state, play) + _check_deadline(state, play) + _check_cards(state, play)


def check_pass(state: State, event: Pass) -> tuple[Violation, ...]:
    """Check a pass; return all faults in the order of Fault."""
    if state.to_beat is not None and _is_in_turn(state, event):
        return ()
    if alone := _fatal_faults(state, event):
        return alone
    faults = _check_turn(state, event) + _check_deadline(state, event)
    if state.to_beat is None and event.seat == state.turn:
        return (*faults, Violation(code=Fault.MUST_LEAD, seat=event.seat))
    return faults


def check_timeout(state: State, event: Timeout) -> tuple[Violation, ...]:
    """Check that a seat's time is up by the ruleset's clock; return all faults."""
    if alone := _fatal_faults(state, event):
        return alone
    faults = _check_turn(state, event)
    deadline = turn_deadline(state)
    if deadline is not None and event.seat == state.turn and event.time < deadline:
        early = Violation(code=Fault.NOT_OUT_OF_TIME, seat=event.seat, deadline_time=deadline, received_time=event.time)
        return (*faults, early)
    return faults


def check_leave(state: State, event: Leave) -> tuple[Violation, ...]:
    """Check a departure, which only a seat that has not left can make; return all faults."""
    return _fatal_faults(state, event) or (
        *out_of_order(event, last_time=state.last_time),
        *_check_presence(state, event),
    )


def check_closing(state: State, closed_time: int) -> tuple[Violation, ...]:
    """Return the faults that keep a round from being settled at a time, in milliseconds since 1970 UTC."""
    early = closed_too_early(closed_time, last_time=state.last_time)
    return early if state.is_over else (*early, Violation(code=Fault.ROUND_NOT_OVER, seat=state.turn))


def may_pass(state: State) -> bool:
    """Return whether the seat on turn may pass: not when it leads, nor once the round is over."""
    return state.ending is None and state.to_beat is not None


def turn_deadline(state: State) -> int | None:
    """Return when the time of the seat on turn is up, in milliseconds since 1970 UTC; None once the round is over.

    A play or pass at the deadline is too late; a timeout is not too early.
    """
    return None if state.ending is not None else state.turn_time + 1000 * state.rules.turn.seconds


def legal_plays(state: State) -> tuple[Combination, ...]:
    """Return every combination that the seat on turn may play; none once the round is over.

    In the order of SHAPES, each shape from weaker to stronger top cards. A full hand has some hundreds at most.
    """
    if state.is_over:
        return ()
    hand, bound = state.held[state.turn], state.bound_card
    return tuple(plays_of(state.rules.chops, hand, to_beat=state.to_beat, bound=bound))


def plays_of(rules: Chops, hand: CardSet, *, to_beat: Combination | None, bound: CardSet = 0) -> Iterator[Combination]:
    """Yield every combination of a hand that may be put on ``to_beat``, or be led with the bound card if that is None.

    They are in the order of ``legal_plays``.
    """
    if to_beat is None:
        yield from (play for play in combinations_in(hand) if play.card_set & bound == bound)
        return
    same = shape_of(to_beat)
    for shape in SHAPES if victim_of(to_beat) is not None else (same,):
        if shape is same:
            for card_set in sets_of_shape(hand, shape, above=to_beat.top):
                yield Combination(shape.kind, shape.length, card_set, card_set.bit_length() - 1)
        elif shape.kind in CHOPPING:
            for card_set in sets_of_shape(hand, shape):
                chop = Combination(shape.kind, shape.length, card_set, card_set.bit_length() - 1)
                if beats(rules, chop, than=to_beat):
                    yield chop


def _is_in_turn(state: State, event: Play | Pass) -> bool:
    """Return whether the seat is on turn and in time; then no fault of turn, presence or time is possible."""
    return (
        event.seat == state.turn
        and state.ending is None
        and state.last_time <= event.time < state.turn_time + 1000 * state.rules.turn.seconds
    )


def _fatal_faults(state: State, event: Event) -> tuple[Violation, ...]:
    if state.ending is not None:
        return (Violation(code=Fault.ROUND_OVER, seat=event.seat),)
    return unknown_seat(event.seat, seat_count=state.seat_count)


def _check_deadline(state: State, event: Play | Pass) -> tuple[Violation, ...]:
    deadline = turn_deadline(state)
    return () if deadline is None or event.seat != state.turn else deadline_passed(event, deadline=deadline)


def _check_presence(state: State, event: Event) -> tuple[Violation, ...]:
    return (Violation(code=Fault.ALREADY_LEFT, seat=event.seat),) if state.has_left(event.seat) else ()


def _check_turn(state: State, event: Event) -> tuple[Violation, ...]:
    faults = [*out_of_order(event, last_time=state.last_time), *_check_presence(state, event)]
    if event.seat != state.turn:
        faults.append(Violation(code=Fault.OUT_OF_TURN, seat=event.seat, expected=state.turn, found=event.seat))
    if state.has_passed(event.seat):
        faults.append(Violation(code=Fault.PASSED_ALREADY, seat=event.seat))
    return tuple(faults)


def _check_cards(state: State, play: Play) -> tuple[Violation, ...]:
    seat, to_beat = play.seat, state.to_beat
    card_set, combination = read_cards(play.cards)
    does_beat = combination is not None and (to_beat is None or beats(state.rules.chops, combination, than=to_beat))
    lacking = state.bound_card & ~card_set if seat == state.turn else 0
    if does_beat and not lacking and not card_set & ~state.held[seat]:
        return ()
    faults, lacks = list[Violation](), list[Violation]()
    if lacking:
        cards, against = cards_of(card_set), cards_of(lacking)
        lacks.append(Violation(code=Fault.LACKS_LOWEST_CARD, seat=seat, cards=cards, against=against))
    if missing := card_set & ~state.held[seat]:
        if played := missing & state.dealt[seat]:
            faults.append(Violation(code=Fault.CARD_PLAYED_BEFORE, seat=seat, cards=cards_of(played)))
        if foreign := missing & ~state.dealt[seat]:
            faults.append(Violation(code=Fault.CARD_NOT_HELD, seat=seat, cards=cards_of(foreign)))
    if card_set.bit_count() != len(play.cards):
        twice = tuple(card for card in cards_of(card_set) if play.cards.count(card) > 1)
        return (Violation(code=Fault.CARD_TWICE, seat=seat, cards=twice), *faults, *lacks)
    if combination is None:
        faults.append(Violation(code=Fault.NOT_A_COMBINATION, seat=seat, cards=cards_of(card_set)))
    elif to_beat is not None and not does_beat:
        against = to_beat.cards
        faults.append(Violation(code=Fault.DOES_NOT_BEAT, seat=seat, cards=combination.cards, against=against))
    return (*faults, *lacks)
