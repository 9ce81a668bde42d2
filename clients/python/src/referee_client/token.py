"""Token of a client: a string, or a function that is asked for another one when the last has expired."""

import asyncio
import inspect
import threading
from collections.abc import Awaitable, Callable
from typing import Final, TypeAlias

Token: TypeAlias = str | Callable[[], str]
"""Token that is sent with each call, or a function that returns it."""
AsyncToken: TypeAlias = str | Callable[[], str | Awaitable[str]]
"""Token for asyncio; the function may be a coroutine function."""
EXPIRED: Final = "CREDENTIALS_EXPIRED"
"""Reason with which a server refuses a call, before any work, for a token whose time is over."""


class HeldToken:
    """A client's newest token, which threads share.

    A function is asked at the first call and for each token that expires, by one caller while the others wait.
    """

    def __init__(self, source: Token) -> None:
        self._source = source
        self._text = source if isinstance(source, str) else None
        self._lock = threading.Lock()

    def text(self) -> str:
        """Return the token; empty for none."""
        with self._lock:
            if self._text is None:
                self._text = self._ask()
            return self._text

    def renew(self, expired: str) -> bool:
        """Replace an expired token unless another caller has; return whether there is another one."""
        with self._lock:
            if self._text == expired:
                self._text = self._ask()
            return self._text != expired

    def _ask(self) -> str:
        return self._source if isinstance(self._source, str) else self._source()


class AsyncHeldToken:
    """A client's newest token, as ``HeldToken``, which tasks share."""

    def __init__(self, source: AsyncToken) -> None:
        self._source = source
        self._text = source if isinstance(source, str) else None
        self._lock = asyncio.Lock()

    async def text(self) -> str:
        """Return the token; empty for none."""
        if self._text is None:
            async with self._lock:
                if self._text is None:
                    self._text = await self._ask()
        return self._text

    async def renew(self, expired: str) -> bool:
        """Replace an expired token unless another caller has; return whether there is another one."""
        async with self._lock:
            if self._text == expired:
                self._text = await self._ask()
            return self._text != expired

    async def _ask(self) -> str:
        given = self._source if isinstance(self._source, str) else self._source()
        return await given if inspect.isawaitable(given) else given
