"""The reader of pages' commands: the shared ones and those of every game at the table.

>>> read(b'{"type":"command","id":"7","name":"ready","is_ready":true}')
Ready(is_ready=True, ante_minor=None, trips_minor=None, id='7')
"""

from functools import cache, reduce
from operator import or_
from typing import Any, Final

from referee.evidence.outside import OutsideError, read_json
from referee_table.commands import SHARED, Command
from referee_table.games import GAMES
from referee_table.wording import Code, RefusedError

MOST_BYTES: Final = 64 * 1024
"""Bytes of a page's message."""


@cache
def commands() -> tuple[type[Command], ...]:
    """Return all commands; several games may have one command in common."""
    return tuple(dict.fromkeys([*SHARED, *(one for game in GAMES.values() for one in game.commands)]))


@cache
def _any_command() -> Any:  # noqa: ANN401 - a union has no type
    return reduce(or_, commands())


def read(data: bytes) -> Command:
    """Read a command; raise BAD_COMMAND if a field is missing or invalid."""
    try:
        command: Command = read_json(data, _any_command(), most=MOST_BYTES)
    except OutsideError as error:
        raise RefusedError(Code.BAD_COMMAND, detail=str(error)) from None
    return command
