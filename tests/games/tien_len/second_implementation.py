"""Tiến Lên Miền Nam once more, straight from the rules that ``tests/games/RULES.md`` lists, without code of Referee.

Cards are texts and hands are sets. It is slow on purpose and shares no idea with the game under test: no bits, no
states, no price tables in common.
"""

import itertools
from collections import Counter
from collections.abc import Iterable, Iterator

RANKS = "3456789TJQKA2"
SUITS = "SCDH"
Cards = frozenset[str]
Shape = tuple[str, int]

CHOP_UNITS = {
    "BLACK_TWO": 3,
    "RED_TWO": 6,
    "PAIR_OF_BLACK_TWOS": 6,
    "PAIR_OF_MIXED_TWOS": 9,
    "PAIR_OF_RED_TWOS": 12,
    "PAIR_RUN_3": 6,
    "QUAD": 8,
    "PAIR_RUN_4": 12,
}
INSTANT_WINS = (
    ("DRAGON_RUN", 9),
    ("PAIR_RUN_6", 8),
    ("FOUR_TRIPLES", 7),
    ("TWO_QUADS", 6),
    ("TWELVE_OF_A_SUIT", 5),
    ("PAIR_RUN_5", 4),
    ("QUAD_OF_TWOS", 3),
    ("SIX_PAIRS", 2),
)


def weight(card: str) -> tuple[int, int]:
    """Rank first, then suit."""
    return RANKS.index(card[0]), SUITS.index(card[1])


def shape(cards: Cards) -> Shape | None:
    """Return the kind and number of cards of a play, or None."""
    tally = Counter(card[0] for card in cards)
    if len(tally) == 1:
        return {1: "SINGLE", 2: "PAIR", 3: "TRIPLE", 4: "QUAD"}[len(cards)], len(cards)
    in_order = "".join(sorted(tally, key=RANKS.index))
    if not cards or in_order not in RANKS[:-1]:
        return None
    if set(tally.values()) == {1} and len(cards) >= 3:
        return "RUN", len(cards)
    if set(tally.values()) == {2} and len(tally) in {3, 4}:
        return f"PAIR_RUN_{len(tally)}", len(cards)
    return None


def chop(play: Cards, below: Cards) -> str | None:
    """Name what a play chops, as in the price list of the rules."""
    (kind, _), (under, _) = shape(play) or ("", 0), shape(below) or ("", 0)
    twos = all(card[0] == "2" for card in below)
    reds = sum(card[1] in "DH" for card in below)
    higher = max(map(weight, play)) > max(map(weight, below))
    if kind not in {"PAIR_RUN_3", "QUAD", "PAIR_RUN_4"}:
        return None
    if twos and under == "SINGLE":
        return ("BLACK_TWO", "RED_TWO")[reds]
    if twos and under == "PAIR" and kind != "PAIR_RUN_3":
        return ("PAIR_OF_BLACK_TWOS", "PAIR_OF_MIXED_TWOS", "PAIR_OF_RED_TWOS")[reds]
    strength = ["PAIR_RUN_3", "QUAD", "PAIR_RUN_4"]
    if under in strength:
        above = strength.index(kind) - strength.index(under)
        return under if above > 0 or (above == 0 and higher) else None
    return None


def beats(play: Cards, below: Cards) -> bool:
    """Higher of the same kind and size, or a chop."""
    same = shape(play) is not None and shape(play) == shape(below)
    return (same and max(map(weight, play)) > max(map(weight, below))) or chop(play, below) is not None


def pattern_top(pattern: str, hand: Cards) -> tuple[int, int] | None:  # noqa: PLR0911 - one branch a pattern
    """Find the best card of a pattern in thirteen cards, or None."""
    ranks = {rank: sorted((card for card in hand if card[0] == rank), key=weight) for rank in RANKS}
    pairs = "".join("x" if len(ranks[rank]) >= 2 else "." for rank in RANKS[:-1])
    match pattern:
        case "DRAGON_RUN":
            return weight(ranks["A"][-1]) if all(ranks[rank] for rank in RANKS[:-1]) else None
        case "PAIR_RUN_6" | "PAIR_RUN_5":
            wanted = "x" * int(pattern[-1])
            if wanted not in pairs:
                return None
            return weight(ranks[RANKS[pairs.rindex(wanted) + len(wanted) - 1]][-1])
        case "FOUR_TRIPLES" | "TWO_QUADS":
            size, number = (3, 4) if pattern == "FOUR_TRIPLES" else (4, 2)
            groups = [cards for cards in ranks.values() if len(cards) >= size]
            return weight(groups[-1][-1]) if len(groups) >= number else None
        case "TWELVE_OF_A_SUIT":
            for suit in SUITS:
                if len(cards := [card for card in hand if card[1] == suit]) >= 12:
                    return max(map(weight, cards))
            return None
        case "QUAD_OF_TWOS":
            return weight("2H") if len(ranks["2"]) == 4 else None
        case "SIX_PAIRS":
            groups = [cards for cards in ranks.values() if len(cards) >= 2]
            return weight(groups[-1][-1]) if sum(len(cards) // 2 for cards in groups) >= 6 else None
    raise AssertionError(pattern)


def instant_win(hands: list[Cards]) -> tuple[int, str, int] | None:
    """Seat, pattern and units of the hand that wins at the deal."""
    for pattern, units in INSTANT_WINS:
        found = [(top, seat) for seat, hand in enumerate(hands) if (top := pattern_top(pattern, hand)) is not None]
        if found:
            return max(found)[1], pattern, units
    return None


def groups_with(card: str, hand: Cards) -> Iterator[tuple[str, Cards]]:
    """Every quad and run of pairs of a hand that holds this card as one of its lowest rank."""
    ranks = {rank: [other for other in hand if other[0] == rank] for rank in RANKS}
    if len(ranks[card[0]]) == 4:
        yield "QUAD", frozenset(ranks[card[0]])
    for length in (3, 4):
        low = RANKS.index(card[0])
        window = RANKS[:-1][low : low + length]
        if len(window) == length:
            choices = [list(itertools.combinations(sorted(ranks[rank]), 2)) for rank in window]
            choices[0] = [pair for pair in choices[0] if card in pair]
            for pairs in itertools.product(*choices):
                yield f"PAIR_RUN_{length}", frozenset(itertools.chain(*pairs))


def leftover(hand: Iterable[str]) -> tuple[int, Counter[str]]:
    """Compute the highest cost of leftover cards in units, and the units by price; groups come before single cards."""
    units, _, _, _, _, parts = _leftover(frozenset(hand), {})
    return units, Counter(dict(parts))


Worth = tuple[int, int, int, int, int, tuple[tuple[str, int], ...]]


def _leftover(hand: Cards, known: dict[Cards, Worth]) -> Worth:
    """Units, cards grouped, minus the number of groups, four-pair runs, quads, parts: the greatest of all ways."""
    if not hand:
        return 0, 0, 0, 0, 0, ()
    if hand not in known:
        lowest = min(hand, key=weight)
        alone = {"2S": "BLACK_TWO", "2C": "BLACK_TWO", "2D": "RED_TWO", "2H": "RED_TWO"}.get(lowest, "CARD")
        ways = [(alone, frozenset([lowest])), *groups_with(lowest, hand)]
        known[hand] = max(_add(name, cards, _leftover(hand - cards, known)) for name, cards in ways)
    return known[hand]


def _add(name: str, cards: Cards, rest: Worth) -> Worth:
    price = {"CARD": 1, "BLACK_TWO": 2, "RED_TWO": 4, "PAIR_RUN_3": 6, "QUAD": 8, "PAIR_RUN_4": 12}[name]
    grouped = len(cards) if len(cards) > 1 else 0
    parts = Counter(dict(rest[5]))
    parts[name] += price
    return (
        rest[0] + price,
        rest[1] + grouped,
        rest[2] - bool(grouped),
        rest[3] + (name == "PAIR_RUN_4"),
        rest[4] + (name == "QUAD"),
        tuple(sorted(parts.items())),
    )


class SlowRound:
    """A round that changes as it is played. ``live`` are the seats still in the trick, the one on turn first.

    ``first_card``, where it is set, has to be in the first play of the first leader.
    """

    first_card = ""

    def __init__(
        self,
        hands: Iterable[Iterable[str]],
        leader: int,
        *,
        chain_to_last: bool = True,
        instant_wins: bool = True,
        three_counts: tuple[bool, bool] = (True, True),
    ) -> None:
        self.first_leader = leader
        self.last_three, self.stopped_three = three_counts
        self.hands = [set(hand) for hand in hands]
        self.stay = set(range(len(self.hands)))
        self.debts: Counter[tuple[int, int, str, str]] = Counter()
        self.chain: list[tuple[int, int, str]] = []
        self.chain_to_last = chain_to_last
        self.winner: int | None = None
        self.ending = ""
        self.top: Cards | None = None
        self.owner = leader
        self.live: list[int] = []
        self._lead(leader)
        win = instant_win([frozenset(hand) for hand in self.hands]) if instant_wins else None
        if win is not None:
            for loser in self.stay - {win[0]}:
                self.debts[loser, win[0], "INSTANT_WIN", win[1]] += win[2]
            self.winner, self.ending = win[0], "INSTANT_WIN"

    @property
    def turn(self) -> int:
        """The seat on turn."""
        return self.live[0]

    def is_legal(self, cards: Cards) -> bool:
        """Whether the seat on turn may play these cards."""
        if self.winner is not None or not cards or not cards <= self.hands[self.turn] or shape(cards) is None:
            return False
        begins = self.first_card in self.hands[self.turn] and self.turn == self.first_leader
        if begins and self.first_card not in cards:
            return False
        return self.top is None or beats(cards, self.top)

    def play(self, cards: Cards) -> None:
        """Play cards as the seat on turn."""
        seat = self.live.pop(0)
        self.hands[seat] -= cards
        price = None if self.top is None else chop(cards, self.top)
        if price is None:
            self._pay_chops()
        else:
            self.chain.append((self.owner, seat, price))
        if self.stopped_three and self.top is not None and self.hands[self.owner] == {"3S"}:
            for other in {seat, *self.live} - {self.owner}:
                self.debts[self.owner, other, "STOPPED_THREE_OF_SPADES", ""] += 26
            self._end(seat, "STOPPED_THREE_OF_SPADES")
            return
        self.owner, self.top = seat, cards
        if not self.hands[seat]:
            last_three = self.last_three and cards == {"3S"}
            for loser in set(range(len(self.hands))) - {seat}:
                if last_three:
                    self.debts[loser, seat, "LAST_THREE_OF_SPADES", ""] += 26
                else:
                    self._pay_leftover(loser, seat)
            self._end(seat, "LAST_THREE_OF_SPADES" if last_three else "OUT_OF_CARDS")
            return
        if self.stay <= {seat}:
            self._end_alone(seat)
            return
        self.live = [other for other in self.live if other != seat] + [seat]
        self._close_trick()

    def pass_(self) -> None:
        """Pass as the seat on turn."""
        seat = self.live.pop(0)
        if self.stay <= {seat}:
            self._end_alone(seat)
        else:
            self._close_trick()

    def leave(self, seat: int) -> None:
        """Any seat leaves; a last one that is still in the trick of another's play answers it first."""
        self.stay.discard(seat)
        self.live = [other for other in self.live if other != seat]
        answers = self.top is not None and self.live not in ([], [self.owner])
        if not self.stay:
            self._end_alone(seat)
        elif len(self.stay) == 1 and not answers:
            self._end_alone(*self.stay)
        else:
            self._close_trick()

    def _end_alone(self, last: int) -> None:
        """Pay the last seat for 3♠, or for the cards that the others have left, if it has no 3♠ or they cost more."""
        for loser in set(range(len(self.hands))) - {last}:
            if self.last_three and "3S" in self.hands[last] and leftover(self.hands[loser])[0] <= 26:
                self.debts[loser, last, "LAST_THREE_OF_SPADES", ""] += 26
            else:
                self._pay_leftover(loser, last)
        self._end(last, "LAST_SEAT")

    def time_out(self) -> None:
        """Time out the seat on turn."""
        if self.top is None:
            self.play(frozenset([min(self.hands[self.turn], key=weight)]))
        else:
            self.pass_()

    def _close_trick(self) -> None:
        if self.top is not None and (not self.live or self.live == [self.owner]):
            self._pay_chops()
            self._lead(self.owner)

    def _lead(self, seat: int) -> None:
        everybody = [(seat + step) % len(self.hands) for step in range(len(self.hands))]
        self.live = [other for other in everybody if other in self.stay]
        self.top = None

    def _pay_chops(self) -> None:
        if self.chain and self.chain_to_last:
            victim, chopper, price = self.chain[-1]
            reason = "CHOP" if len(self.chain) == 1 else "CHOP_CHAIN"
            self.debts[victim, chopper, reason, price] += sum(CHOP_UNITS[link[2]] for link in self.chain)
        else:
            for victim, chopper, price in self.chain:
                self.debts[victim, chopper, "CHOP", price] += CHOP_UNITS[price]
        self.chain = []

    def _pay_leftover(self, loser: int, winner: int) -> None:
        for price, units in leftover(self.hands[loser])[1].items():
            self.debts[loser, winner, "LEFTOVER", price] += units

    def _end(self, winner: int, ending: str) -> None:
        self._pay_chops()
        self.winner, self.ending = winner, ending
