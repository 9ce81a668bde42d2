"""Registry of the games whose messages are known: three built in, others by entry points ``referee.messages``.

An entry point needs the base of Referee, grpcio and protobuf alone, so that a client can find it without a server.

>>> GAME_MESSAGES["tien_len"].full_name
'referee.v1.TienLenService'
"""

from typing import Final

from referee.games import Registry
from referee.wire import mau_binh, tien_len, ultimate_texas
from referee.wire.game_messages import GameMessages

GAME_MESSAGES: Final[Registry[GameMessages]] = Registry(
    "referee.messages", lambda: (mau_binh.MESSAGES, tien_len.MESSAGES, ultimate_texas.MESSAGES)
)
"""Messages of games by the game's name."""
