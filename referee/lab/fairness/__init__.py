"""A report on the shuffle that a testing laboratory can reproduce, number for number.

A claim about the shuffle is proved by exhaustive count where possible, with the functions that deal. Other claims are
tested by measures with exactly known distributions, and the chance of a false alarm is stated. The same measures must
also find shufflers with known faults, or the report proves nothing. The audit examines players, tables and logs.

``report`` makes the report. ``proof`` counts that draws are even, orders differ and streams are long enough. ``survey``
counts in batches of ``rounds``, whose ``decks`` are shuffled many at once. ``places``, ``poker`` and ``thirteen`` have
the measures, in the form of ``measure``; ``law`` has their exact counts, ``tail`` the probabilities. ``control`` has
the shufflers with a fault. ``text`` writes the report, ``bounds`` has the fewest decks of a report.

>>> from referee.lab.fairness.proof import prove
>>> all(proof.holds for proof in prove())
True
"""
