"""The stream to the table server: hello, views as they come, commands and their answers, and coming back after a break.

There is one stream a person. A break is answered by connecting again, each time a little later, and commands
that were not answered are sent again with their old ids, so nothing is done twice. Taken over by another terminal or
page, it stays away until the person takes the seat back.
"""

import asyncio
import contextlib
import itertools
import json
import secrets
import unicodedata
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, Final

import aiohttp

FIRST_WAIT: Final = 0.5
LONGEST_WAIT: Final = 15.0
HELLO: Final = 1
"""The protocol that is spoken."""
TAKEN_OVER: Final = 4001
_FATAL: Final = frozenset({TAKEN_OVER, 4002, 4003})
"""Closes after which connecting again would do no good."""

Message = Mapping[str, Any]
OnMessage = Callable[[Message], Awaitable[None]]


class RefusedError(RuntimeError):
    """The table server refused a command: its code, its text for people, and the rules that were broken."""

    def __init__(self, message: Message) -> None:
        super().__init__(str(message.get("code")))
        self.code: Final = str(message.get("code"))
        self.text: Final[Mapping[str, str]] = message.get("text", {})
        self.violations: Final[tuple[Message, ...]] = tuple(message.get("violations", ()))


class Session:
    """One person at one table server.

    ``person`` are the fields of hello: ``secret``, ``name``, ``language``, ``seat_key``. ``on_message`` gets every
    message but answers, and besides ``{"type": "connected"}`` and ``{"type": "away", "wait": seconds}``; seconds are
    null where it will not come back by itself.
    """

    def __init__(self, url: str, *, person: Mapping[str, str], on_message: OnMessage, room: str | None = None) -> None:
        self._url: Final = url
        self._on_message: Final = on_message
        self._person: Final = {**person, "tab": secrets.token_hex(8)}
        self._room = room
        self._ids: Final = itertools.count(1)
        self._prefix: Final = secrets.token_hex(6)
        self._asked: Final[dict[str, tuple[Message, asyncio.Future[Message]]]] = {}
        self._stream: aiohttp.ClientWebSocketResponse | None = None
        self._back = asyncio.Event()

    async def run(self, http: aiohttp.ClientSession) -> None:
        """Connect, and connect again, until cancelled."""
        wait = FIRST_WAIT
        while True:
            code = None
            try:
                async with http.ws_connect(self._url, heartbeat=20, max_msg_size=1 << 24) as stream:
                    self._stream = stream
                    code = await self._converse(stream)
                    wait = FIRST_WAIT if code is not None else wait
            except (aiohttp.ClientError, OSError, TimeoutError):
                code = None
            finally:
                self._stream = None
            self._back.clear()
            if code in _FATAL:
                await self._on_message({"type": "away", "wait": None, "code": code})
                await self._back.wait()
                continue
            await self._on_message({"type": "away", "wait": wait})
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._back.wait(), wait)
            wait = min(2 * wait, LONGEST_WAIT)

    def come_back(self) -> None:
        """Connect now, whatever it was waiting for."""
        self._back.set()

    def call_me(self, name: str, language: str) -> None:
        """Set the name and language of every later hello."""
        self._person.update(name=name, language=language)

    async def command(self, name: str, **fields: Any) -> Message:  # noqa: ANN401 - JSON
        """Run a command, again if the stream breaks meanwhile; raise RefusedError if it is refused."""
        number = f"{self._prefix}-{next(self._ids)}"
        message = {"type": "command", "id": number, "name": name, **fields}
        answered: asyncio.Future[Message] = asyncio.get_running_loop().create_future()
        self._asked[number] = message, answered
        if self._stream is not None:
            await self._send(self._stream, message)
        answer = await answered
        if answer["type"] == "refused":
            raise RefusedError(answer)
        result: Message = answer.get("result", {})
        return result

    async def _converse(self, stream: aiohttp.ClientWebSocketResponse) -> int | None:
        hello = {"type": "hello", "protocol": HELLO, **self._person}
        if self._room is not None:
            hello["room"] = self._room
        await self._send(stream, hello)
        async for frame in stream:
            if frame.type is not aiohttp.WSMsgType.TEXT:
                break
            message = json.loads(frame.data, object_hook=_without_controls)
            match message.get("type"):
                case "welcome":
                    self._room = None  # an invitation is taken once
                    await self._on_message({"type": "connected"})
                    await self._on_message(message)
                    for asked, _ in list(self._asked.values()):
                        await self._send(stream, asked)
                case "done" | "refused":
                    _, answered = self._asked.pop(str(message["id"]), (None, None))
                    if answered is not None and not answered.done():
                        answered.set_result(message)
                case _:
                    await self._on_message(message)
        return stream.close_code

    async def _send(self, stream: aiohttp.ClientWebSocketResponse, message: Message) -> None:
        with contextlib.suppress(ConnectionError, aiohttp.ClientError):  # it is sent again after the next hello
            await stream.send_str(json.dumps(message))


def _without_controls(given: dict[str, Any]) -> dict[str, Any]:
    """Strip control and bidi characters from names, which a server may send as they were typed."""
    for key in given.keys() & {"name", "persons"}:
        given[key] = _visible(given[key])
    return given


def _visible(value: Any) -> Any:  # noqa: ANN401 - JSON
    if isinstance(value, list):
        return [_visible(one) for one in value]
    if isinstance(value, str):
        return "".join([one for one in value if not unicodedata.category(one).startswith("C")])
    return value
