"""``referee rulesets``."""

import json
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table as Grid

from referee.cli.options import RulesetFolder, catalogue_of, fail
from referee.games import GAMES
from referee.rulesets import UnknownRulesetError, faults_in
from referee.rulesets.reference import UnknownGameError, field_page, json_schema

app = typer.Typer(help="Show the rulesets at hand.", no_args_is_help=True)


@app.command("list")
def list_rulesets(rulesets: RulesetFolder = None) -> None:
    """Show each ruleset's id, version, name and digest."""
    grid = Grid("ruleset", "version", "tên · name", "seats", "bet unit", "SHA-256 of the file")
    for ruleset in catalogue_of(rulesets):
        seats = ruleset.rules.seats
        grid.add_row(
            ruleset.id,
            ruleset.version,
            f"{ruleset.title.vi}\n{ruleset.title.en}",
            f"{seats.minimum}-{seats.maximum}",
            str(ruleset.bet_unit),
            ruleset.digest.hex()[:16] + "…",
        )
    Console().print(grid)


@app.command("show")
def show(
    ruleset_id: Annotated[str, typer.Argument(help="Such as mau_binh.classic.")],
    version: Annotated[str, typer.Option(help="Empty for the newest.")] = "",
    rulesets: RulesetFolder = None,
) -> None:
    """Print a ruleset's file, byte for byte."""
    try:
        ruleset = catalogue_of(rulesets).get(ruleset_id, version or None)
    except UnknownRulesetError as error:
        fail(f"{error}; `referee rulesets list` names those there are")
    typer.echo(ruleset.source.decode(), nl=False)


@app.command("check")
def check(
    folder: Annotated[Path, typer.Argument(help="Folder with TOML files.", exists=True, file_okay=False)],
) -> None:
    """Load a folder of rulesets as a server would, and report every fault of every file with its line."""
    if errors := faults_in(folder):
        fail("\n".join(str(error) for error in errors))
    count = len(catalogue_of(folder)) - len(catalogue_of(None))
    typer.echo(f"{count} ruleset{'s' * (count != 1)} of your own, nothing wrong")


@app.command("schema")
def schema(game: Annotated[str, typer.Argument(help="Name of a game, such as tien_len.")]) -> None:
    """Print the JSON Schema of a game's ruleset files."""
    try:
        typer.echo(json.dumps(json_schema(game), indent=2))
    except UnknownGameError as error:
        fail(str(error))


@app.command("fields")
def fields(game: Annotated[str | None, typer.Argument(help="Name of a game; all games without it.")] = None) -> None:
    """Print a page of all fields of ruleset files: values allowed, meaning, schema."""
    try:
        typer.echo(field_page(GAMES if game is None else [game]), nl=False)
    except UnknownGameError as error:
        fail(str(error))
