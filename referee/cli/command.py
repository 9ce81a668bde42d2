"""What all commands share: how a module declares its commands, and how their help shows values and examples.

A command's options, their placeholders and its examples are in its own module, which has one ``app``. Options that
several commands have are the fields of a dataclass: a command's parameter of that class is given by these options.
"""

import functools
import inspect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final, get_type_hints

import typer
from typer.core import TyperCommand, TyperGroup

SETTINGS: Final = {"help_option_names": ["-h", "--help"]}
_BY_TYPE: Final = (("int", "N"), ("float", "N"), ("Path", "FILE"), ("str", "TEXT"))
"""Placeholders of values whose option names none, by what the name of their type holds."""


class _Help:
    """Help of a command: the whole first paragraph in lists, and a placeholder for each value."""

    def get_short_help_str(self, limit: int = 0) -> str:  # noqa: ARG002 - nothing is cut
        """Return the first paragraph of the help as one line."""
        text: str = getattr(self, "help", None) or ""
        return " ".join(text.partition("\n\n")[0].split())

    def get_params(self, ctx: Any) -> list[Any]:  # noqa: ANN401 - typer exports no type for contexts
        """Return the parameters, each with its placeholder."""
        params: list[Any] = super().get_params(ctx)  # type: ignore[misc] # of the class that this is mixed into
        for parameter in params:
            if parameter.metavar is None and not getattr(parameter, "is_flag", False):
                parameter.metavar = _placeholder(parameter.type_descriptor)
            if parameter.param_type_name == "argument":
                parameter.display_type = lambda _context: ""
        return params


class _Command(_Help, TyperCommand):
    pass


class _Group(_Help, TyperGroup):
    pass


class Commands(typer.Typer):
    """Commands of one module: one of its name, or a group of subcommands."""

    def __init__(self, *, examples: Sequence[str] = (), **settings: Any) -> None:  # noqa: ANN401 - those of typer
        settings |= {"context_settings": SETTINGS, "epilog": _shown(examples), "rich_markup_mode": None}
        super().__init__(cls=_Group, add_completion=False, **settings)

    def command(self, name: str | None = None, *, examples: Sequence[str] = (), **settings: Any) -> Callable[..., Any]:  # noqa: ANN401 - as above
        """Register a function as a command whose help ends with examples, lines that the command accepts."""
        declare = super().command(name, cls=_Command, context_settings=SETTINGS, epilog=_shown(examples), **settings)
        return lambda function: declare(_with_fields(function))


def _with_fields(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that takes, for each parameter of a dataclass, that class's fields."""
    hints = get_type_hints(function, include_extras=True)
    groups: dict[str, Any] = {name: kind for name, kind in hints.items() if is_dataclass(kind)}

    @functools.wraps(function)
    def command(**values: Any) -> Any:  # noqa: ANN401 - what the command takes and returns
        made = {
            name: kind(**{field.name: values.pop(field.name) for field in fields(kind)})
            for name, kind in groups.items()
        }
        return function(**values, **made)

    parameters = [
        one
        for parameter in inspect.signature(function).parameters.values()
        for one in _parameters(parameter, hints[parameter.name])
    ]
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined] # as inspect.signature reads it
    command.__annotations__ = {one.name: one.annotation for one in parameters}
    return command


def _parameters(parameter: inspect.Parameter, kind: Any) -> Iterator[inspect.Parameter]:  # noqa: ANN401 - any type
    """Yield a parameter by its keyword, or for a dataclass those of its fields."""
    if not (isinstance(kind, type) and is_dataclass(kind)):
        yield parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=kind)
        return
    hints = get_type_hints(kind, include_extras=True)
    for one in inspect.signature(kind).parameters.values():
        yield one.replace(kind=inspect.Parameter.KEYWORD_ONLY, annotation=hints[one.name])


def _shown(examples: Sequence[str]) -> str | None:
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in examples) if examples else None


def _placeholder(kind: Any) -> str | None:  # noqa: ANN401 - typer exports no type for types of values
    """Return the placeholder of a value by its type; None for a choice, whose values the help lists."""
    if kind.is_choice:
        return None
    if kind.is_path and kind.path_type == "dir":
        return "FOLDER"
    name = str(kind.annotation)
    return next((word for part, word in _BY_TYPE if part in name), "TEXT")
