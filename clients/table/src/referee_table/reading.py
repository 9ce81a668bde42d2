"""The reader of pages' commands: the shared ones and those of every game at the table.

>>> read(b'{"type":"command","id":"7","name":"ready","is_ready":true}')
Ready(is_ready=True, ante_minor=None, trips_minor=None, id='7')
"""

from functools import cache, reduce
from operator import or_
from typing import Any

import msgspec

from referee_table.commands import SHARED, Command
from referee_table.games import GAMES
from referee_table.wording import Code, RefusedError


@cache
def commands() -> tuple[type[Command], ...]:
    """Return all commands; several games may have one command in common."""
    return tuple(dict.fromkeys([*SHARED, *(one for game in GAMES.values() for one in game.commands)]))


@cache
def _reader() -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(reduce(or_, commands()))


def read(data: bytes) -> Command:
    """Read a command; raise BAD_COMMAND if a field is missing or invalid."""
    try:
        command: Command = _reader().decode(data)
    except (msgspec.ValidationError, msgspec.DecodeError) as error:
        raise RefusedError(Code.BAD_COMMAND, detail=str(error)) from None
    return command
