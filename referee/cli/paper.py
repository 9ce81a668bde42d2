"""Consoles that commands print on: tables and colours in a terminal; in a pipe one plain row a line, never wrapped.

>>> paper().width > 1000 or paper().is_terminal
True
"""

from typing import Final, cast

from rich.console import Console, ConsoleRenderable, RenderHook
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

_UNBOUNDED: Final = 100_000
"""Width of a console on a pipe in characters, longer than any row."""


class PlainRows(RenderHook):
    """Draws tables without boxes and folding, so that each row is one line; of rules and panels only the text."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        """Return the objects to print, with plain tables and without frames."""
        for table in renderables:
            if isinstance(table, Table):
                table.box = None
                table.padding = (0, 2, 0, 0)
                for column in table.columns:
                    column.width = None
                    column.no_wrap = True
        return [_unframed(one) for one in renderables]


def _unframed(drawn: ConsoleRenderable) -> ConsoleRenderable:
    """Return the text of a rule or a panel, which would be as wide as the line; return any other object as it is."""
    words = drawn.title if isinstance(drawn, Rule) else drawn.renderable if isinstance(drawn, Panel) else None
    if words is None:
        return drawn
    return Text.from_markup(words) if isinstance(words, str) else cast("ConsoleRenderable", words)


def paper(*, stderr: bool = False, highlight: bool = True) -> Console:
    """Return a console on standard output, or with ``stderr`` on standard error."""
    console = Console(stderr=stderr, highlight=highlight)
    if not console.is_terminal:
        console = Console(stderr=stderr, highlight=False, width=_UNBOUNDED)
        console.push_render_hook(PlainRows())
    return console
