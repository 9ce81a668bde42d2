"""How a command ends when it cannot answer, and what every command shares."""

from pathlib import Path
from typing import Annotated, Final, NoReturn

import typer
from rich.console import Console
from rich.markup import escape

from referee.rulesets import Catalogue, RulesetError, load_builtin, load_folder

FOUND: Final = 1
UNANSWERABLE: Final = 2

DataFolder = Annotated[Path, typer.Option("--data", help="Folder with the log and the keys.")]
Database = Annotated[
    str | None,
    typer.Option(
        "--database",
        envvar="REFEREE_DATABASE",
        help="A log in PostgreSQL, as postgresql://user@host/database; the keys stay in the data folder.",
    ),
]
RulesetFolder = Annotated[
    Path | None,
    typer.Option("--rulesets", help="Folder with rulesets of your own, as TOML files.", exists=True, file_okay=False),
]


def fail(message: str) -> NoReturn:
    """Says why the question cannot be answered, and ends with the exit code for that."""
    Console(stderr=True).print(f"[red]referee:[/] {escape(message)}", highlight=False, soft_wrap=True)
    raise typer.Exit(UNANSWERABLE)


def catalogue_of(folder: Path | None) -> Catalogue:
    """The rulesets at hand; ends the command where a file of the folder is none."""
    try:
        return load_builtin() if folder is None else load_folder(folder)
    except (RulesetError, OSError) as error:
        fail(str(error))
