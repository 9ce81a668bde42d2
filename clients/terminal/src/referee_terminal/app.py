"""The terminal as a whole: its connection, its screens, and what it knows.

A key does one thing on a screen, and the last line says which keys there are. Everything is drawn from the
newest view; what the table server or the referee refuse is said in the line above the keys, in their words.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Final

import aiohttp
from nacl.signing import SigningKey
from rich.text import Text
from textual.app import App

from referee_terminal import rules, scores
from referee_terminal.asking import Choice, LeaveAsked, NameAsked
from referee_terminal.gateway import Gateway, GatewayError
from referee_terminal.lobby import Lobby
from referee_terminal.over import Over
from referee_terminal.proof import ProofError, Verdict, check_proof
from referee_terminal.room import NotLawfulError, Room
from referee_terminal.seat import Keeping
from referee_terminal.session import RefusedError, Session
from referee_terminal.shedding import Look
from referee_terminal.signing import AlreadySignedError
from referee_terminal.table import TableScreen
from referee_terminal.words import text_of


class TerminalTable(App[None]):
    """The terminal's table; ``url`` is the table server's stream."""

    CSS: ClassVar[str] = """
    Screen { background: #12301f; color: #eef2ea; }
    #top { background: #0b1f14; padding: 0 1; height: 1; }
    #persons { padding: 0 1; height: 3; }
    #felt { padding: 1 2; scrollbar-color: #2f6b48; scrollbar-background: #12301f; }
    #choices { height: 1fr; background: #12301f; border: none; }
    #choices > .option-list--option-highlighted { background: #2f6b48; color: #ffffff; text-style: bold; }
    #about { height: auto; max-height: 2; padding: 0 1; color: #a9c8b5; }
    #notice { height: auto; max-height: 3; padding: 0 1; color: #ffd479; }
    #keys { background: #0b1f14; padding: 0 1; height: auto; }
    Over, NameAsked, LeaveAsked, Choice { align: center middle; }
    #asked { width: 70%; height: auto; background: #0f2619; border: round #6f8f7d; padding: 1 2; }
    #scrolled { height: 1fr; }
    #over { width: 90%; height: 80%; background: #0f2619; border: round #6f8f7d; padding: 1 2; }
    """
    ENABLE_COMMAND_PALETTE = False

    def __init__(  # noqa: PLR0913 - what can be asked on the command line
        self, url: str, *, state: Path, name: str, language: str, room: str | None = None, stake: int = 0
    ) -> None:
        super().__init__()
        self.look: Final = Look(language)
        self.notice = self.look.say("connecting")
        self.rulesets: dict[str, Mapping[str, Any]] = {}
        self.stakes: list[int] = []
        self.rooms: list[Mapping[str, Any]] = []
        self.is_taken_over = False
        self._keeping: Final = Keeping(state)
        self._called = name or self._keeping.name
        self._wanted_stake = stake
        self.back: Mapping[str, Any] | None = None
        self.phrases: list[Mapping[str, Any]] = []
        self.avatars: list[Mapping[str, Any]] = []
        self._base: Final = url.rstrip("/")
        self.log_keys: Mapping[str, Any] = {}
        self._ahead = 0.0
        self._said_until = 0
        self._http: aiohttp.ClientSession | None = None
        self._gateway: Gateway | None = None
        stream = f"{self._base.replace('http', 'ws', 1)}/api/stream"
        public_key = bytes(SigningKey(bytes.fromhex(self._keeping.key())).verify_key).hex()
        person = {
            "secret": self._keeping.secret(),
            "name": self._called,
            "language": language,
            "seat_key": public_key,
        }
        self.session: Final = Session(stream, person=person, on_message=self._receive, room=room)
        self.room = self._new_room()
        self._tasks: set[asyncio.Task[None]] = set()

    def _new_room(self) -> Room:
        return Room(self.session, self._keeping, self._gateway)

    @property
    def stake(self) -> int:
        """The stake of tables that are opened: the nearest that the server has."""
        wanted = self._wanted_stake
        return min(self.stakes, key=lambda one: abs(one - wanted), default=wanted)

    def change_stake(self, step: int) -> None:
        """Choose the next higher or lower stake."""
        if self.stakes:
            place = self.stakes.index(self.stake) + step
            self._wanted_stake = self.stakes[max(0, min(place, len(self.stakes) - 1))]
            self.notice = self.look.say("stake", amount=f"{self.stake:,}")

    @property
    def server_time(self) -> float:
        """The table server's clock, in ms since 1970."""
        return time.time() * 1000 + self._ahead

    @property
    def has_gateway(self) -> bool:
        """Whether sealed hands can be fetched."""
        return self._gateway is not None

    async def on_mount(self) -> None:
        """Open the stream and show the lobby."""
        self._http = aiohttp.ClientSession()
        self.push_screen(Lobby())
        if self._called:
            self._come_in(self._called)
        else:
            self.push_screen(NameAsked(), self._come_in)

    def _come_in(self, name: str | None) -> None:
        """Connect under a name, which is kept."""
        self._called = name or ""
        self._keeping.call(self._called)
        self.session.call_me(self._called, self.look.language)
        if self._http is not None:
            self._start(self.session.run(self._http))

    async def on_unmount(self) -> None:
        """Nothing is left open."""
        for task in list(self._tasks):
            task.cancel()
        if self._http is not None:
            await self._http.close()

    def ask(self, name: str, **fields: Any) -> None:  # noqa: ANN401 - JSON
        """Send a command; show why it is refused, if it is."""

        async def send() -> None:
            await self.session.command(name, **fields)

        self.attempt(send())

    def attempt(self, work: Any) -> asyncio.Task[None]:  # noqa: ANN401 - a coroutine of whatever kind
        """Run the work in the background; show a refusal."""

        async def attempted() -> None:
            try:
                await work
            except RefusedError as error:
                given = [text_of(error.text, self.look.language) or error.code]
                given += [text_of(one.get("text"), self.look.language) for one in error.violations]
                self.notice = "; ".join(given)
            except NotLawfulError:
                self.notice = self.look.say("not_lawful")
            except AlreadySignedError as error:
                self.notice = str(error)
            except GatewayError as error:
                self.notice = str(error) if self._gateway is not None else self.look.say("no_gateway")
            self._refresh()

        return self._start(attempted())

    def rename(self, name: str | None, **fields: str) -> None:
        """Take another name or picture, at the table server too."""
        self._called = name or self._called
        self._keeping.call(self._called)
        self._introduce(**fields)
        self.notice = self.look.say("renamed", name=self._called)
        self._refresh()

    def _introduce(self, **fields: str) -> None:
        """Say name and language to the table server, now and with every new stream."""
        self.session.call_me(self._called, self.look.language)
        self.ask("rename", person_name=self._called, language=self.look.language, **fields)

    def ask_name(self) -> None:
        """Ask for another name."""
        self.push_screen(NameAsked(self._called), self.rename)

    def ask_avatar(self) -> None:
        """Let the person choose a picture of the table server's list."""
        lines = [f"{one['symbol']} {text_of(one['text'], self.look.language)}" for one in self.avatars]
        self.choose(lines, lambda place: self.rename(None, avatar=str(self.avatars[place]["code"])))

    def change_language(self) -> None:
        """Switch to the other language."""
        self.look.language = "en" if self.look.language == "vi" else "vi"
        self.notice = ""
        self._introduce()
        self._refresh()

    def come_back(self) -> None:
        """Take the seat back from the device that plays it now."""
        self.is_taken_over = False
        self.session.come_back()

    def leave(self) -> None:
        """Ask whether to leave the table, and leave it."""
        is_in_round = bool(self.room.round) and self.room.you is not None

        def answered(answer: str | None) -> None:
            if answer == "leave":
                self.attempt(self.room.leave())

        self.push_screen(LeaveAsked(is_in_round=is_in_round), answered)

    def choose(self, lines: Sequence[str], then: Callable[[int], None]) -> None:
        """Ask for one of a list."""

        def answered(place: int | None) -> None:
            if place is not None and place >= 0:
                then(place)

        self.push_screen(Choice(lines), answered)

    def show_rules(self, ruleset: str) -> None:
        """Show the rules of a ruleset."""

        async def show() -> None:
            self.push_screen(Over(rules.draw(await self.session.command("rules", ruleset=ruleset), self.look)))

        self.attempt(show())

    def show_history(self) -> None:
        """Show the room's finished rounds, newest first."""

        async def show() -> None:
            given = (await self.session.command("history")).get("rounds") or ()
            text = Text("\n").join(scores.draw(one, self.look) for one in given)
            self.push_screen(Over(text if given else Text(self.look.say("no_history"))))

        self.attempt(show())

    def show_proof(self) -> None:
        """Show the last round's proof, verified on this machine."""
        last = self.room.view.get("last")
        if not last or not last.get("proof"):
            self.notice = self.look.say("no_history")
            return
        over = Over(Text(self.look.say("checking")))
        self.push_screen(over)

        async def show() -> None:
            try:
                verdict = await self._checked(last["proof"])
            except ProofError as error:
                over.replace(Text(str(error)))
            else:
                over.replace(verdict.draw(self.look))

        self.attempt(show())

    async def fetch_bundle(self, proof: Mapping[str, Any]) -> bytes:
        """Fetch the bundle of a finished round by the ``proof`` of its view; raise ProofError if it does not arrive."""
        if self._http is None:
            msg = "not connected"
            raise ProofError(msg)
        try:
            async with self._http.get(f"{self._base}{proof['bundle']}", raise_for_status=True) as answer:
                return await answer.read()
        except (aiohttp.ClientError, TimeoutError) as error:
            raise ProofError(str(error)) from error

    async def _checked(self, proof: Mapping[str, Any]) -> Verdict:
        return await asyncio.to_thread(check_proof, await self.fetch_bundle(proof), self.log_keys)

    def _start(self, work: Any) -> asyncio.Task[None]:  # noqa: ANN401 - a coroutine
        task: asyncio.Task[None] = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _receive(self, message: Mapping[str, Any]) -> None:
        match message.get("type"):
            case "connected":
                self.notice, self.is_taken_over = self.look.say("connected"), False
            case "away":
                wait = message.get("wait")
                self.is_taken_over = wait is None
                self.notice = self.look.say("taken_over") if wait is None else self.look.say("lost", wait=f"{wait:g}")
            case "welcome":
                self._welcome(message)
            case "lobby":
                self.rooms, self.back = list(message.get("rooms", ())), message.get("back")
                self._ahead = message.get("time", self.server_time) - time.time() * 1000
                self.room = self._new_room()
                while len(self.screen_stack) > 1 and any(isinstance(one, TableScreen) for one in self.screen_stack):
                    self.pop_screen()
            case "view":
                self._show(message)
            case "notice" | "goodbye":
                self.notice = text_of(message.get("text"), self.look.language) or str(message.get("code"))
        self._refresh()

    def _welcome(self, message: Mapping[str, Any]) -> None:
        self.rulesets = {one["id"]: one for one in message.get("rulesets", ())}
        self.stakes, self.phrases = list(message.get("stakes") or ()), list(message.get("phrases") or ())
        self.avatars = list(message.get("avatars") or ())
        self.log_keys = message.get("log") or {}
        self._ahead = message.get("time", self.server_time) - time.time() * 1000
        if message.get("gateway") and self._http is not None:
            self._gateway = Gateway(message["gateway"], self._http)

    def _show(self, view: Mapping[str, Any]) -> None:
        if self.room.view and self.room.view.get("room") != view.get("room"):
            self.room = self._new_room()
        if not self.room.view:
            self.room = self._new_room()
        if not self.room.show(view):
            return
        self._ahead = view.get("time", self.server_time) - time.time() * 1000
        if view.get("referee") == "AWAY":
            self.notice = self.look.say("referee_away")
        self._say_what_was_said(view)
        if not any(isinstance(screen, TableScreen) for screen in self.screen_stack):
            self.push_screen(TableScreen())
        self.attempt(self.room.do_duties())

    def _say_what_was_said(self, view: Mapping[str, Any]) -> None:
        """Show what somebody else has just said."""
        for one in view.get("persons", ()):
            said = one.get("said")
            if said and one["person"] != view.get("you") and said["time"] > self._said_until:
                self._said_until = said["time"]
                words = next((each for each in self.phrases if each["code"] == said["code"]), {})
                text = text_of(words.get("text", said["code"]), self.look.language)
                self.notice = f"{one['name']}: {words.get('symbol', '')} {text}"

    def _refresh(self) -> None:
        for screen in self.screen_stack:
            if isinstance(screen, Lobby | TableScreen) and screen.is_mounted:
                screen.refresh_room()
