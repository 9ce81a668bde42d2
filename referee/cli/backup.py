"""``referee backup`` and ``referee restore``: a copy of the log at one moment, in one file."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from referee.cli.command import Commands
from referee.cli.options import AsJson, Database, DataFolder, answer, fail
from referee.cli.progress import progress_bar
from referee.cli.stored_log import trouble_text
from referee.evidence.note import Note, NoteError
from referee.log import Checkpoint, CheckpointError
from referee.server.keys.folder import has_keys
from referee.server.keys.private_key import KeyFileError
from referee.server.keys.signed_head import read_signed_head
from referee.storage import DataLossError, Head, back_up, extend_backup, open_store, restore_into
from referee.storage import restore as restore_file

app = Commands()


@app.command(examples=["referee backup log-2026-11-23.sqlite3", "referee backup log-2026-11-23.sqlite3 --extend"])
def backup(
    file: Annotated[
        Path, typer.Argument(help="The file to write; without --extend it must not exist yet.", dir_okay=False)
    ],
    *,
    extend: Annotated[
        bool, typer.Option("--extend", help="Add to an existing backup what is new, and prove only that.")
    ] = False,
    data: DataFolder = Path("referee-data"),
    database: Database = None,
    as_json: AsJson = False,
) -> None:
    """Copy the log of the data folder, or of a database, into one file, while a server may run, and prove the copy.

    With --extend the cost grows with the new leaves, not with the log. An extension that is refused or killed leaves
    the backup as it was; a log that does not continue the backup is refused. Keep whole backups beside it: a disk that
    loses old bytes is noticed only by restore, which proves the whole file.

    The keys are not in it: back up the data folder's keys once, where nobody else can read them, and again after a
    change of keys.
    """
    try:
        with progress_bar("proving the copy") as bar:
            head = (extend_backup if extend else back_up)(data, file, database=database, progress=bar)
    except DataLossError as error:
        fail(trouble_text(error))
    _report(str(file), head, as_json=as_json)


@app.command(examples=["referee restore log-2026-11-23.sqlite3 --data referee-data"])
def restore(
    file: Annotated[Path, typer.Argument(help="A file that referee backup wrote.", exists=True, dir_okay=False)],
    *,
    data: DataFolder = Path("referee-data"),
    database: Database = None,
    witnessed: Annotated[
        list[Path] | None,
        typer.Option(
            "--checkpoint", help="A checkpoint of this log that you kept; may be given several times.", exists=True
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Bring a log back from its backup, or into a database, where no log is yet.

    Leaves that were appended after the backup are lost, and everyone with a receipt for one can prove it. A server
    refuses to start on a log that is shorter than its witnesses have cosigned or its keys have signed. With
    --checkpoint and the newest checkpoints that you know this command refuses such a log. A backup of a log has no
    keys: restore the keys folder from its own backup.
    """
    try:
        known = [Checkpoint.parse(Note.parse(path.read_bytes()).text) for path in witnessed or ()]
        with progress_bar("proving the copy") as bar:
            if database is None:
                head = restore_file(file, data, known=known, progress=bar)
            else:
                with closing(open_store(data, database=database)) as store:
                    head = restore_into(store, file, known=known, progress=bar)
    except (NoteError, CheckpointError) as error:
        fail(f"--checkpoint is no checkpoint: {error}")
    except DataLossError as error:
        fail(trouble_text(error))
    _report(str(data) if database is None else "the database", head, as_json=as_json)
    for hint in _missing(data, head):
        typer.echo(f"referee: {hint}", err=True)


def _missing(data: Path, head: Head) -> Iterator[str]:
    """Yield hints on what is still missing before a server can start on a restored log; none if nothing is."""
    keys = data / "keys"
    if not has_keys(keys):
        yield f"{keys} has no keys, which a backup of the log does not hold: copy the folder from its own backup"
    try:
        signed = read_signed_head(keys)
    except KeyFileError as error:
        yield str(error)
        return
    if signed is not None and signed.size > head.size:
        lost = signed.size - head.size
        yield (
            f"its keys have signed {lost} leaves that are not in this backup; restore a newer backup, or give "
            f"them up: referee serve --set log.accept_loss={lost}"
        )


def _report(place: str, head: Head, *, as_json: bool) -> None:
    root = head.root.hex()
    answer({"place": place, "leaves": head.size, "root": root}, f"{place}\t{head.size} leaves\t{root}", as_json=as_json)
