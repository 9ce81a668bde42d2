"""``referee odds`` for a game that can be won at the deal: the chance and the worth of each such win."""

from collections.abc import Callable

import typer
from rich.table import Table as Grid

from referee.cli.paper import paper
from referee.lab.odds.instant_win import InstantWinChance, InstantWinOdds
from referee.rulesets import Ruleset


def show(count: Callable[..., InstantWinOdds], ruleset: Ruleset, *, as_json: bool, **_options: object) -> None:
    """Count the odds of a ruleset with ``count`` and print them."""
    odds = count(ruleset.rules)
    if as_json:
        typer.echo(odds.write())
        return
    console = paper()
    console.print(f"{ruleset.id} {ruleset.version}, file {ruleset.digest.hex()}, {odds.hands:,} hands", soft_wrap=True)
    console.print(_chance_grid(odds, ruleset))
    console.print(_worth_grid(odds, ruleset))
    console.print(
        "Worth: the stakes that a seat collects in a round in the mean, which are the chance times the units times the "
        "seats that pay. That is as if no other seat won at the same deal; what is collected is a little less.",
        highlight=False,
    )


def _chance_grid(odds: InstantWinOdds, ruleset: Ruleset) -> Grid:
    grid = Grid("pattern", "hands that meet it", "hands it wins", "one in")
    for one in odds.chances:
        chance = f"{odds.hands / one.wins:,.1f}" if one.wins else "never"
        grid.add_row(_name(one, ruleset), f"{one.met:,}", f"{one.wins:,}", chance)
    grid.add_section()
    grid.add_row("any", "", f"{sum(one.wins for one in odds.chances):,}", f"{float(1 / odds.any_win):,.1f}")
    return grid


def _worth_grid(odds: InstantWinOdds, ruleset: Ruleset) -> Grid:
    seats = range(ruleset.rules.seats.minimum, ruleset.rules.seats.maximum + 1)
    grid = Grid("worth of", "units", *(f"{count} seats" for count in seats))
    for one in odds.chances:
        worths = [f"{float(odds.worth_of(one, count)):.8f}" for count in seats]
        grid.add_row(_name(one, ruleset), str(one.units), *worths)
    grid.add_section()
    grid.add_row("all", "", *(f"{float(odds.worth(count)):.8f}" for count in seats))
    return grid


def _name(one: InstantWinChance, ruleset: Ruleset) -> str:
    return ruleset.names["pattern"][one.pattern].en
