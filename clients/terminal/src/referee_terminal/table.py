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
from referee_terminal.arranging import Arrangement
from referee_terminal.faces import face
from referee_terminal.faces import row as cards_row
from referee_terminal.hints import Keys, hints
from referee_terminal.words import text_of

if TYPE_CHECKING:
    from referee_terminal.app import TerminalTable

CHECK_AFTER: Final = 0.3
"""Seconds without a change before the referee is asked about an arrangement."""
HAND_IN_AFTER: Final = 1.0
"""Seconds without a change before an arrangement is handed in, so that it counts when the time is up."""
WARN_SECONDS: Final = 10
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
        self._handing_in: asyncio.Task[None] | None = None
        self._is_warned = self._was_on_turn = False
        self.set_interval(TICK, self._show_top)
        self.call_after_refresh(self.refresh_room)

    def refresh_room(self) -> None:
        """Everything is drawn anew."""
        app = self.app
        if not app.room.view or not self.query("#board"):  # not laid out yet, or closed meanwhile
            return
        if app.room.is_on_turn and not self._was_on_turn:
            app.bell()
        self._was_on_turn = app.room.is_on_turn
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
        given += [self.clock("seconds_left", view["deadline"])] if view.get("deadline") else []
        given += [app.look.say("paused")] if view.get("is_paused") else []
        given += [self.clock("kick_in", self._me()["kick_time"])] if self._me().get("kick_time") else []
        self.query_one("#top", Static).update(f"[b]{given[0]}[/b] · {' · '.join(given[1:])}")
        if app.room.is_due:
            app.attempt(app.room.sign())

    def clock(self, word: str, moment: float) -> str:
        """Return how long is left until a moment, marked when that is little."""
        left = max(0, round((moment - self.app.server_time) / 1000))
        words = self.app.look.say(word, count=left)
        return f"[b reverse]{words}[/]" if left <= WARN_SECONDS else words

    def _me(self) -> Mapping[str, Any]:
        """Return this person, as the view has them."""
        view = self.app.room.view
        return next((one for one in view.get("persons", ()) if one["person"] == view.get("you")), {})

    def _persons(self) -> Grid:
        view, look = self.app.room.view, self.app.look
        grid = Grid.grid(padding=(0, 3))
        cells = []
        for one in view.get("persons", ()):
            text = Text(one["name"], "bold" if one["person"] == view.get("you") else "", no_wrap=True)
            notes = [look.say("you")] if one["person"] == view.get("you") else []
            notes += [look.say("host")] if one.get("is_host") else []
            notes += [look.say("away")] if one.get("is_away") else []
            notes += [look.say(one["place"])] if one.get("place", "SEAT") != "SEAT" else []
            notes += [look.say("auto_ready")] if one.get("is_auto_ready") else []
            text.append(f" ({', '.join(notes)})" if notes else "", "dim")
            if view["phase"] == "LOBBY":
                text.append(" ✓" if one.get("is_ready") else " …", "green" if one.get("is_ready") else "dim")
            score = one.get("score_minor", 0)
            text.append(f"\n{score:+,}", "green" if score > 0 else "red" if score < 0 else "dim")
            if view["phase"] == "LOBBY":
                text.append(f"\n{scores.session_of(one, look)}", "dim")
            cells.append(text)
        grid.add_row(*cells)
        return grid

    def _board(self) -> Text:
        room, look = self.app.room, self.app.look
        if not room.round:
            last = room.view.get("last")
            return scores.draw(last, look) if last else Text()
        wins = next((game["instant_wins"] for game in self._games() if game.get("instant_wins")), ())
        if wins:
            text = Text(f"{look.say('hole')}  ")
            text.append_text(cards_row(room.cards, four_colours=look.four_colours))
            return text.append("\n\n").append_text(showdown.draw_instant_wins(wins, room.names, look))
        if "tien_len" in room.round:
            return room.hand.draw(room.round["tien_len"], room.names, room.you, look)
        if "ultimate_texas" in room.round:
            return betting.draw(room.round["ultimate_texas"], room.cards, room.names, room.you, look)
        return self._mau_binh()

    def _games(self) -> list[Mapping[str, Any]]:
        """Return what the round has of its game."""
        return [self.app.room.round[name] for name in ("mau_binh", "tien_len") if name in self.app.room.round]

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
        elif given.get("arrangement") or given.get("commitment"):
            text.append(f"\n\n{look.say('handed_in')}", "green")
        if given:
            text.append(f"\n{look.say('waiting_for', count=missing)}", "dim")
            text.append(f"\n{look.say('sealed_stay')}" if room.is_sealed else "", "dim")
        return text

    def _keys(self) -> Keys:
        room, look = self.app.room, self.app.look
        general: Keys = tuple(
            (key, look.say(word))
            for key, word in (("?", "rules"), ("e", "say"), ("l", "language"), ("c", "colours"), ("Esc", "leave"))
        )
        if room.view.get("phase") == "PLAYING" and room.you is not None:
            game = room.round
            if "mau_binh" in game:
                mine: Keys = (("←↑↓→", "move"), ("Space", "pick"), ("s", "sort"), ("g", "suggest"), ("Enter", "send"))
            elif "tien_len" in game:
                mine = (("←→", "move"), ("Space", "pick"), ("g", "suggest"), ("Enter", "play"), ("p", "pass"))
            else:
                mine = (("1-9", "play"), ("g", "suggest"))
            return (*((key, look.say(word)) for key, word in mine), *general)
        mine = (("r", "ready"), ("y", "auto_ready"), ("o", "sit_out"), ("h", "history"), ("x", "proof"))
        if self._me().get("is_host"):
            mine += (("+", "add_bot"), ("-", "remove_bot"), ("b", "pause"), ("k", "kick"))
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
        """One key, one thing; what it did is said above the keys."""
        room, app = self.app.room, self.app
        key = event.character if event.character in {"+", "-", "?"} else event.key
        if app.is_taken_over and key == "enter":
            app.come_back()
        elif key == "escape":
            app.leave()
        elif key == "?":
            app.show_rules(str(room.view["ruleset"]))
        elif key == "e":
            lines = [f"{one.get('symbol', '')} {text_of(one['text'], app.look.language)}" for one in app.phrases]
            app.choose(lines, lambda place: app.ask("say", phrase=app.phrases[place]["code"]))
        elif key == "l":
            app.change_language()
        elif key == "c":
            app.look.four_colours = not app.look.four_colours
            self._say(f"{app.look.say('colours')}: {app.look.say('on' if app.look.four_colours else 'off')}")
        elif room.view.get("phase") == "PLAYING" and room.you is not None:
            self._play_key(key)
        else:
            self._table_key(key)

    def _say(self, words: str) -> None:
        """Show what a key did."""
        self.app.notice = words
        self.refresh_room()

    def _table_key(self, key: str) -> None:
        """Do what a key does between rounds."""
        app, say = self.app, self.app.look.say
        if key == "h":
            app.show_history()
        elif key == "x":
            app.show_proof()
        elif key in {"a", "t"} and self._is_texas:
            self._bet_key(key)
        elif not self._own_key(key) and not self._host_key(key):
            self._say(say("unknown_key", name=key))

    def _bet_key(self, key: str) -> None:
        """Choose the bets for the next round of Ultimate Texas."""
        say = self.app.look.say
        if key == "a":
            self._ante = (self._ante + 1) % len(ANTES)
            self._say(f"{say('ante')} {self._ante_minor:,}")
        else:
            self._trips = not self._trips
            self._say(f"Trips: {say('on' if self._trips else 'off')}")

    def _own_key(self, key: str) -> bool:
        """Do what a key does for the person; return whether it is such a key."""
        app, me, say = self.app, self._me(), self.app.look.say
        match key:
            case "r":
                bets = {}
                if self._is_texas:
                    bets = {"ante_minor": self._ante_minor, "trips_minor": self._ante_minor if self._trips else 0}
                is_ready = not me.get("is_ready")
                app.ask("ready", is_ready=is_ready, **bets)
                self._say(say("ready_said" if is_ready else "not_ready_said"))
            case "y":
                is_on = not me.get("is_auto_ready")
                app.ask("auto_ready", is_on=is_on)
                self._say(f"{say('auto_ready')}: {say('on' if is_on else 'off')}")
            case "o":
                is_out = me.get("place") != "WATCHING"
                app.ask("sit_out", is_out=is_out)
                self._say(f"{say('sit_out')}: {say('on' if is_out else 'off')}")
            case _:
                return False
        return True

    def _host_key(self, key: str) -> bool:
        """Do what a key does for the table; return whether it is such a key."""
        app, me, say = self.app, self._me(), self.app.look.say
        match key:
            case "+" | "-":
                app.ask("add_bot" if key == "+" else "remove_bot")
                self._say(say("bot_added" if key == "+" else "bot_removed"))
            case "b":
                is_paused = not app.room.view.get("is_paused")
                app.ask("pause", is_paused=is_paused)
                self._say(say("paused" if is_paused else "goes_on"))
            case "k":
                others = [one for one in app.room.view.get("persons", ()) if one["person"] != me.get("person")]
                app.choose(
                    [one["name"] for one in others], lambda place: app.ask("kick", person=others[place]["person"])
                )
            case _:
                return False
        return True

    def _play_key(self, key: str) -> None:
        room, app, say = self.app.room, self.app, self.app.look.say
        if key == "g":
            app.attempt(self._suggest())
        elif room.arrangement is not None:
            self._arrange_key(room.arrangement, key)
        elif "tien_len" in room.round:
            self._shed_key(key)
        elif "ultimate_texas" in room.round and key.isdecimal():
            legal = room.round["ultimate_texas"].get("legal") or ()
            if 1 <= int(key) <= len(legal):
                decision = legal[int(key) - 1]
                app.attempt(room.do("decide", decision=decision))
                self._say(say("decided_said", decision=say(decision)))
        else:
            self._say(say("unknown_key", name=key))

    def _shed_key(self, key: str) -> None:
        room, app, say = self.app.room, self.app, self.app.look.say
        hand = room.hand
        if key in {"left", "right"} and hand.cards:
            hand.move(key)
            self._say(say("at", card=face(hand.cards[hand.cursor])))
        elif key == "space" and hand.cards:
            hand.pick()
            card = hand.cards[hand.cursor]
            self._say(say("picked" if card in hand.chosen else "unpicked", card=face(card)))
        elif key == "enter":
            self._say(say("played", cards=" ".join(face(card) for card in hand.choice)))
            app.attempt(room.play())
        elif key == "p":
            app.attempt(room.do("pass"))
            self._say(say("passed_said"))
        else:
            self._say(say("unknown_key", name=key))

    def _arrange_key(self, laid: Arrangement, key: str) -> None:
        say = self.app.look.say
        if key in {"left", "right", "up", "down"}:
            laid.move(key)
            self._say(say("at", card=face(laid.cards[laid.cursor])))
        elif key == "space":
            before = laid.picked
            if laid.pick() and before is not None:
                first, second = face(laid.cards[laid.cursor]), face(laid.cards[before])
                self._changed(say("swapped", first=first, second=second))
            else:
                self._say(say("picked" if laid.picked is not None else "unpicked", card=face(laid.cards[laid.cursor])))
        elif key == "s":
            laid.sort()
            self._changed(say("sorted_by_rank" if laid.is_by_rank else "sorted_by_suit"))
        elif key == "enter":
            if laid.is_fouled and not self._is_warned:
                self._is_warned = True
                self._say(say("foul_asks"))
                return
            if self._handing_in is not None:
                self._handing_in.cancel()
            self.app.attempt(self.app.room.hand_in(is_final=True))
            self._say(say("sent"))
        else:
            self._say(say("unknown_key", name=key))

    def _changed(self, words: str) -> None:
        """Check what has changed, and hand it in so that it counts at the deadline."""
        self._is_warned = False
        self._check_soon()
        self._hand_in_soon(HAND_IN_AFTER)
        self._say(words)

    def _hand_in_soon(self, seconds: float) -> None:
        """Hand in the arrangement once it has been unchanged for a while."""
        if self._handing_in is not None:
            self._handing_in.cancel()

        async def hand_in() -> None:
            await asyncio.sleep(seconds)
            self._handing_in = None  # from here on it is not taken back
            await self.app.room.hand_in(is_final=False)

        self._handing_in = self.app.attempt(hand_in())

    async def _suggest(self) -> None:
        room = self.app.room
        if "ultimate_texas" in room.round:
            worth = [f"{self.app.look.say(name)} {value:+,}" for name, value in await room.advise()]
            self.app.notice = f"{self.app.look.say('suggest')}: {' · '.join(worth)}"
            return
        reasons = await room.suggest()
        words = " ".join(text_of(one.get("text"), self.app.look.language) for one in reasons)
        if room.arrangement is not None:
            self._changed(self.app.look.say("suggested", number=room.arrangement.suggested))
        else:
            chosen = " ".join(face(card) for card in room.hand.choice) or self.app.look.say("pass")
            self._say(f"{self.app.look.say('suggest')}: {chosen} {words}".rstrip())

    def _check_soon(self) -> None:
        """Ask the referee about the arrangement once it has been unchanged for a moment."""
        if self._asking is not None:
            self._asking.cancel()

        async def ask() -> None:
            await asyncio.sleep(CHECK_AFTER)
            await self.app.room.check()
            self.refresh_room()

        self._asking = self.app.attempt(ask())
