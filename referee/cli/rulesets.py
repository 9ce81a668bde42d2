"""``referee rulesets``."""

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.table import Column
from rich.table import Table as Grid

from referee.cli.command import Commands
from referee.cli.exit_codes import UNANSWERABLE
from referee.cli.options import AsJson, RulesetFolder, catalogue_of, fail, print_json
from referee.cli.paper import paper
from referee.cli.rulesets_mau_binh import faults_that_pay
from referee.evidence.printable import readable
from referee.games import GAMES
from referee.rulesets import Ruleset, UnknownRulesetError, load_examples
from referee.rulesets.catalogue import faults_in
from referee.rulesets.reference import field_page, json_schema

app = Commands(
    examples=["referee rulesets list", "referee rulesets show tien_len.mien_nam > house.toml"],
    help="Show the rulesets at hand.",
    no_args_is_help=True,
)


@app.command("list")
def list_rulesets(*, rulesets: RulesetFolder = None, as_json: AsJson = False) -> None:
    """Show each ruleset's id, version, name and digest."""
    if as_json:
        print_json([_described(ruleset) for ruleset in catalogue_of(rulesets)])
        return
    grid = Grid(
        Column("ruleset", overflow="fold"),
        "version",
        Column("tên · name", overflow="fold"),
        "seats",
        "bet unit",
        Column("SHA-256 of the file", overflow="fold", min_width=16),
    )
    console = paper()
    names = "\n" if console.is_terminal else " · "
    for ruleset in catalogue_of(rulesets):
        seats = ruleset.rules.seats
        grid.add_row(
            ruleset.id,
            ruleset.version,
            escape(names.join([readable(ruleset.title.vi), readable(ruleset.title.en)])),
            f"{seats.minimum}-{seats.maximum}",
            str(ruleset.bet_unit),
            ruleset.digest.hex(),
        )
    console.print(grid)


def _described(ruleset: Ruleset) -> dict[str, object]:
    seats = ruleset.rules.seats
    return {
        "id": ruleset.id,
        "version": ruleset.version,
        "game": ruleset.game,
        "title": {"vi": ruleset.title.vi, "en": ruleset.title.en},
        "seats": {"minimum": seats.minimum, "maximum": seats.maximum},
        "bet_unit": ruleset.bet_unit,
        "sha256": ruleset.digest.hex(),
    }


@app.command("show")
def show(
    ruleset_id: Annotated[str, typer.Argument(metavar="RULESET", help="Such as mau_binh.classic.")],
    version: Annotated[str, typer.Option(metavar="VERSION", help="Empty for the newest.")] = "",
    rulesets: RulesetFolder = None,
) -> None:
    """Print a ruleset's file, byte for byte; in a terminal, with invisible characters escaped.

    It also prints the examples, such as mau_binh.house_example, which have every field of a game's rules and are never
    loaded by a server.
    """
    try:
        own = catalogue_of(rulesets)
        catalogue = own if any(one.id == ruleset_id for one in own) else load_examples()
        ruleset = catalogue.get(ruleset_id, version or None)
    except UnknownRulesetError as error:
        fail(f"{error}; `referee rulesets list` names those there are")
    text = ruleset.source.decode()
    typer.echo(readable(text) if sys.stdout.isatty() else text, nl=False)


@app.command("check", examples=["referee rulesets check my-rulesets"])
def check(
    folder: Annotated[Path, typer.Argument(help="Folder with TOML files.", exists=True, file_okay=False)],
    *,
    as_json: AsJson = False,
) -> None:
    """Load a folder of rulesets as a server would, and print every fault of every file with its line.

    Exit code 0 if a server would accept the folder, 2 if not. Where a ruleset allows a fault that costs less than a
    sweep, it also prints in how many of 100 hands that fault pays.
    """
    errors = faults_in(folder)
    if as_json:
        faults = [
            {"file": error.file, "line": line, "reason": reason} for error in errors for line, reason in error.faults
        ]
        paying = [] if errors else [fault._asdict() for fault in faults_that_pay(folder)]
        print_json({"ok": not faults, "faults": faults, "paying": paying})
        raise typer.Exit(UNANSWERABLE if errors else 0)
    if errors:
        fail("\n".join(str(error) for error in errors))
    count = len(catalogue_of(folder)) - len(catalogue_of(None))
    typer.echo(f"{count} ruleset{'s' * (count != 1)} of your own, nothing wrong")
    for fault in faults_that_pay(folder):
        typer.echo(str(fault))


@app.command("schema")
def schema(game: Annotated[str, typer.Argument(metavar="GAME", help="Name of a game, such as tien_len.")]) -> None:
    """Print the JSON Schema of a game's ruleset files."""
    print_json(json_schema(game))


@app.command("fields")
def fields(
    game: Annotated[str | None, typer.Argument(metavar="GAME", help="Name of a game; all games without it.")] = None,
) -> None:
    """Print a page of all fields of ruleset files: allowed values, meaning, schema."""
    typer.echo(field_page(GAMES if game is None else [game]), nl=False)
