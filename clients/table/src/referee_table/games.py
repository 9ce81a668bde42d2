"""The games at the table, each a folder; and the reader of pages' commands.

>>> list(GAMES)
['mau_binh', 'tien_len', 'ultimate_texas']
>>> read(b'{"type":"command","id":"7","name":"ready","is_ready":true}')
Ready(is_ready=True, ante_minor=None, trips_minor=None, id='7')
"""

from collections.abc import Mapping
from functools import reduce
from operator import or_
from typing import Any, Final

from referee.evidence.outside import OutsideError, read_json
from referee_table.commands import Command
from referee_table.mau_binh.play import MauBinhPlay
from referee_table.play import Play
from referee_table.tien_len.play import TienLenPlay
from referee_table.ultimate_texas.play import UltimateTexasPlay
from referee_table.words import RefusedError

GAMES: Final[Mapping[str, type[Play]]] = {game.name: game for game in (MauBinhPlay, TienLenPlay, UltimateTexasPlay)}
"""The games by name, which is also the name of the folder that has each."""
MOST_BYTES: Final = 64 * 1024
"""Bytes of a page's message."""


def _commands(kind: type[Command]) -> list[type[Command]]:
    """Return the commands of a kind: the classes that no other is based on."""
    return [command for one in kind.__subclasses__() for command in _commands(one)] or [kind]


COMMANDS: Final = _commands(Command)
_ANY_COMMAND: Final[Any] = reduce(or_, COMMANDS)


def read(data: bytes) -> Command:
    """Read a command; raise BAD_COMMAND if a field is missing or invalid."""
    try:
        command: Command = read_json(data, _ANY_COMMAND, most=MOST_BYTES)
    except OutsideError as error:
        raise RefusedError("BAD_COMMAND", detail=str(error)) from None
    return command
