"""Memo: values that follow from their key alone, bounded by their size. It saves work and changes no answer."""

import sys
import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Final, Generic, TypeVar

MEMO_BYTES: Final = 32 * 1024 * 1024
"""Default bound of a memo, in bytes of what it remembers."""

KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")


class Memo(Generic[KeyT, ValueT]):
    """Values by key, up to ``max_bytes`` of them and at most ``size``, the oldest forgotten first.

    For values that follow from their key alone.
    """

    def __init__(self, size: int = sys.maxsize, *, max_bytes: int = MEMO_BYTES) -> None:
        self._size = size
        self._max_bytes = max_bytes
        self._bytes = 0
        self._values: OrderedDict[KeyT, tuple[ValueT, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: KeyT) -> ValueT | None:
        """Return the value of a key, None if it is not known."""
        known = self._values.get(key)
        return None if known is None else known[0]

    def put(self, key: KeyT, value: ValueT, *, size: int = 0) -> None:
        """Set the value of a key, of ``size`` bytes; a value beyond the memo's bound is not remembered."""
        if size > self._max_bytes:
            return
        with self._lock:
            _, before = self._values.get(key, (None, 0))
            self._values[key] = value, size
            self._bytes += size - before
            while len(self._values) > self._size or self._bytes > self._max_bytes:
                _, (_, freed) = self._values.popitem(last=False)
                self._bytes -= freed
