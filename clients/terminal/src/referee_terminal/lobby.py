"""The lobby: rooms to join, and tables to open."""

from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.events import Key
from textual.screen import Screen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from referee_terminal.hints import hints
from referee_terminal.words import text_of

if TYPE_CHECKING:
    from referee_terminal.app import TerminalTable


class Lobby(Screen[None]):
    """Rooms to join, and tables to open."""

    app: "TerminalTable"

    def compose(self) -> ComposeResult:
        """Lay out a heading, the list and the keys."""
        yield Static(id="top")
        yield OptionList(id="choices")
        yield Static(id="notice")
        yield Static(id="keys")

    def on_mount(self) -> None:
        """Show what is known so far."""
        self.refresh_room()
        self.query_one(OptionList).focus()

    def refresh_room(self) -> None:
        """Update the list of rooms that can be joined or opened."""
        app, look = self.app, self.app.look
        self.query_one("#top", Static).update(f"[b]Referee[/b] · {look.say('lobby')} · {look.say('play_money')}")
        choices = self.query_one(OptionList)
        kept = choices.highlighted
        choices.clear_options()
        titles = {one["id"]: text_of(one.get("title", one["id"]), look.language) for one in app.rulesets.values()}
        for ruleset in app.rulesets.values():
            bots = ruleset["max_seats"] - 1
            title = f"{look.say('new_table')}: {titles[ruleset['id']]} · {look.say('with_bots', count=bots)}"
            choices.add_option(Option(title, id=f"open {ruleset['id']}"))
            if ruleset.get("can_seal") and app.has_gateway:
                choices.add_option(Option(f"{title} · {look.say('sealed')}", id=f"seal {ruleset['id']}"))
        for room in app.rooms:
            given = [titles.get(room["ruleset"], room["ruleset"]), ", ".join(room.get("persons", ()))]
            given += [look.say("free_seats", count=room.get("free_seats", 0))]
            given += [look.say("sealed")] if room.get("sealed") else []
            choices.add_option(Option(f"{look.say('join')}: {' · '.join(given)}", id=f"join {room['room']}"))
        if choices.option_count:
            choices.highlighted = min(kept or 0, choices.option_count - 1)
        keys = (("Enter", look.say("join")), ("l", look.say("language")), ("q", look.say("quit")))
        self.query_one("#keys", Static).update(hints(keys))
        self.query_one("#notice", Static).update(app.notice)

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Join a room, or open one."""
        what, _, name = (event.option.id or "").partition(" ")
        if what == "join":
            self.app.ask("join", room=name)
            return
        ruleset = self.app.rulesets[name]
        self.app.ask(
            "create",
            ruleset=name,
            stake_minor=self.app.stakes[0] if self.app.stakes else ruleset["bet_unit_minor"],
            bots=ruleset["max_seats"] - 1,
            sealed=what == "seal",
            listed=True,
        )

    def on_key(self, event: Key) -> None:
        """Language and leaving; all else is the list's."""
        if event.key == "l":
            self.app.change_language()
        elif event.key == "q":
            self.app.exit()
