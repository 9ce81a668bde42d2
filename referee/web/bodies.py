"""Requests read whole before they are answered, within bounds; what is computed for a caller who has gone is cancelled.

A body that says it is too large is refused unread. Bodies that arrive count against their caller's bytes.
"""

import asyncio
from typing import Final

from connectrpc.code import Code
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from referee.web.callers import WebBounds, caller_of
from referee.web.errors import error_response

SMALL: Final = 64 * 1024
"""Bytes of a body that are not counted: the web server reads as many ahead, and connections are bounded."""


_MOST_DIGITS: Final = 18
"""Digits of a length that are read; so many are too large already."""


class BodyError(Exception):
    """A body that is not read further; after the ``response`` the connection is closed."""

    def __init__(self, status: int, code: Code, message: str) -> None:
        super().__init__(message)
        self.response = error_response(status, code, message, {"connection": "close"})


class BoundedBodies:
    """Application that reads each request before another one answers it."""

    def __init__(self, app: ASGIApp, bounds: WebBounds) -> None:
        self._app = app
        self._bounds = bounds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        reading = _Reading(self._bounds, caller_of(scope["client"]))
        try:
            try:
                reading.expect(_length_of(scope))
                async with asyncio.timeout(self._bounds.request_seconds):
                    body = await reading.read(receive)
            except TimeoutError:
                message = f"the request did not arrive within {self._bounds.request_seconds:g} s"
                await BodyError(408, Code.DEADLINE_EXCEEDED, message).response(scope, receive, send)
                return
            except BodyError as error:
                await error.response(scope, receive, send)
                return
            if body is not None:
                await self._answer(body, scope, receive, send)
        finally:
            reading.close()

    async def _answer(self, body: bytes, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request that has arrived, unless its caller goes before."""
        answering = asyncio.current_task()
        messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]
        is_answered, is_gone = False, asyncio.Event()

        async def replay() -> Message:
            if messages:
                return messages.pop()
            await is_gone.wait()
            return {"type": "http.disconnect"}

        async def note(message: Message) -> None:
            nonlocal is_answered
            is_answered = message["type"] == "http.response.body" and not message.get("more_body", False)
            await send(message)

        async def watch() -> None:
            await receive()  # nothing comes after the body but that the caller has gone, or has its answer
            if not is_answered and answering is not None:
                is_gone.set()
                answering.cancel()

        watching = asyncio.create_task(watch())
        try:
            await self._app(scope, replay, note)
        except asyncio.CancelledError:
            if not is_gone.is_set() or answering is None or answering.uncancel():
                raise
        finally:
            watching.cancel()


class _Reading:
    """A body that arrives, and the bytes that count for it."""

    def __init__(self, bounds: WebBounds, caller: str) -> None:
        self._bounds = bounds
        self._caller = caller
        self._counted = 0

    def expect(self, size: int) -> None:
        """Count a body of this size; raise BodyError if it is too large or there is no room."""
        limit = self._bounds.body_bytes
        if size > limit:
            message = f"the request has {size} bytes or more, and the server reads {limit}; send a smaller batch"
            raise BodyError(413, Code.RESOURCE_EXHAUSTED, message)
        if size > max(SMALL, self._counted):
            if not self._bounds.budget.take(self._caller, size - self._counted):
                message = "the caller's requests and unread answers take too much room; ask again a little later"
                raise BodyError(429, Code.RESOURCE_EXHAUSTED, message)
            self._counted = size

    async def read(self, receive: Receive) -> bytes | None:
        """Return the body once it has arrived, None if the caller has gone; raise BodyError as ``expect`` does."""
        parts, size, is_whole = list[bytes](), 0, False
        while not is_whole:
            message = await receive()
            if message["type"] != "http.request":
                return None
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            self.expect(size)
            is_whole = not message.get("more_body", False)
        return b"".join(parts)

    def close(self) -> None:
        """Count the body no longer."""
        if self._counted:
            self._bounds.budget.give(self._caller, self._counted)


def _length_of(scope: Scope) -> int:
    """Return the size that a request says its body has; 0 if it says none."""
    lengths = [value for name, value in scope["headers"] if name == b"content-length"]
    return int(lengths[0][:_MOST_DIGITS]) if lengths and lengths[0].isdigit() else 0
