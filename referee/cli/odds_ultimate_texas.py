"""``referee odds`` for Ultimate Texas Hold'em."""

import math
from fractions import Fraction
from pathlib import Path

import typer
from rich.console import Console
from rich.table import Column
from rich.table import Table as Grid

from referee.advice.ultimate_texas.preflop import SUFFIX, PreflopTable, PreflopTables
from referee.advice.ultimate_texas.price import Prices
from referee.cli.paper import paper
from referee.cli.progress import progress_bar
from referee.games.ultimate_texas import UltimateTexasRules
from referee.hands import Category
from referee.lab.odds.ultimate_texas.census import census
from referee.lab.odds.ultimate_texas.figures import DEALS, Figures
from referee.lab.odds.ultimate_texas.outcome import Met
from referee.lab.odds.ultimate_texas.picture import bets_of, draw_svg, draw_text, values_of
from referee.rulesets import Ruleset


def show(  # noqa: PLR0913 - options of the command
    ruleset: Ruleset, *, processes: int, as_json: bool, svg: Path | None, table: Path | None, recount: bool
) -> None:
    """Count and print the odds of a ruleset; write the requested files. Raise OSError if a file cannot be written.

    Unless ``recount``, installed counts are used if there are any for these rules.
    """
    rules: UltimateTexasRules = ruleset.rules  # type: ignore[assignment] # the ruleset is of this game
    before = None if recount else _counted(rules)
    best, figures = before or _count(ruleset.id, rules, processes=processes)
    prices = Prices.of(rules)
    bets = bets_of(best, prices)
    if as_json:
        typer.echo(figures.write())
    else:
        _print(paper(), ruleset, rules, figures, bets, is_counted_before=before is not None)
    if svg:
        title = f"{ruleset.title.en}: before the flop"
        drawn = draw_svg(bets, values_of(best, prices), title=title, allowed=prices.preflop)
        svg.write_text(drawn, encoding="utf-8")
    if table:
        table.mkdir(parents=True, exist_ok=True)
        (table / f"{ruleset.id}{SUFFIX}").write_bytes(best.write())


def _counted(rules: UltimateTexasRules) -> tuple[PreflopTable, Figures] | None:
    """Return the installed best play and figures for these rules; None if one of them is not installed."""
    best, figures = PreflopTables.builtin().table_for(rules), Figures.counted(rules)
    return None if best is None or figures is None else (best, figures)


def _count(name: str, rules: UltimateTexasRules, *, processes: int) -> tuple[PreflopTable, Figures]:
    with progress_bar(name, "starting hands") as bar:
        strategy, figures = census(rules, processes=processes, progress=bar)
    return strategy.table, figures


def _print(  # noqa: PLR0913 - what there is to print
    console: Console,
    ruleset: Ruleset,
    rules: UltimateTexasRules,
    figures: Figures,
    bets: dict[str, int],
    *,
    is_counted_before: bool,
) -> None:
    console.print(f"{ruleset.id} {ruleset.version}, file {ruleset.digest.hex()}, {DEALS:,} deals", soft_wrap=True)
    if is_counted_before:
        console.print("counted when this release was made; --recount counts all deals again", style="dim")
    console.print(_figure_grid(figures, rules))
    paths = Grid("street", "play bet", "share of deals")
    for (street, multiple), share in figures.by_path().items():
        paths.add_row(street, f"{multiple}x" if multiple else "fold", _percent(share))
    console.print(paths)
    console.print(_hand_grid(figures, ruleset, rules))
    console.print("Before the flop (suited above the diagonal; · is a check):\n")
    console.print(draw_text(bets) + "\n", highlight=False)


def _figure_grid(figures: Figures, rules: UltimateTexasRules) -> Grid:
    grid = Grid(
        "figure", "value", Column("exactly", overflow="fold"), title="Ante, Blind and Play under best play; Trips"
    )
    values = [
        ("the house keeps of an Ante", figures.house_edge),
        ("bet in the mean, in Antes", figures.mean_bet),
        ("the house keeps of all that is bet", figures.element_of_risk),
        ("the house qualifies", figures.qualifies(rules)),
        ("the house keeps of Trips, nothing folded", figures.trips_edge(rules, folds=False)),
        ("the house keeps of Trips, folding as if there were none", figures.trips_edge(rules, folds=True)),
    ]
    for name, value in values:
        shown = f"{float(value):.6f}" if "mean" in name else _percent(value)
        grid.add_row(name, shown, f"{value.numerator:,}/{value.denominator:,}")
    grid.add_row("standard deviation of a round, in Antes", f"{math.sqrt(figures.variance(rules)):.6f}", "")
    grid.add_row("standard deviation of Trips, nothing folded", f"{math.sqrt(figures.trips_variance(rules)):.6f}", "")
    return grid


def _hand_grid(figures: Figures, ruleset: Ruleset, rules: UltimateTexasRules) -> Grid:
    grid = Grid("", "won, Q", "won", "tied", "lost, Q", "lost", "folded", title="% of deals; Q: the house qualifies")
    for category in reversed(rules.ranking.rules.order):
        grid.add_row(ruleset.names["category"][category].en, *_shares(figures, category))
    return grid


def _shares(figures: Figures, category: Category) -> list[str]:
    own = [one for one in figures.outcomes if one.category == category]
    stayed = [sum(one.deals for one in own if one.multiple and one.met == met) for met in Met]
    folded = sum(one.deals for one in own if not one.multiple)
    return [f"{float(Fraction(100 * count, DEALS)):.5f}" if count else "" for count in (*stayed, folded)]


def _percent(share: Fraction) -> str:
    return f"{float(100 * share):.6f} %"
