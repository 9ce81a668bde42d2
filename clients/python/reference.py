"""The SDK's reference, made from its signatures and docstrings.

Run ``python clients/python/reference.py > clients/python/API.md``; a test fails when the page is stale.
"""

import enum
import inspect
import re
import sys
from collections.abc import Iterator
from typing import Final

import referee_client

_AT: Final = re.compile(r"referee(?:_client)?\.(?:[a-z_0-9]+\.)*")
"""Modules before the names of types, which a reader does not import from."""


def page() -> str:
    """Return the page, in Markdown: first what can be called, then what it answers and raises."""
    names = sorted(referee_client.__all__, key=str.lower)
    values = {name: getattr(referee_client, name) for name in names}
    errors = [name for name in names if inspect.isclass(values[name]) and issubclass(values[name], Exception)]
    classes = [name for name in names if inspect.isclass(values[name]) and name not in errors and not _is_twin(name)]
    twins = [name for name in names if _is_twin(name)]
    functions = [name for name in names if inspect.isfunction(values[name])]
    lines = [
        "# The Python SDK, name by name",
        "",
        "Made from the code by `python clients/python/reference.py`; do not edit it. [README](README.md) begins with",
        "examples. Everything is imported from `referee_client`.",
        "",
        f"For asyncio, with the same methods: {', '.join(f'`{name}`' for name in twins)}.",
        "",
    ]
    for name in classes:
        lines += [f"## {name}", "", *_class(values[name]), ""]
    lines += ["## Functions", ""]
    lines += [line for name in functions for line in (*_function(name, values[name]), "")]
    lines += ["## Errors", "", "| error | raised |", "|---|---|"]
    lines += [f"| `{name}`({_bases(values[name])}) | {_first(values[name])} |" for name in errors]
    return "\n".join(lines) + "\n"


def _is_twin(name: str) -> bool:
    """Return whether this is the class for asyncio of one that blocks."""
    return name.startswith("Async") and hasattr(referee_client, name.removeprefix("Async"))


def _class(kind: type) -> Iterator[str]:
    yield _first(kind)
    members = list(_members(kind))
    if members:
        yield ""
        yield from members


def _members(kind: type) -> Iterator[str]:
    """Yield the fields, properties and methods that a class and its bases in this project define, by name."""
    if issubclass(kind, enum.Enum):
        return
    found: dict[str, object] = {}
    for base in reversed(kind.__mro__):
        if base.__module__.startswith("referee"):
            found |= {name: value for name, value in vars(base).items() if not name.startswith("_")}
    for name, value in sorted(found.items()):
        if isinstance(value, property):
            yield f"- `{name}`: {_first(value)}"
        elif isinstance(value, classmethod | staticmethod):
            yield f"- `{name}{_signature(value.__func__)}`: {_first(value.__func__)}"
        elif inspect.isfunction(value):
            yield f"- `{'await ' * inspect.iscoroutinefunction(value)}{name}{_signature(value)}`: {_first(value)}"


def _function(name: str, function: object) -> Iterator[str]:
    yield f"- `{name}{_signature(function)}`: {_first(function)}"


def _signature(function: object) -> str:
    signature = inspect.signature(function)  # type: ignore[arg-type] # it is a function
    parameters = [_shown(one) for one in signature.parameters.values() if one.name not in ("self", "cls")]
    text = _AT.sub("", str(signature.replace(parameters=parameters))).replace("'", "").replace("collections.abc.", "")
    return re.sub(r"<google[^>]*>", "int", text).replace("Ellipsis", "...")


def _shown(parameter: inspect.Parameter) -> inspect.Parameter:
    """Show a default that is no plain value as three dots."""
    is_plain = parameter.default in (inspect.Parameter.empty, None, "", ()) or type(parameter.default) in (int, bool)
    return parameter if is_plain else parameter.replace(default=...)


def _first(thing: object) -> str:
    """Return the first paragraph of a docstring on one line."""
    text = inspect.getdoc(thing) or ""
    twin = re.fullmatch(r"As ``(\w+)\.(\w+)``\.?", text)
    if twin:
        text = inspect.getdoc(getattr(_class_of(twin[1]), twin[2])) or ""
    text = inspect.cleandoc(text).partition("\n\n")[0].replace("\n", " ")
    return text.replace("``", "`").replace("|", "\\|")


def _class_of(name: str) -> type:
    """Return a class for asyncio, also one that is a base of those that are exported."""
    twins = [getattr(referee_client, twin) for twin in referee_client.__all__ if _is_twin(twin)]
    return next(base for kind in twins for base in kind.__mro__ if base.__name__ == name)


def _bases(kind: type) -> str:
    return ", ".join(base.__name__ for base in kind.__bases__)


if __name__ == "__main__":
    sys.stdout.write(page())
