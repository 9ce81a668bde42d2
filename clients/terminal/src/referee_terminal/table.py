"""The table: what is played, who sits there, and what each key does."""

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Final

from rich.table import Table as Grid
from rich.text import Text
from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.events import Key
from textual.screen import Screen
from textual.widgets import Static

from referee_terminal import betting, scores, showdown
from referee_terminal.hints import Keys, hints
from referee_terminal.words import text_of

if TYPE_CHECKING:
    from referee_terminal.app import TerminalTable

CHECK_AFTER: Final = 0.3
"""Seconds without a change before the referee is asked about an arrangement."""
TICK: Final = 0.5
ANTES: Final = (1, 2, 5, 10, 20)
"""Antes that can be chosen, in units of the table's stake."""


class TableScreen(Screen[None]):
    """A room."""

    app: "TerminalTable"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("tab", "nothing", show=False)]

    def compose(self) -> ComposeResult:
        """Heading, people, the table, what was said last, and the keys."""
        yield Static(id="top")
        yield Static(id="persons")
        with VerticalScroll(id="felt"):
            yield Static(id="board")
        yield Static(id="notice")
        yield Static(id="keys")

    def on_mount(self) -> None:
        """Start the clock."""
        self._ante, self._trips = 0, False
        self._asking: asyncio.Task[None] | None = None
        self.set_interval(TICK, self._show_top)
        self.refresh_room()

    def refresh_room(self) -> None:
        """Everything is drawn anew."""
        app = self.app
        if not app.room.view:
            return
        self._show_top()
        self.query_one("#persons", Static).update(self._persons())
        self.query_one("#board", Static).update(self._board())
        self.query_one("#notice", Static).update(app.notice)
        self.query_one("#keys", Static).update(hints(self._keys()))

    def _show_top(self) -> None:
        app, view = self.app, self.app.room.view
        if not view:
            return
        ruleset = app.rulesets.get(view["ruleset"], {})
        given = [text_of(ruleset.get("title", view["ruleset"]), app.look.language)]
        given += [app.look.say("stake", amount=f"{view['stake_minor']:,}"), app.look.say(view["phase"])]
        given += [app.look.say("sealed")] if view.get("sealed") else []
        if view.get("deadline"):
            left = max(0, round((view["deadline"] - app.server_time) / 1000))
            given.append(app.look.say("seconds_left", count=left))
        self.query_one("#top", Static).update(f"[b]{given[0]}[/b] · {' · '.join(given[1:])}")

    def _persons(self) -> Grid:
        view, look = self.app.room.view, self.app.look
        grid = Grid.grid(padding=(0, 3))
        cells = []
        for one in view.get("persons", ()):
            text = Text(one["name"], "bold" if one["person"] == view.get("you") else "", no_wrap=True)
            notes = [look.say("you")] if one["person"] == view.get("you") else []
            notes += [look.say("away")] if one.get("is_away") else []
            text.append(f" ({', '.join(notes)})" if notes else "", "dim")
            if view["phase"] == "LOBBY":
                text.append(" ✓" if one.get("is_ready") else " …", "green" if one.get("is_ready") else "dim")
            score = one.get("score_minor", 0)
            text.append(f"\n{score:+,}", "green" if score > 0 else "red" if score < 0 else "dim")
            cells.append(text)
        grid.add_row(*cells)
        return grid

    def _board(self) -> Text:
        room, look = self.app.room, self.app.look
        if not room.round:
            last = room.view.get("last")
            return scores.draw(last, look) if last else Text()
        if "tien_len" in room.round:
            return room.hand.draw(room.round["tien_len"], room.names, room.you, look)
        if "ultimate_texas" in room.round:
            return betting.draw(room.round["ultimate_texas"], room.cards, room.names, room.you, look)
        return self._mau_binh()

    def _mau_binh(self) -> Text:
        room, look = self.app.room, self.app.look
        given = room.round.get("mau_binh") or {}
        show = given.get("showdown")
        if show:
            return showdown.draw(show, room.names, self.app.server_time, look)
        text = Text()
        if room.arrangement is not None:
            text.append_text(room.arrangement.draw(look.language, four_colours=look.four_colours))
        missing = sum(1 for one in given.get("submitted") or () if not one)
        if room.is_sent:
            text.append(f"\n\n{look.say('sent')}", "green")
        if given:
            text.append(f"\n{look.say('waiting_for', count=missing)}", "dim")
        return text

    def _keys(self) -> Keys:
        room, look = self.app.room, self.app.look
        general: Keys = (("l", look.say("language")), ("c", look.say("colours")), ("Esc", look.say("leave")))
        if room.view.get("phase") == "PLAYING" and room.you is not None:
            game = room.round
            if "mau_binh" in game:
                mine: Keys = (("←↑↓→", "move"), ("Space", "pick"), ("s", "sort"), ("g", "suggest"), ("Enter", "send"))
            elif "tien_len" in game:
                mine = (("←→", "move"), ("Space", "pick"), ("g", "suggest"), ("Enter", "play"), ("p", "pass"))
            else:
                mine = (("1-9", "play"), ("g", "suggest"))
            return (*((key, look.say(word)) for key, word in mine), *general)
        mine = (("r", "ready"), ("+", "add_bot"), ("-", "remove_bot"), ("h", "history"), ("x", "proof"))
        bets: Keys = ()
        if self._is_texas:
            bets = (("a", f"{look.say('ante')} {self._ante_minor:,}"), ("t", f"Trips {'✓' if self._trips else '-'}"))
        return (*((key, look.say(word)) for key, word in mine), *bets, *general)

    @property
    def _is_texas(self) -> bool:
        ruleset = self.app.rulesets.get(self.app.room.view.get("ruleset", ""), {})
        return ruleset.get("game") == "ultimate_texas"

    @property
    def _ante_minor(self) -> int:
        return ANTES[self._ante] * int(self.app.room.view.get("stake_minor", 1))

    async def on_key(self, event: Key) -> None:
        """One key, one thing."""
        room, app = self.app.room, self.app
        key = event.character if event.character in {"+", "-"} else event.key
        if app.is_taken_over and key == "enter":
            app.come_back()
        elif key == "escape":
            app.ask("leave")
        elif key == "l":
            app.change_language()
        elif key == "c":
            app.look.four_colours = not app.look.four_colours
            self.refresh_room()
        elif room.view.get("phase") == "PLAYING" and room.you is not None:
            await self._play_key(key)
        else:
            self._table_key(key)

    def _table_key(self, key: str) -> None:
        app, view = self.app, self.app.room.view
        if key == "r":
            mine: Mapping[str, Any] = next(
                (one for one in view.get("persons", ()) if one["person"] == view.get("you")), {}
            )
            bets = {}
            if self._is_texas:
                bets = {"ante_minor": self._ante_minor, "trips_minor": self._ante_minor if self._trips else 0}
            app.ask("ready", is_ready=not mine.get("is_ready"), **bets)
        elif key == "+":
            app.ask("add_bot")
        elif key == "-":
            app.ask("remove_bot")
        elif key == "a" and self._is_texas:
            self._ante = (self._ante + 1) % len(ANTES)
        elif key == "t" and self._is_texas:
            self._trips = not self._trips
        elif key == "h":
            app.show_history()
        elif key == "x":
            app.show_proof()
        self.refresh_room()

    async def _play_key(self, key: str) -> None:
        room, app = self.app.room, self.app
        if key == "g":
            app.attempt(self._suggest())
        elif room.arrangement is not None:
            self._arrange_key(key)
        elif "tien_len" in room.round:
            if key in {"left", "right"}:
                room.hand.move(key)
            elif key == "space":
                room.hand.pick()
            elif key == "enter":
                app.attempt(room.play())
            elif key == "p":
                app.attempt(room.do("pass"))
        elif "ultimate_texas" in room.round and key.isdecimal():
            legal = room.round["ultimate_texas"].get("legal") or ()
            if 1 <= int(key) <= len(legal):
                app.attempt(room.do("decide", decision=legal[int(key) - 1]))
        self.refresh_room()

    def _arrange_key(self, key: str) -> None:
        room = self.app.room
        laid = room.arrangement
        if laid is None:
            return
        if key in {"left", "right", "up", "down"}:
            laid.move(key)
        elif key == "space":
            if laid.pick():
                self._check_soon()
        elif key == "s":
            laid.sort()
            self._check_soon()
        elif key == "enter":
            self.app.attempt(room.send_arrangement())

    async def _suggest(self) -> None:
        room = self.app.room
        if "ultimate_texas" in room.round:
            given = await self.app.session.command("suggest", round_id=room.round["round_id"])
            worth = [
                f"{self.app.look.say(one['decision'])} {one['value_minor']:+,}" for one in given.get("suggestions", ())
            ]
            self.app.notice = f"{self.app.look.say('suggest')}: {' · '.join(worth)}"
            return
        reasons = await room.suggest()
        self.app.notice = " ".join(text_of(one.get("text"), self.app.look.language) for one in reasons)
        self._check_soon()

    def _check_soon(self) -> None:
        """Ask the referee about the arrangement once it has been unchanged for a moment."""
        if self._asking is not None:
            self._asking.cancel()

        async def ask() -> None:
            await asyncio.sleep(CHECK_AFTER)
            await self.app.room.check()
            self.refresh_room()

        self._asking = self.app.attempt(ask())
