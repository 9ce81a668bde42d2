"""Memo: a bounded cache of values that are functions of their keys. It saves work and changes no answer."""

import sys
import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Final, Generic, TypeVar

MEMO_BYTES: Final = 32 * 1024 * 1024
"""Default bound of a memo: the sum of its values' sizes in bytes."""

KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")


class Memo(Generic[KeyT, ValueT]):
    """Values by key: at most ``size`` of them, of at most ``max_bytes`` together; the oldest is forgotten first.

    A value must be a function of its key, so that forgetting it changes no answer.
    """

    def __init__(self, size: int = sys.maxsize, *, max_bytes: int = MEMO_BYTES) -> None:
        self._size = size
        self._max_bytes = max_bytes
        self._bytes = 0
        self._values: OrderedDict[KeyT, tuple[ValueT, int]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: KeyT) -> ValueT | None:
        """Return the value of a key; None if it was never put or is forgotten."""
        known = self._values.get(key)
        return None if known is None else known[0]

    def put(self, key: KeyT, value: ValueT, *, size: int = 0) -> bool:
        """Set the value of a key and return True; do nothing and return False if ``size`` exceeds the memo's bound.

        The caller states the size in bytes; the memo does not measure it.
        """
        if size > self._max_bytes:
            return False
        with self._lock:
            _, before = self._values.get(key, (None, 0))
            self._values[key] = value, size
            self._bytes += size - before
            while len(self._values) > self._size or self._bytes > self._max_bytes:
                _, (_, freed) = self._values.popitem(last=False)
                self._bytes -= freed
        return True
