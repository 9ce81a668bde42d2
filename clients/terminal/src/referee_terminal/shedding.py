"""Tiến Lên in a terminal: a hand to choose from, the lawful plays lit, the trick so far.

What can be played is the referee's to say, and comes with the view; here a choice is only compared with it.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from rich.text import Text

from referee_terminal.faces import row
from referee_terminal.words import say, text_of

_SAID: Final = {"PASS": "passed", "TIMEOUT": "timeout", "LEAVE": "gone"}


class Hand:
    """Hand on the screen: its cards, a cursor, and the cards that the player has chosen."""

    def __init__(self) -> None:
        self.cards: list[str] = []
        self.chosen: set[str] = set()
        self.cursor = 0

    def show(self, cards: Sequence[str]) -> None:
        """Show a hand; keep the choice of cards that are still in it."""
        self.cards = list(cards)
        self.chosen &= set(cards)
        self.cursor = min(self.cursor, max(0, len(self.cards) - 1))

    def move(self, key: str) -> None:
        """Move the cursor left or right, and around the ends."""
        if self.cards:
            self.cursor = (self.cursor + (1 if key == "right" else -1)) % len(self.cards)

    def pick(self) -> None:
        """Choose the card under the cursor, or unchoose it."""
        if self.cards:
            self.chosen ^= {self.cards[self.cursor]}

    def choose(self, cards: Sequence[str]) -> None:
        """Exactly these are chosen."""
        self.chosen = set(cards) & set(self.cards)

    @property
    def choice(self) -> list[str]:
        """The chosen cards, weak to strong as the hand lies."""
        return [card for card in self.cards if card in self.chosen]

    def play_of(self, legal: Mapping[str, Any]) -> Mapping[str, Any] | None:
        """Return the lawful play that the choice is, None if it is none."""
        wanted = self.chosen
        return next((play for play in legal.get("plays", ()) if set(play["cards"]) == wanted), None)

    def reachable(self, legal: Mapping[str, Any]) -> set[int]:
        """Return the places of cards that some lawful play has together with all chosen ones."""
        fitting = [set(play["cards"]) for play in legal.get("plays", ()) if self.chosen <= set(play["cards"])]
        return {place for place, card in enumerate(self.cards) if any(card in play for play in fitting)}

    def draw(self, game: Mapping[str, Any], names: Mapping[int, str], you: int | None, look: "Look") -> Text:
        """Draw the trick, the opponents' counts and the hand."""
        text, say_ = Text(), look.say
        turn, left = game.get("turn"), game.get("cards_left", ())
        for seat, name in names.items():
            mark = "▶ " if seat == turn else "  "
            given = [say_("cards_left", count=left[seat])] if seat < len(left) else []
            given += [say_("passed")] if seat in game.get("passed", ()) else []
            given += [say_("gone")] if seat in game.get("gone", ()) else []
            text.append(f"{mark}{name:<14} {', '.join(given)}\n", "bold" if seat == turn else "")
        text.append("\n")
        trick = game.get("trick") or ()
        if not trick and game.get("last_trick"):
            text.append(f"{say_('last_trick')}: ", "dim")
            text.append_text(_line(game["last_trick"][-3:], names, look))
        for done in trick[-4:]:
            text.append_text(_line([done], names, look))
            text.append("\n")
        text.append("\n")
        legal = game.get("legal")
        if you is None:
            text.append(say_("watching"), "dim")
            return text
        lit = self.reachable(legal) if legal else None
        picked = [place for place, card in enumerate(self.cards) if card in self.chosen]
        text.append_text(row(self.cards, cursor=self.cursor, picked=picked, lit=lit, four_colours=look.four_colours))
        text.append("\n\n")
        if turn == you and legal is not None:
            chosen = self.play_of(legal)
            text.append(f"{say_('your_turn')}  ", "bold yellow")
            if chosen is not None:
                text.append(text_of(chosen.get("name", chosen.get("kind")), look.language), "bold green")
            elif self.chosen:
                text.append(say_("not_lawful"), "red")
            elif not legal.get("plays"):
                text.append(say_("no_lawful_play"))
        elif turn is not None:
            text.append(say_("turn_of", name=names.get(turn, turn)), "dim")
        return text


class Look:
    """How things are shown: the language, and the colours of suits."""

    def __init__(self, language: str, *, four_colours: bool = False) -> None:
        self.language = language
        self.four_colours = four_colours

    def say(self, key: str, **fields: object) -> str:
        """Return a sentence in the current language."""
        return say(self.language, key, **fields)


def _line(done: Sequence[Mapping[str, Any]], names: Mapping[int, str], look: Look) -> Text:
    text = Text()
    for one in done:
        text.append(f"{names.get(one['seat'], one['seat'])}: ")
        if one.get("cards"):
            text.append_text(row(one["cards"], four_colours=look.four_colours))
            text.append(f" {text_of(one.get('name', one.get('kind')), look.language)}  ", "dim")
        else:
            text.append(f"{look.say(_SAID.get(one['action'], one['action']))}  ", "dim")
    return text
