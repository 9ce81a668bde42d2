"""The command line: its commands, and the module of each, which is imported only when the command runs."""

from importlib import import_module
from types import MappingProxyType
from typing import Annotated, Any, Final, NamedTuple

import typer
from typer.core import TyperGroup

from referee import __version__
from referee.cli.usage import describe


class CommandSource(NamedTuple):
    """Code of a command, in a module of ``referee.cli`` and its function or group, and its line in the help."""

    module: str
    attribute: str
    help: str


COMMANDS: Final = MappingProxyType(
    {
        name: CommandSource(module, attribute, text)
        for name, module, attribute, text in (
            (
                "serve",
                "serve",
                "serve",
                "Serve on one address until stopped; make the keys and the log on the first start.",
            ),
            (
                "doctor",
                "doctor",
                "doctor",
                "Check configuration, store, keys, clock, machine, identity providers and witnesses; change nothing.",
            ),
            (
                "demo",
                "demo",
                "demo",
                "Play rounds of each ruleset through real services on loopback, then audit the log they left.",
            ),
            (
                "audit",
                "audit",
                "audit",
                "Prove a log: every signature, commitment, deal, rule and slot, and the tree over all of it.",
            ),
            (
                "rounds",
                "rounds",
                "rounds",
                "Write a log's rounds as Parquet tables by day; go on where an export ended.",
            ),
            ("export", "export", "export", "Write one round as a bundle that can be verified without the log."),
            (
                "verify",
                "verify",
                "verify",
                (
                    "Prove one round: its leaves are in the signed log, its deck follows from the seeds, its result "
                    "from the rules."
                ),
            ),
            (
                "dispute",
                "dispute",
                "dispute",
                (
                    "Settle a quarrel about a round: what each file proves, who can have done it, and what nobody can "
                    "prove."
                ),
            ),
            (
                "learn",
                "learn",
                "learn",
                "Learn how players arrange under a ruleset, for SuggestArrangement to advise it by.",
            ),
            (
                "odds",
                "odds",
                "odds",
                "Count what a ruleset's game is worth: exact figures, computed from its own prices.",
            ),
            (
                "publish",
                "publish",
                "publish",
                (
                    "Publish the log as C2SP tiles, which referee audit and common tools check without asking the "
                    "operator."
                ),
            ),
            (
                "backup",
                "backup",
                "backup",
                (
                    "Copy the log of the data folder, or of a database, into one file, while a server may run, and "
                    "prove the copy."
                ),
            ),
            (
                "restore",
                "backup",
                "restore",
                "Bring a log back from its backup, or into a database, where no log is yet.",
            ),
            ("replay", "replay", "replay", "Replay one round from its inputs and compare it with the transcript."),
            ("rulesets", "rulesets", "app", "Show the rulesets at hand."),
            ("games", "games", "app", "Show the games at hand, and begin the package of a new one."),
            (
                "keys",
                "keys",
                "app",
                "Print the public keys, as C2SP verifier keys, one role a line; change keys with a command below.",
            ),
            ("config", "config", "app", "Show, check and begin a server's configuration."),
            (
                "token",
                "token",
                "app",
                "Make keys that issue tokens; issue, show, revoke tokens; show who may ask what.",
            ),
            (
                "witness",
                "witness",
                "witness",
                "Witness logs over HTTP (C2SP tlog-witness) until stopped; the key is made on the first start.",
            ),
            (
                "fairness-report",
                "fairness",
                "fairness_report",
                "Report on the shuffle: exact counts, statistics over millions of decks, and controls that must fail.",
            ),
        )
    }
)
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
    source = COMMANDS[name]
    found = getattr(import_module(f"referee.cli.{source.module}"), source.attribute)
    holder = typer.Typer(add_completion=False, context_settings=_SETTINGS, rich_markup_mode=None)
    holder.callback()(lambda: None)
    if isinstance(found, typer.Typer):
        holder.add_typer(found, name=name)
    else:
        holder.command(name)(found)
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


for _name, _source in COMMANDS.items():
    app.command(_name, help=_source.help, short_help=_source.help)(lambda: None)
