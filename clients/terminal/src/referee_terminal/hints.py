"""The last line of every screen: which keys there are, and what each does."""

from typing import TypeAlias

from rich.text import Text

Keys: TypeAlias = tuple[tuple[str, str], ...]
"""Keys, each with a word."""


def hints(keys: Keys) -> Text:
    """Return the keys as one line."""
    text = Text()
    for key, word in keys:
        text.append(f" {key} ", "reverse")
        text.append(f" {word}  ")
    return text
