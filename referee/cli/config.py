"""``referee config``: the settings that a server would use, a check of them, and an example file to begin from."""

import os
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Annotated

import msgspec
import typer
from rich.table import Table as Grid

from referee.cli.command import Commands
from referee.cli.exit_codes import UNANSWERABLE
from referee.cli.options import AsJson, answer
from referee.cli.paper import paper
from referee.server.settings.configuration import Configuration
from referee.server.settings.reading import DEFAULT, KEYS, LoadedSettings, SettingsError, read_settings

app = Commands(
    examples=["referee config example > referee.toml", "referee config check --config referee.toml"],
    help="Show, check and begin a server's configuration.",
    no_args_is_help=True,
)

ConfigFile = Annotated[
    Path | None,
    typer.Option(
        "--config", envvar="REFEREE_CONFIG", help="The configuration file, TOML; referee config example prints one."
    ),
]
Set = Annotated[
    list[str] | None,
    typer.Option(
        "--set", metavar="SECTION.KEY=VALUE", help="Any key of the configuration; may be given several times."
    ),
]
DataFlag = Annotated[
    str | None,
    typer.Option(
        "--data", metavar="FOLDER", help="Folder with the log and the keys.", show_default=Configuration().log.data
    ),
]
DatabaseFlag = Annotated[
    str | None,
    typer.Option(
        "--database",
        metavar="URL",
        help="A log in PostgreSQL, by its URL (postgresql://...); the keys stay in the data folder.",
    ),
]


@app.command()
def show(
    *,
    config: ConfigFile = None,
    extra: Set = None,
    as_json: Annotated[bool, typer.Option("--json", help="As one JSON object, by section.key.")] = False,
) -> None:
    """Print every setting that a server would use and where its value is from; passwords are shown as …."""
    found = read_or_fail(config=config, extra=extra or ())
    values = found.shown()
    if as_json:
        shown = {key: {"value": value, "source": found.sources[key]} for key, value in values.items()}
        typer.echo(msgspec.json.format(msgspec.json.encode(shown)).decode())
        return
    grid = Grid(box=None, header_style="bold", padding=(0, 2, 0, 0))
    grid.add_column("key", no_wrap=True)
    grid.add_column("value", overflow="fold")
    grid.add_column("from", overflow="fold")
    section = ""
    for key, value in values.items():
        if key.partition(".")[0] != section:
            section = key.partition(".")[0]
            grid.add_row(f"[bold cyan]\\[{section}][/]")
        source = found.sources[key]
        style = "dim" if source == DEFAULT else ""
        grid.add_row(f"  {key.partition('.')[2]}", _plain(msgspec.json.encode(value).decode()), source, style=style)
    paper().print(grid)


@app.command()
def check(*, config: ConfigFile = None, extra: Set = None, as_json: AsJson = False) -> None:
    """Print every fault of a configuration; exit with 0 if there is none, else with 2."""
    found = read_or_fail(config=config, extra=extra or ())
    count = sum(source != DEFAULT for source in found.sources.values())
    words = f"{count} of {len(KEYS)} keys set, nothing wrong"
    answer({"ok": True, "keys_set": count, "keys": len(KEYS)}, words, as_json=as_json)


@app.command()
def example() -> None:
    """Print a configuration file with every key, its default and what it means."""
    typer.echo(resources.files("referee.server").joinpath("deploy/referee.toml").read_text(encoding="utf-8"), nl=False)


def read_or_fail(
    *, config: Path | None, flags: Mapping[str, object] | None = None, extra: tuple[str, ...] | list[str] = ()
) -> LoadedSettings:
    """Read the settings of this process; if any is wrong, print all faults and end the command."""
    try:
        return read_settings(file=config, environ=os.environ, flags=flags or {}, extra=extra)
    except SettingsError as error:
        console = paper(stderr=True)
        for fault in error.faults:
            console.print(f"[red]referee:[/] [bold]{_plain(fault.where)}[/]: {_plain(fault.what)}", soft_wrap=True)
            console.print(f"         {_plain(fault.remedy)}", highlight=False, soft_wrap=True)
        raise typer.Exit(UNANSWERABLE) from None


def _plain(text: str) -> str:
    return text.replace("[", "\\[")
