"""The end of a computation that nobody waits for any more: long ones call ``pause`` between their samples.

>>> def end() -> None:
...     raise TimeoutError
>>> with checked(end):
...     pause()
Traceback (most recent call last):
...
TimeoutError
>>> pause()
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

_check: Final[ContextVar[Callable[[], None]]] = ContextVar("check", default=lambda: None)


def pause() -> None:
    """Raise the error that ends the computation, if it is to end now."""
    _check.get()()


@contextmanager
def checked(check: Callable[[], None]) -> Iterator[None]:
    """Call ``check`` at each pause of the computations in the block; what it raises ends them."""
    token = _check.set(check)
    try:
        yield
    finally:
        _check.reset(token)
