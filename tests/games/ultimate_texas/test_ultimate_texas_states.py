"""Lawful decisions in every reachable state, against a second implementation of the streets."""

import itertools
from collections import deque
from collections.abc import Callable
from typing import Final, NamedTuple

import msgspec
import pytest

from referee.cards import Seat
from referee.games import play
from referee.games.ultimate_texas import (
    GAME,
    Decision,
    Event,
    State,
    UltimateTexasRules,
    apply,
    begin,
    check,
    legal_decisions,
)
from referee.games.ultimate_texas.state import MAX_EVENTS
from tests.games.rounds import texas_deal

RulesOf = Callable[..., UltimateTexasRules]

ENDINGS: Final = ("3", "4", "2", "1", "F")
STREETS: Final = ("PREFLOP", "FLOP", "RIVER", "SHOWDOWN")
SECTIONS: Final = ("FLOP", "TURN_RIVER", "HOUSE")
OFFERED: Final = ("C34", "C2", "1F")
LETTERS: Final = {"CHECK": "C", "FOLD": "F", "PLAY_1X": "1", "PLAY_2X": "2", "PLAY_3X": "3", "PLAY_4X": "4"}


class SecondState(NamedTuple):
    """A round as one line of letters a seat, a letter a street: C check, F fold, a digit a play bet."""

    lines: tuple[str, ...]
    gone: frozenset[int] = frozenset()

    @property
    def street(self) -> int:
        """The shortest line that has not ended says which street it is; 3 is the showdown."""
        return min((len(line) for line in self.lines if not line.endswith(ENDINGS)), default=3)

    def asks(self, seat: int) -> bool:
        """Whether a seat's line waits for its letter of this street."""
        return not self.lines[seat].endswith(ENDINGS) and len(self.lines[seat]) == self.street

    def lawful(self, seat: int) -> set[str]:
        """Return the decisions a seat may take."""
        if self.street == 3 or seat in self.gone:
            return set()
        if not self.asks(seat):
            return {"LEAVE"}
        return {"LEAVE", "TIMEOUT", *(what for what, letter in LETTERS.items() if letter in OFFERED[self.street])}

    def after(self, seat: int, what: str) -> "SecondState":
        """Apply a lawful decision; seats that left receive their letters as streets come."""
        second = self
        if what == "LEAVE":
            second = SecondState(self.lines, self.gone | {seat})
        else:
            second = self.lettered(seat, LETTERS.get(what) or "CCF"[self.street])
        while idle := [place for place in second.gone if second.street < 3 and second.asks(place)]:
            second = second.lettered(idle[0], "CCF"[second.street])
        return second

    def lettered(self, seat: int, letter: str) -> "SecondState":
        """Add a letter to a seat's line."""
        lines = list(self.lines)
        lines[seat] += letter
        return SecondState(tuple(lines), self.gone)


def _dealt(rules: UltimateTexasRules, seats: int) -> State:
    return begin(rules, texas_deal([(2, 0)] * seats))


def _count_states(seats: int) -> int:
    """How many states there are, by counting what each seat can have done.

    While a street is open some seat waits; before the flop a seat waits or is in one of 6 other states (checked, 3x,
    4x; there or gone), on the flop in one of 8, on the river of 10. At the showdown each has one of 5 endings, there or
    gone. The last event was a decision of a seat that is still there, on the latest street that any play bet or fold
    belongs to, or the leaving of a seat that folded by it.
    """
    ended = [(ending, gone) for ending in (("3", 0), ("4", 0), ("2", 1), ("1", 2), ("F", 2)) for gone in (False, True)]
    over = 0
    for endings in itertools.product(ended, repeat=seats):
        latest = max(street for (_, street), _ in endings)
        over += any(letter == "F" if gone else street == latest for (letter, street), gone in endings)
    return over + sum((others + 1) ** seats - others**seats for others in (6, 8, 10))


@pytest.mark.parametrize("seats", [1, 2, 3])
def test_lawful_decisions_agree_with_a_second_implementation(seats: int, rules_of: RulesOf):
    """All states that any order of decisions can reach; on the way the longest round is measured."""
    first = (_dealt(rules_of("ultimate_texas.casino"), seats), SecondState(("",) * seats))
    depth, queue = {first[1]: 0}, deque([first])
    longest = 0
    while queue:
        state, second = queue.popleft()
        assert STREETS[second.street] == state.street
        assert [seat for seat in range(seats) if second.street < 3 and second.asks(seat)] == list(state.waiting)
        for seat in range(seats):
            assert second.lawful(seat) - {"TIMEOUT"} == set(legal_decisions(state, Seat(seat)))
            for what in Decision:
                event = Event(Seat(seat), what, 30_000 if what is Decision.TIMEOUT else 0)
                assert (what in second.lawful(seat)) == (check(state, event) == ())
                if what in second.lawful(seat):
                    follows = second.after(seat, what)
                    after = msgspec.structs.replace(apply(state, event), last_time=0, street_time=0)
                    opened = [GAME.layout(seats).name(section).upper() for section in GAME.later.opens(state, after)]
                    assert list(SECTIONS[second.street : follows.street]) == opened
                    if depth.get(follows, -1) <= depth[second]:
                        depth[follows] = depth[second] + 1
                        longest = max(longest, depth[follows])
                        queue.append((after, follows))
    assert _count_states(seats) == len(depth)
    assert 4 * seats - 1 == longest


def test_longest_round_has_as_many_events_as_are_bounded(rules_of: RulesOf):
    """Six seats check twice, five play and leave, the last plays."""
    choices = [(seat, what) for what in ("CHECK", "CHECK") for seat in range(6)]
    choices += [(seat, what) for seat in range(5) for what in ("PLAY_1X", "LEAVE")] + [(5, "PLAY_1X")]
    events = [Event(Seat(seat), Decision(what), 0) for seat, what in choices]
    played = play(GAME, _dealt(rules_of("ultimate_texas.casino"), 6), events)
    assert played.violations == ()
    assert played.state.is_over
    assert played.state.event_count == MAX_EVENTS


def test_seats_in_order_are_asked_one_after_the_other(rules_of: RulesOf):
    state = _dealt(rules_of("ultimate_texas.casino", "BY_SEAT"), 3)
    asked = []
    while not state.is_over:
        (seat,) = state.may_decide
        assert state.turn == seat
        others = [Seat(other) for other in range(3) if other != seat]
        assert all(legal_decisions(state, other) == (Decision.LEAVE,) for other in others)
        asked.append(seat)
        state = apply(state, Event(seat, legal_decisions(state, seat)[0], 0))
    assert asked == [0, 1, 2] * 3
