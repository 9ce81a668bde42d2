"""``referee publish``: the log as static files, which any web server, object store or folder can serve."""

import threading
from contextlib import closing
from pathlib import Path
from typing import Annotated, Final

import msgspec
import typer

from referee import tiles
from referee.cli.command import Commands
from referee.cli.options import FOUND, AsJson, Database, DataFolder, fail
from referee.cli.paper import paper
from referee.cli.progress import progress_bar
from referee.cli.show import shown
from referee.cli.stored_log import trouble_text
from referee.evidence.printable import ascii_json, printable
from referee.server.process.stopping import until_asked
from referee.storage import DataLossError, Reader, StoreError, open_reader
from referee.tiles import ConflictError, Place, PlaceError, Publication

app = Commands()

_LONGEST_PAUSE: Final = 60.0
"""Longest pause in seconds between two attempts if the place or the store fails repeatedly."""


@app.command(examples=["referee publish /srv/www/log --follow", "referee publish s3://bucket/log"])
def publish(  # noqa: PLR0913 - one parameter an option
    location: Annotated[
        str, typer.Argument(metavar="PLACE", help="A folder, or a URL that fsspec knows, such as s3://bucket/log.")
    ],
    *,
    data: DataFolder = Path("referee-data"),
    database: Database = None,
    follow: Annotated[bool, typer.Option("--follow", help="Go on publishing as the log grows, until stopped.")] = False,
    every: Annotated[
        float, typer.Option(metavar="SECONDS", help="Seconds between two looks at the log.", min=0.05, max=3600)
    ] = 1.0,
    as_json: AsJson = False,
) -> None:
    """Publish the log as C2SP tiles, which referee audit and common tools check without asking the operator.

    Only new files are written, the checkpoint last. If it was stopped or killed, run it again and it goes on. A
    published file is never overwritten with other content. Keys are not needed: the log is signed already. SIGTERM and
    Ctrl-C stop it.

    Exit code 0 if the log is published, 1 if the published files contradict it, 2 if it could not be published.
    """
    with until_asked() as stop:
        place = tiles.open_place(location)
        with closing(open_reader(data, database=database, is_certain=True)) as reader:
            if follow:
                _follow(reader, place, location, stop, every=every, as_json=as_json)
            else:
                outcome = _publish(reader, place, stop)
                if not outcome.is_complete:
                    fail(f"stopped before the log was published at {location}; run it again to go on")
                _report(outcome, location, as_json=as_json)


def note_of(reader: Reader) -> bytes:
    """Return the signed note to publish a log under: its newest checkpoint, with the cosignatures that it has."""
    head, cosigned = reader.head(), reader.newest_cosigned(quorate=False)
    return cosigned.note if cosigned is not None and cosigned.size == head.size else head.checkpoint


def _follow(  # noqa: PLR0913 - options of the command
    reader: Reader, place: Place, location: str, stop: threading.Event, *, every: float, as_json: bool
) -> None:
    """Publish the log every ``every`` seconds until stopped; double the pause after each failure, up to a minute."""
    pause, reported = every, -1
    while not stop.is_set():
        try:
            outcome = _publish(reader, place, stop)
        except (PlaceError, StoreError) as error:
            pause = min(2 * pause, max(every, _LONGEST_PAUSE))
            typer.echo(f"{printable(str(error))}; trying again in {pause:g} s", err=True)
        else:
            pause = every
            if outcome.is_complete and outcome.size != reported:
                reported = outcome.size
                _report(outcome, location, as_json=as_json)
        stop.wait(pause)


def _publish(reader: Reader, place: Place, stop: threading.Event) -> Publication:
    console = paper(stderr=True)
    try:
        with progress_bar("publishing", console=console) as bar:
            return tiles.publish(reader, note_of(reader), place, progress=bar, is_stopped=stop.is_set)
    except (ConflictError, DataLossError) as error:
        console.print(f"[red]referee:[/] {shown(trouble_text(error))}", highlight=False, soft_wrap=True)
        raise typer.Exit(FOUND) from None


def _report(outcome: Publication, location: str, *, as_json: bool) -> None:
    if as_json:
        line = {"place": location, "leaves": outcome.size, "new": outcome.size - outcome.old_size}
        typer.echo(ascii_json(msgspec.json.encode(line).decode()))
        return
    typer.echo(f"{outcome.size:,} leaves at {printable(location)}, {outcome.size - outcome.old_size:,} of them new")
