"""The value of Ultimate Texas Hold'em under any paytable, counted over every deal.

``census`` finds the best play and counts every outcome of it; ``Figures`` computes rates from the counts.
"""

from referee.lab.odds.ultimate_texas.census import census
from referee.lab.odds.ultimate_texas.figures import DEALS, Figures, OutcomeCount
from referee.lab.odds.ultimate_texas.outcome import Met
from referee.lab.odds.ultimate_texas.picture import bets_of, draw_svg, draw_text, values_of
from referee.lab.odds.ultimate_texas.strategy import Strategy

__all__ = [
    "DEALS",
    "Figures",
    "Met",
    "OutcomeCount",
    "Strategy",
    "bets_of",
    "census",
    "draw_svg",
    "draw_text",
    "values_of",
]
