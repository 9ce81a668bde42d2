"""``referee odds``: what a game is worth under a ruleset, counted over everything that can be dealt."""

import os
from pathlib import Path
from typing import Annotated, Final

import typer

from referee.cli.options import RulesetFolder, catalogue_of, fail
from referee.rulesets import UnknownRulesetError

SEVERAL: Final = "; Ultimate Texas Hold'em only."


def odds(  # noqa: PLR0913 - one parameter an option
    ruleset_id: Annotated[str, typer.Argument(metavar="RULESET", help="Such as ultimate_texas.casino.")],
    *,
    rulesets: RulesetFolder = None,
    processes: Annotated[int, typer.Option(help="Processes to count with; 0 for one a core.", min=0, max=256)] = 0,
    json_file: Annotated[Path | None, typer.Option("--json", help="Write the counts as JSON.", dir_okay=False)] = None,
    svg: Annotated[Path | None, typer.Option(help=f"Draw when to bet before the flop{SEVERAL}", dir_okay=False)] = None,
    table: Annotated[
        Path | None,
        typer.Option(
            help=f"Folder to write <id>.preflop into, which serve --rulesets advises by{SEVERAL}", file_okay=False
        ),
    ] = None,
) -> None:
    """Count what a ruleset's game is worth: exact figures, computed from its own prices.

    Ultimate Texas Hold'em: the value of best play over every deal, Trips, how often each thing happens, and when to bet
    before the flop (minutes). Mậu Binh and Tiến Lên: the chance and the worth of each win at the deal (seconds).
    """
    try:
        ruleset = catalogue_of(rulesets).get(ruleset_id)
    except UnknownRulesetError as error:
        fail(f"{error}; `referee rulesets list` names those there are")
    if ruleset.game != "ultimate_texas" and (svg or table):
        fail(f"--svg and --table are for Ultimate Texas Hold'em; {ruleset.id} is a ruleset of {ruleset.game}")
    try:
        if ruleset.game == "ultimate_texas":
            from referee.cli import odds_ultimate_texas  # noqa: PLC0415 - no other command waits for numpy

            odds_ultimate_texas.show(
                ruleset, processes=processes or os.cpu_count() or 1, json_file=json_file, svg=svg, folder=table
            )
        else:
            from referee.cli import odds_instant_wins  # noqa: PLC0415 - as above

            odds_instant_wins.show(ruleset, json_file=json_file)
    except OSError as error:
        fail(str(error))
