"""What a table keeps of a round of Ultimate Texas Hold'em."""

import msgspec


class UltimateTexasState(msgspec.Struct, kw_only=True):
    """A round of Ultimate Texas Hold'em. ``state`` is the referee's UltimateTexasState, as its bytes."""

    state: bytes = b""
    bot_time: int = 0
    streets: list[str] = []
