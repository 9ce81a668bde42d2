"""Application of events to a state: one event gives the next state, a list of events a whole round.

A trick goes round counterclockwise past seats that have passed or left, until every seat but the last to play has
passed; that seat then leads, or, where it has left, the next one still in. The round ends at once when

- a seat has no cards: it has won, with a single 3♠ as its last play by *kết 3 bích*;
- a seat that holds nothing but 3♠ has its play beaten: it is stopped, and the seat that beat it has won. This comes
  before the first rule, also if the beating play was the last of its seat;
- one seat remains; it is paid as for *kết 3 bích* if it still holds 3♠ and the cards left cost no more, so that nobody
  avoids a price by leaving.
  But the play of a seat that left still counts: a last seat that can answer it has its turn first. By beating the play
  it may stop or chop as if nobody had left; then, or if it does not beat it, the round ends.

A ruleset may switch off the effect of 3♠ in the first or the second rule.

Source: the text that ``tien_len.mien_nam.toml`` quotes, "Khi người trước hết đánh hết bài. Những người còn lại coi như
thua cuộc."; "Chặn kết 3 bích: Người chặn được người khác kết 3 bích."
"""

from typing import assert_never

from msgspec.structs import replace

from referee.cards import Seat
from referee.games.game import UnlawfulEventError
from referee.games.tien_len.chop import chopped_by
from referee.games.tien_len.code import EndKind, OutOfTime
from referee.games.tien_len.combination import Combination, read_cards, read_combination
from referee.games.tien_len.event import Event, Leave, Pass, Play
from referee.games.tien_len.legality import check
from referee.games.tien_len.order import THREE_OF_SPADES
from referee.games.tien_len.state import Chop, Ending, State


def apply(state: State, event: Event) -> State:
    """Return the state after a lawful event; raise UnlawfulEventError, with all its faults, for any other."""
    if violations := check(state, event):
        raise UnlawfulEventError(violations)
    seat, time = event.seat, event.time
    if isinstance(event, Play):
        _, combination = read_cards(event.cards)
        if combination is None:
            raise AssertionError("a play that was checked is a combination")
        return _play(state, seat, combination, time=time)
    if isinstance(event, Pass):
        return _pass(state, seat, time=time)
    return _leave(state, seat, time=time) if isinstance(event, Leave) else _time_out(state, seat, time=time)


def _play(state: State, seat: Seat, play: Combination, *, time: int) -> State:
    hands = list(state.held)
    hands[seat] ^= play.card_set
    chops, link = state.chops, 0
    if state.to_beat is not None and state.to_beat_seat is not None:
        price = chopped_by(state.rules.chops, play, victim=state.to_beat)
        if price is not None:
            link = state.link + 1
            chops = (*chops, Chop(seat, state.to_beat_seat, price, link))
    ending = None
    if (stopped := state.trying) is not None:
        ending = _stop(state, winner=seat, stopped=stopped)
    elif not hands[seat]:
        with_three = state.rules.last_three_of_spades.applies and play.card_set == THREE_OF_SPADES
        ending = Ending(EndKind.LAST_THREE_OF_SPADES if with_three else EndKind.OUT_OF_CARDS, seat)
    elif _is_last(state, seat):
        ending = Ending(EndKind.LAST_SEAT, seat)
    played = replace(
        state,
        held=tuple(hands),
        to_beat=play,
        to_beat_seat=seat,
        link=link,
        chops=chops,
        event_count=state.event_count + 1,
        last_time=time,
        ending=ending,
    )
    return _go_on(played, seat) if ending is None else played


def _stop(state: State, *, winner: Seat, stopped: Seat) -> Ending:
    out = state.passed | state.gone
    compensated = tuple(Seat(seat) for seat in range(state.seat_count) if seat != stopped and not out >> seat & 1)
    return Ending(EndKind.STOPPED_THREE_OF_SPADES, winner, stopped=stopped, compensated=compensated)


def _pass(state: State, seat: Seat, *, time: int) -> State:
    after = replace(state, passed=state.passed | 1 << seat, event_count=state.event_count + 1, last_time=time)
    if _is_last(state, seat):
        return replace(after, ending=Ending(EndKind.LAST_SEAT, seat))
    return _go_on(after, seat)


def _leave(state: State, seat: Seat, *, time: int) -> State:
    left = replace(state, gone=state.gone | 1 << seat, event_count=state.event_count + 1, last_time=time)
    staying = [Seat(place) for place in range(left.seat_count) if not left.has_left(Seat(place))]
    if not staying or (len(staying) == 1 and not _can_answer(left, staying[0])):
        return replace(left, ending=Ending(EndKind.LAST_SEAT, staying[0] if staying else seat))
    return _go_on(left, seat) if seat == left.turn else left


def _is_last(state: State, seat: Seat) -> bool:
    """Return whether all seats but this one have left."""
    return state.gone == (1 << state.seat_count) - 1 ^ 1 << seat


def _can_answer(state: State, seat: Seat) -> bool:
    """Return whether a seat may still beat the play on the table, which is another's."""
    return state.to_beat is not None and state.to_beat_seat != seat and not state.has_passed(seat)


def _time_out(state: State, seat: Seat, *, time: int) -> State:
    match state.rules.turn.out_of_time:
        case OutOfTime.LEAVE:
            return _leave(state, seat, time=time)
        case OutOfTime.PASS_OR_LOWEST_SINGLE:
            if state.to_beat is not None:
                return _pass(state, seat, time=time)
            hand = state.held[seat]
            lowest = read_combination(hand & -hand)
            if lowest is None:
                raise AssertionError("a seat on turn holds a card")
            return _play(state, seat, lowest, time=time)
        case _:
            assert_never(state.rules.turn.out_of_time)


def _go_on(state: State, seat: Seat) -> State:
    """Return the state with the turn passed on from the seat that acted: in the trick, or to the leader of the next.

    The trick ends when the next seat still in it is the owner of the play to beat, or when there is no such seat
    because the owner has left.
    """
    owner, out, seat_count = state.to_beat_seat, state.passed | state.gone, len(state.held)
    time, number = state.last_time, state.event_count
    turn = _next_in(seat, out, seat_count)
    if turn is not None and turn != owner:
        return replace(state, turn=turn, turn_time=time, turn_event=number)
    leader = _next_in(seat if owner is None else Seat(owner - 1), state.gone, seat_count)
    return replace(
        state, turn=leader, turn_time=time, turn_event=number, to_beat=None, to_beat_seat=None, link=0, passed=0
    )


def _next_in(seat: Seat, out: int, seat_count: int) -> Seat | None:
    """Return the first other seat after this one that is not out; None if all others are."""
    for step in range(1, seat_count):
        place = (seat + step) % seat_count
        if not out >> place & 1:
            return Seat(place)
    return None
