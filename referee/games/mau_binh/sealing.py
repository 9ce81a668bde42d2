"""A sealed round: seats commit to arrangements before anyone sees another's cards, and open them afterwards.

Committing lasts until every seat still in has committed or run out of the arranging time; a seat's last commitment
counts. The event that ends committing opens all hands to all seats. From then on each seat that committed has the
opening time to submit the arrangement that it committed to. A seat that does not is reported out of time and has
fouled: it has seen all hands and must not gain by not opening. A seat that did not commit in time counts as one that
never arranged. The showdown begins with the last arrangement or report.

>>> from referee.cards import Seat
>>> from referee.evidence.canonical import Hex
>>> sealing = begin_sealed(2)
>>> for seat in (0, 1):
...     commit = Commit(Seat(seat), Hex(b"c" * 32), time=seat)
...     sealing = sealed_after(sealing, commit, departures=(None, None), number=seat + 1)
>>> sealing.opened_time, sealing.opened_event
(1, 2)
"""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from referee.cards import Seat
from referee.games.fault import deadline_passed
from referee.games.mau_binh.code import ViolationCode
from referee.games.mau_binh.event import Arrange, Commit, Event, Timeout
from referee.verdict import Violation


class Sealing(msgspec.Struct, frozen=True):
    """Progress of a sealed round. Tuples go by seat.

    ``commitments``: each seat's last commitment, None before its first. ``timed_out``: whether the seat was reported
    out of time to commit. ``unopened``: whether the seat was reported out of time to open its commitment.
    ``opened_event``: number of the event that ended committing, counted from 1; 0 before that event. ``opened_time``:
    time at which all hands opened, in ms since 1970 UTC: that event's time until the UNSEAL of the hands sets its own,
    None before that event.
    """

    commitments: tuple[bytes | None, ...]
    timed_out: tuple[bool, ...]
    unopened: tuple[bool, ...]
    opened_time: int | None = None
    opened_event: int = 0

    def waits_for(self, seat: Seat) -> bool:
        """Return whether this seat has still to commit or, once the hands are open, to open its commitment.

        The caller must know that the seat has neither left nor arranged.
        """
        is_committed = self.commitments[seat] is not None
        if self.opened_time is not None:
            return is_committed and not self.unopened[seat]
        return not (is_committed or self.timed_out[seat])


def begin_sealed(seat_count: int) -> Sealing:
    """Begin sealing: no seat has committed."""
    return Sealing((None,) * seat_count, (False,) * seat_count, (False,) * seat_count)


def refusals_of_commit(
    sealing: Sealing, event: Commit, *, deadline_time: int, count: int, most: int
) -> list[Violation]:
    """Return the faults of a commitment: it is too late, or the seat has used ``count`` of its ``most`` events.

    One event is kept for opening the commitment.
    """
    seat = event.seat
    faults: list[Violation] = []
    if count >= most - 1:
        faults.append(Violation(code=ViolationCode.TOO_MANY_EVENTS, seat=seat, expected=most - 1, found=count + 1))
    if sealing.opened_time is not None:
        faults.append(Violation(code=ViolationCode.COMMITTING_OVER, seat=seat, deadline_time=sealing.opened_time))
    else:
        faults += deadline_passed(event, deadline=deadline_time)
    return faults


def refusals_of_timeout(sealing: Sealing, event: Timeout, *, deadline_time: int, is_arranged: bool) -> list[Violation]:
    """Return the fault of a TIMEOUT if the seat has committed or opened, was reported before, or has time left.

    ``deadline_time`` is the end of committing, or of opening once the hands are open.
    """
    seat, time = event.seat, event.time
    if time < deadline_time or is_arranged or not sealing.waits_for(seat):
        return [
            Violation(code=ViolationCode.NOT_OUT_OF_TIME, seat=seat, deadline_time=deadline_time, received_time=time)
        ]
    return []


def refusals_of_opening(sealing: Sealing, event: Arrange, *, is_arranged: bool) -> list[Violation]:
    """Return the fault of an arrangement that is to open a commitment; its time and cards are not checked."""
    seat, committed = event.seat, sealing.commitments[event.seat]
    if sealing.opened_time is None:
        return [Violation(code=ViolationCode.STILL_SEALED, seat=seat)]
    if committed is None:
        return [Violation(code=ViolationCode.NOT_COMMITTED, seat=seat)]
    if is_arranged:
        return [Violation(code=ViolationCode.ALREADY_OPENED, seat=seat)]
    if event.opens != committed:
        return [Violation(code=ViolationCode.WRONG_OPENING, seat=seat)]
    return []


def not_opened(seat: Seat) -> Violation:
    """Return the foul of a seat that did not open its commitment in time."""
    return Violation(code=ViolationCode.NOT_OPENED, seat=seat)


def sealed_after(sealing: Sealing, event: Event, *, departures: Sequence[int | None], number: int) -> Sealing:
    """Return the sealing after a lawful event with this number; ``departures`` by seat, None for a seat still in."""
    commitments, timed_out, unopened, seat = sealing.commitments, sealing.timed_out, sealing.unopened, event.seat
    if sealing.opened_time is not None:
        if not isinstance(event, Timeout):
            return sealing
        return replace(sealing, unopened=(*unopened[:seat], True, *unopened[seat + 1 :]))
    if isinstance(event, Commit):
        commitments = (*commitments[:seat], event.commitment, *commitments[seat + 1 :])
    elif isinstance(event, Timeout):
        timed_out = (*timed_out[:seat], True, *timed_out[seat + 1 :])
    after = Sealing(commitments, timed_out, unopened)
    is_waiting = any(gone is None and after.waits_for(Seat(other)) for other, gone in enumerate(departures))
    return after if is_waiting else Sealing(commitments, timed_out, unopened, event.time, number)
