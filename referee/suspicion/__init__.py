"""Statistics over many rounds: whether chance alone explains how a log's decks were dealt, kept and given up.

These statistics prove nothing about a single round. An audit passes in a ``RoundSample`` for each round and
``TableCounts`` for each table, and gets scores and the findings that they justify. This package imports nothing of the
audit.

================  ============================================================================
``population``    counts over all rounds
``owners``        counts by the owner of a seat, with ``bets`` on which decks were kept
``given_up``      rounds given up after somebody could know their cards
``tables``        rounds by table, and tables given up after one failed round
``questions``     questions about the counts, with bounds by ``chance`` and ``distribution``
``score``         all questions judged together
================  ============================================================================
"""
