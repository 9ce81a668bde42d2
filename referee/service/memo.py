"""A pure memo: what follows from a key alone, remembered so that it need not be found again."""

import threading
from collections import OrderedDict
from collections.abc import Hashable
from typing import Generic, TypeVar

KeyT = TypeVar("KeyT", bound=Hashable)
ValueT = TypeVar("ValueT")


class Memo(Generic[KeyT, ValueT]):
    """Up to ``size`` values by key; the one put first is forgotten first. Any thread may use it."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._values: OrderedDict[KeyT, ValueT] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: KeyT) -> ValueT | None:
        """The value of a key; None where it is not known, or no more."""
        return self._values.get(key)

    def put(self, key: KeyT, value: ValueT) -> None:
        """The value is known; it takes the place of another one of the key."""
        with self._lock:
            self._values[key] = value
            while len(self._values) > self._size:
                self._values.popitem(last=False)
