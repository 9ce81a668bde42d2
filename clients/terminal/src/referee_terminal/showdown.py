"""The show of a round of Mậu Binh: chi by chi at its pace, and at the end the result."""

from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from referee_terminal.faces import row
from referee_terminal.shedding import Look
from referee_terminal.words import text_of


def draw_instant_wins(wins: Sequence[Mapping[str, Any]], names: Mapping[int, str], look: Look) -> Text:
    """Draw hands that won at the deal, sorted into what makes them."""
    text = Text()
    for one in wins:
        name, pattern = names.get(one["seat"], one["seat"]), text_of(one.get("name"), look.language)
        text.append(f"{look.say('wins_at_the_deal', name=name, pattern=pattern)}\n", "bold yellow")
        for group in one["groups"]:
            text.append("  ")
            text.append_text(row(group, four_colours=look.four_colours))
            text.append("\n")
        text.append("\n")
    return text


def draw(show: Mapping[str, Any], names: Mapping[int, str], now: float, look: Look) -> Text:
    """Draw the rows shown so far, and at the end their result."""
    text = Text()
    for chi in show.get("chi", ()):
        if chi["start_time"] > now:
            break
        text.append(f"{text_of(chi.get('name', chi.get('position')), look.language)}\n", "bold")
        for hand in chi["hands"]:
            text.append(f"  {names.get(hand['seat'], hand['seat']):<12} ")
            text.append_text(row(hand.get("cards") or (), four_colours=look.four_colours))
            net = hand.get("units_won", 0) - hand.get("units_lost", 0)
            given = text_of(hand.get("name"), look.language) or (look.say("gone") if hand.get("gone") else "")
            text.append(f"  {given}", "dim")
            text.append(f"  {net:+}\n", "green" if net > 0 else "red" if net < 0 else "dim")
        text.append("\n")
    if show.get("summary_time", now + 1) <= now:
        for one in show.get("summary", ()):
            net = one["net_minor"]
            text.append(f"  {names.get(one['seat'], one['seat']):<12} ")
            text.append(f"{net:+,}", "bold green" if net > 0 else "bold red" if net < 0 else "")
            instant = text_of(one.get("instant_win_name"), look.language)
            text.append(f"  {instant}" if instant else "")
            text.append(f"  {look.say('fouled')}\n" if one.get("fouled") else "\n")
    return text
