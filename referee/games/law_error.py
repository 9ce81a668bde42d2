"""Defects in a game's law: an exception that the law must not raise, with the function and event at which it did.

A law answers a broken rule with violations and raises a few errors of its own. Anything else is a defect of the package
that has the game. It changes nothing: the round is as it was, and a repaired package goes on with it.
"""

import functools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final

_BEFORE_THE_EVENT: Final = frozenset({"check", "apply", "needs", "minimum_seen"})
"""Functions that get the state before the event which they are about."""


class LawError(Exception):
    """A defect in the law of ``game``: its ``function`` raised ``fault``, the name of an exception's type.

    ``event`` is the number (from 1) of the event that the call was about, or of the last event before it, 0 for none.
    ``ruleset`` is id and version, empty if they are not known.
    """

    def __init__(self, game: str, function: str, *, event: int, fault: str, ruleset: str = "") -> None:
        super().__init__(game, function, event, fault, ruleset)
        self.game = game
        self.function = function
        self.event = event
        self.fault = fault
        self.ruleset = ruleset

    def __str__(self) -> str:
        place = f" at event {self.event}" if self.event else ""
        under = f" under {self.ruleset}" if self.ruleset else ""
        return (
            f"the law of {self.game} failed in {self.function}{place}{under}: {self.fault}; this is a defect of the "
            "game's package, and the round is as it was"
        )

    def __reduce__(self) -> tuple[object, ...]:
        return _again, (self.game, self.function, self.event, self.fault, self.ruleset)


def _again(game: str, function: str, event: int, fault: str, ruleset: str) -> LawError:
    return LawError(game, function, event=event, fault=fault, ruleset=ruleset)


@contextmanager
def under_ruleset(ruleset_id: str, version: str) -> Iterator[None]:
    """Name the ruleset in a LawError that the block raises."""
    try:
        yield
    except LawError as error:
        error.ruleset = error.ruleset or f"{ruleset_id} {version}"
        raise


def guarded(
    function: Callable[..., Any], *, game: str, name: str, lawful: tuple[type[Exception], ...]
) -> Callable[..., Any]:
    """Wrap a function of a law: the wrapper raises LawError in place of an exception that is not ``lawful``.

    LawError and RecursionError pass unchanged. A function that is wrapped already is returned as it is.
    """
    if hasattr(function, "law_of"):
        return function
    passed: tuple[type[Exception], ...] = (LawError, RecursionError, *lawful)

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:  # noqa: ANN401 - whatever the function takes and returns
        try:
            return function(*args, **kwargs)
        except passed:
            raise
        except Exception as error:
            event = _event_of(name, args)
            raise LawError(game, name, event=event, fault=type(error).__name__) from error

    run.law_of = game  # type: ignore[attr-defined] # so that a copy of the game is not guarded twice
    return run


def _event_of(name: str, args: tuple[Any, ...]) -> int:
    """Return the number of the event that a call is about, by its first argument; 0 if that is not a state."""
    count = getattr(args[0], "event_count", None) if args else None
    if not isinstance(count, int):
        return 0
    return count + 1 if name in _BEFORE_THE_EVENT else count
