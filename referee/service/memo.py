"""A pure memo: what follows from a key alone, remembered so that it need not be found again.

Keys hash every byte that the value follows from, so a memo can only save work, never change an answer.
"""

import threading
from collections import OrderedDict
from typing import Generic, TypeVar

ValueT = TypeVar("ValueT")


class Memo(Generic[ValueT]):
    """Up to ``size`` values by key; the one put first is forgotten first. Any thread may use it."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[bytes, ValueT] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: bytes) -> ValueT | None:
        """The value of a key; None where it is not known, or no more."""
        return self._values.get(key)

    def put(self, key: bytes, value: ValueT) -> None:
        """The value is known."""
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._size:
                self._values.popitem(last=False)
