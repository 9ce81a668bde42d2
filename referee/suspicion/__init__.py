"""What many rounds together show: whether chance alone explains how a log's decks were dealt, kept and given up.

It proves nothing about a single round, which is the audit's work, and imports nothing of it: an audit hands in a
``RoundSample`` a round and ``TableCounts`` a table, and takes back scores and suspicions, each under a stable code.

================  ============================================================================
``population``    counts over all rounds
``owners``        counts by the owner of a seat, with ``bets`` on which decks were kept
``given_up``      rounds given up although somebody could know their cards
``tables``        rounds by table, and tables given up after one failed round
``questions``     questions about the counts, with bounds by ``chance`` and ``distribution``
``score``         all questions judged together
``suspicion``     what a judgement reports, and its codes
================  ============================================================================
"""
