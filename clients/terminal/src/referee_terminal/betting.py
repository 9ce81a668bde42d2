"""Ultimate Texas Hold'em in a terminal: the board, the seats' bets, and what may be decided.

What may be decided comes with the view; each number key makes one decision, in the order of the view.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from referee_terminal.faces import row
from referee_terminal.shedding import Look


def draw(game: Mapping[str, Any], hand: Sequence[str], names: Mapping[int, str], you: int | None, look: Look) -> Text:
    """Draw the board, the house, each seat's bets and state, and the decisions with their keys."""
    text = Text()
    text.append(f"{look.say('board'):<12}")
    text.append_text(row(game.get("board") or (), four_colours=look.four_colours))
    text.append("\n\n")
    if game.get("house"):
        text.append(f"{look.say('house'):<12}")
        text.append_text(row(game["house"], four_colours=look.four_colours))
        text.append("\n\n")
    hands = game.get("hands") or ()
    for seat, given in enumerate(game.get("seats") or ()):
        if given is None:
            continue
        bets = [f"Ante {given.get('ante_minor', 0):,}", f"Blind {given.get('blind_minor', 0):,}"]
        bets += [f"Trips {given['trips_minor']:,}"] if given.get("trips_minor") else []
        bets += [f"Play {given['play_multiple']}x"] if given.get("play_multiple") else []
        state = "gone" if given.get("gone") else "FOLD" if given.get("folded") else ""
        state = state or ("deciding" if given.get("is_deciding") else "CHECK" if given.get("checked") else "")
        mark = "▶ " if given.get("is_deciding") else "  "
        text.append(f"{mark}{names.get(seat, seat):<14} {' · '.join(bets)}  ", "bold" if seat == you else "")
        text.append(look.say(state) if state else "", "dim")
        if seat != you and seat < len(hands) and hands[seat]:
            text.append("  ")
            text.append_text(row(hands[seat], four_colours=look.four_colours))
        text.append("\n")
    text.append("\n")
    if you is None:
        text.append(look.say("watching"), "dim")
        return text
    text.append(f"{look.say('hole'):<12}")
    text.append_text(row(hand, four_colours=look.four_colours))
    text.append("\n\n")
    for number, decision in enumerate(game.get("legal") or (), 1):
        text.append(f" {number} ", "reverse bold")
        text.append(f" {look.say(decision)}   ")
    return text
