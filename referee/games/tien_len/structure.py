"""The plan of a hand: its division into plays that costs the fewest leads.

A *plan* splits a hand into combinations. Each has a cost: about one lead for a low single, which others beat and lead
next, and little for a play that hardly anything beats. The plan of least cost is found exactly, rank by rank: at each
rank some cards continue runs begun below it, some begin a run, and the rest are grouped. Runs of pairs are tried first;
twos are singles. Costs are thousandths of a lead and the same in every position, so results are remembered by the
counts of ranks. When a group of a plan is played, the other groups are a plan of least cost for the cards left.

>>> from referee.cards import parse_cards, spell
>>> from referee.games.tien_len import set_of
>>> plan = plan_of(set_of(parse_cards("3S 4C 5D 5H 6S 6H 9H 9D TC JS QS KS 2H")))
>>> [spell(group.cards) for group in plan.groups]
['5H', '3S 4C 5D', '6S 6H', '9D 9H', 'TC JS QS KS', '2H']
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

from referee.games.tien_len.code import Kind
from referee.games.tien_len.combination import Combination
from referee.games.tien_len.order import COUNT, RANK_OF_TWOS, TWOS, CardSet

LEAD: Final = 1000
"""The cost of one lead."""

_SINGLE: Final = (1000, 990, 980, 970, 950, 930, 900, 860, 800, 720, 640, 520)
_PAIR: Final = (960, 940, 920, 890, 860, 820, 780, 720, 650, 560, 450, 320)
_TRIPLE: Final = (800, 760, 720, 670, 620, 560, 500, 440, 370, 300, 220, 120)
_QUAD: Final = 60
_PAIR_RUN: Final = 60
_TWO: Final = 150
_RUN: Final = tuple(max(100, 720 - 50 * top) for top in range(RANK_OF_TWOS))
"""Cost of each group by its top rank. A run's length does not count, but longer runs leave fewer other groups."""

_GROUPED: Final = tuple(
    (
        (0, ()),
        (_SINGLE[rank], (1,)),
        min((_PAIR[rank], (2,)), (2 * _SINGLE[rank], (1, 1))),
        min((_TRIPLE[rank], (3,)), (_PAIR[rank] + _SINGLE[rank], (1, 2))),
        (_QUAD, (4,)),
    )
    for rank in range(RANK_OF_TWOS)
)
"""``_GROUPED[rank][count]``: the cost of the best grouping of ``count`` cards of a rank, and its sizes."""

_IMPOSSIBLE: Final = 1 << 30
_REMEMBERED: Final = 1 << 18
_LAST_START: Final = RANK_OF_TWOS - 3
_KIND_OF_COUNT: Final = (Kind.SINGLE, Kind.SINGLE, Kind.PAIR, Kind.TRIPLE, Kind.QUAD)

_Step = tuple[int, int, int]


class Plan(NamedTuple):
    """A plan: its groups, and its cost in thousandths of a lead."""

    groups: tuple[Combination, ...]
    cost: int


def plan_of(hand: CardSet) -> Plan:
    """Return the plan of least cost of a hand, which may be empty."""
    ranks, ranks_of_runs, cost = _best(_counts_of(hand & ~TWOS))
    groups: list[Combination] = []
    rest = hand
    for low, length in ranks_of_runs:
        run = _lowest(rest, low=low, length=length, width=2)
        kind = Kind.PAIR_RUN_3 if length == 3 else Kind.PAIR_RUN_4  # noqa: PLR2004 - the shorter of the two
        groups.append(Combination(kind, length, run, run.bit_length() - 1))
        rest ^= run
    groups += _groups_along(rest, ranks)
    twos = rest & TWOS
    while twos:
        two = twos & -twos
        groups.append(Combination(Kind.SINGLE, 1, two, two.bit_length() - 1))
        twos ^= two
        cost += _TWO
    return Plan(tuple(groups), cost)


def cost_of(hand: CardSet) -> int:
    """Return the cost of the best plan of a hand, in thousandths of a lead."""
    return _best(_counts_of(hand & ~TWOS))[2] + _TWO * (hand & TWOS).bit_count()


def is_whole(hand: CardSet, play: CardSet) -> bool:
    """Return whether a play breaks no group: with the best plan of the cards left it costs no more than the hand."""
    return cost_of(hand ^ play) + cost_of(play) == cost_of(hand)


def _counts_of(hand: CardSet) -> int:
    """Count the cards of each rank, in three bits a rank, threes lowest."""
    counts = shift = 0
    while hand:
        counts |= COUNT[hand & 15] << shift
        hand >>= 4
        shift += 3
    return counts


@lru_cache(maxsize=1 << 16)
def _best(counts: int) -> tuple[int, tuple[tuple[int, int], ...], int]:
    """Return the counts without runs of pairs, those runs as lowest rank and length, and the whole cost."""
    best: tuple[int, tuple[tuple[int, int], ...], int] = (counts, (), _cost_from(0, counts, 0, 0, 0)[0])
    for low, length in _pair_runs(counts):
        left, runs, cost = _best(counts - sum(2 << 3 * rank for rank in range(low, low + length)))
        if cost + _PAIR_RUN < best[2]:
            best = (left, ((low, length), *runs), cost + _PAIR_RUN)
    return best


def _pair_runs(counts: int) -> Iterator[tuple[int, int]]:
    pairs = [counts >> 3 * rank & 7 > 1 for rank in range(RANK_OF_TWOS)]
    for length in (4, 3):
        for low in range(RANK_OF_TWOS - length + 1):
            if all(pairs[low : low + length]):
                yield low, length


_costs: dict[_Step | tuple[int, int, int, int, int], tuple[int, int, int]] = {}


def _cost_from(rank: int, counts: int, begun: int, two_long: int, long: int) -> tuple[int, int, int]:
    """Return the least cost of the ranks from ``rank`` on, and how many long runs continue and how many begin there.

    ``counts`` are of these ranks. ``begun``, ``two_long`` and ``long`` are the numbers of runs of one, two and at least
    three cards that reach the rank below; the former two must continue.
    """
    key = (rank, counts, begun, two_long, long)
    cached = _costs.get(key)
    if cached is not None:
        return cached
    free = (counts & 7) - begun - two_long
    if free < 0:
        return _IMPOSSIBLE, 0, 0
    if not counts:
        return (long * _RUN[rank - 1] if long else 0), 0, 0
    rest = counts >> 3
    grouped = _GROUPED[rank]
    best, best_on, best_start = _IMPOSSIBLE, 0, 0
    starts = min(rest & 7, rest >> 3 & 7) if rank <= _LAST_START else 0
    for on in range(min(long, free), -1, -1):
        ended = (long - on) * _RUN[rank - 1] if long else 0
        left = free - on
        for start in range(min(left, starts) + 1):
            cost = ended + grouped[left - start][0] + _cost_from(rank + 1, rest, start, begun, two_long + on)[0]
            if cost < best:
                best, best_on, best_start = cost, on, start
    if len(_costs) >= _REMEMBERED:
        _costs.clear()
    _costs[key] = best, best_on, best_start
    return best, best_on, best_start


def _groups_along(hand: CardSet, counts: int) -> list[Combination]:
    """Return the groups of the best plan of a hand, whose ``counts`` are in three bits a rank.

    Of the cards of a rank, runs take the weakest; of several runs the longest takes its card first.
    """
    groups: list[Combination] = []
    runs: list[tuple[int, CardSet]] = []  # length and cards of the runs that reach the rank below, longest first
    begun = two_long = long = 0
    for rank in range(RANK_OF_TWOS):
        if not counts and not runs:
            break
        on, start = _cost_from(rank, counts, begun, two_long, long)[1:]
        cards = hand >> 4 * rank & 15
        going = begun + two_long + on
        ended = len(runs) - going
        shortest_first = sorted(runs)
        groups += [_run(length, run) for length, run in shortest_first[begun + two_long : begun + two_long + ended]]
        kept = shortest_first[: begun + two_long] + shortest_first[begun + two_long + ended :]
        runs = []
        for length, run in [*kept, *[(0, 0)] * start]:
            lowest = cards & -cards
            cards ^= lowest
            runs.append((length + 1, run | lowest << 4 * rank))
        for size in _GROUPED[rank][COUNT[cards]][1]:
            group = 0
            for _ in range(size):
                lowest = cards & -cards
                cards ^= lowest
                group |= lowest
            group <<= 4 * rank
            groups.append(Combination(_KIND_OF_COUNT[size], 1, group, group.bit_length() - 1))
        begun, two_long, long = start, begun, two_long + on
        counts >>= 3
    return groups + [_run(length, run) for length, run in runs]


def _run(length: int, cards: CardSet) -> Combination:
    return Combination(Kind.RUN, length, cards, cards.bit_length() - 1)


def _lowest(hand: CardSet, *, low: int, length: int, width: int) -> CardSet:
    """Return the ``width`` weakest cards of each of ``length`` ranks from ``low`` on; the hand must have them."""
    taken = 0
    for rank in range(low, low + length):
        cards = hand >> 4 * rank & 15
        for _ in range(width):
            lowest = cards & -cards
            cards ^= lowest
            taken |= lowest << 4 * rank
    return taken
