"""``referee audit``: a log proved from its bytes, wherever it is kept."""

import enum
import shlex
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import grpc
import msgspec
import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from referee.audit.audit import audit_log
from referee.audit.cluster import Cluster, ClusterError
from referee.audit.cosigned import NO_WITNESSING, Witnessing
from referee.audit.held import HeldError, exhibits_of
from referee.audit.page.album import RoundKey
from referee.audit.report import Report
from referee.audit.source import NO_EXHIBITS, Exhibits, LogSource
from referee.audit.text import report_lines
from referee.audit.tiled import TiledLog
from referee.cli.ending import FOUND, Database, DataFolder, RulesetFolder, catalogue_of, fail
from referee.cli.export import LEAF_SUFFIX
from referee.cli.report import print_report
from referee.evidence.vkey import KeyTextError, VerifierKey
from referee.log.cosignature import QuorumError, quorum_of
from referee.rulesets import Catalogue, load_builtin
from referee.server.clock import system_clock
from referee.server.key_folder import read_public_keys
from referee.server.keys import KeyFileError
from referee.storage import DataLossError, Reader, StoreError, open_reader
from referee.storage.sqlite import FILE_NAME
from referee.tiles import PlaceError, open_place
from referee.v1 import log_pb2, log_pb2_grpc

CALL_SECONDS: Final = 30.0
_PAGE: Final = 1_000
_DIGITS: Final = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What is audited: a source, its origin, the two keys that everything rests on, and its cosigned checkpoints.

    ``location`` is where other machines can read its tiles too.
    """

    source: LogSource
    origin: str
    log_key: str
    root_key: str
    cosigned: Iterable[bytes] = ()
    location: str | None = None


class Words(enum.StrEnum):
    """The languages of a page."""

    VI = "vi"
    EN = "en"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Page:
    """The page that is to be written: its file, language and rounds."""

    file: Path
    language: Words
    rounds: tuple[RoundKey, ...]
    catalogue: Catalogue

    def write(self, report: Report, question: Question, where: str) -> None:
        """Write the page of a report; ends the command where the file cannot be written."""
        from referee.audit.page.page import Asked, render_page  # noqa: PLC0415 - its engine is for this option alone

        keys = f"--log-key {shlex.quote(question.log_key)} --root-key {shlex.quote(question.root_key)}"
        asked = Asked(
            language=self.language.value,
            rounds=self.rounds,
            log_key=question.log_key,
            root_key=question.root_key,
            command=f"referee audit {where} {keys}",
        )
        try:
            self.file.write_text(
                render_page(report, question.source, catalogue=self.catalogue, asked=asked), encoding="utf-8"
            )
        except OSError as error:
            fail(f"{self.file} cannot be written: {error.strerror}")


def audit(  # noqa: PLR0913 - one parameter an option
    location: Annotated[
        str, typer.Argument(help="Where a log is published as tiles: a folder, or an fsspec URL.")
    ] = "",
    *,
    data: DataFolder = Path("referee-data"),
    database: Database = None,
    address: Annotated[str, typer.Option(help="A running service in place of a folder, such as 127.0.0.1:50051.")] = "",
    log_key: Annotated[str, typer.Option(help="The log's verifier key as you know it from elsewhere.")] = "",
    root_key: Annotated[str, typer.Option(help="The root's verifier key as you know it from elsewhere.")] = "",
    origin: Annotated[str, typer.Option(help="A published log's origin; otherwise the name of its log key.")] = "",
    witnessed: Annotated[
        list[Path] | None,
        typer.Option(help="A checkpoint of this log that you kept; may be given several times.", exists=True),
    ] = None,
    witness: Annotated[
        list[str] | None, typer.Option(help="A witness's verifier key, to believe it; may be given several times.")
    ] = None,
    quorum: Annotated[int, typer.Option(help="How many of them must have cosigned; 0 for all.", min=0)] = 0,
    max_age: Annotated[
        int, typer.Option(help="Seconds since they vouched for the log last, at most; 0 for any time.", min=0)
    ] = 0,
    outgrown: Annotated[
        list[Path] | None,
        typer.Option(help="A checkpoint that the log must have grown beyond; may be given several times.", exists=True),
    ] = None,
    receipt: Annotated[
        list[Path] | None,
        typer.Option(
            help="What you hold: a .tlog-proof, its .leaf beside it, a bundle, certificate or event receipt; several.",
            exists=True,
        ),
    ] = None,
    workers: Annotated[int, typer.Option(help="Processes of this machine that examine rounds.", min=1, max=256)] = 1,
    scheduler: Annotated[
        str,
        typer.Option(
            help="A Dask scheduler, such as tcp://10.0.0.5:8786, whose workers examine the rounds; they read the tiles "
            "of a URL by themselves."
        ),
    ] = "",
    rulesets: RulesetFolder = None,
    as_json: Annotated[bool, typer.Option("--json", help="The report as JSON on standard output.")] = False,
    html: Annotated[Path | None, typer.Option(help="A file to write the report to as one page for people.")] = None,
    language: Annotated[Words, typer.Option(help="The page's language; both have a switch.")] = Words.BOTH,
    rounds: Annotated[
        list[str] | None, typer.Option("--round", help="A round for the page, as TABLE:NUMBER; several may be given.")
    ] = None,
) -> None:
    """Prove a log: every signature, commitment, deal, rule and slot, and the tree over all of it.

    A terminal gets tables and colours, a pipe plain lines. Where a location is given, the log is read from its
    published tiles alone, and each tile is checked as well.
    Exit code 0 where nothing was found, 1 where something was, 2 where the log cannot be read. Without keys given,
    those beside the log or of the service itself are used, which proves that the log agrees with itself and no more.
    """
    if scheduler and workers > 1:
        fail("--workers are processes of this machine, --scheduler has workers of its own: give one of them")
    catalogue = catalogue_of(rulesets)
    kept = [path.read_bytes() for path in witnessed or ()]
    held = _held(receipt or [])
    page = None if html is None else Page(html, language, _rounds(rounds or []), catalogue)
    told = _witnessing(witness or [], outgrown or [], quorum=quorum, max_age=max_age)
    if address:
        with grpc.insecure_channel(address) as channel:
            try:
                question = _served(channel, log_key, root_key)
                report = _run(question, catalogue, kept, told, held, workers=workers, scheduler=scheduler)
                if page is not None:
                    page.write(report, question, f"--address {address}")
            except grpc.RpcError as error:
                fail(f"{address} does not answer: {error.code().name}, {error.details()}")
    elif location and not (Path(location) / FILE_NAME).exists():
        question = _published(location, data, origin, log_key, root_key)
        report = _run(question, catalogue, kept, told, held, workers=workers, scheduler=scheduler)
        if page is not None:
            page.write(report, question, location)
    else:
        folder = Path(location) if location else data
        with closing(_opened(folder, None if location else database)) as reader:
            question = _stored(reader, folder, log_key, root_key)
            report = _run(question, catalogue, kept, told, held, workers=workers, scheduler=scheduler)
            if page is not None:
                page.write(report, question, f"--data {folder}")
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


def _witnessing(keys: Sequence[str], outgrown: Sequence[Path], *, quorum: int, max_age: int) -> Witnessing:
    """What the options say of witnesses; ends the command where it cannot be meant."""
    if (quorum or max_age) and not keys:
        fail("--quorum and --max-age say something of witnesses; name them with --witness")
    try:
        agreed = quorum_of(keys, needed=quorum or None) if keys else None
    except (KeyTextError, QuorumError) as error:
        fail(str(error))
    return Witnessing(
        quorum=agreed,
        max_age=1000 * max_age or None,
        outgrown=tuple(path.read_bytes() for path in outgrown),
    )


def _rounds(texts: Sequence[str]) -> tuple[RoundKey, ...]:
    """Rounds from TABLE:NUMBER; ends the command for anything else."""
    keys = []
    for text in texts:
        table, _, number = text.rpartition(":")
        if not table or not number.isdecimal() or len(number) > _DIGITS:
            fail(f"--round {text}: give a table and a round's number, such as felt:12")
        keys.append((table, int(number)))
    return tuple(keys)


def _held(files: Sequence[Path]) -> Exhibits:
    """What the files hold; ends the command for one that is none of what people hold."""
    read = []
    for path in files:
        beside = path.with_suffix(LEAF_SUFFIX)
        read.append((path.read_bytes(), beside.read_bytes() if beside != path and beside.is_file() else None))
    try:
        return exhibits_of(read)
    except HeldError as error:
        fail(f"--receipt, counted from 0: {error}")


def _run(  # noqa: PLR0913 - what an audit goes by
    question: Question,
    catalogue: Catalogue,
    kept: Sequence[bytes],
    witnessing: Witnessing = NO_WITNESSING,
    exhibits: Exhibits = NO_EXHIBITS,
    *,
    workers: int,
    scheduler: str = "",
) -> Report:
    columns = (TextColumn("auditing"), BarColumn(), MofNCompleteColumn(), TextColumn("leaves"), TimeRemainingColumn())
    assemble = None
    if scheduler:
        note = question.source.checkpoint
        assemble = partial(Cluster, scheduler=scheduler, location=question.location, note=note)
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
                witnessing=replace(witnessing, cosigned=question.cosigned),
                exhibits=exhibits,
                workers=workers,
                assemble=assemble,
                progress=lambda done, size: bar.update(task, completed=done, total=size),
            )
    except KeyTextError as error:
        fail(str(error))
    except (StoreError, DataLossError, PlaceError, ClusterError) as error:
        fail(str(error))


def _print(console: Console, report: Report, *, given: bool) -> None:
    print_report(console, report)
    if not given:
        console.print(
            "The keys were taken from where the log is kept. To prove more than that the log agrees with itself, give "
            "--log-key and --root-key as published elsewhere.",
            style="dim",
        )


def _opened(data: Path, database: str | None = None) -> Reader:
    try:
        return open_reader(data, database=database)
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
    log_key, root_key = _keys(data, log_key, root_key)
    try:
        source = StoredLog(reader, reader.head().checkpoint)
    except (StoreError, DataLossError) as error:
        fail(str(error))
    cosigned = _kept_cosigned(reader)
    return Question(source=source, origin=reader.origin, log_key=log_key, root_key=root_key, cosigned=cosigned)


def _kept_cosigned(reader: Reader) -> Iterator[bytes]:
    """The cosigned checkpoints that a store keeps, smallest first."""
    start = 0
    while page := reader.cosigned(start, _PAGE):
        yield from (one.note for one in page)
        start = page[-1].size + 1


def _served_cosigned(stub: log_pb2_grpc.LogServiceStub) -> Iterator[bytes]:
    """The cosigned checkpoints that a service lists, smallest first."""
    start = 0
    while True:
        request = log_pb2.ListCosignedCheckpointsRequest(start_size=start)
        notes = stub.ListCosignedCheckpoints(request, timeout=CALL_SECONDS).checkpoints
        if not notes:
            return
        for note in notes:
            yield note.encode()
        size = notes[-1].partition("\n")[2].partition("\n")[0]
        if not size.isdecimal() or len(size) > _DIGITS or int(size) < start:
            return
        start = int(size) + 1


def _published(location: str, data: Path, origin: str, log_key: str, root_key: str) -> Question:
    log_key, root_key = _keys(data, log_key, root_key)
    try:
        source = TiledLog(open_place(location))
        origin = origin or VerifierKey.parse(log_key).name
    except (PlaceError, KeyTextError) as error:
        fail(str(error))
    reached = location if "://" in location else None
    return Question(source=source, origin=origin, log_key=log_key, root_key=root_key, location=reached)


def _keys(data: Path, log_key: str, root_key: str) -> tuple[str, str]:
    """The two keys, those that are not given read from a data folder."""
    if log_key and root_key:
        return log_key, root_key
    try:
        keys = read_public_keys(data / "keys")
    except KeyFileError as error:
        fail(f"{error}; or give --log-key and --root-key")
    return log_key or keys["log"], root_key or keys["root"]


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
        cosigned=_served_cosigned(stub),
    )
