"""The command line: its commands, and the module of each, which is imported only when the command runs."""

import ast
import os
import sys
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Any, Final

import typer
from typer.core import TyperCommand, TyperGroup

from referee import __version__
from referee.cli.command import SETTINGS
from referee.cli.exit_codes import UNANSWERABLE
from referee.evidence.printable import error_words

COMMANDS: Final = (
    "serve",
    "advise",
    "status",
    "doctor",
    "demo",
    "audit",
    "rounds",
    "export",
    "verify",
    "dispute",
    "learn",
    "odds",
    "publish",
    "backup",
    "restore",
    "replay",
    "rulesets",
    "games",
    "keys",
    "config",
    "token",
    "witness",
    "fairness-report",
)
"""Commands, in the order of the help."""
_FILES: Final = MappingProxyType({"restore": "backup"})
"""Modules of the commands that are not in a module of their own name."""
GUESSES: Final = MappingProxyType(
    {
        "bundle": "export",
        "check": "doctor",
        "complaint": "dispute",
        "fairness": "fairness-report",
        "health": "doctor",
        "help": "--help",
        "init": "config example",
        "key": "keys",
        "parquet": "rounds export",
        "play": "demo",
        "prove": "verify",
        "rtp": "odds",
        "ruleset": "rulesets",
        "rules": "rulesets",
        "run": "serve",
        "server": "serve",
        "settings": "config",
        "start": "serve",
        "stats": "fairness-report",
        "tiles": "publish",
        "train": "learn",
        "version": "--version",
    }
)
"""Commands by names that people may guess from other tools."""


def load_command(name: str) -> Any:  # noqa: ANN401 - typer exports no type for its commands
    """Import a command; raise ModuleNotFoundError if a library of its extra is not installed."""
    group = typer.main.get_group(import_module(f"referee.cli.{_module_of(name)}").app)
    group.name = name
    return group.commands.get(name, group)


def summary_of(name: str) -> str:
    """Return the first paragraph of a command's help as one line, read from its module, which is not imported."""
    file = Path(__file__).with_name(f"{_module_of(name)}.py")
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        text: Any = None
        if isinstance(node, ast.FunctionDef) and node.name == name.replace("-", "_"):
            text = ast.get_docstring(node)
        elif isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):  # a group, with its help
            text = next((ast.literal_eval(one.value) for one in node.value.keywords if one.arg == "help"), None)
        if text:
            return " ".join(text.partition("\n\n")[0].split())
    raise LookupError(f"{file} has no command {name}")


def _module_of(name: str) -> str:
    return _FILES.get(name, name.replace("-", "_"))


class Listed(TyperCommand):
    """A command that is not imported, for the help that lists it."""

    def get_short_help_str(self, limit: int = 0) -> str:  # noqa: ARG002 - nothing is cut
        """Return what the command does, as its own help says it."""
        return summary_of(str(self.name))


class Commands(TyperGroup):
    """Group of all commands: the help lists them, and only the command that runs is imported."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401 - as in ``load_command``
        """Import the named command, then resolve it as usual; for a common guess, name the right command and fail."""
        if args[0] in COMMANDS:
            self.commands[args[0]] = load_command(args[0])
        elif args[0] in GUESSES and not ctx.resilient_parsing:
            ctx.fail(f"No such command {args[0]!r}. Did you mean 'referee {GUESSES[args[0]]}'?")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: Any) -> Any:  # noqa: ANN401 - as in ``load_command``
        """Run the command; print an error of Referee's own or of the system as the reason why it failed."""
        try:
            return super().invoke(ctx)
        except Exception as error:
            if isinstance(error, BrokenPipeError):  # the reader of the output has gone, and would get the rest at exit
                os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
                raise typer.Exit(UNANSWERABLE) from None
            if not type(error).__module__.startswith("referee.") and not isinstance(error, OSError):
                raise
            from referee.cli.options import fail  # noqa: PLC0415 - help needs none of what it imports

            fail(error_words(error))


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings=SETTINGS,
    rich_markup_mode=None,
)


def _print_version(*, asked: bool) -> None:
    if asked:
        typer.echo(f"referee {__version__}")
        raise typer.Exit


@app.callback()
def referee(
    *,
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            callback=lambda value: _print_version(asked=value),
            is_eager=True,
            help="Print the version and exit.",
        ),
    ] = False,
) -> None:
    """Deals, judges, settles and proves rounds of card games over gRPC.

    Every command exits with 0 if all is well, 1 if it found something wrong, 2 if it could not be carried out: bad
    arguments, a file or a service that cannot be read, an extra that is not installed; 70 for a defect of its own.
    """


for _name in COMMANDS:
    app.command(_name, cls=Listed)(lambda: None)
