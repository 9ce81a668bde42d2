"""``referee audit``: prove a log from its bytes."""

import enum
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import msgspec
import typer
from rich.console import Console

from referee.audit.audit import audit_log
from referee.audit.cluster import Cluster
from referee.audit.cosignatures import NO_WITNESSING, Witnessing
from referee.audit.dispute.case import UNREADABLE
from referee.audit.dispute.held import LEAF_SUFFIX
from referee.audit.documents import NO_DOCUMENTS, DocumentError, Documents, HeldSeed, parse_documents, parse_seeds
from referee.audit.page.story import RoundKey
from referee.audit.page.text import report_lines, verdict_line
from referee.audit.round_leaves import AuditTerms
from referee.audit.source import FollowedLog
from referee.audit.workers import ProcessPool, WorkerPool
from referee.cli.answered import Asking, IsAsked, ScoresFile, SettingsFile
from referee.cli.audited_log import AuditedLog, LogOptions, audited_log
from referee.cli.command import Commands
from referee.cli.options import FOUND, RulesetFolder, catalogue_of, fail
from referee.cli.paper import paper
from referee.cli.progress import progress_bar
from referee.cli.service_access import ServiceOptions
from referee.cli.witnessing import MaxAge, WitnessOptions
from referee.dealing.leaf import EDITABLE
from referee.evidence.printable import ascii_json, printable
from referee.log.cosignature import Quorum
from referee.log.installed import InstalledFiles, installed_files
from referee.rulesets import Catalogue
from referee.server.clock import system_clock
from referee.suspicion.reader import Suspicion
from referee.suspicion.report import CountedReport

if TYPE_CHECKING:
    from referee.rounds.export import Exported, RoundsExport

app = Commands()

_DIGITS: Final = 16
_STYLES: Final = {"FAIL": "red", "NOTE": "yellow", "": "dim"}
"""Styles of the lines of a report, by their first word; the lines below a finding are indented."""


class PageLanguage(enum.StrEnum):
    """Languages of a page."""

    VI = "vi"
    EN = "en"
    BOTH = "both"


@dataclass(frozen=True, slots=True)
class Page:
    """Request for an HTML page: its file, language, rounds and the auditor's name."""

    file: Path
    language: PageLanguage
    rounds: tuple[RoundKey, ...]
    catalogue: Catalogue
    auditor: str = ""

    def write(self, report: CountedReport, log: AuditedLog, quorum: Quorum | None) -> None:
        """Write the page of a report; end the command if the file cannot be written."""
        from referee.audit.page.page import PageOptions, render_page  # noqa: PLC0415 - Jinja2, for this option alone

        keys = ["--log-key", log.log_key, "--root-key", log.root_key]
        witnesses = () if quorum is None else tuple(key.text for key in quorum.witnesses)
        for witness in witnesses:
            keys += ["--witness", witness]
        if quorum is not None:
            keys += ["--quorum", str(quorum.needed)]
        if log.as_of is not None:
            keys += ["--as-of", str(log.as_of)]
        asked = PageOptions(
            language=self.language.value,
            rounds=self.rounds,
            log_key=log.log_key,
            root_key=log.root_key,
            keys_from=log.keys_from,
            witnesses=witnesses,
            quorum=0 if quorum is None else quorum.needed,
            auditor=self.auditor,
            command=shlex.join(["referee", "audit", log.place, *keys]),
        )
        try:
            self.file.write_text(
                render_page(report, log.source, catalogue=self.catalogue, options=asked), encoding="utf-8"
            )
        except OSError as error:
            fail(f"{self.file} cannot be written: {error.strerror}")


@app.command(
    examples=[
        "referee audit referee-data",
        "referee audit play.example.com:443 --tls --log-key KEY --root-key KEY",
        "referee audit tiles --log-key KEY --root-key KEY --html report.html",
    ]
)
def audit(  # noqa: PLR0913 - one parameter an option
    *,
    source: LogOptions,
    witnessed: Annotated[
        list[Path] | None,
        typer.Option(
            "--checkpoint", help="A checkpoint of this log that you kept; may be given several times.", exists=True
        ),
    ] = None,
    witnesses: WitnessOptions,
    max_age: MaxAge = 0,
    outgrown: Annotated[
        list[Path] | None,
        typer.Option(help="A checkpoint that the log must have grown beyond; may be given several times.", exists=True),
    ] = None,
    receipt: Annotated[
        list[Path] | None,
        typer.Option(
            help="What you hold: a .tlog-proof, its .leaf beside it, a bundle, a certificate, an event receipt or a "
            "receipted event; several.",
            exists=True,
        ),
    ] = None,
    seeds: Annotated[
        list[Path] | None,
        typer.Option(
            help="Seeds that you hold of rounds that were given up: a JSON object a line with round_id, seat and seed. "
            "Give all that you hold, not some.",
            exists=True,
        ),
    ] = None,
    workers: Annotated[int, typer.Option(help="Processes of this machine that examine rounds.", min=1, max=256)] = 1,
    scheduler: Annotated[
        str,
        typer.Option(
            metavar="URL",
            help="A Dask scheduler, such as tcp://10.0.0.5:8786, whose workers examine the rounds; they read the tiles "
            "of a URL by themselves.",
        ),
    ] = "",
    rulesets: RulesetFolder = None,
    service: ServiceOptions,
    as_json: Annotated[bool, typer.Option("--json", help="The report as JSON on standard output.")] = False,
    html: Annotated[Path | None, typer.Option(help="A file to write the report to as one page for people.")] = None,
    tables: Annotated[
        Path | None,
        typer.Option(
            help="A folder to write the rounds to, as referee rounds export does, in the same reading.",
            file_okay=False,
        ),
    ] = None,
    is_asked: IsAsked = False,
    house: SettingsFile = None,
    scores: ScoresFile = None,
    installed: Annotated[
        bool, typer.Option(help="Compare the program that is installed here with what the log's STARTs name.")
    ] = False,
    auditor: Annotated[str, typer.Option(help="Who audits: a name for the page.")] = "",
    language: Annotated[
        PageLanguage, typer.Option(help="The page's language; both have a switch.")
    ] = PageLanguage.BOTH,
    rounds: Annotated[
        list[str] | None, typer.Option("--round", help="A round for the page, as TABLE:NUMBER; several may be given.")
    ] = None,
) -> None:
    """Prove a log: every signature, commitment, deal, rule and slot, and the tree over all of it.

    A terminal gets tables and colours, a pipe plain lines. Of a log that is published as tiles each tile is checked as
    well. Without --log-key and --root-key the keys beside the log, of --data, or of the service are used; that proves
    only that the log agrees with itself. Tiles and postgresql://... have no keys beside them.

    Exit code 0 if nothing failed, 1 if something did or no START names what is --installed, 2 if the log is unreadable.
    """
    if scheduler and workers > 1:
        fail("--workers are processes of this machine, --scheduler has workers of its own: give one of them")
    catalogue = catalogue_of(rulesets)
    kept = tuple([path.read_bytes() for path in witnessed or ()])
    held = replace(_held(receipt or []), seeds=_seeds(seeds or []), checkpoints=kept)
    if auditor and html is None:
        fail("--auditor is a name for the page of --html: give both")
    page = None if html is None else Page(html, language, _rounds(rounds or []), catalogue, auditor)
    asking = Asking.of(is_asked, house, scores, folder=rulesets, tables=tables, workers=workers, scheduler=scheduler)
    witnessing = witnesses.read(outgrown, max_age=max_age)
    with source.open(service.read()) as log, _export_to(tables, log) as export:
        witnesses.check_log(log.log_key)
        report = _run(
            log, catalogue, witnessing, held, workers=workers, scheduler=scheduler, export=export, asking=asking
        )
        written = _written(export, report)
        if page is not None:
            page.write(report, log, witnessing.quorum)
    here = installed_files() if installed else None
    named = None if here is None else _named_by(here, report)
    if as_json:
        found = report_of(report, log)
        if here is not None:
            found["installed"] = {**msgspec.to_builtins(here), "named_by": named}
        if written is not None:
            found["tables"] = {"folder": str(tables), **msgspec.to_builtins(written)}
        typer.echo(ascii_json(msgspec.json.encode(found, order="sorted").decode()))
    else:
        print_audit(paper(), report, log)
        if here is not None:
            typer.echo("\n".join(_installed_lines(here, named)))
        typer.echo("".join([f"{line}\n" for line in _table_lines(written, tables)]), nl=False)
    raise typer.Exit(0 if report.is_clean and (here is None or named is not None) else FOUND)


@contextmanager
def _export_to(tables: Path | None, log: AuditedLog) -> "Iterator[RoundsExport | None]":
    """Begin an export of a log's rounds to a folder; None without a folder."""
    if tables is None:
        yield None
        return
    from referee.cli.rounds_export import only_export  # noqa: PLC0415 - of a system with locks on files
    from referee.rounds.export import RoundsExport  # noqa: PLC0415 - the extra parquet

    time = log.time(system_clock())
    with (
        only_export(tables),
        RoundsExport(log.source, tables, origin=log.origin, keys=log.trusted, time=time) as export,
    ):
        yield export


def _written(export: "RoundsExport | None", report: CountedReport) -> "Exported | None":
    """Write the rows of an export, unless the leaves are not those that the log signed."""
    return export.close() if export is not None and UNREADABLE.isdisjoint(report.finding_counts) else None


def _table_lines(written: "Exported | None", tables: Path | None) -> Sequence[str]:
    if written is None or tables is None:
        return ()
    from referee.cli.rounds_export import export_lines  # noqa: PLC0415 - of a system with locks on files

    return export_lines(written, tables)


def _named_by(here: InstalledFiles, report: CountedReport) -> int | None:
    """Return the newest leaf that names the installed files, or None; a checkout has no digest to be named by."""
    leaves = [one.leaf_index for one in report.starts if one.start.package == here.digest != EDITABLE]
    return leaves[-1] if leaves else None


def _installed_lines(here: InstalledFiles, named: int | None) -> Iterator[str]:
    """Yield what is installed on this machine, which files were edited since, and the leaf that names it."""
    yield f"installed here: version {here.version}, files {here.digest}"
    for path in here.changed:
        yield f"not as installed: {printable(path)}"
    yield "no START of this log names these files" if named is None else f"named by the START at leaf {named:,}"


def audit_folder(folder: Path, *, catalogue: Catalogue) -> tuple[CountedReport, AuditedLog]:
    """Audit a data folder with its own keys; return the report and the log that was audited."""
    with audited_log(str(folder), folder) as log:
        return _run(log, catalogue, workers=1), log


def report_of(report: CountedReport, log: AuditedLog) -> dict[str, object]:
    """Return a report with the keys that the audit trusted, as values for JSON."""
    keys = {"log": log.log_key, "root": log.root_key, "from": log.keys_from}
    return {"keys_used": keys, **msgspec.to_builtins(report)}


def _rounds(texts: Sequence[str]) -> tuple[RoundKey, ...]:
    """Parse rounds written TABLE:NUMBER; end the command if a text is not written so."""
    keys = []
    for text in texts:
        table, _, number = text.rpartition(":")
        if not table or not number.isdecimal() or len(number) > _DIGITS:
            fail(f"--round {text}: give a table and a round's number, such as felt:12")
        keys.append((table, int(number)))
    return tuple(keys)


def _held(files: Sequence[Path]) -> Documents:
    """Read the files of --receipt, each with the leaf file beside it; end the command if one is of no known kind."""
    read = []
    for path in files:
        beside = path.with_suffix(LEAF_SUFFIX)
        read.append((path.read_bytes(), beside.read_bytes() if beside != path and beside.is_file() else None))
    try:
        return parse_documents(read)
    except DocumentError as error:
        fail(f"--receipt, counted from 0: {error}")


def _seeds(files: Sequence[Path]) -> tuple[HeldSeed, ...]:
    """Read the files of --seeds; end the command if a line is no seed."""
    found: list[HeldSeed] = []
    for path in files:
        try:
            found += parse_seeds(path.read_bytes())
        except DocumentError as error:
            fail(f"--seeds {path}: {error}")
    return tuple(found)


def _run(  # noqa: PLR0913 - the arguments of audit_log
    log: AuditedLog,
    catalogue: Catalogue,
    witnessing: Witnessing = NO_WITNESSING,
    documents: Documents = NO_DOCUMENTS,
    *,
    workers: int,
    scheduler: str = "",
    export: "RoundsExport | None" = None,
    asking: Asking | None = None,
) -> CountedReport:
    """Audit a log with the statistics of its rounds; ``export`` gets each leaf that is read."""
    make_pool: Callable[[AuditTerms], WorkerPool] | None = None
    if scheduler:
        note = log.source.checkpoint
        make_pool = partial(Cluster, scheduler=scheduler, location=log.location, note=note)
    elif workers > 1:
        make_pool = partial(ProcessPool, count=workers)
    with (
        progress_bar("auditing") as bar,
        Suspicion(documents) as suspicion,
        nullcontext() if asking is None else asking.reader() as answered,
    ):
        report = audit_log(
            log.source if export is None else FollowedLog(log.source, export.leaf),
            AuditTerms(origin=log.origin, catalogue=catalogue),
            log.trusted,
            log.time(system_clock()),
            documents=documents,
            witnessing=replace(witnessing, cosigned=log.cosigned),
            make_pool=make_pool,
            readers=(suspicion,) if answered is None else (suspicion, answered),
            progress=bar,
        )
        return suspicion.complete(report, None if answered is None else answered.answers)


def print_audit(console: Console, report: CountedReport, log: AuditedLog) -> None:
    """Print a report and the keys that the audit trusted; a terminal shows in colours what fails or is noted."""
    verdict = {verdict_line(report): "bold green" if report.is_clean else "bold red"}
    for line in report_lines(report, with_tables=True):
        style = verdict.get(line) or _STYLES.get(line.partition(" ")[0], "")
        console.print(line, style=style, markup=False, highlight=False, soft_wrap=True)
    for line in _key_lines(log):
        console.print(line, style="dim", markup=False, highlight=False, soft_wrap=True)


def _key_lines(log: AuditedLog) -> tuple[str, ...]:
    """Return lines with both keys that the audit trusted and where they are from."""
    lines = (f"log key  {printable(log.log_key)}", f"root key {printable(log.root_key)}")
    if log.keys_from == "options":
        return (*lines, "both keys as given")
    return (
        *lines,
        (
            f"keys from {log.keys_from}, so this proves only that the log agrees with itself; to prove more, give "
            "--log-key and --root-key as published elsewhere"
        ),
    )
