"""``referee odds``: exact odds of a game under a ruleset, counted over every possible deal."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Final

import typer

from referee.cli.command import Commands
from referee.cli.options import RulesetFolder, catalogue_of, fail
from referee.games import GAMES, Registry
from referee.rulesets import UnknownRulesetError

app = Commands()

SEVERAL: Final = "; Ultimate Texas Hold'em only."


@dataclass(frozen=True, kw_only=True)
class OddsGame:
    """Functions that compute the odds of one game.

    - ``show(ruleset, *, processes, as_json, svg, table, recount)`` counts, prints and writes the
      requested files. It raises OSError if a file cannot be written.
    - ``options`` are those of --svg, --table and --recount that the game has.
    - ``learn(ruleset, *, rounds, seed, folder, as_json)`` learns the opponents that the game's advice assumes;
      None if it assumes none.
    """

    name: str
    show: Callable[..., None]
    options: frozenset[str] = frozenset()
    learn: Callable[..., None] | None = None


def _builtin() -> tuple[OddsGame, ...]:
    from referee.cli import learn_mau_binh, odds_instant_wins, odds_ultimate_texas  # noqa: PLC0415 - they load numpy
    from referee.lab.odds import mau_binh, tien_len  # noqa: PLC0415 - as above

    return (
        OddsGame(
            name="mau_binh",
            show=partial(odds_instant_wins.show, mau_binh.instant_win_odds),
            learn=learn_mau_binh.learn,
        ),
        OddsGame(name="tien_len", show=partial(odds_instant_wins.show, tien_len.instant_win_odds)),
        OddsGame(
            name="ultimate_texas", show=odds_ultimate_texas.show, options=frozenset({"--svg", "--table", "--recount"})
        ),
    )


ODDS: Final[Registry[OddsGame]] = Registry("referee.odds", _builtin)
"""Games with odds: three built-in games and those of installed packages, from the entry points ``referee.odds``."""


@app.command(examples=["referee odds ultimate_texas.casino", "referee odds tien_len.mien_nam --json"])
def odds(  # noqa: PLR0913 - one parameter an option
    ruleset_id: Annotated[str, typer.Argument(metavar="RULESET", help="Such as ultimate_texas.casino.")],
    *,
    rulesets: RulesetFolder = None,
    workers: Annotated[int, typer.Option(help="Processes to count with; 0 for one a core.", min=0, max=256)] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="The counts as JSON on standard output.")] = False,
    svg: Annotated[Path | None, typer.Option(help=f"Draw when to bet before the flop{SEVERAL}", dir_okay=False)] = None,
    table: Annotated[
        Path | None,
        typer.Option(
            help=f"Folder to write <id>.preflop into, which serve --rulesets advises by{SEVERAL}", file_okay=False
        ),
    ] = None,
    recount: Annotated[
        bool, typer.Option("--recount", help=f"Count again what came counted with the referee{SEVERAL}")
    ] = False,
) -> None:
    """Count what a ruleset's game is worth: exact figures, computed from its own prices.

    Ultimate Texas Hold'em: the value of best play over every deal, Trips, how often each outcome happens, and when to
    bet before the flop. The counts for the built-in rulesets are installed; other rulesets take minutes. Mậu Binh and
    Tiến Lên: the chance and the worth of each win at the deal (seconds).
    """
    try:
        ruleset = catalogue_of(rulesets).get(ruleset_id)
    except UnknownRulesetError as error:
        fail(f"{error}; `referee rulesets list` names those there are")
    game = ODDS.get(ruleset.game)
    if game is None:
        fail(f"{ruleset.id} is a ruleset of {ruleset.game}, which has no odds; games with odds: {', '.join(ODDS)}")
    for option, value in (("--svg", svg), ("--table", table), ("--recount", recount)):
        if value and option not in game.options:
            titles = ", ".join(GAMES[name].title for name, one in ODDS.items() if option in one.options)
            fail(f"{option} is for {titles} only; {ruleset.id} is a ruleset of {ruleset.game}")
    game.show(
        ruleset,
        processes=workers or os.cpu_count() or 1,
        as_json=as_json,
        svg=svg,
        table=table,
        recount=recount,
    )
