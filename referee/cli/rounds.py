"""``referee rounds``: a log's rounds as Parquet tables."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from referee.cli.audited_log import (
    KeysFolder,
    LogKey,
    LogPlace,
    Origin,
    RootKeyText,
    audited_log,
    database_of,
)
from referee.cli.command import Commands
from referee.cli.options import FOUND, AsJson, Database, answer, fail
from referee.cli.progress import progress_bar
from referee.cli.service_access import Authorities, Certificate, CertificateKey, Tls, TokenFile, service_access
from referee.evidence.printable import counted, printable
from referee.rounds.export import Exported, export_rounds
from referee.server.folder_lock import LeaderLock

app = Commands()


@app.command(
    examples=[
        "referee rounds referee-data --out rounds",
        "referee rounds play.example.com:443 --tls --out rounds --json",
    ]
)
def rounds(  # noqa: PLR0913 - one parameter an option
    context: typer.Context,
    place: LogPlace = "",
    *,
    out: Annotated[Path, typer.Option(help="Folder of the tables; tables in it are continued.", file_okay=False)],
    data: KeysFolder = None,
    database: Database = None,
    log_key: LogKey = "",
    root_key: RootKeyText = "",
    origin: Origin = "",
    tls: Tls = False,
    ca: Authorities = None,
    cert: Certificate = None,
    cert_key: CertificateKey = None,
    token_file: TokenFile = None,
    as_json: AsJson = False,
) -> None:
    """Write a log's rounds as Parquet tables by day; go on where an export ended.

    The tables are rounds, seats, events, transfers and aborts, of rounds that ended. The log's signed checkpoint, that
    the leaves are those which it signs, and that they continue what the folder has are verified; referee audit
    verifies what the leaves say. Keys are those of referee audit.

    Exit code 0 if every leaf was read, 1 if some gave no row (they are named), 2 if the export could not be made.
    """
    database = database_of(context, place, database)
    access = service_access(tls=tls, ca=ca, cert=cert, cert_key=cert_key, token_file=token_file)
    with (
        audited_log(place, data, database, log_key=log_key, root_key=root_key, origin=origin, access=access) as log,
        only_export(out),
        progress_bar("exporting") as bar,
    ):
        done = export_rounds(log.source, out, origin=log.origin, keys=log.trusted, progress=bar)
    value = {"folder": str(out), "origin": log.origin, **msgspec.to_builtins(done)}
    answer(value, "\n".join(export_lines(done, out)), as_json=as_json)
    raise typer.Exit(FOUND if done.unread_count else 0)


@contextmanager
def only_export(out: Path) -> Iterator[None]:
    """Make a folder and keep other exports out of it; end the command if one is running, or for a fault of the disk."""
    lock = LeaderLock(out / "lock")
    try:
        out.mkdir(parents=True, exist_ok=True)
        if not lock.take():
            fail(f"another export to {out} is running; wait for its end")
        yield
    except OSError as error:
        fail(f"{out}: {error.strerror}")
    finally:
        lock.leave()


def export_lines(done: Exported, out: Path) -> list[str]:
    """Return lines about what an export wrote."""
    rows = ", ".join(f"{count:,} {table}" for table, count in done.rows.items()) or "no rows"
    running = f"{counted(done.running, 'round')} still {'runs' if done.running == 1 else 'run'}"
    lines = [
        f"{rows} of leaves {done.start:,} to {done.size:,} in {printable(str(out))}; {running}",
        f"root {done.root}: `referee audit` says of the same root whether what the leaves say is true",
    ]
    if done.unread_count:
        leaves = "1 leaf" if done.unread_count == 1 else f"{done.unread_count:,} leaves"
        lines.append(f"{leaves} gave no row; `referee audit` says what is wrong:")
        lines += [f"  leaf {index}: {printable(why)}" for index, why in done.unread]
    return lines
