"""A connection that is cut in the middle of a commit: a relay between a store and its database.

``befalls`` says what befalls the next COMMIT that passes: ``BEFORE``, the server never gets it; ``AFTER``, the server
answers it and the answer never arrives; ``MUTE``, the server never gets it and no one is notified. Each befalls one
COMMIT, and everything else passes. Or a client falls silent at its next insert of leaves, with every connection as it
was: ``HALF`` of it arrives, its first message (``PARSED``), or nothing (``GONE``), and nothing that it says afterwards.
"""

import threading
from typing import Final, Literal

from tests.chaos.proxy import Pair, Relay

Cut = Literal["", "BEFORE", "AFTER", "MUTE", "HALF", "PARSED", "GONE"]
_SILENT: Final = ("HALF", "PARSED", "GONE")


class CuttingProxy(Relay):
    """The relay."""

    def __init__(self, target: int) -> None:
        self.befalls: Cut = ""
        self.has_cut = threading.Event()
        self._unanswered: set[Pair] = set()
        self._silent: set[Pair] = set()
        super().__init__(target)

    def forward(self, data: bytes, pair: Pair, *, is_asking: bool) -> bytes | None:
        """Pass on what is no COMMIT to be cut, and no answer to one."""
        if is_asking and pair in self._silent:
            return b""
        if is_asking and self.befalls in _SILENT:
            if b"INSERT INTO leaf" not in data:
                return data
            silence, self.befalls = self.befalls, ""
            self._silent.add(pair)
            self.has_cut.set()
            first = 1 + int.from_bytes(data[1:5], "big")  # a message: a letter, and its length
            return data[: {"HALF": len(data) // 2, "PARSED": first, "GONE": 0}[silence]]
        if is_asking and b"COMMIT\0" in data and self.befalls:
            cut, self.befalls = self.befalls, ""
            if cut != "AFTER":
                self.has_cut.set()
                return None if cut == "BEFORE" else b""
            self._unanswered.add(pair)
        elif not is_asking and pair in self._unanswered:
            self.has_cut.set()
            return None
        return data
