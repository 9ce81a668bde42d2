"""``referee verify``: one round proved from its bundle, as players and auditors are handed it."""

from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table as Grid

from referee.audit.bundle import BundleError, ProvedRound, prove_round
from referee.cli.options import FOUND, RulesetFolder, catalogue_of, fail
from referee.evidence.vkey import KeyTextError, VerifierKey


def verify(
    file: Annotated[Path, typer.Argument(help="A bundle, as `referee export` writes it.", exists=True, dir_okay=False)],
    *,
    log_key: Annotated[str, typer.Option(help="The log's verifier key as you know it from elsewhere.")],
    root_key: Annotated[str, typer.Option(help="The root's verifier key as you know it from elsewhere.")],
    origin: Annotated[str, typer.Option(help="The log's origin; otherwise the name of its key.")] = "",
    rulesets: RulesetFolder = None,
) -> None:
    """Prove one round: its leaves are in the signed log, its deck follows from the seeds, its result from the rules.

    Exit code 0 where everything holds, 1 where something does not or the round is not over, 2 where the file is no
    bundle. What other rounds and other readers of the log would show, only an audit of the whole log can say.
    """
    try:
        found = prove_round(
            file.read_bytes(),
            origin=origin or VerifierKey.parse(log_key).name,
            log_key=log_key,
            root_key=root_key,
            catalogue=catalogue_of(rulesets),
        )
    except (KeyTextError, BundleError) as error:
        fail(str(error))
    _print(Console(), found)
    raise typer.Exit(0 if found.is_proved else FOUND)


def _print(console: Console, found: ProvedRound) -> None:
    leaves, result = found.leaves, found.result
    if leaves is not None and result is not None:
        grid = Grid.grid(padding=(0, 2))
        header = leaves.header
        ended = "settled" if leaves.settle is not None else "aborted" if leaves.abort is not None else "running"
        grid.add_row("round", f"{header.table_id} {header.round_number}, {ended}")
        grid.add_row("ruleset", f"{header.ruleset_id} {header.ruleset_version}")
        grid.add_row("replayed", "yes" if result.is_replayed else "no")
        grid.add_row("dealt again", "yes" if result.is_redealt else "no: its seed is not shown, or it was not dealt")
        levels = [one.value for one in (result.dealing_level, result.event_level) if one is not None]
        grid.add_row("proved as", ", ".join(levels) or "no level")
        console.print(grid)
    for finding in found.findings:
        place = "" if finding.leaf_index is None else f" at leaf {finding.leaf_index}"
        console.print(f"[red]✗ {finding.code.value}[/]{place}: {finding.detail}", highlight=False)
    if found.is_proved:
        console.print("[green]✓ everything in this round holds[/]")
    elif not found.findings:
        console.print("[yellow]nothing is wrong so far; the round is not over, or its seed is not shown yet[/]")
