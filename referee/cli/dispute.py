"""``referee dispute``: a quarrel about one round, answered from its bundle or its log and what people hold."""

import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from referee.audit.as_of import AuditTime
from referee.audit.cosignatures import Witnessing
from referee.audit.dispute.case import Case, case_of_bundle, case_of_log
from referee.audit.dispute.dispute import settle_dispute
from referee.audit.dispute.held import HeldKind, HeldPart, held_files, read_all
from referee.audit.dispute.lines import dispute_lines
from referee.audit.documents import HeldSeed
from referee.audit.round_leaves import AuditTerms
from referee.audit.trust import TrustedKeys
from referee.cli.audit import PageLanguage
from referee.cli.audited_log import OPTIONS, AuditedLog, LogKey, RootKeyText, audited_log
from referee.cli.command import Commands
from referee.cli.options import FOUND, AsJson, AsOf, RulesetFolder, answer, catalogue_of, fail
from referee.cli.progress import progress_bar
from referee.cli.service_access import ServiceOptions
from referee.cli.witnessing import WitnessOptions
from referee.evidence.outside import pasted
from referee.evidence.vkey import VerifierKey
from referee.rulesets import Catalogue
from referee.server.clock import system_clock

app = Commands()


@app.command(
    examples=[
        "referee dispute round.json --held move.json --log-key KEY --root-key KEY",
        "referee dispute referee-data acme.vip-7 42 --held kept.json --html page.html",
    ]
)
def dispute(  # noqa: PLR0913 - one parameter an option
    place: Annotated[
        str,
        typer.Argument(
            metavar="PLACE", help="The round's bundle; or where its log is, as for referee audit, and then the table."
        ),
    ],
    table_id: Annotated[str, typer.Argument(metavar="TABLE", help="The table; left out for a bundle.")] = "",
    round_number: Annotated[
        int, typer.Argument(metavar="ROUND", help="The round; 0 for the table's latest.", min=0)
    ] = 0,
    *,
    held: Annotated[
        list[Path] | None,
        typer.Option(
            help="What somebody holds: any file that referee export, a client or the table's page writes, or a "
            "folder of them; several.",
            exists=True,
        ),
    ] = None,
    data: Annotated[
        Path | None, typer.Option("--data", metavar="FOLDER", help="Data folder with another place's keys.")
    ] = None,
    log_key: LogKey = "",
    root_key: RootKeyText = "",
    origin: Annotated[str, typer.Option(metavar="NAME", help="The log's origin; otherwise the name of its key.")] = "",
    witnesses: WitnessOptions,
    as_of: AsOf = None,
    rulesets: RulesetFolder = None,
    service: ServiceOptions,
    as_json: AsJson = False,
    html: Annotated[Path | None, typer.Option(help="A file to write the answer to as one page for people.")] = None,
    language: Annotated[
        PageLanguage, typer.Option(help="The answer's language; the page has both with a switch.")
    ] = PageLanguage.BOTH,
) -> None:
    """Settle a quarrel about a round: what each file proves, who can have done it, and what nobody can prove.

    A bundle shows its round alone and needs both keys; in its place give the log to have the rest of it examined too.
    Each fault is a finding of referee audit, and no file is left out: one of no known kind is named.

    Exit code 0 if no promise was broken, 1 if one was or this copy of the log decides nothing, 2 if there is no such
    round or it cannot be read.
    """
    parts = read_all(held_files(held or ()))
    terms = _Terms(catalogue_of(rulesets), witnesses.read(), as_of)
    if table_id:
        opened = audited_log(
            place, data, log_key=log_key, root_key=root_key, origin=origin, access=service.read(), as_of=as_of
        )
        with opened as log:
            witnesses.check_log(log.log_key)
            seeds = tuple(seed for part in parts for seed in part.documents.seeds)
            case = terms.case_of_log(log, table_id, round_number, seeds)
            verdict = settle_dispute(case, parts)
        keys = log.log_key, log.root_key
    else:
        bundle, keys = Path(place), (log_key, root_key)
        witnesses.check_log(log_key)
        case = terms.case_of_bundle(bundle, origin, *keys)
        added = [part for part in _read(bundle) if part.kind is not HeldKind.BUNDLE]
        verdict = settle_dispute(case, (*added, *parts))
    if html is not None:
        from referee.audit.dispute.page import DisputePageOptions, render_dispute  # noqa: PLC0415 - Jinja2

        number = round_number if verdict.round is None else verdict.round.round_number
        target = [_last(log.place), table_id, str(number)] if table_id else [_last(place)]
        given = [("--held", held or ()), ("--witness", witnesses.witness or ())]
        given += [("--policy", [witnesses.policy])] if witnesses.policy else []
        shown = [text for option, values in given for one in values for text in (option, _last(str(one)))]
        shown += ["--quorum", str(witnesses.quorum)] if witnesses.quorum else []
        shown += ["--as-of", str(as_of)] if as_of is not None else []
        options = DisputePageOptions(
            language=language.value,
            log_key=keys[0],
            root_key=keys[1],
            keys_are_given=not table_id or log.keys_from == OPTIONS,
            command=shlex.join(["referee", "dispute", *target, *shown, "--log-key", keys[0], "--root-key", keys[1]]),
        )
        try:
            html.write_text(render_dispute(verdict, case, options), encoding="utf-8")
        except OSError as error:
            fail(f"{html} cannot be written: {error.strerror}")
    value = {**msgspec.to_builtins(verdict), "keys_used": {"log": keys[0], "root": keys[1]}}
    words = dispute_lines(verdict, "vi" if language is PageLanguage.VI else "en")
    answer(value, "\n".join(words), as_json=as_json)
    raise typer.Exit(0 if verdict.is_sound else FOUND)


@dataclass(frozen=True, slots=True)
class _Terms:
    """Rulesets, witnesses and the given time by which the round is verified."""

    catalogue: Catalogue
    witnessing: Witnessing
    as_of: int | None

    def case_of_bundle(self, file: Path, origin: str, log_key: str, root_key: str) -> Case:
        """Read the round of a bundle; end the command if it is no file, or a key is missing."""
        log_key, root_key = pasted(log_key), pasted(root_key)
        if not file.is_file():
            fail(f"{file} is no bundle of a round; of a log name the round too: referee dispute PLACE TABLE ROUND")
        if not (log_key and root_key):
            fail("a bundle is proved by keys from elsewhere: give --log-key and --root-key as published")
        return case_of_bundle(
            file.read_bytes(),
            AuditTerms(origin=origin or VerifierKey.parse(log_key).name, catalogue=self.catalogue),
            TrustedKeys(log=log_key, root=root_key),
            AuditTime(now=system_clock(), as_of=self.as_of),
            witnessing=self.witnessing,
        )

    def case_of_log(self, log: AuditedLog, table_id: str, round_number: int, seeds: tuple[HeldSeed, ...]) -> Case:
        """Audit a log and read the round."""
        with progress_bar("auditing") as bar:
            return case_of_log(
                log.source,
                (table_id, round_number),
                AuditTerms(origin=log.origin, catalogue=self.catalogue),
                log.trusted,
                log.time(system_clock()),
                seeds=seeds,
                witnessing=replace(self.witnessing, cosigned=log.cosigned),
                progress=bar,
            )


def _last(place: str) -> str:
    """Return a path's last name, so that an answer shows no folder of this machine; return other texts as they are."""
    return Path(place).name if Path(place).exists() else place


def _read(bundle: Path) -> tuple[HeldPart, ...]:
    return read_all([(bundle.name, bundle.read_bytes())])
