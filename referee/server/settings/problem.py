"""A problem with a setting, and the range that a number's type allows."""

from collections.abc import Iterator

import msgspec
from msgspec import inspect

from referee.server.name_file import name_fault


class SettingProblem(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What is wrong with one key, such as ``tls.certificate``; secrets are never quoted.

    ``what`` continues after the key; ``remedy`` is an instruction.

    >>> print(SettingProblem("serve.threads", "is 0, but at least one thread is needed", "give a number from 1 to 256"))
    serve.threads is 0, but at least one thread is needed; give a number from 1 to 256
    """

    key: str
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.key} {self.what}; {self.remedy}"


def name_problems(key: str, path: str) -> Iterator[SettingProblem]:
    """Yield what prevents serving with a file of names."""
    if fault := name_fault(key, path):
        yield SettingProblem(key, *fault)


def range_of(kind: object) -> str:
    """Return the range of a number's type in words, after a space; empty without one.

    >>> from typing import Annotated
    >>> range_of(Annotated[float, msgspec.Meta(ge=0.1, le=3600)]), range_of(Annotated[int, msgspec.Meta(ge=1)])
    (' from 0.1 to 3600', ' of at least 1')
    """
    known = inspect.type_info(kind)
    if not isinstance(known, inspect.IntType | inspect.FloatType) or known.ge is None:
        return ""
    least, most = _digits(known.ge), known.le
    return f" of at least {least}" if most is None else f" from {least} to {_digits(most)}"


def _digits(number: float) -> str:
    return str(int(number)) if number == int(number) else str(number)
