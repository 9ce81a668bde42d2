"""Questions over a screen: a name, a yes or no, one of a list."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import VerticalScroll
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from referee_terminal.hints import hints

if TYPE_CHECKING:
    from referee_terminal.app import TerminalTable

MOST_CHOICES: Final = 20
_KEYS: Final = "123456789abcdfghijkm"
"""A key for each choice."""


class NameAsked(ModalScreen[str]):
    """A name for the others to see; it is asked, never taken from the machine."""

    app: "TerminalTable"

    def __init__(self, name: str = "") -> None:
        super().__init__()
        self._name_so_far = name

    def compose(self) -> ComposeResult:
        """Lay out the question, the line to write on, and the key."""
        with VerticalScroll(id="asked"):
            yield Static(f"[b]{self.app.look.say('name_asked')}[/b]\n")
            yield Input(self._name_so_far, max_length=96, id="name")
            yield Static(hints((("Enter", self.app.look.say("name_hint")),)))

    def on_mount(self) -> None:
        """Write at once."""
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Answer with what was written, if there is a visible character in it."""
        if event.value.strip():
            self.dismiss(event.value.strip())


class LeaveAsked(ModalScreen[str]):
    """Whether to leave the table: "leave" or "stay"."""

    app: "TerminalTable"

    def __init__(self, *, is_in_round: bool) -> None:
        super().__init__()
        self._is_in_round = is_in_round

    def compose(self) -> ComposeResult:
        """Lay out the question and the two answers."""
        look = self.app.look
        with VerticalScroll(id="asked"):
            yield Static(f"[b]{look.say('leave_asked')}[/b]\n")
            yield Static(look.say("leave_in_round") + "\n" if self._is_in_round else "")
            yield Static(hints((("Enter", look.say("yes_leave")), ("Esc", look.say("no_stay")))))

    def on_key(self, event: Key) -> None:
        """Enter leaves; any other key stays."""
        event.stop()
        self.dismiss("leave" if event.key == "enter" else "stay")


class Choice(ModalScreen[int]):
    """One of a list, by its key; any other key chooses nothing (-1)."""

    app: "TerminalTable"

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__()
        self._lines = lines[:MOST_CHOICES]

    def compose(self) -> ComposeResult:
        """Lay out the lines, each with its key."""
        text = Text()
        for key, line in zip(_KEYS, self._lines, strict=False):
            text.append(f" {key} ", "reverse")
            text.append(f" {line}\n")
        with VerticalScroll(id="asked"):
            yield Static(text, id="content")
            yield Static(hints((("Esc", self.app.look.say("close")),)))

    def on_key(self, event: Key) -> None:
        """Answer with the number of the line."""
        event.stop()
        place = _KEYS.find(event.character or "-")
        self.dismiss(place if 0 <= place < len(self._lines) else -1)
