"""``referee games``."""

import re
from pathlib import Path
from typing import Annotated, Final

import typer

from referee.cli.command import Commands
from referee.cli.options import fail
from referee.cli.paper import paper
from referee.games import GAMES
from referee.testing.package import generate_code, write_package

app = Commands(
    examples=["referee games new high_card", "referee games protos --folder high_card"],
    help="Show the games at hand, and begin the package of a new one.",
    no_args_is_help=True,
)

_NAME: Final = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


@app.command("list")
def list_games() -> None:
    """Show each game's name and title."""
    for name, game in GAMES.items():
        paper().print(f"{name}  {game.title}")


@app.command("new")
def new_game(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="The game's name, in lowercase words joined by _, such as high_card.")
    ],
    *,
    folder: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Where to write the package; a folder of its name here.")
    ] = None,
) -> None:
    """Write a package with a small game that is served, tested and audited: a start for your own.

    Replace its rules by yours, file by file. Its tests check the properties that every game must have.
    """
    if not _NAME.fullmatch(name) or name in GAMES:
        taken = ", ".join(GAMES)
        fail(f"{name!r} cannot name a new game; give lowercase words joined by _, none of {taken}")
    target = folder or Path(name)
    write_package(name, target)
    paper().print(f"{target} has the package; install it with its tests: pip install -e {target} && pytest {target}")


@app.command("protos")
def generate_protos(
    *,
    folder: Annotated[
        Path, typer.Option(metavar="FOLDER", help="The folder of the package; this one without it.")
    ] = Path(),
) -> None:
    """Generate the code of a game's protos into its package."""
    generate_code(folder)
