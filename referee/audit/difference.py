"""The first place at which two JSON texts differ: what one tells beside what was found.

The law: members are compared in the order of their names, items in the order they stand, so one pair of texts has one
first difference. Values are shown as compact JSON, cut where they are long.

>>> first_difference(b'{"net":[10,-10],"stake":5}', b'{"net":[10,-12],"stake":6}')
Difference(path='net[1]', told='-10', found='-12')
>>> first_difference(b'{"a":1}', b'{"a":1}') is None
True
"""

import itertools
import json
from typing import Final

import orjson

from referee.audit.finding import Difference

_ABSENT: Final = object()
_MAX_SHOWN: Final = 240


def first_difference(told: bytes, found: bytes) -> Difference | None:
    """Where the texts first differ as JSON; None where their values are equal.

    A text that is no JSON differs as a whole from any other.
    """
    try:
        return _differ("", orjson.loads(told), orjson.loads(found))
    except (orjson.JSONDecodeError, RecursionError):
        return None if told == found else Difference("", cut(repr(told)), cut(repr(found)))


def shown(value: object) -> str:
    """A value as compact JSON, cut where it is long; ``absent`` for a member or item that is not there."""
    if value is _ABSENT:
        return "absent"
    return cut(json.dumps(value, sort_keys=True, separators=(",", ":")))


def _differ(path: str, told: object, found: object) -> Difference | None:
    if type(told) is type(found) and told == found:
        return None
    inner = None
    if isinstance(told, dict) and isinstance(found, dict):
        for name in sorted(told.keys() | found.keys()):
            inner = inner or _differ(f"{path}.{name}".lstrip("."), told.get(name, _ABSENT), found.get(name, _ABSENT))
    elif isinstance(told, list) and isinstance(found, list):
        for place, (one, other) in enumerate(itertools.zip_longest(told, found, fillvalue=_ABSENT)):
            inner = inner or _differ(f"{path}[{place}]", one, other)
    return inner or Difference(path, shown(told), shown(found))


def cut(text: str) -> str:
    """The text, its end left out where it is long."""
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 3] + "..."
