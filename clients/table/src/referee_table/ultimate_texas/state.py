"""What a table keeps of a round of Ultimate Texas Hold'em."""

import msgspec


class UltimateTexasState(msgspec.Struct, kw_only=True):
    """A round of Ultimate Texas Hold'em. ``state`` is the referee's UltimateTexasState, as its bytes."""

    state: bytes = b""
    deadline: int = 0
    bot_time: int = 0
    board: list[int] = []
    house: list[int] = []
    streets: list[str] = []
