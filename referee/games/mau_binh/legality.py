"""All faults of an event, returned together; without a fault it is lawful. At the very deadline it is too late.

A fouled arrangement is lawful and loses; its fouls are returned as warnings. So is the foul of a seat that did not open
its arrangement in time.
"""

from referee.games.fault import closed_too_early, deadline_passed, out_of_order, still_to_act, unknown_seat
from referee.games.mau_binh.arrangement import check_cards, fouls_of
from referee.games.mau_binh.code import CHI, ViolationCode
from referee.games.mau_binh.event import MAX_EVENTS, Arrange, Commit, Event, Timeout
from referee.games.mau_binh.sealing import not_opened, refusals_of_commit, refusals_of_opening, refusals_of_timeout
from referee.games.mau_binh.state import State
from referee.verdict import Violation


def check(state: State, event: Event) -> tuple[Violation, ...]:
    """Check the next event; return all faults that refuse it or, if there are none, its fouls.

    Fouls are those of an arrangement, and NOT_OPENED of a seat that is reported out of time to open.
    """
    faults = refusals_of(state, event)
    if faults:
        return faults
    if isinstance(event, Arrange):
        return fouls_of(state.rules, event.chi)
    return (not_opened(event.seat),) if isinstance(event, Timeout) and state.is_opening else ()


def refusals_of(state: State, event: Event) -> tuple[Violation, ...]:
    """Return all faults that refuse the next event; fouls are not checked."""
    seat, time = event.seat, event.time
    if stray := unknown_seat(seat, seat_count=state.seat_count):
        return stray
    faults = [*out_of_order(event, last_time=state.last_time)]
    if state.departures[seat] is not None:
        faults.append(Violation(code=ViolationCode.ALREADY_LEFT, seat=seat))
    is_won, began = state.is_won_at_the_deal, state.all_in_time
    end = (state.closing_deadline if began is None else began) + len(CHI) * state.rules.showdown_chi_ms
    if is_won or time >= end:
        end = state.deal.dealt_time if is_won else end
        faults.append(Violation(code=ViolationCode.ROUND_OVER, seat=seat, deadline_time=end, received_time=time))
    if isinstance(event, Arrange):
        faults += _refusals_of_arrange(state, event)
    elif isinstance(event, Commit | Timeout):
        faults += _refusals_of_sealed(state, event)
    elif state.is_opening:
        end = state.acting_deadline
        faults.append(Violation(code=ViolationCode.STILL_OPENING, seat=seat, deadline_time=end, received_time=time))
    return tuple(faults)


def check_closing(state: State, closed_time: int) -> tuple[Violation, ...]:
    """Return all faults that keep a round from being settled at a time: too early, or seats still to act.

    Once the showdown has begun, no seat has still to act.
    """
    faults = [*closed_too_early(closed_time, last_time=state.last_time)]
    if not state.is_over and closed_time < state.closing_deadline:
        faults += still_to_act(state.awaited, closed_time=closed_time, deadline=state.acting_deadline)
    return tuple(faults)


def _refusals_of_arrange(state: State, event: Arrange) -> list[Violation]:
    """Return the faults that refuse an arrangement: of its commitment, the number of events, its time and its cards."""
    faults: list[Violation] = []
    seat, sealing = event.seat, state.sealing
    if sealing is not None:
        faults += refusals_of_opening(sealing, event, is_arranged=state.arrangements[seat] is not None)
        if faults:
            return faults
    elif event.nonce or event.opens:
        faults.append(Violation(code=ViolationCode.NOT_SEALED, seat=seat))
    most = _most_events(state)
    if state.event_counts[seat] >= most:
        count = state.event_counts[seat] + 1
        faults.append(Violation(code=ViolationCode.TOO_MANY_EVENTS, seat=seat, expected=most, found=count))
    if late := deadline_passed(event, deadline=state.acting_deadline):
        faults += late
    elif state.all_in_time is not None:
        began = state.all_in_time
        faults.append(
            Violation(code=ViolationCode.SHOWDOWN_STARTED, seat=seat, deadline_time=began, received_time=event.time)
        )
    return [*faults, *check_cards(state.hand(seat), event.chi)]


def _refusals_of_sealed(state: State, event: Commit | Timeout) -> list[Violation]:
    """Return the faults that refuse a commitment, or the report that a seat did not commit or open in time."""
    sealing, seat = state.sealing, event.seat
    if sealing is None:
        return [Violation(code=ViolationCode.NOT_SEALED, seat=seat)]
    if isinstance(event, Timeout):
        is_arranged = state.arrangements[seat] is not None
        return refusals_of_timeout(sealing, event, deadline_time=state.acting_deadline, is_arranged=is_arranged)
    count, most = state.event_counts[seat], _most_events(state)
    return refusals_of_commit(sealing, event, deadline_time=state.deadline_time, count=count, most=most)


def _most_events(state: State) -> int:
    """Return how many events a seat may have besides leaving."""
    return MAX_EVENTS // state.seat_count - 1
