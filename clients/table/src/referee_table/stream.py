"""One page's WebSocket: its commands begin in their order, what it sees is sent as fast as it reads.

A page is sent the newest view when it can take one: who reads slowly misses views, but never sees an old one last.
"""

import asyncio
import contextlib
from collections import deque
from typing import Any, Final, TypeVar

import msgspec
from starlette.websockets import WebSocket, WebSocketDisconnect

from referee.evidence.outside import OutsideError, read_json
from referee_table.commands import Command, Hello, Suggest
from referee_table.games import MOST_BYTES, read
from referee_table.house import House
from referee_table.state import Person
from referee_table.words import RefusedError, goodbye

PROTOCOL: Final = 1
MOST_WAITING: Final = 256
HELLO_SECONDS: Final = 10.0
RATE: Final = 20.0
BURST: Final = 60.0
"""Commands that a page may send a second, and at once."""
MessageT = TypeVar("MessageT")


class _Kind(msgspec.Struct):
    """The members of a message that name its kind and id."""

    type: str
    id: str = ""
    sent: float = 0


class PageStream:
    """A connected page."""

    def __init__(self, house: House, socket: WebSocket) -> None:
        self._house, self._socket = house, socket
        self._words: deque[dict[str, Any]] = deque()
        self._is_stale = False
        self._ending = ""
        self._news = asyncio.Event()
        self._commands: asyncio.Queue[tuple[str, bytes]] = asyncio.Queue(MOST_WAITING)
        self._allowance, self._last_time = BURST, 0.0

    def say(self, message: dict[str, Any]) -> None:
        """Send the message, in order."""
        self._words.append(message)
        if len(self._words) > MOST_WAITING:
            self._ending = "TOO_SLOW"
        self._news.set()

    def refresh(self) -> None:
        """Send the page its view."""
        self._is_stale = True
        self._news.set()

    def end(self, code: str) -> None:
        """Send the page a last message."""
        self._ending = self._ending or code
        self._news.set()

    async def run(self) -> None:
        """Run the stream until one side ends it."""
        await self._socket.accept()
        try:
            async with asyncio.timeout(HELLO_SECONDS):
                hello = _parse(await self._receive(), Hello)
        except (WebSocketDisconnect, TimeoutError):
            return
        if hello is None or hello.protocol != PROTOCOL:
            self._ending = "BAD_MESSAGE" if hello is None or hello.protocol == PROTOCOL else "OTHER_PROTOCOL"
            await self._close()
            return
        person = self._house.visitors.welcome(hello)
        self.say(self._house.welcome(person))
        self._house.arrive(person, self)
        work = (self._read_messages(), self._do(person), self._speak(person))
        tasks = [asyncio.ensure_future(one) for one in work]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            self._house.depart(person, self)
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _receive(self) -> bytes:
        message = await self._socket.receive()
        if message["type"] == "websocket.disconnect":
            raise WebSocketDisconnect(message.get("code", 1005))
        return message.get("bytes") or (message.get("text") or "").encode()

    async def _read_messages(self) -> None:
        """Read what the page sends, in order; end the stream if it cannot be read."""
        with contextlib.suppress(WebSocketDisconnect):
            while True:
                data = await self._receive()
                kind = _parse(data, _Kind)
                if kind is None or kind.type not in {"ping", "command"}:
                    self.end("BAD_MESSAGE")
                    await asyncio.Event().wait()
                elif kind.type == "ping":
                    self.say({"type": "pong", "sent": kind.sent, "time": self._house.clock.now()})
                elif not self._may_ask() or self._commands.full():
                    self.say(RefusedError("TOO_MANY").message(kind.id))
                else:
                    self._commands.put_nowait((kind.id, data))

    def _may_ask(self) -> bool:
        now = asyncio.get_running_loop().time()
        self._allowance = min(BURST, self._allowance + (now - self._last_time) * RATE)
        self._last_time = now
        if self._allowance < 1:
            return False
        self._allowance -= 1
        return True

    async def _do(self, person: Person) -> None:
        """Carry out the page's commands one after the other, and answer each; none waits for advice."""
        async with asyncio.TaskGroup() as beside:
            while True:
                command_id, data = await self._commands.get()
                try:
                    command = read(data)
                except RefusedError as error:
                    self.say(error.message(command_id))
                    continue
                answering = beside.create_task(self._answer(person, command))
                if isinstance(command, Suggest):
                    await asyncio.sleep(0)  # the room has the question before the next command
                else:
                    await answering

    async def _answer(self, person: Person, command: Command) -> None:
        """Carry out a command and answer it."""
        self.say(await self._house.do(person, command))

    async def _speak(self, person: Person) -> None:
        while True:
            await self._news.wait()
            self._news.clear()
            while self._words and not self._ending:
                await self._send(self._words.popleft())
            if self._ending:
                await self._close()
                return
            if self._is_stale:
                self._is_stale = False
                if (seen := self._house.sees(person)) is not None:
                    await self._send(seen)

    async def _send(self, message: dict[str, Any]) -> None:
        await self._socket.send_text(msgspec.json.encode(message).decode())

    async def _close(self) -> None:
        message, code = goodbye(self._ending)
        with contextlib.suppress(RuntimeError, WebSocketDisconnect):
            await self._send(message)
            await self._socket.close(code)


def _parse(data: bytes, kind: type[MessageT]) -> MessageT | None:
    """Read a page's message; None if it is none of this kind."""
    try:
        return read_json(data, kind, most=MOST_BYTES)
    except OutsideError:
        return None
