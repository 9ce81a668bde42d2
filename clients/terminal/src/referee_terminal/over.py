"""What lies over the table until a key is pressed: earlier rounds, a proof."""

from typing import TYPE_CHECKING

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.events import Key
from textual.screen import ModalScreen
from textual.widgets import Static

from referee_terminal.hints import hints

if TYPE_CHECKING:
    from referee_terminal.app import TerminalTable


class Over(ModalScreen[None]):
    """Something shown over the table until a key is pressed."""

    app: "TerminalTable"

    def __init__(self, content: Text) -> None:
        super().__init__()
        self._content = content

    def compose(self) -> ComposeResult:
        """Lay out the content and the key that closes it."""
        with Vertical(id="over"):
            with VerticalScroll(id="scrolled"):
                yield Static(self._content, id="content")
            yield Static(hints((("↑↓", self.app.look.say("scroll")), ("Esc", self.app.look.say("close")))))

    def on_mount(self) -> None:
        """Let the arrows scroll."""
        self.query_one(VerticalScroll).focus()

    def replace(self, content: Text) -> None:
        """Other content is shown."""
        self.query_one("#content", Static).update(content)

    def on_key(self, event: Key) -> None:
        """Any key but those that scroll closes it."""
        if event.key not in {"up", "down", "pageup", "pagedown", "home", "end"}:
            event.stop()
            self.dismiss()
