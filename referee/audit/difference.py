"""The first place at which two JSON texts differ: what one tells beside what was found.

The law: members are compared in the order of their names, items in the order they stand, so one pair of texts has one
first difference. Values are shown as compact JSON, cut where they are long.

>>> first_difference(b'{"net":[10,-10],"stake":5}', b'{"net":[10,-12],"stake":6}')
Difference(path='net[1]', told='-10', found='-12')
>>> first_difference(b'{"a":1}', b'{"a":1}') is None
True
"""

from typing import Final

import orjson

from referee.audit.finding import Difference

ABSENT: Final = "absent"
_MAX_SHOWN: Final = 240


def first_difference(told: bytes, found: bytes) -> Difference | None:
    """Where the texts first differ as JSON; None where their values are equal.

    A text that is no JSON differs as a whole from any other.
    """
    try:
        return _differ("", orjson.loads(told), orjson.loads(found))
    except orjson.JSONDecodeError:
        return None if told == found else Difference("", _cut(repr(told)), _cut(repr(found)))


def shown(value: object) -> str:
    """A value as compact JSON, cut where it is long."""
    return _cut(orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode())


def _differ(path: str, told: object, found: object) -> Difference | None:
    if type(told) is type(found) and told == found:
        return None
    if isinstance(told, dict) and isinstance(found, dict):
        for name in sorted(told.keys() | found.keys()):
            inner = f"{path}.{name}" if path else str(name)
            if name not in told:
                return Difference(inner, ABSENT, shown(found[name]))
            if name not in found:
                return Difference(inner, shown(told[name]), ABSENT)
            if (difference := _differ(inner, told[name], found[name])) is not None:
                return difference
    if isinstance(told, list) and isinstance(found, list):
        for place, (one, other) in enumerate(zip(told, found, strict=False)):
            if (difference := _differ(f"{path}[{place}]", one, other)) is not None:
                return difference
        place = min(len(told), len(found))
        return Difference(
            f"{path}[{place}]",
            shown(told[place]) if place < len(told) else ABSENT,
            shown(found[place]) if place < len(found) else ABSENT,
        )
    return Difference(path, shown(told), shown(found))


def _cut(text: str) -> str:
    return text if len(text) <= _MAX_SHOWN else text[: _MAX_SHOWN - 3] + "..."
