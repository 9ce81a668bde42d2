"""The value of Ultimate Texas Hold'em under any paytable, counted over every deal.

``census`` finds the best play and counts every outcome of it; ``Figures`` computes rates from the counts.
"""
