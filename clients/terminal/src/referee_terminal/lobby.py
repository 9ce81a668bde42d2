"""The lobby: a seat at once, rooms to join, tables to open, and the stake for them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

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
        """Lay out a heading, the list, what the chosen line is about, and the keys."""
        yield Static(id="top")
        yield OptionList(id="choices")
        yield Static(id="about")
        yield Static(id="notice")
        yield Static(id="keys")

    def on_mount(self) -> None:
        """Show what is known so far."""
        self.refresh_room()
        self.query_one(OptionList).focus()

    def refresh_room(self) -> None:
        """Update the list of rooms that can be joined or opened."""
        app, look = self.app, self.app.look
        heading = [look.say("lobby"), look.say("stake", amount=f"{app.stake:,}"), look.say("play_money")]
        self.query_one("#top", Static).update(f"[b]Referee[/b] · {' · '.join(heading)}")
        choices = self.query_one(OptionList)
        kept = " ".join(self.chosen)
        choices.clear_options()
        if app.back:
            choices.add_option(
                Option(f"{look.say('back_to')}: {self._of_room(app.back)}", id=f"join {app.back['room']}")
            )
        for ruleset in app.rulesets.values():
            title = self._title(ruleset["id"])
            choices.add_option(Option(f"{look.say('quick')}: {title}", id=f"quick {ruleset['id']}"))
        for room in app.rooms:
            choices.add_option(Option(f"{look.say('join')}: {self._of_room(room)}", id=f"join {room['room']}"))
        for ruleset in app.rulesets.values():
            bots = look.say("with_bots", count=ruleset["max_seats"] - 1)
            title = f"{look.say('new_table')}: {self._title(ruleset['id'])} · {bots}"
            choices.add_option(Option(title, id=f"open {ruleset['id']}"))
            if ruleset.get("can_seal") and app.has_gateway:
                choices.add_option(Option(f"{title} · {look.say('sealed')}", id=f"seal {ruleset['id']}"))
        if choices.option_count:  # the same line as before, wherever other rooms have moved it
            ids = [one.id for one in choices.options]
            choices.highlighted = ids.index(kept) if kept in ids else 0
        keys = (
            ("Enter", look.say("join")),
            ("+-", look.say("stake_change")),
            ("?", look.say("rules")),
            ("w", look.say("watch")),
            ("n", look.say("rename")),
            ("a", look.say("avatar")),
            ("l", look.say("language")),
            ("q", look.say("quit")),
        )
        self.query_one("#keys", Static).update(hints(keys))
        self.query_one("#notice", Static).update(app.notice)
        self._show_about()

    def _title(self, ruleset: str) -> str:
        return text_of(self.app.rulesets.get(ruleset, {}).get("title", ruleset), self.app.look.language)

    def _of_room(self, room: Mapping[str, Any]) -> str:
        look = self.app.look
        given = [self._title(room["ruleset"]), look.say("stake", amount=f"{room.get('stake_minor', 0):,}")]
        given += [look.say("host_of", name=room["host"])] if room.get("host") else []
        given += [look.say("free_seats", count=room.get("open_seats", room.get("free_seats", 0)))]
        given += [look.say("sealed")] if room.get("sealed") else []
        return " · ".join(given)

    @property
    def chosen(self) -> tuple[str, str]:
        """What the highlighted line does, and its room or ruleset."""
        option = self.query_one(OptionList).highlighted_option
        what, _, name = ((option.id if option else "") or "").partition(" ")
        return what, name

    def _ruleset(self) -> str:
        """Return the ruleset of the highlighted line."""
        what, name = self.chosen
        rooms = [*self.app.rooms, *([self.app.back] if self.app.back else [])]
        return next((str(one["ruleset"]) for one in rooms if one["room"] == name), name) if what == "join" else name

    def _show_about(self) -> None:
        about = self.app.rulesets.get(self._ruleset(), {}).get("differs")
        self.query_one("#about", Static).update(text_of(about, self.app.look.language))

    def on_option_list_option_highlighted(self) -> None:
        """Say how the ruleset of the line differs from others."""
        self._show_about()

    def on_option_list_option_selected(self, event: OptionList.OptionSelected) -> None:
        """Join a room, or open one."""
        what, _, name = (event.option_id or "").partition(" ")
        if what == "join":
            self.app.ask("join", room=name)
        elif what == "quick":
            self.app.ask("quick", ruleset=name, stake_minor=self.app.stake)
        else:
            bots = self.app.rulesets[name]["max_seats"] - 1
            terms = {"ruleset": name, "stake_minor": self.app.stake, "bots": bots}
            self.app.ask("create", **terms, sealed=what == "seal", listed=True)

    def on_key(self, event: Key) -> None:
        """Stake, rules, watching, language and leaving; all else is the list's."""
        what, name = self.chosen
        match event.character:
            case "l":
                self.app.change_language()
            case "n":
                self.app.ask_name()
            case "a":
                self.app.ask_avatar()
            case "q":
                self.app.exit()
            case "+" | "-":
                self.app.change_stake(1 if event.character == "+" else -1)
                self.refresh_room()
            case "?":
                self.app.show_rules(self._ruleset())
            case "w" if what == "join":
                self.app.ask("join", room=name, watch=True)
