"""The rules of a ruleset on one screen, as the table server writes them from its data, and the words of the game."""

from collections.abc import Mapping
from typing import Any

from rich.text import Text

from referee_terminal.faces import row
from referee_terminal.shedding import Look
from referee_terminal.words import text_of


def draw(rules: Mapping[str, Any], look: Look) -> Text:
    """Draw all sections, then the words."""
    text = Text(f"{text_of(rules.get('title'), look.language)}\n", "bold")
    text.append(f"{text_of(rules.get('differs'), look.language)}\n", "dim")
    for section in rules.get("sections", ()):
        text.append(f"\n{text_of(section['title'], look.language)}\n", "bold yellow")
        for one in section["rows"]:
            text.append(f"  {text_of(one['label'], look.language):<32} {text_of(one['value'], look.language)} ")
            if one.get("cards"):
                text.append_text(row(one["cards"], four_colours=look.four_colours))
            text.append("\n")
    text.append(f"\n{look.say('terms')}\n", "bold yellow")
    for one in rules.get("terms", ()):
        text.append(f"  {text_of(one['name'], look.language)}: ", "bold")
        text.append(f"{text_of(one['means'], look.language)}\n")
    return text
