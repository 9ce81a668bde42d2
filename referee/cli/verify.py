"""``referee verify``: proves one round from its bundle, for players and auditors."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table as Grid

from referee.audit.as_of import AuditTime
from referee.audit.bundle import ProvedRound, prove_round
from referee.audit.page.text import EXPLAINED
from referee.audit.round_leaves import AuditTerms, RoundLeaves
from referee.audit.trust import TrustedKeys
from referee.cli.audited_log import LogKey, RootKeyText
from referee.cli.command import Commands
from referee.cli.options import FOUND, AsJson, AsOf, RulesetFolder, catalogue_of, print_json
from referee.cli.paper import paper
from referee.cli.show import shown
from referee.cli.witnessing import MaxAge, WitnessOptions
from referee.evidence.outside import pasted
from referee.evidence.vkey import VerifierKey
from referee.finding import Severity
from referee.server.clock import system_clock

app = Commands()


@app.command(examples=["referee verify round.json --log-key KEY --root-key KEY"])
def verify(  # noqa: PLR0913 - one parameter an option
    file: Annotated[Path, typer.Argument(help="A bundle, as referee export writes it.", exists=True, dir_okay=False)],
    *,
    log_key: LogKey,
    root_key: RootKeyText,
    origin: Annotated[str, typer.Option(metavar="NAME", help="The log's origin; otherwise the name of its key.")] = "",
    witnesses: WitnessOptions,
    max_age: MaxAge = 0,
    as_of: AsOf = None,
    rulesets: RulesetFolder = None,
    as_json: AsJson = False,
) -> None:
    """Prove one round: its leaves are in the signed log, its deck follows from the seeds, its result from the rules.

    With --witness or --policy the bundle's cosigned checkpoints are verified, so a round that waited for witnesses is
    proved as L3.

    Exit code 0 if everything holds, 1 if something does not or the round is not over, 2 if the file is no bundle. Only
    an audit of the whole log can find faults that other rounds show, such as a seed used twice.
    """
    log_key, root_key = pasted(log_key), pasted(root_key)
    witnesses.check_log(log_key)
    found = prove_round(
        file.read_bytes(),
        AuditTerms(origin=origin or VerifierKey.parse(log_key).name, catalogue=catalogue_of(rulesets)),
        TrustedKeys(log=log_key, root=root_key),
        AuditTime(now=system_clock(), as_of=as_of),
        witnessing=witnesses.read(max_age=max_age),
    )
    if as_json:
        print_json(_described(found))
    else:
        _print(paper(), found)
    raise typer.Exit(0 if found.is_proved else FOUND)


def _described(found: ProvedRound) -> dict[str, object]:
    leaves, result = found.leaves, found.result
    described: dict[str, object] = {"proved": found.is_proved, "findings": found.findings}
    if found.unchecked:
        described["unchecked"] = found.unchecked
    if found.explained:
        described["explained"] = found.explained
    if leaves is not None and result is not None:
        header = leaves.header
        described |= {
            "table_id": header.table_id,
            "round_number": header.round_number,
            "stage": _stage(leaves),
            "ruleset_id": header.ruleset_id,
            "ruleset_version": header.ruleset_version,
            "replayed": result.is_replayed,
            "dealt_again": result.is_redealt,
            "dealing_level": result.dealing_level,
            "event_level": result.event_level,
        }
    return described


def _stage(leaves: RoundLeaves) -> str:
    return "settled" if leaves.settle is not None else "aborted" if leaves.abort is not None else "running"


def _print(console: Console, found: ProvedRound) -> None:
    leaves, result = found.leaves, found.result
    if leaves is not None and result is not None:
        grid = Grid.grid(padding=(0, 2))
        header = leaves.header
        grid.add_row("round", f"{shown(header.table_id)} {header.round_number}, {_stage(leaves)}")
        grid.add_row("ruleset", shown(f"{header.ruleset_id} {header.ruleset_version}"))
        grid.add_row("replayed", "yes" if result.is_replayed else "no")
        grid.add_row("dealt again", "yes" if result.is_redealt else "no: its seed is not shown, or it was not dealt")
        levels = [one.value for one in (result.dealing_level, result.event_level) if one is not None]
        grid.add_row("proved as", ", ".join(levels) or "no level")
        console.print(grid)
    for finding in found.findings:
        place = "" if finding.leaf_index is None else f" at leaf {finding.leaf_index}"
        sign = "[red]✗" if finding.severity is Severity.FAIL else "[yellow]•"
        console.print(f"{sign} {finding.code.value}[/]{place}: {shown(finding.detail)}", highlight=False)
    for line in found.unchecked:
        console.print(f"[yellow]{line}[/]")
    if found.explained:
        console.print(f"[dim]{found.explained:,} {EXPLAINED}[/]")
    if found.is_proved:
        console.print("[green]✓ everything in this round holds[/]")
    elif not found.findings:
        console.print("[yellow]nothing is wrong so far; the round is not over, or its seed is not shown yet[/]")
