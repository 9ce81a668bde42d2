"""Statistics over many rounds: whether chance alone explains how a log's decks were dealt, kept and given up.

These statistics prove nothing about a single round, and nothing of the judge imports them. ``Suspicion`` is a reader of
an audit's rounds; it adds findings to the audit's report, and scores to a report of its own.

================  ============================================================================
``reader``        ``Suspicion``: the statistics of one audit
``report``        the audit's report with these statistics
``sample``        what an examined round adds to the counts
``population``    counts over all rounds
``owners``        counts by the owner of a seat, with ``bets`` on which decks were kept
``given_up``      rounds given up after somebody could know their cards
``tables``        tables given up after one failed round
``questions``     questions about the counts, with bounds by ``chance`` and ``distribution``
``score``         all questions judged together
================  ============================================================================
"""
