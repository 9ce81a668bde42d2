"""``referee audit``: a log proved from its bytes, wherever it is kept."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import grpc
import msgspec
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from referee.audit.audit import audit_log
from referee.audit.report import Report
from referee.audit.source import LogSource
from referee.audit.text import report_lines
from referee.cli.ending import FOUND, DataFolder, RulesetFolder, catalogue_of, fail
from referee.cli.report import print_report
from referee.evidence.vkey import KeyTextError
from referee.rulesets import Catalogue, load_builtin
from referee.server.clock import system_clock
from referee.server.keys import KeyFileError, read_public_keys
from referee.storage import DataLossError, Reader, StoreError, open_sqlite_reader
from referee.v1 import log_pb2, log_pb2_grpc

CALL_SECONDS: Final = 30.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is audited: a source, its origin, and the two keys that everything rests on."""

    source: LogSource
    origin: str
    log_key: str
    root_key: str


def audit(  # noqa: PLR0913 - one parameter an option
    *,
    data: DataFolder = Path("referee-data"),
    address: Annotated[str, typer.Option(help="A running service in place of a folder, such as 127.0.0.1:50051.")] = "",
    log_key: Annotated[str, typer.Option(help="The log's verifier key as you know it from elsewhere.")] = "",
    root_key: Annotated[str, typer.Option(help="The root's verifier key as you know it from elsewhere.")] = "",
    witnessed: Annotated[
        list[Path] | None,
        typer.Option(help="A checkpoint of this log that you kept; may be given several times.", exists=True),
    ] = None,
    workers: Annotated[int, typer.Option(help="Processes that examine rounds.", min=1, max=256)] = 1,
    rulesets: RulesetFolder = None,
    as_json: Annotated[bool, typer.Option("--json", help="The report as JSON on standard output.")] = False,
) -> None:
    """Prove a log: every signature, commitment, deal, rule and slot, and the tree over all of it.

    A terminal gets tables and colours, a pipe plain lines.
    Exit code 0 where nothing was found, 1 where something was, 2 where the log cannot be read. Without keys given,
    those beside the log or of the service itself are used, which proves that the log agrees with itself and no more.
    """
    catalogue = catalogue_of(rulesets)
    kept = [path.read_bytes() for path in witnessed or ()]
    if address:
        with grpc.insecure_channel(address) as channel:
            try:
                report = _run(_served(channel, log_key, root_key), catalogue, kept, workers=workers)
            except grpc.RpcError as error:
                fail(f"{address} does not answer: {error.code().name}, {error.details()}")
    else:
        with closing(_opened(data)) as reader:
            report = _run(_stored(reader, data, log_key, root_key), catalogue, kept, workers=workers)
    if as_json:
        typer.echo(msgspec.json.encode(report, order="sorted"))
    else:
        console = Console()
        if console.is_terminal:
            _print(console, report, given=bool(log_key and root_key))
        else:
            typer.echo("\n".join(report_lines(report, with_tables=True)))
    raise typer.Exit(0 if report.is_clean else FOUND)


def audit_folder(folder: Path, *, console: Console) -> int:
    """Audits a data folder with the keys beside it and prints the report; the exit code that it comes to."""
    with closing(_opened(folder)) as reader:
        report = _run(_stored(reader, folder, "", ""), load_builtin(), (), workers=1)
    _print(console, report, given=False)
    return 0 if report.is_clean else FOUND


def _run(question: Question, catalogue: Catalogue, kept: Sequence[bytes], *, workers: int) -> Report:
    columns = (TextColumn("auditing"), BarColumn(), MofNCompleteColumn(), TextColumn("leaves"), TimeRemainingColumn())
    try:
        with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
            task = bar.add_task("auditing", total=None)
            return audit_log(
                question.source,
                origin=question.origin,
                log_key=question.log_key,
                root_key=question.root_key,
                catalogue=catalogue,
                now=system_clock(),
                witnessed=kept,
                workers=workers,
                progress=lambda done, size: bar.update(task, completed=done, total=size),
            )
    except KeyTextError as error:
        fail(str(error))
    except (StoreError, DataLossError) as error:
        fail(str(error))


def _print(console: Console, report: Report, *, given: bool) -> None:
    print_report(console, report)
    if not given:
        console.print(
            "The keys were taken from where the log is kept. To prove more than that the log agrees with itself, give "
            "--log-key and --root-key as published elsewhere.",
            style="dim",
        )


def _opened(data: Path) -> Reader:
    try:
        return open_sqlite_reader(data)
    except StoreError as error:
        fail(str(error))


@dataclass(frozen=True, slots=True)
class StoredLog:
    """A log in a data folder; its checkpoint is the one that stood when the audit began."""

    reader: Reader
    checkpoint: bytes

    def leaves(self, start: int, stop: int) -> Iterator[bytes]:
        """The leaves from ``start`` to before ``stop``, in order."""
        return self.reader.iterate(start, stop)


def _stored(reader: Reader, data: Path, log_key: str, root_key: str) -> Question:
    if not (log_key and root_key):
        try:
            keys = read_public_keys(data / "keys")
        except KeyFileError as error:
            fail(f"{error}; or give --log-key and --root-key")
        log_key, root_key = log_key or keys["log"], root_key or keys["root"]
    try:
        source = StoredLog(reader, reader.head().checkpoint)
    except (StoreError, DataLossError) as error:
        fail(str(error))
    return Question(source=source, origin=reader.origin, log_key=log_key, root_key=root_key)


@dataclass(frozen=True, slots=True)
class ServedLog:
    """A log behind LogService; its checkpoint is the one that stood when the audit began."""

    stub: log_pb2_grpc.LogServiceStub
    checkpoint: bytes

    def leaves(self, start: int, stop: int) -> Iterator[bytes]:
        """The leaves from ``start`` to before ``stop``, in order; fewer where the service gives no more."""
        while start < stop:
            request = log_pb2.ListEntriesRequest(start=start, count=min(stop - start, 1000))
            leaves = self.stub.ListEntries(request, timeout=CALL_SECONDS).leaves
            if not leaves:
                return
            yield from leaves
            start += len(leaves)


def _served(channel: grpc.Channel, log_key: str, root_key: str) -> Question:
    stub = log_pb2_grpc.LogServiceStub(channel)
    keys = stub.GetKeys(log_pb2.GetKeysRequest(), timeout=CALL_SECONDS)
    checkpoint = stub.GetCheckpoint(log_pb2.GetCheckpointRequest(), timeout=CALL_SECONDS).checkpoint
    return Question(
        source=ServedLog(stub, checkpoint.encode()),
        origin=keys.origin,
        log_key=log_key or keys.log_key,
        root_key=root_key or keys.root_key,
    )
