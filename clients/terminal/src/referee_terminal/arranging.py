"""Mậu Binh in a terminal: thirteen cards in three rows, a cursor, and what the referee says of them.

What is sent is what is shown. Cards only change places, so an arrangement is always of all thirteen; whether
it fouls is the referee's to say, and is asked anew after each change.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.text import Text

from referee_terminal.faces import RANKS, SUITS, row
from referee_terminal.seat import ROWS
from referee_terminal.words import say, text_of

SIZES: Final = (5, 5, 3)
STARTS: Final = (0, 5, 10)


class Arrangement:
    """A hand being laid out; ``cards`` are thirteen, back, middle, front."""

    def __init__(self, cards: Sequence[str]) -> None:
        self.cards = list(cards)
        self.cursor = 0
        self.picked: int | None = None
        self.given: Mapping[str, Any] = {}
        self._suggestions: list[Mapping[str, Sequence[str]]] = []
        self._suggested = -1
        self._by_rank = False

    @property
    def rows(self) -> dict[str, list[str]]:
        """The rows by name."""
        cuts = zip(ROWS, STARTS, SIZES, strict=True)
        return {name: self.cards[start : start + size] for name, start, size in cuts}

    def lay(self, rows: Mapping[str, Sequence[str]]) -> None:
        """Arrange the cards as given, if they are the same thirteen."""
        cards = [card for name in ROWS for card in rows[name]]
        if sorted(cards) == sorted(self.cards):
            self.cards, self.picked, self.given = cards, None, {}

    def move(self, key: str) -> None:
        """Move the cursor left, right, up or down; the front row is the uppermost."""
        at = max(number for number, start in enumerate(STARTS) if self.cursor >= start)
        place = self.cursor - STARTS[at]
        match key:
            case "left":
                place = (place - 1) % SIZES[at]
            case "right":
                place = (place + 1) % SIZES[at]
            case "up" | "down":
                at = (at + (1 if key == "up" else -1)) % len(SIZES)
                place = min(place, SIZES[at] - 1)
        self.cursor = STARTS[at] + place

    def pick(self) -> bool:
        """Whether cards changed places: the second card that is picked takes the first one's place."""
        if self.picked is None:
            self.picked = self.cursor
            return False
        first, second = self.picked, self.cursor
        self.picked = None
        if first == second:
            return False
        self.cards[first], self.cards[second] = self.cards[second], self.cards[first]
        self.given = {}
        return True

    @property
    def is_by_rank(self) -> bool:
        """Whether the cards were sorted by rank last."""
        return self._by_rank

    @property
    def suggested(self) -> int:
        """Number of the suggestion that was laid last, from 1; 0 for none."""
        return self._suggested + 1

    @property
    def is_fouled(self) -> bool:
        """Whether the referee has found a foul in what is laid now."""
        return any("FOUL" in one.get("code", "FOUL") for one in self.given.get("violations", ()))

    def sort(self) -> None:
        """All cards by rank, strong to weak, or by suit, in turn."""
        self._by_rank = not self._by_rank

        def order(card: str) -> tuple[int, int]:
            rank, suit = RANKS.index(card[0]), SUITS.index(card[1])
            return (-rank, suit) if self._by_rank else (suit, -rank)

        self.cards.sort(key=order)
        self.picked, self.given = None, {}

    def take_suggestions(self, suggestions: Sequence[Mapping[str, Sequence[str]]]) -> None:
        """Arrangements to go through, best first."""
        self._suggestions, self._suggested = list(suggestions), -1

    @property
    def has_suggestions(self) -> bool:
        """Whether there are any."""
        return bool(self._suggestions)

    def lay_next(self) -> None:
        """Arrange the cards by the next suggestion."""
        if self._suggestions:
            self._suggested = (self._suggested + 1) % len(self._suggestions)
            self.lay(self._suggestions[self._suggested])

    def draw(self, language: str, *, four_colours: bool) -> Text:
        """Draw the rows, front first, each with its name, then the referee's assessment."""
        text = Text()
        values = self.given.get("values", ())
        for at in (2, 1, 0):
            start, size = STARTS[at], SIZES[at]
            inside = range(start, start + size)
            text.append(f"{say(language, ROWS[at]):<8}")
            text.append_text(
                row(
                    self.cards[start : start + size],
                    cursor=self.cursor - start if self.cursor in inside else None,
                    picked=() if self.picked not in inside or self.picked is None else (self.picked - start,),
                    four_colours=four_colours,
                )
            )
            if at < len(values):
                text.append(f"  {text_of(values[at].get('name', values[at].get('category')), language)}", "bold")
            text.append("\n\n")
        violations = self.given.get("violations", ())
        if violations:
            given = "; ".join(text_of(one.get("text", one.get("code")), language) for one in violations)
            text.append(f"✗ {given}", "bold red")
        elif self.given:
            text.append(f"✓ {say(language, 'lawful')}", "green")
        return text
