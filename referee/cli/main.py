"""The command line: its commands, and the module of each, which is imported only when the command runs."""

from importlib import import_module
from types import MappingProxyType
from typing import Annotated, Any, Final

import typer
from typer.core import TyperGroup

from referee import __version__
from referee.cli.usage import describe
from referee.evidence.printable import error_words

COMMANDS: Final = MappingProxyType(
    {
        "serve": "Serve on one address until stopped; make the keys and the log on the first start.",
        "advise": "Advise for a server, which names this address as advice.address, until stopped.",
        "doctor": "Check configuration, store, keys, clock, machine, identity providers and witnesses; change nothing.",
        "demo": "Play rounds of each ruleset through real services on loopback, then audit the log they left.",
        "audit": "Prove a log: every signature, commitment, deal, rule and slot, and the tree over all of it.",
        "rounds": "Write a log's rounds as Parquet tables by day; go on where an export ended.",
        "export": "Write one round as a bundle that can be verified without the log.",
        "verify": (
            "Prove one round: its leaves are in the signed log, its deck follows from the seeds, its result from "
            "the rules."
        ),
        "dispute": (
            "Settle a quarrel about a round: what each file proves, who can have done it, and what nobody can prove."
        ),
        "learn": "Learn how players arrange under a ruleset, for SuggestArrangement to advise it by.",
        "odds": "Count what a ruleset's game is worth: exact figures, computed from its own prices.",
        "publish": (
            "Publish the log as C2SP tiles, which referee audit and common tools check without asking the operator."
        ),
        "backup": (
            "Copy the log of the data folder, or of a database, into one file, while a server may run, and prove "
            "the copy."
        ),
        "restore": "Bring a log back from its backup, or into a database, where no log is yet.",
        "replay": "Replay one round from its inputs and compare it with the transcript.",
        "rulesets": "Show the rulesets at hand.",
        "games": "Show the games at hand, and begin the package of a new one.",
        "keys": "Print the public keys, as C2SP verifier keys, one role a line; change keys with a command below.",
        "config": "Show, check and begin a server's configuration.",
        "token": "Make keys that issue tokens; issue, show, revoke tokens; show who may ask what.",
        "witness": "Witness logs over HTTP (C2SP tlog-witness) until stopped; the key is made on the first start.",
        "fairness-report": (
            "Report on the shuffle: exact counts, statistics over millions of decks, and controls that must fail."
        ),
    }
)
"""Line of each command in the help."""
_MODULES: Final = MappingProxyType({"restore": "backup"})
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
        "parquet": "rounds",
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
        "status": "doctor",
        "tiles": "publish",
        "train": "learn",
        "version": "--version",
    }
)
"""Commands by names that people may guess from other tools."""
_SETTINGS: Final = {"help_option_names": ["-h", "--help"]}


def load_command(name: str) -> Any:  # noqa: ANN401 - typer exports no type for its commands
    """Import a command; raise ModuleNotFoundError if a library of its extra is not installed."""
    own_name = name.replace("-", "_")
    module = import_module(f"referee.cli.{_MODULES.get(name, own_name)}")
    holder = typer.Typer(add_completion=False, context_settings=_SETTINGS, rich_markup_mode=None)
    holder.callback()(lambda: None)
    if hasattr(module, "app"):
        holder.add_typer(module.app, name=name)
    else:
        holder.command(name)(getattr(module, own_name))
    return describe(typer.main.get_group(holder).commands[name], name)


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
            is_for_people = type(error).__module__.startswith("referee.") or isinstance(error, OSError)
            if not is_for_people or isinstance(error, BrokenPipeError):
                raise
            from referee.cli.options import fail  # noqa: PLC0415 - help needs none of what it imports

            fail(error_words(error))


app = typer.Typer(
    cls=Commands,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings=_SETTINGS,
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
    arguments, a file or a service that cannot be read, an extra that is not installed.
    """


for _name, _help in COMMANDS.items():
    app.command(_name, help=_help, short_help=_help)(lambda: None)
