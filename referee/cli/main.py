"""The command line: each command is registered here, with the module and the function that carry it out."""

from importlib import import_module
from types import MappingProxyType
from typing import Final, NoReturn

import typer

COMMANDS: Final = MappingProxyType(
    {
        "serve": ("serve", "serve"),
        "doctor": ("doctor", "doctor"),
        "demo": ("demo", "demo"),
        "audit": ("audit", "audit"),
        "export": ("export", "export"),
        "verify": ("verify", "verify"),
        "learn": ("learn", "learn"),
        "odds": ("odds", "odds"),
        "publish": ("publish", "publish"),
        "backup": ("backup", "backup"),
        "restore": ("backup", "restore"),
        "replay": ("replay", "replay"),
        "rulesets": ("rulesets", "app"),
        "keys": ("keys", "app"),
        "config": ("config", "app"),
        "token": ("token", "app"),
        "witness": ("witness", "witness"),
        "fairness-report": ("fairness", "fairness_report"),
    }
)

app = typer.Typer(
    help="Deals, judges, settles and proves rounds of card games over gRPC.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _register(name: str, module: str, attribute: str) -> None:
    """Add a command, or one that raises ModuleNotFoundError when it is called, if its extra is not installed."""
    try:
        command = getattr(import_module(f"referee.cli.{module}"), attribute)
    except ModuleNotFoundError as error:
        missing = error
        anything = {"ignore_unknown_options": True, "allow_extra_args": True, "help_option_names": []}

        @app.command(name, help=f"(not installed: needs {missing.name})", context_settings=anything)
        def refuse(_context: typer.Context) -> NoReturn:
            raise missing

        return
    if isinstance(command, typer.Typer):
        app.add_typer(command, name=name)
    else:
        app.command(name)(command)


for _name, (_module, _attribute) in COMMANDS.items():
    _register(_name, _module, _attribute)
