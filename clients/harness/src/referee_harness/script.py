"""Scripts of deals, and the deck of a script once the round's header is known.

A card that is given lies where it was given; every other place is filled from the cards that are left, and a
hand that was not given whole never wins at the deal, so a test is not ended by luck. What cannot be dealt, such as a
card given twice or a hand too many, is refused when the round is opened, naming what is wrong.


>>> Script.read({"hands": ["AS KS", None], "leader": 1}).hands
{0: (<Card.ACE_OF_SPADES: 49>, <Card.KING_OF_SPADES: 45>)}
"""

import itertools
import random
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Self

from referee.cards import DECK, Card, parse_cards
from referee.dealing.header import Header
from referee.games import GAMES
from referee.games.mau_binh.instant_win import instant_win_of
from referee.games.mau_binh.rules import MauBinhRules
from referee.games.tien_len import TienLenRules, set_of
from referee.games.tien_len.instant_win import find_instant_win
from referee.rulesets import Ruleset
from referee_harness import vectors
from referee_harness.refusal import HarnessError

_MEMBERS: Final = frozenset({"hands", "wins", "house", "board", "deck", "leader", "vector"})
_TRIES: Final = 256
_FLOP: Final = 3
_SUITS: Final = "SCDH"
_EXCHANGES: Final = sorted(
    ("".join(suits) for suits in itertools.permutations(_SUITS)), key=lambda suits: suits not in 2 * _SUITS
)
"""Suits in the place of others; turned ones first, which four seats can have of one hand without a card twice."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Script:
    """Script of one round: cards by seat, instant wins by seat, house's cards, board, whole deck, leader."""

    hands: Mapping[int, tuple[Card, ...]] = field(default_factory=dict)
    wins: Mapping[int, str] = field(default_factory=dict)
    house: tuple[Card, ...] = ()
    board: tuple[Card, ...] = ()
    deck: tuple[Card, ...] = ()
    leader: int | None = None

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> Self:
        """Read a script from JSON; raise HarnessError if it is not valid or names an unknown vector.

        ``hands`` and ``wins`` are lists by seat with null for what is left open, or objects by seat's number.
        """
        for name in set(given) - _MEMBERS:
            raise HarnessError(field=name, message=f"a script has no {name!r}; it has {', '.join(sorted(_MEMBERS))}")
        if "vector" in given:
            given = vectors.script_of(vectors.find(str(given["vector"]))) | {
                name: value for name, value in given.items() if name != "vector"
            }
        leader = given.get("leader")
        if leader is not None and not isinstance(leader, int):
            raise HarnessError(field="leader", message=f"a leader is a seat's number, not {leader!r}")
        script = cls(
            hands={seat: _cards(text, f"hands[{seat}]") for seat, text in _by_seat(given.get("hands"), "hands")},
            wins={seat: str(name) for seat, name in _by_seat(given.get("wins"), "wins")},
            house=_cards(given.get("house", ""), "house"),
            board=_cards(given.get("board", ""), "board"),
            deck=_cards(given.get("deck", ""), "deck"),
            leader=leader,
        )
        if both := set(script.hands) & set(script.wins):
            raise HarnessError(
                field="wins", message=f"the hand of seat {min(both)} is given and a win for it too; give one of them"
            )
        script.check_once()
        return script

    def check_once(self) -> None:
        """Verify that no card is given twice; raise HarnessError otherwise."""
        seen: dict[Card, str] = {}
        given = [(f"hands[{seat}]", cards) for seat, cards in self.hands.items()]
        for name, cards in [*given, ("house", self.house), ("board", self.board)]:
            for card in cards:
                if card in seen:
                    raise HarnessError(
                        field=name, message=f"{card.text} is given in {seen[card]} and in {name}; a deck has it once"
                    )
                seen[card] = name
        if self.deck and (set(self.deck) != set(DECK) or len(self.deck) != len(DECK)):
            raise HarnessError(field="deck", message=f"a deck is each of 52 cards once, and these are {len(self.deck)}")
        if self.deck and (seen or self.wins):
            raise HarnessError(
                field="deck", message="the whole deck is given and hands or a board besides; give one of them"
            )

    def order(self, header: Header, ruleset: Ruleset, luck: random.Random) -> tuple[Card, ...]:
        """Order a round's deck by the script; raise HarnessError if the script does not fit the seats or the game."""
        layout = GAMES[ruleset.game].layout(header.seat_count)
        self._check_leader(header, ruleset)
        if self.deck:
            return self.deck
        given: dict[int, tuple[Card, ...]] = {}
        for seat, cards in self.hands.items():
            given[_seat(seat, header, "hands")] = cards
        if self.house or self.board:
            if not layout.has_board:
                member = "house" if self.house else "board"
                raise HarnessError(field=member, message=f"{ruleset.game} has no {member}")
            given[layout.board("house")] = self.house
            given[layout.board("flop")], given[layout.board("turn_river")] = self.board[:_FLOP], self.board[_FLOP:]
        for seat, name in self.wins.items():
            taken = {card for cards in given.values() for card in cards}
            given[_seat(seat, header, "wins")] = winning_hand(ruleset, name, without=taken)
        for section, cards in given.items():
            if len(cards) > layout.sizes[section]:
                name = f"hands[{section}]" if section < header.seat_count else "board"
                raise HarnessError(
                    field=name, message=f"{len(cards)} cards are given for {layout.sizes[section]} places"
                )
        return _filled(given, layout.sizes, ruleset, seat_count=header.seat_count, luck=luck)

    def _check_leader(self, header: Header, ruleset: Ruleset) -> None:
        if self.leader is None:
            return
        if ruleset.game != "tien_len":
            raise HarnessError(field="leader", message=f"nobody leads in {ruleset.game}")
        _seat(self.leader, header, "leader")


def winning_hand(ruleset: Ruleset, name: str, *, without: set[Card]) -> tuple[Card, ...]:
    """Thirteen cards that win at the deal as ``name`` says: a pattern's code, or its name in either language.

    Accents, case and punctuation do not count: ``sanh rong`` is ``Sảnh rồng``. HarnessError where the ruleset has no
    such win, or every hand known for it has a card that is given to another seat.
    """
    known = ruleset.names.get("pattern", {})
    wanted = _plain(name)
    codes = [code for code, called in known.items() if wanted in {_plain(code), _plain(called.vi), _plain(called.en)}]
    if not codes:
        raise HarnessError(
            field="wins", message=f"{ruleset.id} has no instant win {name!r}; it has {', '.join(known) or 'none'}"
        )
    for hand in _known_hands(ruleset, codes[0]):
        if not without & set(hand):
            return hand
    raise HarnessError(field="wins", message=f"no {codes[0]} is left for the seat: its cards are given to others")


def _known_hands(ruleset: Ruleset, code: str) -> Iterator[tuple[Card, ...]]:
    """Yield the vectors' hands of this pattern, then the same with their suits exchanged."""
    is_mau_binh = isinstance(ruleset.rules, MauBinhRules)
    rows = vectors.rows("mau_binh/instant_win" if is_mau_binh else "tien_len/instant_wins")
    texts = [row["dealt" if is_mau_binh else "hand"] for row in rows]
    for suits in _EXCHANGES:
        exchanged = str.maketrans(_SUITS, suits)
        for text in texts:
            hand = parse_cards(text.translate(exchanged))
            if win_at_deal(ruleset, hand) == code:
                yield hand


def win_at_deal(ruleset: Ruleset, hand: Sequence[Card]) -> str:
    """Return the pattern by which a hand ends the round at the deal, empty if none."""
    if isinstance(ruleset.rules, MauBinhRules):
        arranged = instant_win_of(ruleset.rules, hand)
        return "" if arranged is None else arranged.pattern
    if isinstance(ruleset.rules, TienLenRules):
        found = find_instant_win(ruleset.rules.instant_wins, (set_of(hand),))
        return "" if found is None else found.pattern
    return ""


def _filled(
    given: Mapping[int, tuple[Card, ...]],
    sizes: Sequence[int],
    ruleset: Ruleset,
    *,
    seat_count: int,
    luck: random.Random,
) -> tuple[Card, ...]:
    taken = {card for cards in given.values() for card in cards}
    rest = [card for card in DECK if card not in taken]
    for _ in range(_TRIES):
        luck.shuffle(rest)
        left = iter(rest)
        sections = []
        for section, size in enumerate(sizes):
            cards = given.get(section, ())
            sections.append((*cards, *[next(left) for _ in range(size - len(cards))]))
        open_hands = [seat for seat in range(seat_count) if len(given.get(seat, ())) < sizes[seat]]
        if not any(win_at_deal(ruleset, sections[seat]) for seat in open_hands):
            return tuple(card for section in sections for card in section)
    raise HarnessError(
        field="hands", message="the cards that are left make somebody win at the deal in every order that was tried"
    )


def _seat(seat: int, header: Header, member: str) -> int:
    if not 0 <= seat < header.seat_count:
        raise HarnessError(field=member, message=f"the round has {header.seat_count} seats and none is {seat}")
    return seat


def _by_seat(given: object, member: str) -> list[tuple[int, Any]]:
    pairs: list[tuple[Any, Any]]
    if given is None:
        return []
    if isinstance(given, Mapping):
        pairs = list(given.items())
    elif isinstance(given, list):
        pairs = list(enumerate(given))
    else:
        raise HarnessError(field=member, message=f"{member} are a list by seat, or an object by seat's number")
    try:
        return [(int(seat), value) for seat, value in pairs if value is not None]
    except ValueError:
        raise HarnessError(field=member, message=f"{member} are by seat's number") from None


def _cards(text: object, member: str) -> tuple[Card, ...]:
    if not isinstance(text, str):
        raise HarnessError(field=member, message=f"cards are given as text such as 'AS TD', not {text!r}")
    try:
        return tuple(parse_cards(text))
    except ValueError as error:
        raise HarnessError(field=member, message=str(error)) from None


def _plain(text: str) -> str:
    """Letters and digits alone, without accents."""
    bare = unicodedata.normalize("NFD", text.casefold().replace("đ", "d"))
    return "".join(letter for letter in bare if letter.isalnum())
