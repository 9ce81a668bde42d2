"""All faults of a decision, returned together; without a fault it is lawful.

| street | a seat without a play bet may |
|---|---|
| before the flop | check, or play one of the street's bets (3x, 4x) |
| flop | check, or play (2x) |
| river | play (1x), or fold |

A seat makes one play bet at most and decides nothing after it. Decisions are lawful until the street's time is up,
TIMEOUT from then on for a seat that may decide, LEAVE always for a seat that has not left. The ruleset says in which
order the seats of a street decide. ``Order.ANY`` lets them decide in any order: no decision affects another seat's
bets, and no card opens before all have decided.

Source: the text that ``ultimate_texas.casino.toml`` quotes, "Lưu ý: Nếu bạn tố ở thời điểm này, sẽ không thể tố
thêm các vòng sau và không cần đặt thêm cược nào nữa trong ván bài."

>>> plays_of((3, 4))
(<Decision.PLAY_3X: 'PLAY_3X'>, <Decision.PLAY_4X: 'PLAY_4X'>)
"""

from collections.abc import Iterable
from typing import Final, assert_never

from referee.cards import Seat
from referee.games.fault import closed_too_early, out_of_order, unknown_seat
from referee.games.ultimate_texas.code import Decision, Street, ViolationCode
from referee.games.ultimate_texas.rules import Order
from referee.games.ultimate_texas.state import Event, State
from referee.verdict import Violation

_PLAYS: Final = {decision.multiple: decision for decision in Decision if decision.multiple}


def check(state: State, event: Event) -> tuple[Violation, ...]:
    """Check the next event; return all faults in the order of ViolationCode.

    For an unknown seat no other fault is returned. Once the round is over, it is not checked whether the street offers
    the decision.
    """
    seat, decision = event.seat, event.decision
    if stray := unknown_seat(seat, seat_count=len(state.seats)):
        return stray
    faults = [Violation(code=ViolationCode.ROUND_OVER, seat=seat)] if state.is_over else []
    faults += out_of_order(event, last_time=state.last_time)
    if state.seats[seat].has_left:
        faults.append(Violation(code=ViolationCode.ALREADY_LEFT, seat=seat))
    if decision is not Decision.LEAVE:
        faults += _check_turn(state, seat)
        faults += _check_clock(state, event)
        if not state.is_over:
            faults += _check_offer(state, seat, decision)
    return tuple(faults)


def legal_decisions(state: State, seat: Seat) -> tuple[Decision, ...]:
    """Return the lawful decisions of a seat until its time is up: CHECK, play bets from the smallest, FOLD, LEAVE.

    Empty for an unknown seat, for a seat that has left, and once the round is over. A seat that has nothing to decide
    now may only LEAVE.
    """
    if state.is_over or not 0 <= seat < len(state.seats) or state.seats[seat].has_left:
        return ()
    if seat not in state.may_decide:
        return (Decision.LEAVE,)
    plays = plays_of(state.rules.multiples[state.street])
    if state.street is Street.RIVER:
        return (*plays, Decision.FOLD, Decision.LEAVE)
    return (Decision.CHECK, *plays, Decision.LEAVE)


def plays_of(multiples: Iterable[int]) -> tuple[Decision, ...]:
    """Return the play decision of each multiple of the Ante, in the order given."""
    return tuple([_PLAYS[multiple] for multiple in multiples])


def check_closing(state: State, closed_time: int) -> tuple[Violation, ...]:
    """Return why a round closed at this time cannot be settled, in milliseconds since 1970 UTC.

    ROUND_NOT_OVER is given once for each seat that has still to decide.
    """
    unfinished = [Violation(code=ViolationCode.ROUND_NOT_OVER, seat=seat) for seat in state.waiting]
    return (*unfinished, *closed_too_early(closed_time, last_time=state.last_time))


def _check_turn(state: State, seat: Seat) -> list[Violation]:
    """Return why this seat may not decide now; empty if it may."""
    done = state.seats[seat]
    if done.multiple:
        return [Violation(code=ViolationCode.ALREADY_PLAYED, seat=seat, found=done.multiple)]
    if done.has_folded:
        return [Violation(code=ViolationCode.ALREADY_FOLDED, seat=seat)]
    if done.has_checked:
        return [Violation(code=ViolationCode.ALREADY_CHECKED, seat=seat)]
    if state.rules.seats.order is Order.BY_SEAT and state.turn != seat:
        return [Violation(code=ViolationCode.OUT_OF_TURN, seat=seat, expected=state.turn, found=seat)]
    return []


def _check_clock(state: State, event: Event) -> list[Violation]:
    """Return why a decision is too late, or a TIMEOUT too early; empty if the event is neither."""
    deadline, seat, time = state.deadline_time, event.seat, event.time
    is_timeout = event.decision is Decision.TIMEOUT
    if deadline is None or (time >= deadline) is is_timeout:
        return []
    code = ViolationCode.NOT_OUT_OF_TIME if is_timeout else ViolationCode.DEADLINE_PASSED
    return [Violation(code=code, seat=seat, deadline_time=deadline, received_time=time)]


def _check_offer(state: State, seat: Seat, decision: Decision) -> list[Violation]:
    """Return why the current street does not offer this decision; empty if it does."""
    match decision:
        case Decision.CHECK:
            offered = state.street is not Street.RIVER
            return [] if offered else [Violation(code=ViolationCode.CHECK_NOT_OFFERED, seat=seat)]
        case Decision.FOLD:
            offered = state.street is Street.RIVER
            return [] if offered else [Violation(code=ViolationCode.FOLD_NOT_OFFERED, seat=seat)]
        case Decision.PLAY_4X | Decision.PLAY_3X | Decision.PLAY_2X | Decision.PLAY_1X:
            multiples = state.rules.multiples[state.street]
            if decision.multiple in multiples:
                return []
            largest = multiples[-1]
            found = decision.multiple
            return [Violation(code=ViolationCode.PLAY_NOT_OFFERED, seat=seat, expected=largest, found=found)]
        case Decision.TIMEOUT | Decision.LEAVE:
            return []
        case _:
            assert_never(decision)
