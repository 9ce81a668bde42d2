"""Answers that were given and not yet read: bounded in all, so that callers who read slowly cannot fill the memory.

The law: only answers of ``LARGE`` bytes or more are counted, since the others are bounded by how many calls may be
under way. One that would go beyond the bound is refused, and one that stays unread too long is cancelled; whoever asks
again later gets it.

>>> unread = Unread(most=3 * LARGE)
>>> [unread.take(2 * LARGE), unread.take(2 * LARGE), unread.taken // LARGE]
[True, False, 2]
>>> unread.give(2 * LARGE)
>>> unread.taken
0
"""

import threading
from typing import Final

LARGE: Final = 64 * 1024


class Unread:
    """How many bytes of large answers wait for their readers."""

    def __init__(self, *, most: int) -> None:
        self._most = most
        self._taking = threading.Lock()
        self.taken = 0

    def take(self, size: int) -> bool:
        """Whether there is room for so many bytes more, which are counted then. One answer alone always has room."""
        with self._taking:
            if self.taken and self.taken + size > self._most:
                return False
            self.taken += size
            return True

    def give(self, size: int) -> None:
        """So many bytes were read, or let go."""
        with self._taking:
            self.taken -= size
