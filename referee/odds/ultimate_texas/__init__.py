"""What Ultimate Texas Hold'em is worth under any paytable, counted over every deal.

``census`` finds the best play and how often everything happens under it; ``Figures`` works rates out of the counts.
Nothing is sampled and nothing is typed in.
"""

from referee.odds.ultimate_texas.census import census
from referee.odds.ultimate_texas.figures import DEALS, Figures, OutcomeCount
from referee.odds.ultimate_texas.outcome import Met
from referee.odds.ultimate_texas.picture import bets_of, draw_svg, draw_text, values_of
from referee.odds.ultimate_texas.strategy import Strategy

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
